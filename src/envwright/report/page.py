"""The page of a run: one file, no scripts, nothing fetched. The same events make the same bytes."""

import os
from collections.abc import Sequence
from pathlib import Path

from envwright.recipe.events import Began, Event
from envwright.recipe.summary import last, unverified
from envwright.recipe.versions import Files
from envwright.report import facts, verdict
from envwright.report.html import Html, section, tag
from envwright.report.ladder import ladder
from envwright.report.money import cost
from envwright.report.story import story
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface

STYLE = Path(__file__).parent / "style.css"
PARTS = {
    "ladder": "verified",
    "unverified": "not verified",
    "speed": "speed",
    "cost": "cost",
    "story": "how it came about",
    "interface": "interface",
    "provenance": "hashes and files",
}


def write_report(
    project_name: str,
    interface: Interface,
    events: Sequence[Event],
    files: Files,
    path: Path,
    contract: Contract | None = None,
) -> None:
    """Write the page, whole or not at all. What the contract excepts is listed as not verified."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(page(project_name, interface, events, files, contract).encode())
    part.replace(path)


def page(
    project_name: str, interface: Interface, events: Sequence[Event], files: Files, contract: Contract | None = None
) -> str:
    """The page as text."""
    body = [
        tag("header", tag("p", _kicker(events), class_="kicker"), tag("h1", project_name)),
        verdict.banner(events, files),
        verdict.key_numbers(events),
        _contents(),
        tag(
            "main",
            ladder(events, files),
            section("unverified", "What was not verified", _list(unverified(events, files, contract))),
            facts.speed(events),
            cost(events),
            story(events),
            facts.interface_table(interface),
            facts.provenance(events, files),
        ),
    ]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{project_name}: report"),
        tag("style", Html(STYLE.read_text())),
    ]
    return f"<!doctype html>\n{tag('html', tag('head', head), tag('body', body), lang='en')}\n"


def _kicker(events: Sequence[Event]) -> str:
    began = last(events, Began)
    about = f"{began.reference}, translated to {began.target} with" if began else "A run of"
    return f"{about} envwright"


def _contents() -> Html:
    return tag("nav", [tag("a", name, href=f"#{id}") for id, name in PARTS.items()], aria_label="sections")


def _list(items: Sequence[str]) -> Html:
    return tag("ul", [tag("li", item) for item in items])
