"""Who can be played against. They see what a player sees, and no more.

`heuristic`: a sensible player by rules of thumb, see `worth`. The random one is there for every game for two.
"""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.envs.tcg_pocket.layout import ACTIONS
from envwright.envs.tcg_pocket.players.seeing import Seen
from envwright.envs.tcg_pocket.players.worth import worth


def heuristic(key: jax.Array, obs: jax.Array, legal: Any) -> jax.Array:
    """The legal action that is worth most; a little noise decides between equal ones."""
    values = worth(Seen(obs)) + 1e-3 * jax.random.uniform(key, (ACTIONS,), jnp.float32)
    return jnp.argmax(jnp.where(legal, values, -jnp.inf)).astype(jnp.int32)
