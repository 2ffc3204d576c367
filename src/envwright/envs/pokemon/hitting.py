"""Whether a move reaches its target, and what it does there: `tryMoveHit` and `moveHit`."""

import jax
import jax.numpy as jnp

from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.damage import strike
from envwright.envs.pokemon.effects import boost, effects, flinch
from envwright.envs.pokemon.events import FOE, Event, Tell, silent
from envwright.envs.pokemon.fighter import Fighter, over
from envwright.envs.pokemon.move_context import DAMAGE, MoveContext, hundredths, hurt_oneself
from envwright.envs.pokemon.state import ACCURACY, ASLEEP, BURNED, EVASION, FROZEN, HEALTHY, PARALYSED, POISONED, SPEED
from envwright.envs.pokemon.tables import Row, operation


def try_move(moment: MoveContext, move: Row, number: jax.Array, tries: jax.Array, tell: Tell = silent) -> MoveContext:
    """Immunity, accuracy, the hit, and what a miss or a failure brings."""
    matchups = tables.matchups(move.type)
    immune = (move.ignores_immunity == 0) & is_immune(matchups, moment.foe)
    too_slow = (move.damage == DAMAGE["knock out"]) & (moment.foe.modified[SPEED] > moment.me.modified[SPEED])
    moment, reaches = accuracy(moment, move, tries & ~immune & ~too_slow, tell)
    tell(tries & (immune | too_slow), Event.IMMUNE, FOE, ~immune)
    moment, hits = hit(moment, move, number, matchups, reaches, tell)

    explodes = tries & (move.explodes > 0) & (immune | ~moment.foe.substitute_broke)
    me = moment.me
    moment = moment.replace(me=me.replace(hp=jnp.where(explodes, 0, me.hp)))
    moment = hurt_oneself(moment, jnp.int32(1), tries & (move.crashes > 0) & ~hits, 0, tell)
    tell(tries & (move.recharges > 0) & moment.me.recharging, Event.MUST_RECHARGE)
    return moment


def is_immune(matchups: jax.Array, foe: Fighter) -> jax.Array:
    """Whether the type has no effect on one of the foe's."""
    one, two = (tables.against(matchups, kind) for kind in foe.types)
    return (one == tables.NO_EFFECT) | (two == tables.NO_EFFECT)


def accuracy(moment: MoveContext, move: Row, tries: jax.Array, tell: Tell = silent) -> tuple[MoveContext, jax.Array]:
    """Whether it reaches its target; what has to be rolled for misses once in 256 times at least."""
    me, foe = moment.me, moment.foe
    certain = (move.accuracy == 0) | ((move.status == ASLEEP) & foe.recharging)
    chance = over(move.accuracy * hundredths(me.boosts[ACCURACY]), 100)
    chance = over(chance * hundredths(-foe.boosts[EVASION]), 100)
    chance = jnp.clip(chance, 1, 255)
    rolls = tries & ~certain
    word, seed = prng.draw(moment.seed, rolls)
    misses = rolls & (prng.byte(word) >= chance)
    tell(misses, Event.MISS)
    last_damage = jnp.where(misses, 0, moment.last_damage)
    return moment.replace(seed=seed, last_damage=last_damage), tries & ~misses


def hit(
    moment: MoveContext, move: Row, number: jax.Array, matchups: jax.Array, reaches: jax.Array, tell: Tell = silent
) -> tuple[MoveContext, jax.Array]:
    """What the move does to its target, to its user, and by chance. Whether it did not fail."""
    me, foe = moment.me, moment.foe
    harmless = move.category == tables.STATUS_MOVE
    on_self = move.on_self > 0
    lowers = ~on_self & (move.boost_stat > 0)
    confuses = move.operation == operation("confuse")
    blocked = harmless & (foe.substitute > 0) & (lowers | confuses | (move.status == POISONED))

    moment, strikes, done, connects, count = strike(moment, move, matchups, reaches & ~harmless, tell)
    tell(reaches & blocked, Event.FAIL, FOE)
    works = reaches & harmless & ~blocked
    chosen = connects & (move.secondary_chance > 0) & ~spared(move, moment.foe)
    word, seed = prng.draw(moment.seed, chosen)
    chance = chosen & (prng.byte(word) < move.secondary_chance)
    moment = moment.replace(seed=seed)

    moment, boosted = boost(moment, move, works, chance, tell)
    moment = flinch(moment, chance & (move.secondary_flinch > 0))
    moment, effective = effects(moment, move, number, works, chance, tell)
    me, foe = moment.me, moment.foe
    me = me.replace(recharging=me.recharging | (strikes & (move.recharges > 0) & (foe.hp > 0)))
    fails_to_boost = (move.boost_stat > 0) & ~boosted
    hits = done | (works & effective & ~fails_to_boost)
    thaws = done & (foe.status == FROZEN) & (move.secondary_status == BURNED) & (foe.hp > 0)
    tell(done & (move.hits_most > 1), Event.HITS, FOE, count)
    tell(done & (move.damage == DAMAGE["knock out"]), Event.KNOCK_OUT)
    tell(thaws, Event.CURED, FOE, FROZEN)
    foe = foe.replace(status=jnp.where(thaws, HEALTHY, foe.status))
    return moment.replace(me=me, foe=foe), hits


def spared(move: Row, foe: Fighter) -> jax.Array:
    """Whether nothing is rolled: a target of the move's own type does not get a status that is not poison."""
    same = ((foe.types[0] == move.type) | (foe.types[1] == move.type)) & (move.type > 0)
    kind = move.secondary_status
    return same & ((kind == PARALYSED) | (kind == BURNED) | (kind == FROZEN))
