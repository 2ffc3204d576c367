"""From a project to a run: what is needed is read, checked, and put together; then the loop goes over it."""

import hashlib
import platform
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import jax
import numpy as np

from envwright.agents.find import find_agent
from envwright.agents.protocol import Agent, Money
from envwright.core.errors import EnvwrightError
from envwright.core.version import VERSION
from envwright.recipe import prompting
from envwright.recipe.analyse.find import analyse
from envwright.recipe.briefing import Briefing, ModuleBrief
from envwright.recipe.builtin import BuiltinAgent, Lesson
from envwright.recipe.events import Began
from envwright.recipe.journal import Journal, open_journal
from envwright.recipe.journaled_run import JournaledRun
from envwright.recipe.ledger import Ledger
from envwright.recipe.naming import told
from envwright.recipe.plan import read_plan, source_of
from envwright.recipe.project import CONTRACT, PLAN, Documents, Project
from envwright.recipe.recorded import RECORDED, RecordedAgent, RecordingError, load_recording
from envwright.recipe.shapes import interface_of
from envwright.recipe.targets import find_target
from envwright.recipe.verifier import Verifier
from envwright.verifier import contract as contracts
from envwright.verifier import pairs

JOURNAL = "journal.jsonl"


class ProjectChangedError(EnvwrightError, ValueError):
    """A run cannot be resumed, for what it was about has changed."""


def find_agents(project: Project) -> tuple[list[Agent], int | None]:
    """The agents of a project; and, of a recording, the seed of the games that decided then."""
    agents: list[Agent] = []
    secret = None
    for name in project.agent:
        if name == RECORDED:
            content = load_recording(project.folder)
            agents.append(RecordedAgent(content))
            secret = content["secret"]
        else:
            agents.append(find_agent(name, project.agents.get(name, {})))
    return agents, secret


def read_documents(project: Project) -> Documents:
    """The files of a project and the source of its reference, unless they have been read already."""
    if project.documents is not None:
        return project.documents
    contract = contracts.load(project.folder / CONTRACT)
    analysis = analyse(project.reference, [Path(s) for s in project.sources], project.entries, project.folder)
    return Documents(contract, read_plan(project.folder / PLAN, analysis), analysis)


@contextmanager
def open_run(
    project: Project,
    agents: Sequence[Agent],
    *,
    secret: int | None = None,
    budget: Money | None = None,
    say: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda what: None,
) -> Iterator[tuple[JournaledRun[Verifier], Briefing]]:
    """A run in a project's folder, new or resumed, ready for the loop."""
    documents = read_documents(project)
    contract, plan, analysis = documents.contract, documents.plan, documents.analysis
    sources = {module.name: source_of(module, analysis) for module in plan.modules}
    journal = open_journal(project.folder / JOURNAL)
    host, other = pairs.make_host(contract), pairs.make_host(contract)
    try:
        began = _began(project, sources, journal, agents, secret)
        progress("playing the original")
        interface = interface_of(contract, host, project.package, project.title)
        target = find_target(project.target)
        pieces = [ModuleBrief(m.name, sources[m.name], m.lines, m.needs, m.why) for m in plan.modules]
        names = [piece.name for piece in pieces]
        brief = Briefing(
            reference=told(project.reference),
            interface=interface,
            target=target,
            pieces=pieces,
            language=analysis.sources[0].language,
            notes=project.notes,
            exact=not contract.tolerances,
            templates=project.templates,
            scaffold=target.scaffold(interface, names),
        )
        verifier = Verifier(
            contract, (host, other), interface, target, project.folder / "verifier", began.seed, began.secret,
            project.effort, project.limits, progress,
        )  # fmt: skip
        for agent in agents:
            if isinstance(agent, BuiltinAgent):
                agent.learn(Lesson(contract, interface, plan, target.NAME, brief.language, verifier.beside))
        ledger = Ledger(journal, began.budget if budget is None else budget)
        ledger.settle_the_dead()
        yield (
            JournaledRun(project.folder, journal, ledger, verifier, agents, project.call, project.patience, say),
            brief,
        )
    finally:
        host.close()
        other.close()
        journal.close()


def _began(
    project: Project, sources: Mapping[str, str], journal: Journal, agents: Sequence[Agent], secret: int | None
) -> Began:
    """What the journal begins with; a run that is resumed must still be about the same."""
    hashes = {
        "source": hashlib.sha256("\0".join(sources.values()).encode()).hexdigest(),
        "contract": _hash_file(project.folder / CONTRACT),
        "plan": _hash_file(project.folder / PLAN),
        "prompts": prompting.prompts_hash(project.templates),
    }
    for agent in agents:
        if isinstance(agent, RecordedAgent) and agent.content["source_sha256"] != hashes["source"]:
            raise RecordingError(
                f"{project.reference} is not as it was when this was recorded; install the version that "
                f"{project.folder / PLAN} names."
            )
    begun = [e for e in journal.events if isinstance(e, Began)]
    before = next((e for e in reversed(begun) if "source" in e.hashes), None)  # not that of a creation
    if before is not None:
        changed = [what for what in ("source", "contract", "plan") if before.hashes.get(what) != hashes[what]]
        if changed and not project.rulebook:
            what = {"source": "the original's source", "contract": CONTRACT, "plan": PLAN}[changed[0]]
            raise ProjectChangedError(f"{what} has changed since this run began; begin a new one with --fresh.")
        if not changed:
            return before
    began = first_event(project, project.reference, agents, hashes, begun[0].secret if begun else secret)
    journal.append(began)
    return began


def first_event(
    project: Project, reference: str, agents: Sequence[Agent], hashes: Mapping[str, str], secret: int | None
) -> Began:
    """What a journal begins with, and again a translation whose reference was made or changed in the same run."""
    return Began(
        name=project.name,
        reference=reference,
        target=project.target,
        agents=tuple(agent.name for agent in agents),
        budget=project.budget,
        hashes=hashes,
        seed=project.seed,
        secret=secrets.randbits(31) if secret is None else secret,
        versions=_versions(),
    )


def _hash_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _versions() -> dict[str, str]:
    return {
        "envwright": VERSION,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
