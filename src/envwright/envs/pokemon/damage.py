"""What a move takes from the foe or from its substitute: `getDamage`, and the hits of `moveHit`."""

import jax
import jax.numpy as jnp

from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.events import FOE, ME, Event, Tell, silent
from envwright.envs.pokemon.fighter import Fighter, Four, over, pick
from envwright.envs.pokemon.move_context import DAMAGE, MoveContext
from envwright.envs.pokemon.prng import Seed
from envwright.envs.pokemon.state import ATTACK, DEFENCE, SPECIAL
from envwright.envs.pokemon.tables import Row

COUNTER = tables.move("counter")
_COUNTERABLE = [
    n
    for n in range(len(tables.MOVES))
    if tables.MOVE_ROWS["power"][n] and tables.TYPES[tables.MOVE_ROWS["type"][n]] in ("Normal", "Fighting")
]
_MOST_HITS = 5


def strike(
    moment: MoveContext, move: Row, matchups: jax.Array, strikes: jax.Array, tell: Tell = silent
) -> tuple[MoveContext, jax.Array, jax.Array, jax.Array, jax.Array]:
    """All hits of a move that does damage, to the foe or to its substitute; then drain and recoil.

    Whether what the user owes for a hit is due, whether it hit at all, whether it may have a secondary effect, and how
    often it hit.
    """
    me, foe, seed = moment.me, moment.foe, moment.seed
    word, seed = prng.draw(seed, strikes & (move.hits_most > move.hits_least))
    several = pick([jnp.int32(n) for n in (2, 2, 2, 3, 3, 3, 4, 5)], prng.below(word, 8))
    hits = jnp.where(move.hits_most > move.hits_least, several, move.hits_least)

    damage, seed = formula(me, foe, move, matchups, seed, strikes & (move.damage == DAMAGE["formula"]), tell)
    counters = (
        (foe.selected_for_foe != COUNTER)
        & tables.among(foe.used_for_foe, _COUNTERABLE)
        & (moment.last_damage > 0)
    )  # fmt: skip
    damage = jnp.where(move.damage == DAMAGE["level"], me.level, damage)
    damage = jnp.where(move.damage == DAMAGE["half"], jnp.maximum(foe.hp >> 1, 1), damage)
    damage = jnp.where(move.damage == DAMAGE["counter"], 2 * moment.last_damage, damage)
    damage = jnp.where(move.damage == DAMAGE["knock out"], 65535, damage)
    countered = strikes & (move.damage == DAMAGE["counter"])
    tell(countered & ~counters, Event.FAIL)
    strikes = strikes & (~countered | counters)

    behind = foe.substitute > 0
    capped = jnp.minimum(damage, foe.hp)
    # A substitute that broke in an earlier move still ends a move of several hits after the first one (Mirror Move).
    hp, substitute, last, count = foe.hp, foe.substitute, jnp.int32(0), jnp.int32(0)
    for n in range(_MOST_HITS):
        again = (n < hits) & jnp.where(behind, substitute > 0, hp > 0) & ((n == 0) | ~foe.substitute_broke)
        last = jnp.where(again, jnp.minimum(capped, hp), last)
        hp = jnp.where(again, jnp.maximum(hp - capped, 0), hp)
        substitute = jnp.where(again, jnp.maximum(substitute - damage, 0), substitute)
        count = count + again.astype(jnp.int32)
        tell(strikes & again & ~behind, Event.DAMAGE, FOE, hp, foe.status)
        tell(strikes & again & behind & (substitute > 0), Event.SUBSTITUTE_HURT, FOE)
        tell(strikes & again & behind & (substitute == 0), Event.SUBSTITUTE_BREAKS, FOE)
    direct, shielded = strikes & ~behind, strikes & behind
    holds = shielded & (substitute > 0)
    foe = foe.replace(
        hp=jnp.where(direct, hp, foe.hp),
        substitute=jnp.where(shielded, substitute, foe.substitute),
        substitute_broke=foe.substitute_broke | (shielded & (substitute == 0)),
    )
    dealt = jnp.where(behind, damage, last)
    last_damage = jnp.where(strikes, dealt, moment.last_damage)

    # The user of a move that breaks a substitute gains nothing by it, and loses nothing.
    paid = holds | direct
    drains = paid & (move.drain > 0) & (behind | (dealt > 0))
    gain = jnp.maximum(dealt >> 1, 1)
    last_damage = jnp.where(drains, gain, last_damage)
    recoils = paid & (move.recoil > 0) & (dealt > 0)
    loss = jnp.maximum(jnp.where(move.recoil == 2, dealt >> 1, dealt >> 2), 1)
    healed = jnp.where(drains, jnp.minimum(me.hp + gain, me.max_hp), me.hp)
    tell(drains & (me.hp < me.max_hp), Event.HEAL, ME, healed, me.status, 1)
    me = me.replace(hp=jnp.where(recoils, jnp.maximum(healed - loss, 0), healed))
    tell(recoils, Event.DAMAGE, ME, me.hp, me.status, 3)
    moment = moment.replace(me=me, foe=foe, seed=seed, last_damage=last_damage)
    return moment, paid, strikes, direct & (foe.hp > 0) & (count == hits), count


def formula(
    me: Fighter, foe: Fighter, move: Row, matchups: jax.Array, seed: Seed, rolls: jax.Array, tell: Tell = silent
) -> tuple[jax.Array, Seed]:
    """`getDamage` of a move with base power: a roll for a critical hit, and one for the last factor."""
    _, _, base_speed = tables.species(me.species)
    ratio = jnp.clip(base_speed & ~1, 1, 255)
    ratio = jnp.where(move.crit_ratio == 2, jnp.minimum(4 * ratio, 255), ratio >> 1)
    word, seed = prng.draw(seed, rolls & (ratio > 0))
    critical = (ratio > 0) & (prng.byte(word) < ratio)

    tell(rolls & critical, Event.CRITICAL, FOE)
    physical = move.category == tables.PHYSICAL

    def of_kind(stats: Four, one: int, other: int) -> jax.Array:
        return jnp.where(physical, stats[one], stats[other])

    attack = jnp.where(critical, of_kind(me.base, ATTACK, SPECIAL), of_kind(me.modified, ATTACK, SPECIAL))
    doubled = of_kind(foe.modified, DEFENCE, SPECIAL) << (physical & foe.reflect).astype(jnp.int32)
    defence = jnp.where(critical, of_kind(foe.base, DEFENCE, SPECIAL), doubled)
    large = (attack >= 256) | (defence >= 256)
    attack = jnp.where(large, jnp.maximum(attack >> 2 & 255, 1), attack)
    defence = jnp.where(large, jnp.maximum(defence >> 2 & 255, 1), defence)
    defence = jnp.where((move.explodes > 0) & physical, jnp.maximum(defence >> 1, 1), defence)

    level = jnp.where(critical, 2 * me.level, me.level) & 255
    damage = over((over(2 * level, 5) + 2) * move.power * attack, jnp.maximum(defence, 1))
    damage = jnp.minimum(over(damage, 50), 997) + 2
    same = ((me.types[0] == move.type) | (me.types[1] == move.type)) & (move.type > 0)
    damage = jnp.where(same, damage + (damage >> 1), damage)
    total = jnp.int32(0)
    for kind in foe.types:
        effect = tables.against(matchups, kind)
        total = total + (effect == tables.STRONG).astype(jnp.int32) - (effect == tables.WEAK).astype(jnp.int32)
        damage = jnp.where(effect == tables.STRONG, 2 * damage, jnp.where(effect == tables.WEAK, damage >> 1, damage))
    tell(rolls & (total != 0), Event.MATCHUP, FOE, total)
    varies = rolls & (damage > 1)
    word, seed = prng.draw(seed, varies)
    return jnp.where(damage > 1, over(damage * (217 + prng.below(word, 39)), 255), damage), seed
