"""What is known of the result: its speed, its interface, its files, and what everything was made with."""

from collections.abc import Sequence
from typing import Any

from envwright.bench.text import number
from envwright.recipe.events import Began, Event, Measured, Packaged
from envwright.recipe.summary import bounds, last, times_text
from envwright.recipe.versions import Files, digest
from envwright.report import pictures
from envwright.report.html import Child, Html, details, section, table, tag
from envwright.verifier.interface import Field, Interface


def speed(events: Sequence[Event]) -> Html:
    measured = last(events, Measured)
    if measured is None:
        return section("speed", "How fast it is", tag("p", "Not measured."))
    median, low, high = measured.ratio
    told = (
        f"{number(measured.candidate)} steps a second against {number(measured.reference)}: "
        f"{times_text(median)} times as fast (95% of the bootstrap: {times_text(low)} to {times_text(high)})."
    )
    rows: list[Sequence[Child]] = [[name.replace("_", " "), _fact(value)] for name, value in measured.facts.items()]
    return section(
        "speed", "How fast it is", tag("p", told), pictures.speeds(measured),
        table(["", "how it was measured"], rows, "facts") if rows else None,
    )  # fmt: skip


def _fact(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_fact(v) for v in value)
    if isinstance(value, float):
        return number(value)
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def interface_table(interface: Interface) -> Html:
    parts = [
        ("state", interface.state),
        ("random draws of a start", interface.start_luck),
        ("random draws of a step", interface.step_luck),
    ]
    rows: list[Sequence[Child]] = [
        [
            "action",
            "",
            str(interface.action_space.shape),
            "",
            bounds(interface.action_space),
        ],
        ["observation", "", *_kind(interface.observation), bounds(interface.observation_space)],
    ]
    for what, fields in parts:
        rows += [[field.name, what, *_kind(field), tag("code", field.source)] for field in fields]
    limit = interface.max_episode_steps
    around = None if limit is None else tag("p", f"A time limit of {limit:,} steps is put around it.")
    head = ["name", "part of", "shape", "type in the original", "in the original"]
    return section("interface", "What it looks like", table(head, rows), around)


def _kind(field: Field) -> tuple[str, str]:
    return str(field.shape), field.dtype


def provenance(events: Sequence[Event], files: Files) -> Html:
    began, packaged = last(events, Began), last(events, Packaged)
    rows: list[Sequence[Child]] = []
    if began:
        rows += [["reference", began.reference], ["target", began.target], ["agents", ", ".join(began.agents)]]
        rows += [[f"{name}, version", value] for name, value in began.versions.items()]
        rows += [[f"{name}, SHA-256", tag("code", value)] for name, value in began.hashes.items()]
    if files:
        rows.append(["translation, SHA-256", tag("code", digest(files))])
    if packaged:
        rows += [[f"{path}, SHA-256", tag("code", value)] for path, value in packaged.files.items()]
    shown = [
        details(f"{path}, {len(text.splitlines())} lines", tag("pre", text, class_="code"))
        for path, text in sorted(files.items())
    ]
    return section(
        "provenance",
        "Hashes, versions, files",
        table(["", "value"], rows, "facts") if rows else None,
        tag("h3", "The files") if shown else None,
        shown,
    )
