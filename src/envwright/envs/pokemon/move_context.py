"""A move in the making, and what more than one of its phases does to those who are in it."""

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.pokemon import tables
from envwright.envs.pokemon.events import FOE, ME, Event, Tell, silent
from envwright.envs.pokemon.fighter import Fighter, pick
from envwright.envs.pokemon.prng import Seed

DAMAGE = {name: number for number, name in enumerate(tables.DAMAGES)}  # where the damage of a move comes from
_BELOW = (100, 66, 50, 40, 33, 28, 25)  # hundredths of a stat, by how far it was lowered


class MoveContext(Record):
    """A move in the making."""

    me: Fighter
    foe: Fighter
    seed: Seed
    last_damage: jax.Array  # () int32
    hints: jax.Array  # () int32, as in `State`


def hurt_oneself(
    moment: MoveContext, damage: jax.Array, happens: jax.Array, cause: int = 0, tell: Tell = silent
) -> MoveContext:
    """Damage by confusion or by a crash, `directDamage`; a user behind a substitute hurts the foe's."""
    me, foe = moment.me, moment.foe
    deflected = happens & (me.substitute > 0) & (foe.substitute > 0)
    direct = happens & (me.substitute == 0)
    left = jnp.maximum(foe.substitute - damage, 0)
    me = me.replace(hp=jnp.where(direct, jnp.maximum(me.hp - damage, 0), me.hp))
    tell(deflected & (left > 0), Event.SUBSTITUTE_HURT, FOE)
    tell(deflected & (left == 0), Event.SUBSTITUTE_BREAKS, FOE)
    tell(direct, Event.DAMAGE, ME, me.hp, me.status, cause)
    return moment.replace(
        me=me,
        foe=foe.replace(
            substitute=jnp.where(deflected, left, foe.substitute),
            substitute_broke=foe.substitute_broke | (deflected & (left == 0)),
        ),
        last_damage=jnp.where(happens, damage, moment.last_damage),
    )


def hundredths(boost: jax.Array) -> jax.Array:
    """What a boost makes of a hundred."""
    return jnp.where(boost >= 0, 100 + 50 * boost, pick([jnp.int32(n) for n in _BELOW], -boost))
