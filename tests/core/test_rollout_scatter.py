"""An environment that XLA cannot put into one kernel is rolled out all the same."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core import Discrete, Env, Record, Space, Step, key, rollout


class Params(Record):
    """Nothing."""


class Board(Record):
    """Four squares."""

    squares: jax.Array  # (4,) int32, how often each was hit


@dataclass(frozen=True)
class Scatter(Env[Board, Params]):
    """Hit a square; the squares may be kept in order."""

    in_order: bool = False

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        return Discrete(4)

    def action_space(self, params: Params) -> Space:
        return Discrete(4)

    def draw_start(self, key: jax.Array, params: Params) -> None:
        return None

    def start(self, chance: None, params: Params) -> tuple[jax.Array, Board]:
        return jnp.int32(0), Board(jnp.zeros(4, jnp.int32))

    def draw(self, key: jax.Array, state: Board, action: jax.Array, params: Params) -> None:
        return None

    def apply(self, state: Board, action: jax.Array, chance: None, params: Params) -> Step:
        hit = (
            state.squares + (jnp.arange(4) == action).astype(jnp.int32)
            if self.in_order
            else state.squares.at[action].add(1)
        )
        board = Board(jnp.sort(hit) if self.in_order else hit)
        no = jnp.bool_(False)
        return Step(action, board, jnp.float32(0), no, no, {})


@pytest.mark.parametrize("in_order", [False, True], ids=["scatter", "sort"])
def test_what_does_not_go_into_a_kernel_falls_back_to_xlas_own_with_the_same_games(in_order):
    fused, plain = (
        rollout(Scatter(in_order), num_envs=32, steps=10, devices=1, fused=fused) for fused in (True, False)
    )
    one, other = (np.asarray(run(key(1), run.reset(key(0))).state.squares) for run in (fused, plain))
    assert one.sum() == 320
    np.testing.assert_array_equal(one, other)
