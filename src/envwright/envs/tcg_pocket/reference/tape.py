"""Dice that remember what they gave, for comparing with an implementation that is handed the draws."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from envwright.envs.tcg_pocket.reference.dice import Dice

# Shapes by kind (spec.md, R12.4 and R12.5).
START = {"decks": (2,), "first": (), "opening": (2,), "shuffles": (2, 20), "zones": (2,)}
STEP = {"smokescreen": (), "coins": (), "targets": (4,), "pick": (), "keys": (20,), "wake": (), "zone": ()}


class TapedDice(Dice):
    """Remembers what was drawn since it was last wound."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(seed)
        self.drawn: dict[str, Any] = {}

    def wind(self) -> dict[str, Any]:
        """What was drawn, and forgets it."""
        drawn, self.drawn = self.drawn, {}
        return drawn


def _remembered(kind: str) -> Callable[[TapedDice], Any]:
    def draw(self: TapedDice) -> Any:
        if kind in self.drawn:
            raise AssertionError(f"'{kind}' is drawn twice in a step, against R12.5")
        self.drawn[kind] = getattr(Dice, kind)(self)
        return self.drawn[kind]

    return draw


for _kind in (*START, *STEP):
    setattr(TapedDice, _kind, _remembered(_kind))


def columns(rows: Sequence[Mapping[str, Any]], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Draws of several games; what was not drawn is 0."""
    found = {name: np.zeros((len(rows), *shape), np.uint32) for name, shape in shapes.items()}
    for game, row in enumerate(rows):
        for name in row.keys() & shapes.keys():
            found[name][game] = row[name]
    return found
