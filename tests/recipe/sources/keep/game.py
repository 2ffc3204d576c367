"""The environment."""

from typing import Any

import numpy as np

from . import hands
from .beasts import Bat, Beast
from .tables import DAMAGE, ROOMS, WAYS

START = 4  # cards


class Board:
    """What games of this kind share."""

    mood: str

    def reset(self, seed: int | None = None) -> Any:
        self.turn = 0
        self.luck = np.random.default_rng(seed)
        self.seen = np.zeros((ROOMS, 2))

    def render(self) -> str:
        return self._picture()

    def _picture(self) -> str:
        return f"{self.turn} {self.mood}"


class Keep(Board):
    """Walk, fight, draw cards."""

    rooms = ROOMS

    def __init__(self, hard: bool = False) -> None:
        self.hard = hard
        self.streak = 0
        self.sight = self._measure()

    def _measure(self) -> int:
        return 2 if self.hard else 3

    # Begin again. The streak goes on.
    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed)
        self.pile = list(range(20))
        self.hand = [hands.draw(self.pile, self.luck) for _ in range(START)]
        self.beasts: list[Beast] = [Bat(0), Beast(3)]
        self.room = 0
        self.mood = "calm"
        return self.score, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.turn += 1
        self.mood = "busy"
        self.room = WAYS[self.room][action]
        seen = self.seen
        seen[self.room, 0] = 1
        for beast in self.beasts:
            beast.act(self.luck)
        if self.luck.random() < 0.5:
            self.hand.append(hands.draw(self.pile, self.luck))
        hit = self._each(self._fight)
        self.streak = self.streak + 1 if hit else 0
        if self.turn % 10 == 0:
            self.render()
        return self.score, float(hit), self.streak > self.sight, False, {}

    @property
    def score(self) -> int:
        return hands.total(self.hand)

    def _each(self, what: Any) -> int:
        return sum(what(beast) for beast in self.beasts)

    def _fight(self, beast: Beast) -> int:
        beast.health -= DAMAGE[beast.bite]
        return int(beast.health < 0)

    def close(self) -> None:
        self.beasts.clear()
