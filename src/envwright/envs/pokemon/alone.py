"""Functions of the rules that Showdown has as well, on numbers alone, for verification."""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.pokemon import columns, hitting, tables
from envwright.envs.pokemon.damage import formula
from envwright.envs.pokemon.fighter import Fighter, load


def get_damage(
    attacker: jax.Array,
    own_types: jax.Array,
    own_base: jax.Array,
    own_modified: jax.Array,
    defender: jax.Array,
    types: jax.Array,
    base: jax.Array,
    modified: jax.Array,
    move: jax.Array,
    seed: jax.Array,
) -> jax.Array:
    """(5,) int32: what a move takes, or -1 if it has no effect, and the generator afterwards in words of 16 bits.

    `attacker` and `defender` are species, level and whether there is Reflect; `seed` is in words of 16 bits, too.
    """
    me = _fighter(attacker, own_types, own_base, own_modified)
    foe = _fighter(defender, types, base, modified)
    row = tables.row(move.astype(jnp.int32))
    matchups = tables.matchups(row.type)
    immune = (row.ignores_immunity == 0) & hitting.is_immune(matchups, foe)
    words = seed.astype(jnp.uint32)
    start = words[0] << 16 | words[1], words[2] << 16 | words[3]
    damage, after = formula(me, foe, row, matchups, start, ~immune)
    halves = [half.astype(jnp.int32) for word in after for half in (word >> 16, word & jnp.uint32(0xFFFF))]
    return jnp.stack([jnp.where(immune, -1, damage), *halves])


def _fighter(about: jax.Array, types: jax.Array, base: jax.Array, modified: jax.Array) -> Fighter:
    none = columns.as_state({name: np.zeros(shape, kind) for name, (kind, shape) in columns.STATE.items()})
    species, level, reflect = (about[i].astype(jnp.int32) for i in range(3))
    numbers = lambda array: tuple(array[i].astype(jnp.int32) for i in range(len(array)))  # noqa: E731
    nobody = load(none, 0, jnp.int32(0), jnp.bool_(False))
    stats = {"types": numbers(types), "base": numbers(base), "modified": numbers(modified)}
    return nobody.replace(species=species, level=level, reflect=reflect > 0, **stats)
