"""What is noted while a reference plays: how often it draws, what from, and how long its lists get."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from envwright.references.plain import same
from envwright.references.protocol import Draw, Outcome
from envwright.verifier.expression import names_of, site_function

STEPS = 6000  # after so many, play goes on only for what has lately been longer than ever
MOST_DRAWS = 200  # of one method in one function that are kept
ENOUGH = 8  # choices for each element of a list before it is believed never to change

Method = tuple[str, str]  # a function that draws, and by which method


class Draws:
    """What all resets draw, or all steps."""

    def __init__(self) -> None:
        self.most: dict[tuple[str, str], int] = {}  # site and method -> most draws in one go
        self.kept: dict[Method, list[Draw]] = {}
        self._counts: dict[str, set[int]] = {}  # functions, and methods in them -> how often they have drawn in one go
        self._lists: dict[Method, list[Any]] = {}  # how often was chosen from a list, its size, what is known of it
        self._varied: set[Method] = set()
        self._times = 0

    def note(self, outcome: Outcome) -> None:
        """One reset or one step."""
        for place, count in Counter((draw.site, draw.method) for draw in outcome.draws).items():
            self.most[place] = max(self.most.get(place, 0), count)
        drawing = Counter(name for draw in outcome.draws for name in names_of(draw))
        for name in {*self._counts, *drawing}:
            self._counts.setdefault(name, {0} if self._times else set()).add(drawing[name])
        self._times += 1
        for draw in outcome.draws:
            method = site_function(draw.site), draw.method
            kept = self.kept.setdefault(method, [])
            if len(kept) < MOST_DRAWS:
                kept.append(draw)
            if draw.pick is not None:
                self._note_list(method, draw.value, *draw.pick)

    def _note_list(self, method: Method, value: Any, index: int, size: int) -> None:
        seen = self._lists.setdefault(method, [0, size, {}])
        seen[0] += 1
        if seen[1] != size or not same(seen[2].setdefault(index, value), value):
            self._varied.add(method)

    @property
    def varied(self) -> set[Method]:
        """Choices of one from lists that are not always the same, or were seen too seldom to tell."""
        return self._varied | {method for method, (count, size, _) in self._lists.items() if count < ENOUGH * size}

    @property
    def steady(self) -> set[str]:
        """Functions, and methods in them, `f.choice`, that draw equally often every time."""
        return {name for name, found in self._counts.items() if len(found) == 1}


class Growth:
    """How long lists have got, and when one was longer than ever."""

    def __init__(self) -> None:
        self.longest: dict[str, int] = {}
        self.steps = self.last = 0

    def note(self, states: Iterable[Mapping[str, Any]], draws: Draws) -> None:
        """The states of one episode."""
        for state in states:
            self.steps += 1
            for name, value in state.items():
                self._note(name, value)
        for (site, method), count in draws.most.items():
            self._longer(f"{site} {method}", count)

    def _note(self, path: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                self._note(f"{path}.{key}", item)
        elif isinstance(value, list | tuple | deque) or (isinstance(value, np.ndarray) and value.ndim):
            self._longer(path, len(value))

    def _longer(self, path: str, length: int) -> None:
        if length > self.longest.get(path, 0):
            self.longest[path], self.last = length, self.steps

    @property
    def is_over(self) -> bool:
        """Whether enough has been played: in the second half of it nothing was longer than in the first."""
        return self.steps >= STEPS and 2 * self.last <= self.steps
