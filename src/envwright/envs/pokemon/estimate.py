"""How much a player expects of a move, from what it may know. The two players are the first axis of every array."""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.pokemon import knowledge as know
from envwright.envs.pokemon.state import BURNED, MEMBERS, PARALYSED, State

MEAN_ROLL = 0.925  # of the random factor of damage, 217 to 255 of 255
ATTACK, DEFENCE, SPEED, SPECIAL = range(4)


def other(both: jax.Array) -> jax.Array:
    """The same of the other player."""
    return both[::-1]


def active(state: State, members: jax.Array) -> jax.Array:
    """What is known of all members, (2, 6, ...), of the active ones alone."""
    mine = here(state).reshape(2, MEMBERS, *(1,) * (members.ndim - 2))
    return jnp.where(mine, members, jnp.zeros_like(members)).sum(axis=1, dtype=members.dtype)


def here(state: State) -> jax.Array:
    """(2, 6) bool: who is on the field."""
    return np.arange(MEMBERS, dtype=np.uint8)[None] == state.order[:, :1]


def public_stats(state: State) -> tuple[jax.Array, jax.Array]:
    """Attack, defence, speed and special (2, 4) and maximal HP (2,) of the active Pokemon as the other player has to
    take them: of its species and level, with the best genes and full training, and the boosts that were shown."""
    level = active(state, state.level).astype(jnp.float32)
    stats = jnp.asarray(know.SPECIES_STATS)
    own = active(state, state.species).astype(jnp.int32)
    usual = jnp.floor((2 * (stats[state.active_species.astype(jnp.int32)] + 15) + 63) * level[:, None] / 100) + 5
    hp = jnp.floor((2 * (stats[own, 0] + 15) + 63) * level / 100) + level + 10
    boosts = state.boosts[:, :4].astype(jnp.float32)
    changed = usual[:, 1:] * jnp.where(boosts >= 0, (2 + boosts) / 2, 2 / (2 - boosts))
    status, which = active(state, state.status)[:, None], np.arange(4)[None]
    weaker = jnp.where((status == BURNED) & (which == ATTACK), 0.5, 1.0)
    slower = jnp.where((status == PARALYSED) & (which == SPEED), 0.25, 1.0)
    return jnp.clip(changed * weaker * slower, 1, 999), hp


def speeds(state: State, public: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The player's own speed and the foe's, (2,) each."""
    return state.modified[:, SPEED].astype(jnp.float32), other(public[:, SPEED])


def effect(type_: jax.Array, weak: jax.Array) -> jax.Array:
    """The factor of a type of moves, (...), against a species' weaknesses, (..., 2 words)."""
    type_ = type_.astype(jnp.uint32)
    word = jnp.where(type_ < 8, weak[..., 0], weak[..., 1])
    code = (word >> (4 * (type_ & 7))) & 15
    return (jnp.uint32(1) << code & ~jnp.uint32(1)).astype(jnp.float32) / 8


def damage(
    words: jax.Array,
    *,
    attack: jax.Array,
    level: jax.Array,
    types: jax.Array,
    stats: jax.Array,
    reflect: jax.Array,
    weak: jax.Array,
    hp: jax.Array,
) -> jax.Array:
    """The mean damage in HP, (..., n), of moves as `MOVE_WORDS` (..., n) that hit.

    `attack` (..., 4), `level` and `types` (..., 2) are the attacker's; `stats` (..., 4), `reflect`, `weak` (..., 2) and
    the `hp` left are the target's. Critical hits are left out, but for moves that nearly always are.
    """
    kind = words & 15
    strength = ((words >> know.STRENGTH) & 0x1FF).astype(jnp.float32)
    physical = ((jnp.uint32(know.PHYSICAL_BITS) >> kind) & 1) > 0
    defence = stats[..., DEFENCE] * jnp.where(reflect, 2, 1)
    power = jnp.where(physical, attack[..., ATTACK, None], attack[..., SPECIAL, None])
    against = jnp.where(physical, defence[..., None], stats[..., SPECIAL, None])
    own = (kind == types[..., 0, None]) | (kind == types[..., 1, None])
    base = (0.4 * level[..., None] + 2) * strength * power / jnp.maximum(against, 1) / 50 + 2
    usual = base * jnp.where(own, 1.5, 1) * effect(kind, weak[..., None, :]) * MEAN_ROLL
    found = jnp.where(strength > 0, usual, 0)
    found = jnp.where((words & jnp.uint32(know.LEVEL)) > 0, level[..., None], found)
    return jnp.where((words & jnp.uint32(know.HALF)) > 0, hp[..., None] / 2, found)
