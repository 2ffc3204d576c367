"""What a player sees and gets from the reference: by the contract's words, which are mostly the reference's own."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.legality import Mask
from envwright.references.protocol import Outcome, Reference
from envwright.verifier.contract import OUTCOME, Contract
from envwright.verifier.expression import scope
from envwright.verifier.rows import Row, chance_row, legal_after


class Observed(NamedTuple):
    """A step as the players have it; of several, observations, rewards and masks have a leading axis of them."""

    obs: NDArray[Any]
    reward: NDArray[np.float64]
    terminated: bool
    truncated: bool
    legal: Mask | None


def as_it_is(contract: Contract) -> bool:
    """Whether the candidate shows and rewards just what the reference does, so that nobody need ask the contract."""
    return all(key in contract.outcome and contract.outcome[key].text == text for key, text in OUTCOME.items())


def observe(contract: Contract, reference: Reference, outcome: Outcome, action: Any = None) -> Observed:
    """A step of the reference in the candidate's words, or a start, which has no action and no reward."""
    legal = legal_after(contract, reference, outcome)
    if as_it_is(contract):
        obs, reward, terminated, truncated = outcome[:4]
    else:
        names = {**reference.look(), **outcome._asdict(), "action": action}
        names.pop("draws")
        seen = scope(names, outcome.draws)
        obs, (reward, terminated, truncated) = (
            contract.outcome["observation"].read(seen),
            (outcome.reward, False, False),
        )
        if action is not None:
            reward, terminated, truncated = (
                contract.outcome[key].read(seen) for key in ("reward", "terminated", "truncated")
            )
    return Observed(np.asarray(obs), np.asarray(reward, np.float64), bool(terminated), bool(truncated), legal)


def chance_of(contract: Contract, reference: Reference, outcome: Outcome, action: Any, before: dict[str, Any]) -> Row:
    """The chance of a step as the candidate takes it, and under `drawn.` which of it was drawn."""
    names = {**reference.look(), **outcome._asdict(), "action": action, "before": SimpleNamespace(**before)}
    names.pop("draws")
    return chance_row(contract, contract.chance_step, scope(names, outcome.draws), outcome)


def choose_drawn(columns: Columns, own: Columns, rows: NDArray[np.intp]) -> Columns:
    """The candidate's own chance, with the reference's in its place wherever the reference drew any."""
    mixed = {name: np.array(column) for name, column in own.items()}
    for name, column in mixed.items():
        if f"chance.{name}" in columns and len(rows):
            value, drawn = columns[f"chance.{name}"], columns[f"drawn.{name}"]
            column[rows] = np.where(drawn, value.astype(column.dtype), column[rows])
    return mixed
