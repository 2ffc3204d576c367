"""The page of a run: one file, no scripts, nothing fetched. The same events make the same bytes."""

import os
from collections.abc import Sequence
from pathlib import Path

from envwright.recipe.events import Began, Event, of_translation
from envwright.recipe.summary import unverified
from envwright.recipe.versions import Files
from envwright.report import facts, verdict
from envwright.report.html import Html, section, tag
from envwright.report.ladder import ladder
from envwright.report.money import cost
from envwright.report.rules import rules, specification_of
from envwright.report.story import story
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface

STYLE = Path(__file__).parent / "style.css"
RULES = {"rules": "rules"}  # of an environment that was made from documents
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
    interface: Interface | None,
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
    project_name: str,
    interface: Interface | None,
    events: Sequence[Event],
    files: Files,
    contract: Contract | None = None,
) -> str:
    """The page as text; there is no interface as long as a reference is still being made from documents."""
    now, spec = of_translation(events), specification_of(events)
    body = [
        tag("header", tag("p", _kicker(events), class_="kicker"), tag("h1", project_name)),
        verdict.banner(now, files),
        verdict.key_numbers(events),
        _contents(spec is not None, interface is not None),
        tag(
            "main",
            rules(spec, events) if spec else None,
            ladder(now, files),
            section("unverified", "What was not verified", _list(unverified(now, files, contract))),
            facts.speed(now),
            cost(events),
            story(events),
            facts.interface_table(interface) if interface else None,
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
    begun = [event for event in events if isinstance(event, Began)]
    if not begun:
        return "A run of envwright"
    first, latest = begun[0], begun[-1]
    if first is not latest:
        return f"From {first.reference}: {latest.reference}, translated to {latest.target} with envwright"
    if "rulebook" in first.hashes:
        return f"A game from {first.reference}, with envwright"
    return f"{latest.reference}, translated to {latest.target} with envwright"


def _contents(has_rules: bool, has_interface: bool) -> Html:
    parts = {**(RULES if has_rules else {}), **PARTS}
    shown = {id: name for id, name in parts.items() if has_interface or id != "interface"}
    return tag("nav", [tag("a", name, href=f"#{id}") for id, name in shown.items()], aria_label="sections")


def _list(items: Sequence[str]) -> Html:
    return tag("ul", [tag("li", item) for item in items])
