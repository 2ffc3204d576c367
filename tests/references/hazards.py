"""Small environments, each with one thing that makes a reference hard to observe. Loaded by path, as a user's is."""

import enum
import json
import random
import threading
import time
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass
from random import randint
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.random import default_rng

MODULE_RNG = random.Random(7)
counter = 0


class Phase(enum.Enum):
    BID = 1
    PLAY = 2


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Card:
    rank: int
    seen: bool = False


class Slotted:
    __slots__ = ("empty", "load")

    def __init__(self) -> None:
        self.load = [0]


class Game(gym.Env):
    """Two actions, ends after ten steps; what happens is up to the subclass."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-1e9, 1e9, (1,), np.float64)
    length = 10

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.t = 0
        self.total = 0.0
        self.begin()
        return self.observe(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.t += 1
        self.total += float(self.turn(action))
        return self.observe(), self.total, self.t >= self.length, False, {}

    def observe(self) -> np.ndarray:
        return np.array([self.total])

    def begin(self) -> None: ...

    def turn(self, action: int) -> float:
        return action


class GlobalRandom(Game):
    def turn(self, action: int) -> float:
        return random.random() + random.uniform(0, 1)


class BoundName(Game):
    def turn(self, action: int) -> float:
        return randint(0, 1000)


class GlobalNumpy(Game):
    def turn(self, action: int) -> float:
        return float(np.random.rand() + np.random.randint(10) + np.random.normal(size=3).sum())  # noqa: NPY002


class OwnState(Game):
    """Generators of its own, made in different ways, that no seed reaches."""

    def __init__(self) -> None:
        self.old = np.random.RandomState()
        self.new = default_rng()
        self.python = random.Random()
        self.deep = {"list": [np.random.default_rng()]}

    def turn(self, action: int) -> float:
        return float(self.old.rand() + self.new.random() + self.python.gauss(0, 1) + self.deep["list"][0].normal())


class ModuleLuck(Game):
    def turn(self, action: int) -> float:
        return MODULE_RNG.random()


class Dice(random.Random):
    """A generator of the reference's own class."""

    def roll(self) -> int:
        return self.randint(1, 6) + self.randint(1, 6)


class OwnDice(Game):
    def begin(self) -> None:
        self.dice = Dice(3)
        self.system = random.SystemRandom()

    def turn(self, action: int) -> float:
        return self.dice.roll() + self.dice.random() + self.system.random()


class Lambdas(Game):
    def turn(self, action: int) -> float:
        self.rule = (lambda: 1.0) if self.t % 2 else (lambda: 2.0)
        return self.rule()


class Aliased(Game):
    def begin(self) -> None:
        self.board = np.zeros(4)
        self.row = self.board[1:3]
        self.cards = [Card(1), Card(2), Card(3)]
        self.top = self.cards[0]

    def turn(self, action: int) -> float:
        self.row += 1
        self.top.rank += 10
        self.top.seen = True
        self.top = self.cards[self.t % 3]
        return float(self.board.sum() + sum(card.rank for card in self.cards))


class Deck:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.cards = [Card(rank) for rank in range(8)]

    def shuffle(self) -> None:
        self.rng.shuffle(self.cards)


class Shuffled(Game):
    """Nested objects, and luck that chooses among them."""

    def begin(self) -> None:
        self.deck = Deck(self.np_random)
        self.deck.shuffle()
        self.numbers = list(range(5))
        self.array = np.arange(6)

    def turn(self, action: int) -> float:
        self.np_random.shuffle(self.numbers)
        self.np_random.shuffle(self.array)
        random.choice(self.deck.cards).rank += 100
        for card in random.sample(self.deck.cards, 2):
            card.seen = True
        return self.deck.cards[0].rank + self.numbers[0] + float(self.array[1])


class Containers(Game):
    def begin(self) -> None:
        self.queue = deque([1], maxlen=3)
        self.visited = {(0, 0)}
        self.ages: dict[Any, Any] = {1: "a", (2, 3): [4]}
        self.phase = Phase.BID
        self.at = Point(0, 0)
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.order = OrderedDict(a=1)
        self.slotted = Slotted()
        self.act = self.first
        self.things = np.array([Card(5), None], object)
        self.parent: dict[str, Any] = {}
        self.parent["me"] = self.parent

    def first(self) -> float:
        self.act = self.second
        return 1.0

    def second(self) -> float:
        self.act = self.first
        return 2.0

    def turn(self, action: int) -> float:
        self.queue.append(self.t)
        self.visited.add((self.t, action))
        self.ages[self.t] = str(self.t)
        self.phase = Phase.PLAY if self.t % 2 else Phase.BID
        self.at = Point(self.t, self.at.x)
        self.counts[f"k{action}"] += 1
        self.order[f"k{self.t}"] = self.t
        self.slotted.load.append(self.t)
        if self.t == 3:
            self.slotted.empty = True
        self.things[0].rank += 1
        self.late = self.t  # an attribute that is not there before the first step
        return self.act() + sum(self.queue) + self.things[0].rank + self.counts["k1"] + len(self.visited)


class ClassState(Game):
    history: list[int] = []  # noqa: RUF012
    limit = 5

    def turn(self, action: int) -> float:
        self.history.append(action)
        del self.history[:-3]
        return sum(self.history)


class Generating(Game):
    def begin(self) -> None:
        self.source = (n for n in range(100))


class Locked(Game):
    def __init__(self) -> None:
        self.nested = {"locks": [threading.Lock()]}


class Hooked(Game):
    """What `Generating` should have done."""

    def begin(self) -> None:
        self.at = 0
        self.source = iter(range(100))

    def turn(self, action: int) -> float:
        self.at = next(self.source)
        return self.at

    def envwright_snapshot(self) -> dict[str, Any]:
        return {"t": self.t, "total": self.total, "at": self.at, "next": self.source.__reduce__()[2]}

    def envwright_restore(self, data: dict[str, Any]) -> None:
        self.t, self.total, self.at = data["t"], data["total"], data["at"]
        self.source = iter(range(100))
        self.source.__setstate__(data["next"])  # pyright: ignore[reportAttributeAccessIssue]


class Clocked(Game):
    def turn(self, action: int) -> float:
        self.stamp = time.perf_counter_ns()
        return 0.0


class GlobalCounter(Game):
    def turn(self, action: int) -> float:
        global counter
        counter += 1
        return counter


class Failing(Game):
    def turn(self, action: int) -> float:
        if self.t == 5:
            raise ZeroDivisionError("the fifth step")
        return self.np_random.random()


class FailingInside(Game):
    """The error comes out of somebody else's code."""

    def turn(self, action: int) -> float:
        return json.loads("nonsense")


class Growing(Game):
    def __init__(self) -> None:
        self.log: list[int] = []

    def begin(self) -> None:
        self.log.append(0)


class Surviving(Game):
    """Keeps its last action over a reset, and moves a thing so rarely that no trial sees it."""

    def __init__(self) -> None:
        self.last = 0
        self.rare = [0]
        self.resets = 0

    def begin(self) -> None:
        self.resets += 1

    def turn(self, action: int) -> float:
        result, self.last = self.last, action
        if self.total == -1.0:
            self.rare[0] += 1
        return result


class OwnStart(Game):
    """Begins by luck of its own, which no seed reaches."""

    def __init__(self) -> None:
        self.dice = random.Random(5)

    def begin(self) -> None:
        self.total = self.dice.random()


class Telling(Game):
    """Counts its games, and tells only in info."""

    games = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        self.games += 1
        return super().reset(seed=seed)[0], {"games": self.games}


class OneNumber(Game):
    """Gives its reward and its ends in arrays and lists of one; of two, after a while."""

    def step(self, action: int) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        obs, reward, terminated, truncated, info = super().step(action)
        many = 2 if self.t == 4 else 1
        return obs, np.array([reward + 0.5] * many), [terminated], int(truncated), info


class NotANumber(Game):
    def turn(self, action: int) -> float:
        return float("nan") if self.t == 3 else 0.0


class Phases(Game):
    """To be watched."""

    def turn(self, action: int) -> float:
        x = action
        for i in range(2):
            x += i
        x = self.double(
            x,
        )
        x += 1
        x += 1
        return x

    def double(self, x: int) -> int:
        twice = 2 * x
        return twice  # noqa: RET504 - to have a line to stop before


class LateTurn(Game):
    """An attribute that changes for the first time long after the beginning, and back at a reset."""

    length = 80

    def begin(self) -> None:
        self.phase = Phase.BID

    def turn(self, action: int) -> float:
        if self.t > 60:
            self.phase = Phase.PLAY
        return action if self.phase is Phase.BID else -action
