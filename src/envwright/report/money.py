"""What a run cost, by module and by call."""

from collections.abc import Mapping, Sequence

from envwright.agents.protocol import Money, dollars
from envwright.recipe.events import Began, Event
from envwright.recipe.ledger import balance
from envwright.recipe.summary import AgentCall, by_module, calls, last, seconds_text
from envwright.report import pictures
from envwright.report.html import Child, Html, section, table, tag


def cost(events: Sequence[Event]) -> Html:
    """By module and by call; by time where there was nothing to pay."""
    made, began = calls(events), last(events, Began)
    if not made:
        return section("cost", "What it cost", tag("p", "Nobody was asked yet."))
    modules, total = by_module(made), sum(call.settled.amount for call in made)
    free = total == 0
    weights = {name: float(s.seconds if free else s.amount) for name, s in modules.items()}
    places = {name: i for i, name in enumerate(modules)}
    intro = _money(events, began.budget if began else 0, total)
    whole = sum(weights.values()) if free or not began else float(max(began.budget, total))
    label = "agents' time by module" if free else "what was spent of the budget, by module"
    most = max(weights.values())
    rows: list[Sequence[Child]] = [
        [
            tag("span", tag("span", class_=f"key {pictures.colour(places[name])}"), name),
            spent.calls,
            f"{spent.usage.input:,}",
            f"{spent.usage.output:,}",
            seconds_text(spent.seconds),
            dollars(spent.amount),
            pictures.bar(weights[name], most, _amount(weights[name], free), pictures.colour(places[name])),
        ]
        for name, spent in modules.items()
    ]
    head = ["module", "calls", "tokens in", "tokens out", "time", "cost", ""]
    return section(
        "cost",
        "What it cost",
        tag("p", intro),
        pictures.shares(list(weights.items()), whole, label),
        table(head, rows, "bars", numbers=(1, 2, 3, 4, 5)),
        tag("h3", "Call by call"),
        _by_call(made, places, free),
    )


def _by_call(made: Sequence[AgentCall], places: Mapping[str, int], free: bool) -> Html:
    weights = [float(call.settled.seconds if free else call.settled.amount) for call in made]
    most = max(weights)
    rows: list[Sequence[Child]] = [
        [
            call.title,
            ", ".join(filter(None, (call.agent, call.settled.model))),
            seconds_text(call.settled.seconds),
            dollars(call.settled.amount),
            pictures.bar(weight, most, _amount(weight, free), pictures.colour(places[call.module])),
        ]
        for call, weight in zip(made, weights, strict=True)
    ]
    return table(["call", "agent", "time", "cost", ""], rows, "bars", numbers=(2, 3))


def _money(events: Sequence[Event], budget: Money, total: Money) -> str:
    if total == 0:
        return "There was nothing to pay; the bars show time."
    now = balance(budget, events)
    open_calls = f" and {dollars(now.reserved)} put aside for calls under way" if now.reserved else ""
    return f"{dollars(total)} of {dollars(budget)} spent{open_calls}."


def _amount(weight: float, free: bool) -> str:
    return seconds_text(weight) if free else dollars(int(weight))
