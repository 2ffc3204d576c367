"""What a run looks like from outside: made from its events, whether it is under way, killed or finished."""

from collections.abc import Sequence
from dataclasses import dataclass

from envwright.agents.protocol import FAILED, REFUSED
from envwright.recipe.events import (
    Began,
    Event,
    Finished,
    HandedOver,
    Judged,
    Kept,
    Measured,
    Reserved,
    RolledBack,
    Settled,
)
from envwright.recipe.ledger import Balance, balance
from envwright.recipe.verifier import MODULE
from envwright.recipe.versions import Files


@dataclass(frozen=True)
class ModuleView:
    """One module so far."""

    name: str
    calls: int
    spent: int
    rolled_back: int
    state: str


@dataclass(frozen=True)
class RunView:
    """A run at one moment."""

    name: str
    reference: str
    target: str
    balance: Balance
    modules: tuple[ModuleView, ...]
    stages: tuple[tuple[str, bool], ...]  # judged so far, each with its last verdict
    counterexample: str  # of the last verdict, if it was not good
    speed: str
    result: str  # "" while it is not finished


def view(events: Sequence[Event], budget: int | None = None) -> RunView:
    """The run after these events."""
    began = next((e for e in events if isinstance(e, Began)), None)
    assert began is not None, "a run begins with Began"
    stages: dict[str, bool] = {}
    last = ""
    for event in events:
        if isinstance(event, Judged):
            stages[event.stage] = event.passed
            last = "" if event.passed else event.counterexample
    measured = next((e for e in reversed(events) if isinstance(e, Measured)), None)
    finished = next((e for e in reversed(events) if isinstance(e, Finished)), None)
    return RunView(
        name=began.name,
        reference=began.reference,
        target=began.target,
        balance=balance(began.budget if budget is None else budget, events),
        modules=tuple(_module(name, events, stages) for name in _names(events)),
        stages=tuple(stages.items()),
        counterexample=last,
        speed="" if measured is None else f"{measured.ratio[0]:,.0f} times as fast as the original",
        result="" if finished is None else finished.result,
    )


def text(seen: RunView) -> str:
    """For a terminal or a log."""
    lines = [f"{seen.name}: {seen.reference} to {seen.target}   {seen.balance.text()}"]
    width = max((len(m.name) for m in seen.modules), default=0)
    for module in seen.modules:
        calls = f"{module.calls} call{'s' if module.calls != 1 else ''}"
        back = f", {module.rolled_back} rolled back" if module.rolled_back else ""
        lines.append(f"  {module.name:{width}}  {module.state:28} {calls}{back}")
    whole = [f"{stage} {'ok' if passed else 'FAIL'}" for stage, passed in seen.stages if not stage.startswith(MODULE)]
    if whole:
        lines.append("  " + ", ".join(whole))
    if seen.counterexample:
        lines += ["  last counterexample:", *(f"    {line}" for line in seen.counterexample.splitlines())]
    if seen.speed:
        lines.append(f"  {seen.speed}")
    if seen.result:
        lines.append(f"  {seen.result}")
    return "\n".join(lines)


def current_files(scaffold: Files, events: Sequence[Event]) -> dict[str, str]:
    """The candidate as it is after these events: what was given, and every answer that was kept, in order."""
    answers: dict[str, dict[str, str]] = {}  # what one refused and left goes before what the next one wrote
    for event in events:
        if isinstance(event, Settled) and event.stop != FAILED:
            answers[event.task] = {**answers.get(event.task, {}), **event.files}
    files = dict(scaffold)
    for event in events:
        if isinstance(event, Kept):
            files |= answers.get(event.task, {})
    return files


def _names(events: Sequence[Event]) -> list[str]:
    """The modules in the order in which they were begun."""
    found = [module_of(e.task) for e in events if isinstance(e, Reserved)]
    return list(dict.fromkeys(found))


def module_of(task: str) -> str:
    """The module that a task is about: `translate-cards`, `repair-cards-2`."""
    kind, _, rest = task.partition("-")
    return rest.rpartition("-")[0] if kind in ("repair", "correct", "question") else rest


def _module(name: str, events: Sequence[Event], stages: dict[str, bool]) -> ModuleView:
    calls = [e for e in events if isinstance(e, Settled) and module_of(e.task) == name]
    open_calls = {e.call for e in events if isinstance(e, Reserved) and module_of(e.task) == name}
    open_calls -= {e.call for e in calls}
    person = any(isinstance(e, HandedOver) and e.module == name for e in events)
    back = sum(isinstance(e, RolledBack) and e.module == name for e in events)
    kept = any(isinstance(e, Kept) and e.module == name for e in events)
    state = "waiting"
    if person:
        state = "needs a person"
    elif open_calls:
        state = "being written"
    elif kept:
        alone = stages.get(f"{MODULE} {name}")
        state = {True: "right by itself", False: "wrong", None: "written"}[alone]
    elif calls and calls[-1].stop == REFUSED:
        state = "refused"
    return ModuleView(name, len(calls), sum(e.amount for e in calls), back, state)
