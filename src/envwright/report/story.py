"""The repair timeline: who was asked for what, what the verifier said, what became of it, and what was changed."""

import difflib
from collections.abc import Sequence

from envwright.agents.protocol import DONE, FREE, Usage, dollars
from envwright.recipe.events import Event, Judged, is_of_creation
from envwright.recipe.summary import MODULE, STAGES, count, stage_kind
from envwright.report.html import Child, Html, details, join, section, tag
from envwright.report.timeline import BACK, KEPT, Entry, timeline

SHORT = 40  # lines of a difference that is shown without being asked for


def story(events: Sequence[Event]) -> Html:
    entries = timeline(events)
    if not entries:
        return section("story", "How it came about", tag("p", "Nothing has happened yet."))
    return section("story", "How it came about", tag("ol", [_entry(entry) for entry in entries], class_="story"))


def _entry(entry: Entry) -> Html:
    if entry.handed:
        told = tag("p", f"{entry.handed.module} went to a person, for {entry.handed.reason.rstrip('.')}.")
        page = details("What the person was told", tag("pre", entry.handed.page))
        return tag("li", tag("h3", f"A person is asked for {entry.handed.module}"), told, page, class_="handed")
    if entry.edited:
        title = f"A person edits the {' and the '.join(entry.edited)}"
        changes = [_diff(path, before, after) for path, (before, after) in entry.changes.items()]
        return tag("li", tag("h3", title), _verifier(entry), changes, class_="handed")
    if entry.call is None:
        passed = all(judged.passed for judged in entry.judged)
        title = "The artefacts together" if is_of_creation(entry.judged[0]) else "All modules together"
        return tag("li", tag("h3", title), _verifier(entry), class_="kept" if passed else "found")
    kind = {KEPT: "kept", BACK: "back"}.get(entry.fate, "none")
    title = entry.call.title
    return tag(
        "li",
        tag("h3", title[:1].upper() + title[1:], " ", tag("span", entry.fate or "came to nothing", class_="fate")),
        tag("p", _meta(entry), class_="meta"),
        tag("p", f"It said: {entry.call.settled.sentence}", class_="said") if entry.call.settled.sentence else None,
        _verifier(entry),
        tag("p", f"It broke what was right: {'; '.join(entry.broke)}.") if entry.broke else None,
        [_diff(path, before, after) for path, (before, after) in entry.changes.items()],
        _strays(entry),
        class_=kind,
    )


def _meta(entry: Entry) -> str:
    assert entry.call is not None
    settled, usage = entry.call.settled, Usage(*entry.call.settled.usage)
    parts = [
        ", ".join(filter(None, (entry.call.agent, settled.model))),
        dollars(settled.amount) + ("" if settled.source == FREE else f" ({settled.source})"),
        f"{settled.seconds:.1f} s",
        f"{usage.input:,} tokens in, {usage.output:,} out" if usage.input or usage.output else "",
        "" if settled.stop == DONE else f"ended: {settled.stop}",
    ]
    return " · ".join(filter(None, parts))


def _verifier(entry: Entry) -> list[Child]:
    return [_judgement(judged) for judged in entry.judged]


def _judgement(judged: Judged) -> Html:
    kind = stage_kind(judged)
    where = f"{judged.stage.partition(' ')[2]} alone" if kind == MODULE else STAGES.get(kind, judged.stage)
    if judged.passed:
        told = f"{len(judged.green)} passed, {count(judged.checks):,} comparisons, {judged.seconds:.1f} s"
        return tag("p", tag("b", f"The verifier, {where}: "), told, class_="verifier pass")
    told = f"failed after {judged.seconds:.1f} s; {judged.blamed or 'nobody'} is to blame"
    return join(
        tag("p", tag("b", f"The verifier, {where}: "), told, class_="verifier fail"),
        tag("pre", judged.counterexample, class_="counterexample"),
    )


def _strays(entry: Entry) -> Html | None:
    assert entry.call is not None
    strays = entry.call.settled.strays
    return tag("p", f"Also written, and left behind: {', '.join(strays)}.", class_="meta") if strays else None


def _diff(path: str, before: str, after: str) -> Html:
    """What was changed in a file; a new one is shown as it is."""
    if not before:
        return details(f"{path}: {len(after.splitlines())} lines written", tag("pre", after, class_="code"))
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "before", "after", lineterm=""))[2:]
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    kinds = {"+": "add", "-": "del", "@": "hunk"}
    shown = [tag("span", line + "\n", class_=kinds.get(line[:1])) for line in lines]
    told = f"{path}: {added} lines added, {removed} removed"
    return details(told, tag("pre", shown, class_="code diff"), open_=len(lines) <= SHORT)
