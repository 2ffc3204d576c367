"""From documents to a project that can be run, and from there to one with a reference, a contract and a plan."""

import keyword
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from envwright.agents.find import find_agent
from envwright.agents.protocol import Agent, Money
from envwright.recipe import prompting
from envwright.recipe.analyse.find import analyse
from envwright.recipe.builtin import NAME as BUILTIN
from envwright.recipe.builtin import BuiltinAgent
from envwright.recipe.create.artefacts import FOLDER
from envwright.recipe.create.creation import CreationLoop
from envwright.recipe.create.documents import SourceDocument, read_rulebook, rulebook_hash
from envwright.recipe.create.judging import CreationJudge
from envwright.recipe.create.specification import Specification
from envwright.recipe.create.tasks import CreationTasks
from envwright.recipe.events import Began, RulesCovered
from envwright.recipe.journal import open_journal
from envwright.recipe.journaled_run import JournaledRun
from envwright.recipe.ledger import Ledger
from envwright.recipe.naming import BeginError, title_of
from envwright.recipe.new_project import begin, clear, draft
from envwright.recipe.open_run import JOURNAL, ProjectChangedError, first_event
from envwright.recipe.plan import make_plan
from envwright.recipe.project import (
    CONTRACT,
    FILE,
    PLAN,
    Project,
    agent_names,
    load_project,
    money,
    project_text,
)
from envwright.recipe.recorded import RECORDED, RecordedAgent, RecordingError
from envwright.recipe.versions import Files

RUNS = Path("out") / "create"
DOCUMENTS = "documents"  # in a run's folder
OURS = ("numpy", "gymnasium", "pytest", "conftest", "test_rules", "rulebook_tests", "rollouts", "specification")


@dataclass(frozen=True)
class Creation:
    """What was made from documents."""

    project: Project  # of the translation that follows
    specification: Specification
    files: Files  # the artefacts
    covered: RulesCovered


def begin_creation(
    documents: Sequence[Path],
    name: str | None,
    out: Path | None,
    *,
    target: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    budget: float | None = None,
    fresh: bool = False,
) -> Project:
    """The project to run, new or as it is in its folder. Everything that can be wrong is looked at before anything is
    written. A single folder is a project that was begun or recorded before."""
    if len(documents) == 1 and (documents[0] / FILE).is_file():
        if not load_project(documents[0]).rulebook:
            raise BeginError(
                f"{documents[0]} is not made from documents; run it with: envwright translate {documents[0]}."
            )
        return begin(str(documents[0]), out, target=target, agent=agent, model=model, budget=budget, fresh=fresh)
    title = _title(name)
    assert name is not None
    read = read_rulebook(documents)
    names = _agents(agent)
    folder = out or RUNS / name
    if fresh:
        clear(folder)
    if (folder / FILE).exists():
        project = load_project(folder)
        if project.name != name or not project.rulebook or rulebook_hash(_read(project)) != rulebook_hash(read):
            raise BeginError(
                f"{folder} is about something else, or its documents have changed; choose another folder with --out, "
                "or add --fresh to begin anew."
            )
    else:
        project = Project(
            folder, name, title, f"{FOLDER}/{name}.py:{title}", target or "jax", agent=names,
            rulebook=tuple(f"{DOCUMENTS}/{path.name}" for path in documents),
        )  # fmt: skip
        if budget is not None:
            project = replace(project, budget=money(budget, "--budget"))
        (folder / DOCUMENTS).mkdir(parents=True, exist_ok=True)
        for path in documents:
            shutil.copy2(path, folder / DOCUMENTS / path.name)
        (folder / FILE).write_text(project_text(project))  # last: with it, it is a project
    project = replace(project, agent=names)
    if model is not None:
        asked = next(agent for agent in names if agent != BUILTIN)
        project = replace(project, agents={**project.agents, asked: {**project.agents.get(asked, {}), "model": model}})
    return project if budget is None else replace(project, budget=money(budget, "--budget"))


def _title(name: str | None) -> str:
    """The class of a name; refuses what cannot be one."""
    if name is None:
        raise BeginError("Say what the environment is to be called, as in: envwright create rules.md --name crossing.")
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise BeginError(
            f"--name {name} becomes a file, a package and a class; use letters, digits and _ only, and begin with a "
            "letter."
        )
    if name in OURS or name in sys.stdlib_module_names:
        raise BeginError(
            f"--name {name} is the name of a Python module that games or their tests import; choose another."
        )
    return title_of(name)


def _agents(text: str | None) -> tuple[str, ...]:
    """Who is asked. What can be translated by rule is not asked of an agent."""
    names = agent_names(text) if text is not None else (BUILTIN,)
    for name in names:
        if name != RECORDED:
            find_agent(name)
    if set(names) == {BUILTIN}:
        raise BeginError(
            "Rules for people are read by a coding agent, not by rule; name one with --agent, see: envwright agents."
        )
    return names if BUILTIN in names or RECORDED in names else (BUILTIN, *names)


def _read(project: Project) -> tuple[SourceDocument, ...]:
    return read_rulebook([project.folder / path for path in project.rulebook])


# ---- a run ----


def create(
    project: Project,
    agents: Sequence[Agent],
    *,
    secret: int | None = None,
    budget: Money | None = None,
    until: str = "",
    say: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda what: None,
    opened: Callable[[JournaledRun[CreationJudge]], None] = lambda run: None,
) -> Creation:
    """Go through a creation, new or resumed, and make the project of its translation."""
    with _open(project, agents, secret, budget, say, progress) as (run, tasks):
        opened(run)
        files, covered = CreationLoop(run, tasks, say, until).create()
        spec = run.verifier.specification(files)
    progress("drafting the contract")
    return Creation(_drafted(project, say), spec, files, covered)


@contextmanager
def _open(
    project: Project,
    agents: Sequence[Agent],
    secret: int | None,
    budget: Money | None,
    say: Callable[[str], None],
    progress: Callable[[str], None],
) -> Iterator[tuple[JournaledRun[CreationJudge], CreationTasks]]:
    """A creation in a project's folder, new or resumed, ready for its loop."""
    documents = _read(project)
    writers = [agent for agent in agents if not isinstance(agent, BuiltinAgent)]
    if not writers:
        raise BeginError("Rules for people are read by a coding agent; name one with --agent, see: envwright agents.")
    with open_journal(project.folder / JOURNAL) as journal:
        hashes = {"rulebook": rulebook_hash(documents), "prompts": prompting.prompts_hash(project.templates)}
        for agent in writers:
            if isinstance(agent, RecordedAgent) and agent.content.get("rulebook_sha256") != hashes["rulebook"]:
                raise RecordingError(f"The documents in {project.folder} are not as they were when this was recorded.")
        began = next((e for e in journal.events if isinstance(e, Began)), None)
        if began is None:
            about = ", ".join(document.name for document in documents)
            began = first_event(project, about, agents, hashes, secret)
            journal.append(began)
        elif began.hashes.get("rulebook") != hashes["rulebook"]:
            raise ProjectChangedError("The documents have changed since this run began; begin a new one with --fresh.")
        ledger = Ledger(journal, began.budget if budget is None else budget)
        ledger.settle_the_dead()
        judge = CreationJudge(documents, project.name, project.title, progress)
        run = JournaledRun(project.folder, journal, ledger, judge, writers, project.call, project.patience, say)
        yield run, CreationTasks(documents, project.name, project.title, project.notes, project.templates)


def _drafted(project: Project, say: Callable[[str], None]) -> Project:
    """With contract and plan of the reference as it is now; those of an earlier one are put aside."""
    analysis = analyse(project.reference, base=project.folder)
    plan, contract = project.folder / PLAN, project.folder / CONTRACT
    if plan.exists() and contract.exists():
        known = {row.get("sha256") for row in tomllib.loads(plan.read_text()).get("source", [])}
        if all(source.sha256 in known for source in analysis.sources):
            return project
        for path in (plan, contract):
            path.replace(path.with_name(f"{path.stem}.before.toml"))
        say("the reference has changed: contract.toml and plan.toml are drafted anew, the old ones end in .before.toml")
    return draft(project, analysis, make_plan(analysis), {})
