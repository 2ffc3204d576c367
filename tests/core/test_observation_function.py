"""What is seen as a function of the state alone: where it is found, where not, and that it changes nothing."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import pytest
from counting import Count, Counting, CountParams, same_bits

import envwright
from envwright.core import Step, autoreset
from envwright.core.autoreset import Fresh
from envwright.core.observation_function import observation_function

KEY = envwright.key(0)
PARAMS = CountParams()
BOARD = jnp.arange(12).reshape(3, 4)


class Alone(Counting):
    """Nothing is carried over, and what is seen is made of state and params."""

    def observe(self, state: Count) -> jax.Array:
        seen = jnp.where(state.count == BOARD, state.born % 7, 2).astype(jnp.float32)
        return jax.lax.fori_loop(0, 3, lambda i, x: x + state.count.astype(jnp.float32) * i, seen)

    def inherit(self, old: Count, new: Count) -> Count:
        del old
        return new


class Remembering(Alone):
    """Shows the action, which is not in the state."""

    def apply(self, state: Count, action: jax.Array, chance: jax.Array, params: CountParams) -> Step:
        step = super().apply(state, action, chance, params)
        return step._replace(obs=step.obs + action.astype(jnp.float32))


@dataclass(frozen=True)
class Unlike(Alone):
    """A start shows something else, of the same shape."""

    def start(self, chance: jax.Array, params: CountParams) -> tuple[jax.Array, Count]:
        obs, state = super().start(chance, params)
        return obs + 1, state


def found(env: Counting) -> object:
    _, state = env.reset(KEY)
    return observation_function(env, KEY, state, jnp.int32(0), PARAMS)


def test_what_a_state_looks_like_is_found() -> None:
    see = observation_function(Alone(), KEY, Alone().reset(KEY)[1], jnp.int32(0), PARAMS)
    assert see is not None
    step = Alone().transition(KEY, Alone().reset(KEY)[1], jnp.int32(2), PARAMS)
    assert same_bits(see(step.state, PARAMS), step.obs)


@pytest.mark.parametrize("env", [Counting(), Remembering(), Unlike()], ids=["carries over", "action", "start"])
def test_not_where_more_is_seen_than_the_state(env: Counting) -> None:
    assert found(env) is None


def test_a_batch_is_the_same_with_and_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    games, params = 8, CountParams(length=jnp.int32(3))
    keys, action = jax.random.split(KEY, games), jnp.zeros(games, jnp.int32)

    def played() -> list[Step]:
        _, state = Fresh().reset(Alone(), keys, params)
        steps = []
        for t in range(5):
            steps.append(Fresh().step(Alone(), jax.vmap(jax.random.fold_in, (0, None))(keys, t), state, action, params))
            state = steps[-1].state
        return steps

    looked_once = played()
    monkeypatch.setattr(autoreset, "observation_function", lambda *_: None)
    assert same_bits(looked_once, played())
