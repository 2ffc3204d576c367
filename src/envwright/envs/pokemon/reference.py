"""One battle of Pokemon Showdown under the verifier's eyes.

Random draws: Showdown's generator is a number of 64 bits, so that all draws of an update follow from what it was
before. That is the first draw of every tape, and the only one that is replayed; the others are what it gave, one by
one, each with the line that asked, for whoever reads a tape.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete, Space
from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon import package
from envwright.envs.pokemon.columns import Columns
from envwright.envs.pokemon.observing import acting, observe
from envwright.envs.pokemon.oracle import PROGRAM, Oracle, team_of, words
from envwright.envs.pokemon.state import ACTIONS
from envwright.references import legality
from envwright.references.protocol import (
    Counts,
    Covered,
    Draw,
    Glimpse,
    Outcome,
    Reference,
    ReferenceFailedError,
    SnapshotError,
    TapeError,
    Watchpoint,
)

GET_DAMAGE = ("attacker", "defender", "move", "seed")  # the arguments of showdown/calls.js
SEED, TEAMS = "battle:0 seed", "battle:0 teams"  # sites of what decides all other draws


class ShowdownBattle(Reference):
    """One battle. `teams` says how they are made: `random`, `custom`, or both by turns."""

    name = f"showdown:gen1randombattle ({package.REQUIREMENT})"

    def __init__(self, teams: Sequence[str] = ("random",)) -> None:
        self._oracle = Oracle()
        self._teams = tuple(teams)
        self._told: dict[str, Any] = {}
        self._state: Columns = {}
        self._legal = np.zeros((2, ACTIONS), bool)
        self._stale = False  # whether the battle has still to be put into the state
        self._next = 0  # the seed of a reset without one

    # ---- what it is ----

    @property
    def players(self) -> int:
        return 2

    @property
    def action_space(self) -> Space:
        return Discrete(ACTIONS)

    @property
    def observation_space(self) -> Space:
        return Box(-np.inf, np.inf, self.observation_shape)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        none = {name: np.zeros((1, *shape), kind) for name, (kind, shape) in layout.STATE.items()}
        return observe(none).shape[2:]

    def provenance(self) -> dict[str, Any]:
        ours = "".join(path.read_text() for path in sorted(PROGRAM.parent.glob("*.js")))
        return {
            "package": package.REQUIREMENT,
            "sha256": package.SHA256,
            "node": self._oracle.facts["node"],
            "programs": ours,
            "teams": list(self._teams),
        }

    def sample_action(self, rng: np.random.Generator) -> Any:
        return legality.sample(rng, self._legal)

    def legal(self) -> NDArray[np.bool_]:
        self._go_there()
        return self._legal

    def late_changes(self) -> list[str]:
        return []  # a state is all that there is

    def functions(self) -> list[str]:
        return ["getDamage", "boostBy", "random"]

    # ---- play ----

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        if tape is not None:
            given = {draw.site: draw.value for draw in tape[:2]}
            if given.keys() != {SEED, TEAMS}:
                raise TapeError("A tape of a battle's start begins with its seed and its teams.")
            start, teams = given[SEED], given[TEAMS]
        else:
            self._next = self._next + 1 if seed is None else seed
            kind = self._teams[self._next % len(self._teams)]
            start, teams = words(4 * self._next + 2), [team_of(kind, 4 * self._next + side) for side in (0, 1)]
        told = self._oracle.ask("begin", teams=teams, seed=[int(word) for word in start])
        self._stale = False
        return self._outcome(told, (Draw(SEED, "seed", list(start)), Draw(TEAMS, "teams", told["team"])))

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome:
        self._go_there()
        seed = self._seed(tape)
        return self._outcome(self._oracle.ask("step", actions=self._legal_ones(action), seed=seed), (_seed_draw(seed),))

    def look(self) -> dict[str, Any]:
        """Its columns, and `teams` as the battle began."""
        team = self._told.get("team")
        teams = {} if team is None else {"teams": _both(team)}
        return {**self._state, **teams}

    def snapshot(self) -> dict[str, Any]:
        return {name: column.copy() for name, column in self._state.items()}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        for name in snapshot:
            if name not in layout.STATE:
                raise SnapshotError(f"{self.name} has no {name} to restore; it has {', '.join(layout.STATE)}.")
        self._state = layout.read({**self._state, **snapshot})
        self._stale = True

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        """`getDamage`, `boostBy` or `random` of showdown/calls.js, of an object of arguments, or of each in a list.
        Several arguments are those of `getDamage` one by one."""
        (given,) = arguments if len(arguments) == 1 else (dict(zip(GET_DAMAGE, arguments, strict=True)),)
        several = isinstance(given, list)
        results = self._oracle.ask("call", name=function, given=given if several else [given])
        return results if several else results[0]

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        """An update, seen at the places that showdown/phases.js names: `function` is one of them."""
        for point in points:
            if point.line:
                raise EnvwrightError(f"{self.name} is seen between methods; leave the line of {point.phase} out.")
        self._go_there()
        seed = self._seed(tape)
        places = [vars(point) for point in points]
        seen = self._oracle.ask("watch", actions=self._legal_ones(action), seed=seed, points=places)
        glimpses = [Glimpse(one["phase"], {**one["names"], **layout.read(one["names"])}) for one in seen["glimpses"]]
        return glimpses, self._outcome(seen["outcome"], (_seed_draw(seed),))

    def record_calls(self, names: Sequence[str], play: Callable[[], None], /) -> dict[str, list[dict[str, Any]]]:
        """None: what Showdown's functions take is battles and Pokemon, not numbers."""
        play()
        return {}

    @contextlib.contextmanager
    def covering(self) -> Iterator[Covered]:
        yield Covered()

    def counted(self) -> Counts:
        return self._oracle.ask("coverage")

    def close(self) -> None:
        self._oracle.close()

    # ---- how ----

    def _go_there(self) -> None:
        if not self._state:
            raise ReferenceFailedError(f"{self.name} has no battle yet; reset it first.")
        if self._stale:
            self._legal = np.array(self._oracle.ask("put", state=layout.write(self._state))["legal"], bool)
            self._stale = False

    def _legal_ones(self, action: Any) -> list[int]:
        """The actions of both sides, which Showdown has to allow."""
        chosen = [int(one) for one in np.asarray(action).ravel()]
        if len(chosen) != 2:
            raise ReferenceFailedError(f"A battle takes an action of each of two sides, and here are {len(chosen)}.")
        for side, one in enumerate(chosen):
            allowed = np.flatnonzero(self._legal[side]).tolist()
            if one not in allowed:
                able = ", ".join(map(str, allowed)) if allowed else "none, for the battle is over"
                raise ReferenceFailedError(f"Side {side} cannot take action {one} here; it can take {able}.")
        return chosen

    def _seed(self, tape: Sequence[Draw] | None) -> list[int]:
        """Where the generator is before this update."""
        if tape is None:
            return self._state["seed"].tolist()
        if not tape or tape[0].site != SEED:
            raise TapeError("A tape of an update begins with the seed that Showdown's generator had.")
        return [int(word) for word in tape[0].value]

    def _outcome(self, told: dict[str, Any], first: tuple[Draw, ...]) -> Outcome:
        self._told, self._state = told, layout.read(told["state"])
        self._legal = np.array(told["legal"], bool)
        drawn = (Draw(one["site"], one["method"], [one["low"], one["high"], one["value"]]) for one in told["draws"])
        batch = {name: column[None] for name, column in self._state.items()}
        return Outcome(
            obs=observe(batch)[0],
            reward=np.array(told["reward"], np.float32),
            terminated=told["ended"],
            truncated=False,
            info={"log": told["log"]},
            draws=(*first, *drawn),
            legal=self._legal,
            acting=acting(batch)[0],
        )


def _both(team: Sequence[Mapping[str, Any]]) -> Columns:
    """Teams of both sides as one record of arrays."""
    return layout.read({name: [one[name] for one in team] for name in layout.TEAM}, layout.TEAMS)


def _seed_draw(seed: Sequence[int]) -> Draw:
    return Draw(SEED, "seed", list(seed))
