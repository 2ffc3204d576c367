"""Games as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Discrete, Env, Record, Space, Step, fork
from envwright.envs.tcg_pocket import decks as lists
from envwright.envs.tcg_pocket import rules
from envwright.envs.tcg_pocket.decks import Deck
from envwright.envs.tcg_pocket.engine.deciding import StepDraws
from envwright.envs.tcg_pocket.engine.setup import StartDraws, pool_of, start
from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    CARDS,
    FIRST_WINS,
    OBSERVATION_SIZE,
    OVER,
    PLAYERS,
    SECOND_WINS,
    PocketFlags,
)
from envwright.envs.tcg_pocket.observation import observe
from envwright.envs.tcg_pocket.shown.render import draw_table
from envwright.envs.tcg_pocket.state import State

LEAST, MOST = -128, 1920  # of what is observed


class Params(Record):
    """None: what may differ are flags."""


@dataclass(frozen=True)
class TcgPocket(PocketFlags, Env[State, Params]):
    """Pokemon TCG Pocket with the cards of A1, A1a and P-A 1-24: two players, of whom one is asked at each step.

    decks: what both draw their decks from: `published`, `random`, `train`, `held_out`, or a list, see `decks.pool`.
    The other fields are the flags of spec.md, section 1.
    """

    decks: str | Iterable[Deck | Mapping[str, Any]] = lists.PUBLISHED

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.decks, str) or self.decks not in lists.POOLS:
            object.__setattr__(self, "decks", lists.pool(self.decks))

    @property
    def players(self) -> int:
        return PLAYERS

    @property
    def flags(self) -> PocketFlags:
        return PocketFlags(**{field.name: getattr(self, field.name) for field in fields(PocketFlags)})

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(LEAST, MOST, (OBSERVATION_SIZE,), np.dtype(np.int16))

    def action_space(self, params: Params) -> Space:
        del params
        return Discrete(ACTIONS)

    def draw_start(self, key: jax.Array, params: Params) -> StartDraws:
        del params
        first, second = fork(key, 2)
        words, keys = jax.random.bits(first, (7,), jnp.uint32), jax.random.bits(second, (2, CARDS), jnp.uint32)
        return StartDraws(decks=words[:2], first=words[2], opening=words[3:5], shuffles=keys, zones=words[5:])

    def start(self, chance: StartDraws, params: Params) -> tuple[jax.Array, State]:
        del params
        state = start(chance, pool_of(lists.pool(self.decks)), self.flags)
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> StepDraws:
        del state, action, params
        first, second = fork(key, 2)
        words, keys = jax.random.bits(first, (9,), jnp.uint32), jax.random.bits(second, (CARDS,), jnp.uint32)
        return StepDraws(
            smokescreen=words[0],
            coins=words[1],
            targets=words[2:6],
            pick=words[6],
            keys=keys,
            wake=words[7],
            zone=words[8],
        )

    def apply(self, state: State, action: jax.Array, chance: StepDraws, params: Params) -> Step:
        del params
        chosen = jnp.where(state.actor == 0, action[0], action[1]).astype(jnp.int32)
        after = rules.advance(state, chosen, chance, self.flags)
        return Step(
            obs=observe(after),
            state=after,
            reward=reward(after),
            terminated=after.pending == OVER,
            truncated=jnp.bool_(False),
            info={},
        )

    def legal_actions(self, state: State, params: Params) -> jax.Array:
        """Who is not asked waits, with action 0."""
        del params
        return rules.legal_actions(state, self.flags)

    def acting(self, state: State, params: Params) -> jax.Array:
        del params
        return (jnp.arange(PLAYERS) == state.actor) & (state.pending != OVER)

    def phases(
        self, state: State, action: jax.Array, chance: StepDraws, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """The game after each of the phases of a step."""
        del params
        chosen = jnp.where(state.actor == 0, action[0], action[1]).astype(jnp.int32)
        return {name: vars(found) for name, found in rules.phases(state, chosen, chance, self.flags).items()}

    def summary(self, final: State, params: Params) -> dict[str, jax.Array]:
        """Numbers of the last state."""
        del params
        return {
            "games": jnp.int32(1),
            "turns": final.turn.astype(jnp.int32),
            "first_player_wins": ((final.winner == FIRST_WINS) & (final.first == 0)).astype(jnp.int32)
            + ((final.winner == SECOND_WINS) & (final.first == 1)).astype(jnp.int32),
        }

    def render(self, state: State, params: Params) -> Any:
        del params
        return draw_table(state)


def reward(after: State) -> jax.Array:
    """(2,) float32: 1 to who has won, -1 to who has lost, 0 for a tie and as long as the game goes on (R13.3)."""
    first, second = (after.winner == FIRST_WINS).astype(jnp.float32), (after.winner == SECOND_WINS).astype(jnp.float32)
    return jnp.stack([first - second, second - first])
