"""A new project from a reference, or a run of a project that is there."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.recipe.analyse.facts import Analysis
from envwright.recipe.analyse.find import analyse
from envwright.recipe.drafting import contract_text, draft_tables, function_arguments
from envwright.recipe.plan import Plan, make_plan, write_plan
from envwright.recipe.project import CONTRACT, FILE, PLAN, Project, agent_names, load_project, money, project_text
from envwright.recipe.recorded import FILE as RECORDING
from envwright.recipe.recorded import RECORDED
from envwright.recipe.start import JOURNAL
from envwright.references.protocol import Reference
from envwright.references.self_check import SelfCheck, check_reference
from envwright.verify.draft import Seen, watch
from envwright.verify.host import Apart
from envwright.verify.pairs import find_reference
from envwright.verify.record import Beat

RUNS = Path("out") / "translate"
RUN_FOLDERS = ("court", "work", "transcripts", "package", "dist")
RUN_FILES = (JOURNAL, "report.html")
EPISODES = 300  # played for a contract: how long lists get shows only now and then


class BeginError(EnvwrightError, ValueError):
    """A run cannot be begun like this."""


def begin(
    reference: str,
    out: Path | None,
    *,
    target: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    budget: float | None = None,
    fresh: bool = False,
) -> Project:
    """The project to run, in the folder to run it in. A run that is there already is gone on with, unless `fresh`."""
    given = Path(reference)
    source = load_project(given) if (given / FILE).is_file() else None
    if source is None and given.is_dir():
        raise BeginError(f"{given} has no {FILE}; make a project with: envwright init REFERENCE --out {given}.")
    folder = out or RUNS / (source.name if source else short_name(reference))
    if fresh and folder.exists() and not _is_project(folder):
        raise BeginError(
            f"{folder} is not a run of envwright's, so it is not deleted; choose another folder with --out."
        )
    if fresh and folder.exists() and (source is None or folder.resolve() != given.resolve()):
        shutil.rmtree(folder)
    elif fresh:
        _forget(folder)
    if not (folder / FILE).exists():
        if source is not None:
            copy_project(given, folder)
        else:
            init_project(reference, folder, target=target, agent=agent, budget=budget)
    project = load_project(folder)
    if project.reference != (source.reference if source else reference):
        raise BeginError(f"{folder} is about {project.reference}; choose another folder with --out, or add --fresh.")
    return _changed(project, target, agent, model, budget)


def _changed(
    project: Project, target: str | None, agent: str | None, model: str | None, budget: float | None
) -> Project:
    """The project with what the command line says."""
    if target is not None and target != project.target:
        raise BeginError(f"{project.folder} translates to {project.target}; choose another folder with --out.")
    if agent is None and (project.folder / RECORDING).is_file():
        agent = RECORDED
    if agent is not None:
        project = replace(project, agent=agent_names(agent))
    if model is not None:
        first = project.agent[0]
        project = replace(project, agents={**project.agents, first: {**project.agents.get(first, {}), "model": model}})
    return project if budget is None else replace(project, budget=money(budget, "--budget"))


def init_project(
    reference: str,
    folder: Path,
    *,
    target: str | None = None,
    agent: str | None = None,
    budget: float | None = None,
    sources: Sequence[Path] = (),
    entries: Sequence[str] = (),
) -> Project:
    """Look at a reference and write a project for it: what it is, what must be equal, and in which modules."""
    if (folder / FILE).exists():
        raise BeginError(f"{folder} is a project already; choose another folder with --out.")
    analysis = analyse(reference, sources, entries)
    plan = make_plan(analysis)
    name = short_name(reference)
    title = "".join(word.capitalize() for word in name.split("_"))
    chosen = target or plan.suggestion
    project = Project(folder, name, title, reference, chosen)
    if agent is not None:
        project = replace(project, agent=agent_names(agent))
    if budget is not None:
        project = replace(project, budget=money(budget, "--budget"))
    contract, problems = _contract(project, analysis, plan)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONTRACT).write_text(contract)
    (folder / PLAN).write_text(write_plan(plan))
    (folder / FILE).write_text(project_text(project))  # last: with it, it is a project
    if problems:
        raise BeginError(f"{folder / CONTRACT} needs you: {problems[0]} Then: envwright translate {folder}.")
    return project


def _contract(project: Project, analysis: Analysis, plan: Plan) -> tuple[str, list[str]]:
    """A contract, from playing the reference; and what it still needs a person for."""
    options = {"forgets": True} if project.reference.startswith("minatar:") else {}  # what it is told to do by itself
    host = Apart(partial(find_reference, project.reference, options, project.folder))
    try:
        _fit_to_be_law(project.reference, host.run(_check), analysis)
        seen: Seen = host.run(_watch_longer)
    finally:
        host.close()
    draft = draft_tables(seen, analysis.drawn)
    draft.options = options
    candidate = f"{project.package}.env:{project.title}"
    functions = _functions(seen, analysis, plan)
    return contract_text(project.reference, candidate, draft, seen.max_episode_steps, functions), draft.problems


def _fit_to_be_law(reference: str, checked: SelfCheck, analysis: Analysis) -> None:
    """Refuse an original that does not repeat itself, or whose episodes are not separate."""
    for finding in checked.findings:
        if not finding.note:
            raise BeginError(f"{reference} {finding.sentence}")
        if finding.kind == "survives" and finding.where not in analysis.drawn:
            raise BeginError(
                f"{reference} keeps {finding.where} over a reset, so how an episode begins depends on the one before; "
                "translate a subclass whose reset sets it."
            )


def _check(reference: Reference, beat: Beat) -> SelfCheck:
    beat()
    return check_reference(reference)


def _watch_longer(reference: Reference, beat: Beat) -> Seen:
    return watch(reference, beat, EPISODES)


def _functions(seen: Seen, analysis: Analysis, plan: Plan) -> list[tuple[str, str, list[str]]]:
    """The functions that can be judged alone: of numbers only, without state and luck; with their module."""
    home = {id: module.name for module in plan.modules for id in module.functions}
    found: list[tuple[str, str, list[str]]] = []
    for unit in analysis.units:
        alone = "." not in unit.qualified and not (unit.chance or unit.writes or unit.reads)
        if alone and unit.name in seen.calls and (arguments := function_arguments(seen.calls[unit.name])):
            found.append((home[unit.id], unit.name, arguments))
    return found


def short_name(reference: str) -> str:
    """`gymnasium:CartPole-v1` is cart_pole; a name for files, packages and folders."""
    text = re.sub(r"-v\d+$", "", reference.rpartition(":")[2]).rpartition("/")[2]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    name = re.sub(r"\W+", "_", words).strip("_").lower()
    if not name.isidentifier():
        raise BeginError(f"{reference} gives no name for a package; make a project with: envwright init --name.")
    return name


def _is_project(folder: Path) -> bool:
    return (folder / FILE).is_file()


def copy_project(source: Path, folder: Path) -> None:
    """A project's own files, without the runs that were made in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        if path.name in (*RUN_FOLDERS, *RUN_FILES, FILE, "__pycache__"):
            continue
        if path.is_dir():
            shutil.copytree(path, folder / path.name, dirs_exist_ok=True)
        else:
            shutil.copy2(path, folder / path.name)
    shutil.copy2(source / FILE, folder / FILE)  # last: with it, it is a project


def _forget(folder: Path) -> None:
    """Delete a run, but not the project it was made in."""
    for name in RUN_FOLDERS:
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in RUN_FILES:
        (folder / name).unlink(missing_ok=True)
