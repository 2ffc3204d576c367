"""The top of the page: verified or not, and the run in a few numbers."""

from collections.abc import Sequence

from envwright.agents.protocol import dollars
from envwright.recipe.events import Began, Event, Finished, Judged, Measured
from envwright.recipe.summary import (
    HIDDEN,
    by_module,
    calls,
    count,
    final,
    last,
    score,
    seconds_text,
    times_text,
    verified,
)
from envwright.recipe.versions import Files
from envwright.report.html import Html, tag


def banner(events: Sequence[Event], files: Files) -> Html:
    """Verified or not, in words. It is the verifier's word that counts, not that the run says it is done."""
    began, finished, ok = last(events, Began), last(events, Finished), verified(events, files)
    what = began.reference if began else "the original"
    if ok:
        judged = final(events, files)[HIDDEN]
        told = (
            f"In games that no agent had seen, the translation gave the same as {what}: "
            f"{score(judged)} checks, {count(judged.checks):,} comparisons, no difference."
        )
        return tag("div", tag("p", "Verified", class_="word"), tag("p", told), id="verdict", class_="banner ok")
    how = "the run has not ended" if finished is None else finished.result
    if finished is not None and finished.result == "verified":
        how = "the files on this page are not those that passed"
    sentence = finished.sentence if finished else ""
    told = sentence or f"No version of the translation of {what} has passed all checks yet."
    return tag(
        "div", tag("p", f"Not verified: {how}", class_="word"), tag("p", told), id="verdict", class_="banner not"
    )


def key_numbers(events: Sequence[Event]) -> Html:
    """The run in a few numbers."""
    made, measured = calls(events), last(events, Measured)
    repairs = sum(call.kind == "repair" for call in made)
    numbers = [
        (dollars(sum(call.settled.amount for call in made)), "for all calls"),
        (str(len(by_module(made))), "modules"),
        (str(len(made)), f"calls, {repairs} of them repairs"),
        (seconds_text(sum(call.settled.seconds for call in made)), "of agents' time"),
        (seconds_text(sum(e.seconds for e in events if isinstance(e, Judged))), "of the verifier's"),
    ]
    if measured:
        numbers.append((times_text(measured.ratio[0]), "times as fast"))
    items = [tag("div", tag("dt", label), tag("dd", value)) for value, label in numbers]
    return tag("dl", items, class_="numbers")
