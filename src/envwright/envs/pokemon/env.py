"""Battles as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Discrete, Env, Record, Space, Step, fork
from envwright.envs.pokemon import rules
from envwright.envs.pokemon.observation import FEATURES, observe
from envwright.envs.pokemon.render import draw_battle
from envwright.envs.pokemon.state import ACTIONS, FIRST, NOBODY_YET, SECOND, WAIT, State, Team
from envwright.envs.pokemon.tables import pool
from envwright.envs.pokemon.teams import Teams, as_arrays

PARTIAL, FULL = "partial", "full"
OBSERVATIONS = (PARTIAL, FULL)
LOWEST, HIGHEST = -1.0, 2.0  # of any feature; nearly all stay within -1 and 1


class Params(Record):
    """None: the game's numbers are Showdown's."""


class BattleChance(Record):
    """What begins a battle."""

    teams: Team  # a leading axis of the two sides
    seed: jax.Array  # (2,) uint32, Showdown's generator before anything is drawn


class UpdateChance(Record):
    """The state of Showdown's generator before an update; all its draws follow from it."""

    seed: jax.Array  # (2,) uint32


@dataclass(frozen=True)
class Pokemon(Env[State, Params]):
    """Generation 1 random battles as Pokemon Showdown 0.11.11 plays them: two players, who choose at once.

    observation: "partial", what a player is shown, or "full", followed by what the other player is shown.
    teams: teams to draw from in place of Showdown's random ones: text or dicts, see `teams.parse`.
    """

    observation: str = PARTIAL
    teams: Teams | str | Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if self.observation not in OBSERVATIONS:
            raise ValueError(f"observation must be one of {', '.join(OBSERVATIONS)}, but is {self.observation!r}")
        if self.teams is not None:
            object.__setattr__(self, "teams", Teams.of(self.teams))

    @property
    def players(self) -> int:
        return 2

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(LOWEST, HIGHEST, (len(FEATURES) * (2 if self.observation == FULL else 1),))

    def action_space(self, params: Params) -> Space:
        del params
        return Discrete(ACTIONS)

    def draw_start(self, key: jax.Array, params: Params) -> BattleChance:
        del params
        which, seed = fork(key, 2)
        teams = self._pool()
        chosen = jax.random.randint(which, (2,), 0, len(teams["species"]), jnp.int32)
        drawn = Team(**{name: jnp.asarray(field)[chosen] for name, field in teams.items()})
        return BattleChance(drawn, _words(seed))

    def start(self, chance: BattleChance, params: Params) -> tuple[jax.Array, State]:
        del params
        state = rules.start(chance.teams, chance.seed)
        return self._observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> UpdateChance:
        del state, action, params
        return UpdateChance(_words(key))

    def apply(self, state: State, action: jax.Array, chance: UpdateChance, params: Params) -> Step:
        del params
        after = rules.advance(state, action, chance.seed)
        return Step(
            obs=self._observe(after),
            state=after,
            reward=reward(after),
            terminated=after.winner != NOBODY_YET,
            truncated=jnp.bool_(False),
            info={},
        )

    def legal_actions(self, state: State, params: Params) -> jax.Array:
        """As Showdown's requests have them; who is asked for nothing has action 0."""
        del params
        return rules.legal(state)

    def acting(self, state: State, params: Params) -> jax.Array:
        del params
        return state.request != WAIT

    def phases(
        self, state: State, action: jax.Array, chance: UpdateChance, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """The battle after each of the phases of an update."""
        del params
        return {name: vars(found) for name, found in rules.phases(state, action, chance.seed).items()}

    def draws(
        self, state: State, action: jax.Array, chance: UpdateChance, params: Params
    ) -> dict[str, tuple[jax.Array, jax.Array]]:
        """The words that an update draws from Showdown's generator, each with the line that asks."""
        del params
        return rules.draws(state, action, chance.seed)

    def summary(self, final: State, params: Params) -> dict[str, jax.Array]:
        """Numbers of the last state, which are compared with Showdown's where only sums over battles are kept."""
        del params
        return {
            "battles": jnp.int32(1),
            "turns": final.turn.astype(jnp.int32),
            "hp": final.hp.sum(dtype=jnp.int32),
            "pp": final.pp.sum(dtype=jnp.int32),
            "statuses": final.status.sum(dtype=jnp.int32),
            "first_wins": (final.winner == FIRST).astype(jnp.int32),
            "second_wins": (final.winner == SECOND).astype(jnp.int32),
            "seed_high": final.seed[0] >> 16,  # the upper halves, whose sums do not overflow
            "seed_low": final.seed[1] >> 16,
        }

    def render(self, state: State, params: Params) -> Any:
        del params
        return draw_battle(state)

    def _observe(self, state: State) -> jax.Array:
        seen = observe(state)
        return seen if self.observation == PARTIAL else jnp.concatenate([seen, seen[::-1]], axis=-1)

    def _pool(self) -> Mapping[str, np.ndarray]:
        return pool.teams() if self.teams is None else as_arrays(Teams.of(self.teams))


def _words(key: jax.Array) -> jax.Array:
    """A random state of Showdown's generator."""
    return jax.random.bits(key, (2,), jnp.uint32)


def reward(after: State) -> jax.Array:
    """(2,) float32: 1 to who has won, -1 to who has lost, 0 for a tie and as long as the battle goes on."""
    first, second = (after.winner == FIRST).astype(jnp.float32), (after.winner == SECOND).astype(jnp.float32)
    return jnp.stack([first - second, second - first])
