"""One game of a JAX environment, its outcomes as named columns. Every function takes the params first."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp

from envwright.candidates.rules import GameRules, Moment, Split
from envwright.candidates.trees import like, named
from envwright.core.env import choose
from envwright.core.errors import EnvwrightError
from envwright.core.pieces import in_pieces

FUNCTIONS = ("init", "start", "step", "play", "draw_start", "draw", "phases", "draws")
LOG = "log."  # what sums over ended games are called


@dataclass(frozen=True, eq=False)
class OneGame:
    """The rules, as functions that can be mapped over many games."""

    rules: GameRules

    @cached_property
    def compiled(self) -> dict[str, Callable[..., Any]]:
        """Each function over a batch; params are the same for all games, and may change without compiling again."""
        by_game = {name: jax.jit(self.over_games(getattr(self, name))) for name in FUNCTIONS}
        return {**by_game, "play_on": jax.jit(self.play_on)}

    def over_games(self, one: Callable[..., Any]) -> Callable[..., Any]:
        """A function of one game as one of many."""

        def many(params: Any, *columns: Any) -> Any:
            params = self.rules.params if self.rules.fixed_params else params
            return jax.vmap(in_pieces(lambda *game: one(params, *game)))(*columns)

        return many

    def init(self, params: Any, seed: Any) -> dict[str, Any]:
        return self._standing(*self.rules.init(self.rules.key(seed), params), params)

    def start(self, params: Any, chance: Any, game: Any) -> dict[str, Any]:
        del game  # there only so that games without chance can be counted
        return self._standing(*self.split.start(chance, params), params)

    def step(self, params: Any, state: Any, action: Any, chance: Any, seed: Any) -> dict[str, Any]:
        return self._outcome(self._go(params, state, action, chance, seed), params)

    def play(self, params: Any, state: Any, actions: Any, chances: Any, seeds: Any) -> tuple[Any, dict[str, Any]]:
        """The state at the end, to play on from, and what came of each step."""

        def body(state: Any, tape: Any) -> tuple[Any, dict[str, Any]]:
            moment = self._go(params, state, *tape)
            return like(state, moment.state), self._outcome(moment, params)

        return jax.lax.scan(in_pieces(body), state, (actions, chances, seeds))

    def play_on(self, params: Any, state: Any, log: Any, *tape: Any) -> dict[str, Any]:
        """Many games, whose actions, chance and chance of starts have an axis of steps, then one of games."""
        params = self.rules.params if self.rules.fixed_params else params

        def body(now: tuple[Any, Any], tape: Any) -> tuple[Any, dict[str, Any]]:
            return jax.vmap(in_pieces(lambda *game: self._step_on(params, *game)))(*now, *tape)

        return jax.lax.scan(body, (state, log), tape)[1]

    def _step_on(self, params: Any, state: Any, log: Any, action: Any, chance: Any, start: Any) -> tuple[Any, Any]:
        """A step, and within it a new game where one ends."""
        moment = self.split.apply(state, action, chance, params)
        done = moment.terminated | moment.truncated
        added = self.rules.summary(moment.state, params)
        log = {name: total + jnp.where(done, added[name], 0) for name, total in log.items()}
        obs, fresh = self.split.start(start, params)
        fresh = like(state, self.rules.inherit(moment.state, fresh))
        obs, state = choose(done, (obs, fresh), (moment.obs, like(state, moment.state)))
        outcome = self._outcome(moment._replace(obs=obs, state=state), params)
        return (state, log), outcome | {f"{LOG}{name}": total for name, total in log.items()}

    def draw_start(self, params: Any, seed: Any) -> dict[str, Any]:
        return named(self.split.draw_start(self.rules.key(seed), params))

    def draw(self, params: Any, seed: Any, state: Any, action: Any) -> dict[str, Any]:
        return named(self.split.draw(self.rules.key(seed), state, action, params))

    def phases(self, params: Any, state: Any, action: Any, chance: Any) -> dict[str, Any]:
        """Phase and name as one key, for a tree that goes through `jit` loses the order of its keys anyway."""
        assert self.rules.phases is not None
        phases = self.rules.phases(state, action, chance, params)
        return {f"{phase}\0{name}": value for phase, values in phases.items() for name, value in values.items()}

    def draws(self, params: Any, state: Any, action: Any, chance: Any) -> dict[str, Any]:
        """The number of the place before it, for the same reason."""
        assert self.rules.draws is not None
        found = self.rules.draws(state, action, chance, params)
        return {f"{i:04d}\0{place}": drawn for i, (place, drawn) in enumerate(found.items())}

    @property
    def split(self) -> Split:
        if self.rules.split is None:
            raise EnvwrightError(f"{self.rules.name} draws its own random numbers; they cannot be handed in.")
        return self.rules.split

    def _go(self, params: Any, state: Any, action: Any, chance: Any, seed: Any) -> Moment:
        if self.rules.split is not None:
            return self.rules.split.apply(state, action, chance, params)
        return self.rules.step(self.rules.key(seed), state, action, params)

    def _standing(self, obs: Any, state: Any, params: Any) -> dict[str, Any]:
        """Where a game stands: what it is, what is observed of it, and who may do what next."""
        seats = {"legal_actions": self.rules.legal(state, params), "acting": self.rules.acting(state, params)}
        return {
            **{f"state.{name}": leaf for name, leaf in named(state).items()},
            **{f"observation.{name}" if name else "observation": leaf for name, leaf in named(obs, alone="").items()},
            **{name: column for name, column in seats.items() if column is not None},
        }

    def _outcome(self, moment: Moment, params: Any) -> dict[str, Any]:
        ends = {"reward": moment.reward, "terminated": moment.terminated, "truncated": moment.truncated}
        info = {f"info.{name}": value for name, value in named(moment.info).items()}
        return {**self._standing(moment.obs, moment.state, params), **ends, **info}
