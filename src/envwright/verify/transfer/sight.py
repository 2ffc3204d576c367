"""What a player sees and gets from the reference: by the contract's words, which are mostly the reference's own."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.protocol import Outcome, Reference
from envwright.verify.contract import OUTCOME, Contract
from envwright.verify.expression import scope
from envwright.verify.rows import Row, luck_row


class Seen(NamedTuple):
    """A step as a player has it."""

    obs: NDArray[Any]
    reward: float
    terminated: bool
    truncated: bool


def as_it_is(contract: Contract) -> bool:
    """Whether the candidate shows and rewards just what the reference does, so that nobody need ask the contract."""
    return all(key in contract.outcome and contract.outcome[key].text == text for key, text in OUTCOME.items())


def see(contract: Contract, reference: Reference, outcome: Outcome, action: Any = None) -> Seen:
    """A step of the reference in the candidate's words, or a start, which has no action and no reward."""
    if as_it_is(contract):
        return Seen(np.asarray(outcome.obs), float(outcome.reward), bool(outcome.terminated), bool(outcome.truncated))
    names = {**reference.look(), **outcome._asdict(), "action": action}
    names.pop("draws")
    seen = scope(names, outcome.draws)
    obs = np.asarray(contract.outcome["observation"].read(seen))
    if action is None:
        return Seen(obs, 0.0, False, False)
    told = (contract.outcome[key].read(seen) for key in ("reward", "terminated", "truncated"))
    reward, terminated, truncated = told
    return Seen(obs, float(reward), bool(terminated), bool(truncated))


def luck_of(contract: Contract, reference: Reference, outcome: Outcome, action: Any, before: dict[str, Any]) -> Row:
    """The luck of a step as the candidate takes it, and under `drawn.` which of it was drawn."""
    names = {**reference.look(), **outcome._asdict(), "action": action, "before": SimpleNamespace(**before)}
    names.pop("draws")
    return luck_row(contract, contract.chance_step, scope(names, outcome.draws), outcome)


def choose_drawn(columns: Columns, own: Columns, rows: NDArray[np.intp]) -> Columns:
    """The candidate's own luck, with the reference's in its place wherever the reference drew any."""
    mixed = {name: np.array(column) for name, column in own.items()}
    for name, column in mixed.items():
        if f"chance.{name}" in columns and len(rows):
            value, drawn = columns[f"chance.{name}"], columns[f"drawn.{name}"]
            column[rows] = np.where(drawn, value.astype(column.dtype), column[rows])
    return mixed
