"""A new project from a reference, or a run of a project that is there."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from envwright.recipe.analyse.facts import Analysis
from envwright.recipe.analyse.find import analyse
from envwright.recipe.builtin import LANGUAGE, TARGET
from envwright.recipe.builtin import NAME as BUILTIN
from envwright.recipe.drafting.contract_file import contract_text
from envwright.recipe.drafting.from_play import Calls, check_itself, draft_from_play
from envwright.recipe.drafting.source_facts import SourceFacts, facts_of
from envwright.recipe.drafting.tables import function_arguments
from envwright.recipe.naming import BeginError, all_options, located, title_of
from envwright.recipe.naming import short_name as short_name
from envwright.recipe.open_run import JOURNAL, read_documents
from envwright.recipe.plan import ModulePlan, make_plan, write_plan
from envwright.recipe.project import (
    CONTRACT,
    FILE,
    PLAN,
    Documents,
    Project,
    agent_names,
    load_project,
    money,
    project_text,
)
from envwright.recipe.recorded import FILE as RECORDING
from envwright.recipe.recorded import RECORDED
from envwright.references.registry import maker
from envwright.references.self_check import SelfCheck
from envwright.verifier import contract as contracts
from envwright.verifier.host import Apart

RUNS = Path("out") / "translate"
RUN_FOLDERS = ("created", "verifier", "work", "transcripts", "package", "dist")
RUN_FILES = (JOURNAL, "report.html")


def begin(
    reference: str,
    out: Path | None,
    *,
    target: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    budget: float | None = None,
    fresh: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Project:
    """The project to run, in the folder to run it in. A run that is there already is gone on with, unless `fresh`.
    `options` are those of the original's constructor; other options are another project."""
    given = Path(reference)
    source = load_project(given) if (given / FILE).is_file() else None
    if source is None and given.is_dir():
        raise BeginError(f"{given} has no {FILE}; make a project with: envwright init REFERENCE --out {given}.")
    if source is not None and options:
        raise BeginError(f"{given} is a project; its options are in {given / CONTRACT}, under [reference_options].")
    folder = out or RUNS / (source.name if source else short_name(reference, options))
    if fresh and (source is None or folder.resolve() != given.resolve()):
        clear(folder)
    elif fresh:
        _forget(folder)
    if (folder / FILE).exists():
        project = load_project(folder)
    elif source is not None:
        copy_project(given, folder)
        project = replace(source, folder=folder)
    else:
        project = init_project(reference, folder, target=target, agent=agent, budget=budget, options=options)
    if project.reference != (source.reference if source else located(reference, folder)):
        raise BeginError(f"{folder} is about {project.reference}; choose another folder with --out, or add --fresh.")
    project = _changed(project, target, agent, model, budget)
    if source is not None:
        return project
    documents = read_documents(project)
    if documents.contract.reference_options != all_options(reference, options or {}):
        raise BeginError(
            f"{folder} was begun with other options; go on with: envwright translate {folder}, or begin another one "
            "with --out, or add --fresh."
        )
    return replace(project, documents=documents)


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
    options: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Project:
    """Look at a reference and write a project for it: what it is, what must be equal, and in which modules."""
    if (folder / FILE).exists():
        raise BeginError(f"{folder} is a project already; choose another folder with --out.")
    analysis = analyse(reference, sources, entries)
    plan = make_plan(analysis)
    name = short_name(reference, options) if name is None else name
    if not name.isidentifier():
        raise BeginError(f"--name {name} becomes a package and a class; use letters, digits and _ only.")
    project = Project(
        folder, name, title_of(name), located(reference, folder), target or plan.suggestion,
        sources=tuple(str(path.resolve()) for path in sources), entries=tuple(entries),
    )  # fmt: skip
    if agent is not None:
        project = replace(project, agent=agent_names(agent))
    if target is None and project.agent[0] == BUILTIN and analysis.sources[0].language == LANGUAGE:
        project = replace(project, target=TARGET)  # the only one it translates to
    if budget is not None:
        project = replace(project, budget=money(budget, "--budget"))
    return draft(project, analysis, plan, all_options(reference, options or {}))


def draft(project: Project, analysis: Analysis, plan: ModulePlan, options: dict[str, Any]) -> Project:
    """Write what a project is made of: contract, plan and settings."""
    folder = project.folder
    text, problems = _contract(project, analysis, plan, options)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONTRACT).write_text(text)
    (folder / PLAN).write_text(write_plan(plan))
    if not (folder / FILE).exists():  # that of an environment from documents was there first
        (folder / FILE).write_text(project_text(project))  # last: with it, it is a project
    if problems:
        raise BeginError(f"{folder / CONTRACT} needs you: {problems[0]} Then: envwright translate {folder}.")
    return replace(project, documents=Documents(contracts.read(text, folder / CONTRACT), plan, analysis))


def _contract(project: Project, analysis: Analysis, plan: ModulePlan, options: dict[str, Any]) -> tuple[str, list[str]]:
    """A contract, from playing the reference; and what it still needs a person for."""
    host = Apart(maker(project.reference, options, project.folder))
    source = facts_of(analysis)
    try:
        checked = host.run(check_itself)
        _fit_to_be_law(project.reference, checked, source)
        draft, calls, limit = host.run(draft_from_play, source)
    finally:
        host.close()
    draft.options = options
    made = [finding for finding in checked.findings if finding.kind == "made" and finding.note]
    draft.made = {finding.where: finding.sentence for finding in made if not source.is_of_no_use(finding.where)}
    candidate = f"{project.package}.env:{project.title}"
    functions = _functions(calls, analysis, plan)
    return contract_text(project.reference, candidate, draft, limit, functions), draft.problems


def _fit_to_be_law(reference: str, checked: SelfCheck, source: SourceFacts) -> None:
    """Refuse an original that does not repeat itself, or whose episodes are not separate."""
    kept = [f.where for f in checked.findings if f.kind == "survives" and not source.is_of_no_use(f.where)]
    for name in kept:
        if name in source.left and name in source.read_at:
            raise BeginError(
                f"{reference} keeps {name} over a reset, and {source.read_at[name]} reads it, so an episode depends on "
                "the one before; set it in reset, or translate a subclass whose reset sets it."
            )
    for finding in checked.findings:
        harmless = finding.kind == "made" and source.is_of_no_use(finding.where)
        if not finding.note and not harmless:
            raise BeginError(finding.sentence)
    if kept:
        raise BeginError(
            f"{reference} keeps {kept[0]} over a reset, so how an episode begins depends on the one before; "
            "translate a subclass whose reset sets it."
        )


def _functions(calls: Calls, analysis: Analysis, plan: ModulePlan) -> list[tuple[str, str, list[str]]]:
    """The functions that can be judged alone: of numbers only, without state and random draws; with their module."""
    home = {id: module.name for module in plan.modules for id in module.functions}
    found: list[tuple[str, str, list[str]]] = []
    for unit in analysis.units:
        alone = "." not in unit.qualified and not (unit.chance or unit.writes or unit.reads)
        if alone and unit.name in calls and (arguments := function_arguments(calls[unit.name])):
            found.append((home[unit.id], unit.name, arguments))
    return found


def clear(folder: Path) -> None:
    """Delete a run with its project; nothing else is ever deleted."""
    if folder.exists() and not _is_project(folder):
        raise BeginError(
            f"{folder} is not a run of envwright's, so it is not deleted; choose another folder with --out."
        )
    if folder.exists():
        shutil.rmtree(folder)


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
