"""The state of a game (spec.md, section 10) as plain lists and numbers, by the names of the specification."""

import copy
from collections.abc import Mapping
from typing import Any

from envwright.envs.tcg_pocket.layout import FIELDS, PocketFlags
from envwright.envs.tcg_pocket.reference.dice import Dice

Row = list[int]


class PocketState:
    """Fields by player, then by place; numbers and booleans."""

    dice: Dice
    flags: PocketFlags

    # ---- cards ----
    cards: list[Row]
    types: Row
    where: list[Row]
    deck: list[Row]
    known: list[Row]
    seen_top: Row

    # ---- Pokemon in play ----
    stack: list[list[Row]]
    damage: list[Row]
    energy: list[list[Row]]
    new: list[Row]
    used: list[Row]

    # ---- the Active of each player ----
    condition: Row
    poisoned: Row
    no_attack_left: Row
    no_retreat_left: Row
    prevent_left: Row
    needs_coin_left: Row
    dealt_less: Row
    dealt_less_left: Row
    taken_less: Row
    taken_less_left: Row

    # ---- players ----
    guard: Row
    guard_left: Row
    lock_left: Row
    avenged: Row
    points: Row
    zone_now: Row
    zone_next: Row

    # ---- the game ----
    first: int
    player: int
    turn: int
    pending: int
    actor: int
    stage: int
    source: int
    attack: int
    units: int
    supporter_used: int
    retreat_used: int
    boost: int
    boost_by: int
    retreat_change: int
    winner: int

    def __init__(self, flags: PocketFlags, dice: Dice) -> None:
        self.flags, self.dice = flags, dice
        self.clear()

    def clear(self) -> None:
        """Everything is 0."""
        for name, (shape, dtype) in FIELDS.items():
            setattr(self, name, _zeros(shape, False if dtype == "bool" else 0))

    def fields(self) -> dict[str, Any]:
        """The state by name, as lists of its own."""
        return {name: copy.deepcopy(getattr(self, name)) for name in FIELDS}

    def put(self, fields: Mapping[str, Any]) -> None:
        """Take fields over, all or some."""
        for name, value in fields.items():
            if name not in FIELDS:
                raise KeyError(f"A state has no field '{name}'.")
            setattr(self, name, copy.deepcopy(value))


def _zeros(shape: tuple[int, ...], zero: int) -> Any:
    return [_zeros(shape[1:], zero) for _ in range(shape[0])] if shape else zero
