"""What a run has spent and may still spend: put aside before a call, settle after it.

    left = budget - spent - reserved        a call that needs more than is left is not made

A reservation that was never settled belongs to a process that died. Nobody knows what the call cost, so on resuming
all of it counts as spent.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from envwright.agents.protocol import CHARGED, FAILED, FREE, AgentOutcome, Money, dollars
from envwright.core.errors import EnvwrightError
from envwright.recipe.events import Event, Reserved, Settled
from envwright.recipe.journal import Journal


class BudgetError(EnvwrightError, RuntimeError):
    """There is not enough left for the next call."""


@dataclass(frozen=True)
class Balance:
    """The money of a run at one moment."""

    budget: Money
    spent: Money
    reserved: Money

    @property
    def left(self) -> Money:
        return self.budget - self.spent - self.reserved

    def text(self) -> str:
        return f"{dollars(self.spent)} spent, {dollars(self.reserved)} reserved, {dollars(self.left)} left"


def balance(budget: Money, events: Iterable[Event]) -> Balance:
    """The money after these events."""
    spent, open_calls = 0, {}
    for event in events:
        if isinstance(event, Reserved):
            open_calls[event.call] = event.amount
        elif isinstance(event, Settled):
            open_calls.pop(event.call, None)
            spent += event.amount
    return Balance(budget, spent, sum(open_calls.values()))


class Ledger:
    """The only way to an agent that costs money. Safe to use from several threads; the journal is its memory."""

    def __init__(self, journal: Journal, budget: Money) -> None:
        self.journal, self.budget = journal, budget

    @property
    def balance(self) -> Balance:
        return balance(self.budget, self.journal.events)

    def reserve(self, call: str, task: str, agent: str, amount: Money) -> None:
        """Put `amount` aside for a call, or raise and change nothing."""
        if amount < 0:
            raise ValueError(f"a call cannot cost {amount}")
        with self.journal.together():
            now = self.balance
            if amount > now.left:
                raise BudgetError(
                    f"{task} may cost {dollars(amount)}, but only {dollars(now.left)} of {dollars(self.budget)} "
                    "is left; raise it with: envwright resume --budget."
                )
            if any(isinstance(e, Reserved) and e.call == call for e in self.journal.events):
                raise ValueError(f"{call} was reserved before")
            self.journal.append(Reserved(call, task, agent, amount))

    def settle(self, call: str, task: str, outcome: AgentOutcome, seconds: float = 0.0) -> Settled:
        """Write down what a call cost and gave. What it says it cost is what it cost, even beyond its grant."""
        settled = Settled(
            call=call,
            task=task,
            amount=outcome.cost,
            source=outcome.cost_source,
            stop=outcome.stop,
            files=dict(outcome.files),
            strays=outcome.strays,
            usage=tuple(outcome.usage),
            model=outcome.model,
            sentence=outcome.sentence,
            seconds=round(seconds, 3),
        )
        self.journal.append(settled)
        return settled

    def settle_the_dead(self) -> list[str]:
        """Charge every call that a killed run left open, in full; gives their names."""
        with self.journal.together():
            settled = {e.call for e in self.journal.events if isinstance(e, Settled)}
            dead = [e for e in self.journal.events if isinstance(e, Reserved) and e.call not in settled]
            for event in dead:
                source = CHARGED if event.amount else FREE
                sentence = "the run was killed while this call was under way"
                self.journal.append(Settled(event.call, event.task, event.amount, source, FAILED, sentence=sentence))
            return [event.call for event in dead]
