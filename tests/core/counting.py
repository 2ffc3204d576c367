"""An environment that counts, so that a test can say what must have happened."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from envwright.core import Box, Discrete, Env, Record, Space, Step


class CountParams(Record):
    length: ArrayLike = np.int32(5)  # the step that terminates
    limit: ArrayLike = np.int32(1000)  # the step that truncates


class Count(Record):
    count: jax.Array  # () int32, steps in this episode
    born: jax.Array  # () uint32, the luck of this episode's start
    luck: jax.Array  # () uint32, the luck of the last step
    episodes: jax.Array  # () int32, episodes before this one; what an auto-reset carries over


@dataclass(frozen=True)
class Counting(Env[Count, CountParams]):
    """Sees how often it stepped, is rewarded with its action, and ends after `length` steps."""

    size: int = 2

    @property
    def default_params(self) -> CountParams:
        return CountParams()

    def observation_space(self, params: CountParams) -> Space:
        return Box(0.0, 1e9, (self.size,))

    def action_space(self, params: CountParams) -> Space:
        return Discrete(3)

    def draw_start(self, key: jax.Array, params: CountParams) -> jax.Array:
        return jax.random.bits(key, (), jnp.uint32)

    def start(self, chance: jax.Array, params: CountParams) -> tuple[jax.Array, Count]:
        state = Count(jnp.int32(0), chance, jnp.uint32(0), jnp.int32(0))
        return self.observe(state), state

    def draw(self, key: jax.Array, state: Count, action: jax.Array, params: CountParams) -> jax.Array:
        return jax.random.bits(key, (), jnp.uint32)

    def apply(self, state: Count, action: jax.Array, chance: jax.Array, params: CountParams) -> Step:
        state = state.replace(count=state.count + 1, luck=chance)
        return Step(
            obs=self.observe(state),
            state=state,
            reward=action.astype(jnp.float32),
            terminated=state.count >= params.length,
            truncated=state.count >= params.limit,
            info={"count": state.count},
        )

    def observe(self, state: Count) -> jax.Array:
        return jnp.full((self.size,), state.count.astype(jnp.float32))

    def inherit(self, old: Count, new: Count) -> Count:
        return new.replace(episodes=old.episodes + 1)


def same_bits(one: object, other: object) -> bool:
    """Whether two trees hold the same bits, keys included."""

    def raw(leaf: jax.Array) -> np.ndarray:
        return np.asarray(jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)

    ones, others = jax.tree.leaves(one), jax.tree.leaves(other)
    return jax.tree.structure(one) == jax.tree.structure(other) and all(
        raw(a).dtype == raw(b).dtype and raw(a).shape == raw(b).shape and raw(a).tobytes() == raw(b).tobytes()
        for a, b in zip(ones, others, strict=True)
    )
