"""The card of a package: what it is, what was verified and what was not, how fast it is, what it cost. Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any

from envwright.agents.protocol import dollars
from envwright.bench.text import number
from envwright.core.spaces import Space
from envwright.recipe.events import Began, Event, Measured
from envwright.recipe.naming import told
from envwright.recipe.project import Project
from envwright.recipe.summary import bounds, by_agent, calls, final, last, times_text, unverified
from envwright.recipe.verifier import HIDDEN, TRANSFER, WHOLE
from envwright.recipe.versions import Files, digest
from envwright.verifier.contract import Contract
from envwright.verifier.interface import NARROW, Field, Interface

STAGES = {
    WHOLE: "Games that agents could know",
    HIDDEN: "Games that nobody saw; these decided",
    TRANSFER: "Policies trained on either side, played on both",
}


def card(
    project: Project,
    interface: Interface,
    files: Files,
    events: Sequence[Event],
    contract: Contract,
    id: str,
    usage: str,
) -> str:
    """The whole card; `usage` is the text on how to use it."""
    began = last(events, Began)
    assert began is not None, "a run begins with Began"
    version = began.versions.get("reference", "")
    parts = [
        f"# {id}",
        f"{interface.title}, translated from {told(project.reference)} to {project.target} and verified by envwright.",
        _table(
            ["", ""],
            [
                ["reference", f"`{told(project.reference)}`" + (f", {version}" if version else "")],
                ["options of the reference", _options(contract.reference_options) or "its defaults"],
                *([name, how] for name, how in contract.made.items()),
                ["time limit", _limit(interface)],
                [
                    "made of",
                    f"{len({call.module for call in calls(events)})} modules, {len(calls(events))} calls of agents",
                ],
            ],
        ),
        "A translation is a work based on its original; the original's licence has its say on how it may be passed on.",
        "## Use",
        usage,
        *_interface(interface, project.target),
        "## Contract",
        "Everything that the contract names had to be equal in every bit, but for:",
        _list(f"{', '.join(t.columns)}: equal up to rounding. {t.reason}" for t in contract.tolerances),
        "The whole contract is in `contract.toml`.",
        "## Verified",
        *_verified(project, events, files),
        "## Not verified",
        _list(unverified(events, files, contract)),
        "## Speed",
        _speed(events),
        "## Cost",
        _cost(events),
        "## Hashes and versions",
        _table(
            ["", ""],
            [
                *([f"{name}, SHA-256", f"`{value}`"] for name, value in began.hashes.items()),
                ["translation, SHA-256", f"`{digest(files)}`"],
                *([name, value] for name, value in began.versions.items() if name != "reference"),
            ],
        ),
        "The hash of the translation is that of the files that were judged. They are here as they were, but for "
        "`__init__.py`, which now makes the package known by name.",
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _interface(interface: Interface, target: str) -> list[str]:
    spaces = [
        ["action", *_space(interface.action_space)],
        ["observation", *_space(interface.observation_space)],
    ]
    parts = ["## Spaces", _table(["", "space", "shape", "type"], spaces)]
    tables = (
        ("State", interface.state),
        ("Random draws of a start", interface.start_luck),
        ("Random draws of a step", interface.step_luck),
        ("Info", interface.info),
    )
    for title, fields in tables:
        if fields:
            rows = [_field(field, target) for field in fields]
            parts += [f"## {title}", _table(["field", "shape", "type", "in the original"], rows)]
    return parts


def _verified(project: Project, events: Sequence[Event], files: Files) -> list[str]:
    judged = final(events, files)
    parts = [
        f"Every judgement plays {project.effort.episodes:,} whole games, each from a seed of its own, and compares "
        f"{project.effort.states:,} single steps from recorded and invented states besides. `verdict.json` has it all."
    ]
    for stage in STAGES:
        if stage in judged:
            rows = [
                [c["level"], c["name"], c["status"], f"{c['count']:,}" if c.get("count") else "", c.get("detail", "")]
                for c in judged[stage].checks
            ]
            parts += [f"### {STAGES[stage]}", _table(["level", "check", "result", "compared", ""], rows)]
    return parts


def _speed(events: Sequence[Event]) -> str:
    measured = last(events, Measured)
    if measured is None:
        return "Not measured."
    median, low, high = (times_text(x) for x in measured.ratio)
    rows = [
        ["original, steps a second", number(measured.reference)],
        ["this, steps a second", number(measured.candidate)],
        ["times as fast, median of rounds [95%]", f"{median} [{low}, {high}]"],
        *([name.replace("_", " "), str(value)] for name, value in measured.facts.items()),
    ]
    return _table(["", ""], rows)


def _cost(events: Sequence[Event]) -> str:
    rows = [
        [
            name, spent.calls, f"{spent.usage.input:,}", f"{spent.usage.output:,}", f"{spent.seconds:.0f} s",
            dollars(spent.amount), ", ".join(sorted(spent.sources)),
        ]
        for name, spent in by_agent(calls(events)).items()
    ]  # fmt: skip
    return _table(["agent", "calls", "tokens in", "tokens out", "time", "cost", "known from"], rows)


def _limit(interface: Interface) -> str:
    return "none" if interface.max_episode_steps is None else f"{interface.max_episode_steps:,} steps, then truncated"


def _options(options: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in options.items())


def _space(space: Space) -> list[str]:
    return [bounds(space), str(space.shape), space.dtype.name]


def _field(field: Field, target: str) -> list[str]:
    source = f"`{' '.join(field.source.split())}`" if field.source else ""
    dtype = NARROW.get(field.dtype, field.dtype) if target == "jax" else field.dtype  # Rust keeps the original's width
    return [field.name, str(field.shape), dtype, source]


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {' '.join(item.split())}" for item in items) or "- nothing."
