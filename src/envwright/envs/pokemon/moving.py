"""A move, from the moment its user's turn has come: checks before it, accuracy, damage, effects, what follows.

Each phase is a function of a `Moment`: who moves, at whom, the seed, the damage done last. All of them are computed in
every battle, and whether they take place is a condition. Draws come in Showdown's order, since each moves the seed on.
"""

import jax
import jax.numpy as jnp

from envwright.core import Record
from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.events import FOE, ME, Event, Tell, silent
from envwright.envs.pokemon.fighter import Fighter, Four, drops, over, pick, put, residual, when
from envwright.envs.pokemon.prng import Seed
from envwright.envs.pokemon.state import (
    ACCURACY,
    ASLEEP,
    ATTACK,
    BURNED,
    DEFENCE,
    EVASION,
    FROZEN,
    HEALTHY,
    HINT_AT_1,
    HINT_AT_999,
    PARALYSED,
    POISONED,
    SPECIAL,
    SPEED,
)
from envwright.envs.pokemon.tables import Row, operation

STRUGGLE, NOTHING_CHOSEN, FISSURE = (tables.move(name) for name in ("struggle", "nomove", "fissure"))
MIRROR_MOVE, COUNTER, SKY_ATTACK = (tables.move(name) for name in ("mirrormove", "counter", "skyattack"))
_DAMAGE = {name: number for number, name in enumerate(tables.DAMAGES)}
_ON_SELF = [n for n in range(len(tables.MOVES)) if tables.MOVE_ROWS["on_self"][n]]
_COUNTERABLE = [
    n
    for n in range(len(tables.MOVES))
    if tables.MOVE_ROWS["power"][n] and tables.TYPES[tables.MOVE_ROWS["type"][n]] in ("Normal", "Fighting")
]
_MOST_HITS = 5
_BELOW = (100, 66, 50, 40, 33, 28, 25)  # hundredths of a stat, by how far it was lowered
CAP = 999


class Moment(Record):
    """A move in the making."""

    me: Fighter
    foe: Fighter
    seed: Seed
    last_damage: jax.Array  # () int32
    hints: jax.Array  # () int32, as in `State`


def act(moment: Moment, acts: jax.Array, tell: Tell = silent) -> Moment:
    """The whole turn of one side's active member, where it acts: `BattleActions.runMove`."""
    moment, moves = before_move(moment, acts, tell)
    selected, locked = moment.me.selected, moment.me.charging
    moment, number, fails = choose_move(moment, moves, tell)
    uses = moves & ~fails
    caller = jnp.where(locked, number, jnp.where(selected == MIRROR_MOVE, MIRROR_MOVE, 0))
    moment = use_move(moment, number, uses, caller, tell)
    on_self = fails | tables.among(number, _ON_SELF)
    goes_on = ~moves | on_self | (moment.foe.hp > 0)  # who knocks out the foe is spared
    return moment.replace(me=after_move(moment.me, acts & goes_on, ~on_self, tell))


# ---- before the move: runMove up to the event BeforeMove ----


def before_move(moment: Moment, acts: jax.Array, tell: Tell = silent) -> tuple[Moment, jax.Array]:
    """Freeze, sleep, flinch, recharge, confusion and paralysis, in this order. Whether it moves."""
    me, foe, seed = moment.me, moment.foe, moment.seed
    on_self = tables.among(me.selected, _ON_SELF)
    me = me.replace(substitute_broke=me.substitute_broke & ~(acts & on_self))
    foe = foe.replace(substitute_broke=foe.substitute_broke & ~(acts & ~on_self))

    frozen, asleep = acts & (me.status == FROZEN), acts & (me.status == ASLEEP)
    goes = acts & ~frozen & ~asleep
    flinches = goes & me.flinched
    recharges = goes & ~me.flinched & me.recharging
    goes = goes & ~me.flinched & ~me.recharging
    dazed = goes & (me.confusion > 0)
    turns = me.confusion - dazed.astype(jnp.int32)
    clears, dazed = dazed & (turns == 0), dazed & (turns > 0)
    word, seed = prng.draw(seed, dazed)
    hurts = dazed & (prng.byte(word) >= 128)
    goes = goes & ~hurts
    paralysed = goes & (me.status == PARALYSED)
    word, seed = prng.draw(seed, paralysed)
    stuck = paralysed & (prng.byte(word) < 63)
    goes = goes & ~stuck

    me = me.replace(
        sleep=me.sleep - asleep.astype(jnp.int32),
        last_move=jnp.where(frozen | asleep, 0, me.last_move),
        recharging=me.recharging & ~recharges,
        confusion=turns,
        charging=me.charging & ~hurts & ~stuck,
    )
    damage = (over(2 * me.level, 5) + 2) * me.modified[ATTACK] * 40
    damage = over(over(damage, jnp.maximum(me.modified[DEFENCE], 1)), 50) + 2
    for why, stops in enumerate((frozen, asleep & (me.sleep > 0), flinches, recharges)):
        tell(stops, Event.CANNOT_MOVE, ME, why)
    tell(clears, Event.IS_CONFUSED_NO_MORE)
    tell(dazed, Event.IS_CONFUSED)
    moment = hurt_oneself(moment.replace(me=me, foe=foe, seed=seed), damage, hurts, 1, tell)
    tell(stuck, Event.CANNOT_MOVE, ME, 4)
    return moment, goes


def hurt_oneself(moment: Moment, damage: jax.Array, happens: jax.Array, cause: int = 0, tell: Tell = silent) -> Moment:
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


# ---- which move: PP, Mirror Move, and moves that take two turns ----


def choose_move(moment: Moment, moves: jax.Array, tell: Tell = silent) -> tuple[Moment, jax.Array, jax.Array]:
    """PP is taken, and a Mirror Move becomes the foe's last move. The move, and whether a Mirror Move fails."""
    me, foe = moment.me, moment.foe
    two_turns = me.selected == SKY_ATTACK
    pays = moves & (me.selected != STRUGGLE) & (me.charging | ~two_turns)
    me = change_pp(me, -1, pays)

    mirrors = moves & (me.selected == MIRROR_MOVE)
    nothing = (foe.last_move == 0) | (foe.last_move == MIRROR_MOVE)
    called = jnp.where(foe.last_move == NOTHING_CHOSEN, FISSURE, foe.last_move)
    calls, fails = mirrors & ~nothing, mirrors & nothing
    tell(mirrors, Event.MOVE, ME, MIRROR_MOVE, 0, 1)
    tell(fails, Event.FAIL)
    me = me.replace(
        selected=jnp.where(calls, called, me.selected),
        selected_for_foe=jnp.where(calls, called, me.selected_for_foe),
        used=jnp.where(mirrors, MIRROR_MOVE, me.used),
        used_for_foe=jnp.where(mirrors, MIRROR_MOVE, me.used_for_foe),
        last_move=jnp.where(mirrors, MIRROR_MOVE, me.last_move),
    )
    # A move in two turns pays in the second one, so what Mirror Move has cost is given back. Who is transformed gets PP
    # for its own move in that slot as well.
    me = change_pp(me, 1, calls & (called == SKY_ATTACK))
    own = calls & me.transformed & (pick(me.base_moves, me.selected_slot) > 0)
    more = (pick(me.base_pp, me.selected_slot) + 1) & 63
    me = me.replace(base_pp=put(me.base_pp, me.selected_slot, more, own))
    last_damage = jnp.where(mirrors, 0, moment.last_damage)
    return moment.replace(me=me, last_damage=last_damage), me.selected, fails


def change_pp(me: Fighter, by: int, happens: jax.Array) -> Fighter:
    """PP has 6 bits: below 0 it is 63. It is also that of the member's own move, unless it is transformed."""
    slot = me.selected_slot
    happens = happens & (pick(me.moves, slot) > 0)
    pp = (pick(me.pp, slot) + by) & 63
    return me.replace(pp=put(me.pp, slot, pp, happens), base_pp=put(me.base_pp, slot, pp, happens & ~me.transformed))


def use_move(moment: Moment, number: jax.Array, uses: jax.Array, caller: jax.Array, tell: Tell = silent) -> Moment:
    """`useMove`: the move is announced, then hits or not."""
    me = moment.me
    move = tables.row(number)
    two_turns = move.operation == operation("charge")
    begins = uses & two_turns & ~me.charging
    me = me.replace(
        used=jnp.where(uses, number, me.used),
        used_for_foe=jnp.where(uses, number, me.used_for_foe),
        last_move=jnp.where(uses & ~begins, number, me.last_move),
        charging=(me.charging & ~uses) | begins,
    )
    tell(uses, Event.MOVE, ME, number, caller, jnp.where(begins, 2, move.on_self))
    tell(begins, Event.PREPARES)
    tries = uses & ~begins
    forgets = tries & (move.keeps_last_damage == 0)
    moment = moment.replace(me=me, last_damage=jnp.where(forgets, 0, moment.last_damage))
    return try_move(moment, move, number, tries, tell)


# ---- the move: tryMoveHit ----


def try_move(moment: Moment, move: Row, number: jax.Array, tries: jax.Array, tell: Tell = silent) -> Moment:
    """Immunity, accuracy, the hit, and what a miss or a failure brings."""
    matchups = tables.matchups(move.type)
    immune = (move.ignores_immunity == 0) & is_immune(matchups, moment.foe)
    too_slow = (move.damage == _DAMAGE["knock out"]) & (moment.foe.modified[SPEED] > moment.me.modified[SPEED])
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


def accuracy(moment: Moment, move: Row, tries: jax.Array, tell: Tell = silent) -> tuple[Moment, jax.Array]:
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


def hundredths(boost: jax.Array) -> jax.Array:
    """What a boost makes of a hundred."""
    return jnp.where(boost >= 0, 100 + 50 * boost, pick([jnp.int32(n) for n in _BELOW], -boost))


def hit(
    moment: Moment, move: Row, number: jax.Array, matchups: jax.Array, reaches: jax.Array, tell: Tell = silent
) -> tuple[Moment, jax.Array]:
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
    tell(done & (move.damage == _DAMAGE["knock out"]), Event.KNOCK_OUT)
    tell(thaws, Event.CURED, FOE, FROZEN)
    foe = foe.replace(status=jnp.where(thaws, HEALTHY, foe.status))
    return moment.replace(me=me, foe=foe), hits


def spared(move: Row, foe: Fighter) -> jax.Array:
    """Whether nothing is rolled: a target of the move's own type does not get a status that is not poison."""
    same = ((foe.types[0] == move.type) | (foe.types[1] == move.type)) & (move.type > 0)
    kind = move.secondary_status
    return same & ((kind == PARALYSED) | (kind == BURNED) | (kind == FROZEN))


# ---- damage ----


def strike(
    moment: Moment, move: Row, matchups: jax.Array, strikes: jax.Array, tell: Tell = silent
) -> tuple[Moment, jax.Array, jax.Array, jax.Array, jax.Array]:
    """All hits of a move that does damage, to the foe or to its substitute; then drain and recoil.

    Whether what the user owes for a hit is due, whether it hit at all, whether it may have a secondary effect, and how
    often it hit.
    """
    me, foe, seed = moment.me, moment.foe, moment.seed
    word, seed = prng.draw(seed, strikes & (move.hits_most > move.hits_least))
    several = pick([jnp.int32(n) for n in (2, 2, 2, 3, 3, 3, 4, 5)], prng.below(word, 8))
    hits = jnp.where(move.hits_most > move.hits_least, several, move.hits_least)

    damage, seed = formula(me, foe, move, matchups, seed, strikes & (move.damage == _DAMAGE["formula"]), tell)
    counters = (
        (foe.selected_for_foe != COUNTER)
        & tables.among(foe.used_for_foe, _COUNTERABLE)
        & (moment.last_damage > 0)
    )  # fmt: skip
    damage = jnp.where(move.damage == _DAMAGE["level"], me.level, damage)
    damage = jnp.where(move.damage == _DAMAGE["half"], jnp.maximum(foe.hp >> 1, 1), damage)
    damage = jnp.where(move.damage == _DAMAGE["counter"], 2 * moment.last_damage, damage)
    damage = jnp.where(move.damage == _DAMAGE["knock out"], 65535, damage)
    countered = strikes & (move.damage == _DAMAGE["counter"])
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


# ---- effects: moveHit after the damage ----


def boost(
    moment: Moment, move: Row, works: jax.Array, chance: jax.Array, tell: Tell = silent
) -> tuple[Moment, jax.Array]:
    """A stat raised or lowered, for sure or by chance. Whether it changed."""
    me, foe = moment.me, moment.foe
    by_chance = move.secondary_stat > 0
    stat = jnp.where(by_chance, move.secondary_stat, move.boost_stat) - 1
    by = jnp.where(by_chance, move.secondary_by, move.boost_by)
    tries = jnp.where(by_chance, chance, works & (move.boost_stat > 0))
    on_self = move.on_self > 0

    of = lambda mine, foes: jnp.where(on_self, pick(mine, stat), pick(foes, stat))  # noqa: E731
    boost, stored, modified = of(me.boosts, foe.boosts), of(me.stored, foe.stored), of(me.modified, foe.modified)
    lives = jnp.where(on_self, me.hp, foe.hp) > 0
    meant, tries = tries & lives, tries & lives & jnp.where(by > 0, boost < 6, boost > -6)
    of_battle = stat < 4
    # At 999 and at 1 a stat stays, and the boost goes one step back.
    stays = of_battle & jnp.where(by > 0, modified == CAP, modified == 1)
    changed = tries & ~stays
    new_boost = jnp.clip(boost + by, -6, 6)
    new_boost = jnp.where(stays, new_boost - jnp.sign(by), new_boost)
    new = jnp.maximum(over(stored * hundredths(new_boost), 100), 1)
    new = jnp.where(by > 0, jnp.minimum(new, CAP), new)

    def changes(fighter: Fighter, mine: jax.Array) -> Fighter:
        return fighter.replace(
            boosts=put(fighter.boosts, stat, new_boost, tries & mine),
            modified=put(fighter.modified, stat, new, changed & of_battle & mine),
        )

    me, foe = changes(me, on_self), changes(foe, ~on_self)
    # Whoever does not move now gets the drop of its burn or paralysis once more.
    foe = foe.replace(modified=drops(foe.modified, foe.status, changed))
    for mine, who in ((on_self, ME), (~on_self, FOE)):
        tell(tries & mine, Event.BOOST, who, stat, by, stays)
        tell(meant & ~changed & mine, Event.FAIL, who)
    told = jnp.where(tries & of_battle & stays, jnp.where(by > 0, HINT_AT_999, HINT_AT_1), 0)
    return moment.replace(me=me, foe=foe, hints=moment.hints | told), changed


def flinch(moment: Moment, happens: jax.Array) -> Moment:
    """The foe flinches, and need not recharge any more."""
    foe = moment.foe
    new = happens & ~foe.flinched
    return moment.replace(foe=foe.replace(flinched=foe.flinched | new, recharging=foe.recharging & ~new))


def effects(
    moment: Moment, move: Row, number: jax.Array, works: jax.Array, chance: jax.Array, tell: Tell = silent
) -> tuple[Moment, jax.Array]:
    """Status, and the moves with an operation of their own. Whether it worked.

    No move has two of these, so they share their draws: Sleep Clause and Freeze Clause are asked in an order that is
    drawn whenever a status is about to be set; then how long sleep or confusion lasts, or what Mimic learns.
    """
    me, foe, seed = moment.me, moment.foe, moment.seed
    does = lambda name: works & (move.operation == operation(name))  # noqa: E731
    gap = me.max_hp - me.hp
    healthy = (gap == 0) | (((gap == 255) | (gap == 511)) & (me.hp & 255 != 0))
    recovers, rests = does("recover") & ~healthy, does("rest") & ~healthy

    # The foe's status.
    kind = jnp.where(works, move.status, jnp.where(chance, move.secondary_status, 0))
    tell((does("recover") | does("rest")) & healthy, Event.FAIL)
    wakes_up_to = (kind == ASLEEP) & foe.recharging
    open_to_it = ((foe.status == HEALTHY) | (wakes_up_to & (foe.status != ASLEEP))) & (foe.hp > 0)
    resists = among_types(kind, foe)
    sets = (kind > 0) & open_to_it & ~resists
    refused = works & (kind > 0) & ~open_to_it
    tell(refused, Event.FAIL, FOE, jnp.where(foe.status == kind, kind, 0))
    seed = prng.skip(seed, sets | rests)
    one_asleep, one_frozen = (kind == ASLEEP) & foe.ally_asleep, (kind == FROZEN) & foe.ally_frozen
    tell(sets & one_asleep, Event.SLEEP_CLAUSE)
    tell(sets & one_frozen, Event.FREEZE_CLAUSE)
    sets = sets & ~one_asleep & ~one_frozen
    tell(sets, Event.STATUS, FOE, kind, number)
    sleeps = sets & (kind == ASLEEP)

    confuses = does("confuse") & (foe.confusion == 0)
    mimics = does("mimic")
    word, seed = prng.draw(seed, sleeps | rests | confuses | mimics)
    tell(confuses, Event.CONFUSED, FOE)
    foe = foe.replace(
        status=jnp.where(sets, kind, foe.status),
        sleep=jnp.where(sleeps, 1 + prng.below(word, 7), foe.sleep),
        modified=drops(foe.modified, kind, sets),
        recharging=foe.recharging & ~sleeps,
        confusion=jnp.where(confuses, 2 + prng.below(word, 4), foe.confusion),
    )

    # The user.
    count = sum((number > 0).astype(jnp.int32) for number in foe.moves)
    learned = pick(foe.moves, prng.below(word, count))
    doubles = does("substitute") & (me.substitute == 0) & (4 * me.hp >= me.max_hp)
    quarter = me.max_hp >> 2
    reflects = does("reflect") & ~me.reflect
    tell(does("substitute") & ~doubles, Event.FAIL, ME, jnp.where(me.substitute > 0, 10, 11))
    tell(does("reflect") & me.reflect, Event.FAIL)
    hp = jnp.where(recovers, jnp.minimum(me.hp + (me.max_hp >> 1), me.max_hp), me.hp)
    hp = jnp.where(rests, me.max_hp, hp)
    hp = jnp.where(doubles & (me.max_hp > 3), hp - quarter, hp)
    me = me.replace(
        hp=hp,
        status=jnp.where(rests, ASLEEP, me.status),
        sleep=jnp.where(rests, 2, me.sleep),
        rested=me.rested | rests,
        substitute=jnp.where(doubles, quarter + 1, me.substitute),
        reflect=me.reflect | reflects,
        moves=put(me.moves, me.selected_slot, learned, mimics),
    )
    tell(recovers, Event.HEAL, ME, me.hp, me.status)
    tell(rests, Event.STATUS, ME, ASLEEP, number)
    tell(rests, Event.HEAL, ME, me.hp, me.status, 2)
    tell(doubles, Event.SUBSTITUTE)
    tell(doubles & (me.max_hp > 3), Event.DAMAGE, ME, me.hp, me.status)
    tell(reflects, Event.REFLECT)
    tell(mimics, Event.MIMIC, ME, learned)
    transforms = does("transform")
    tell(transforms, Event.TRANSFORM)
    me = when(transforms, transformed(me, foe), me)

    plain = (move.operation == 0) | (move.operation == operation("confuse"))
    return moment.replace(me=me, foe=foe, seed=seed), (
        plain | recovers | rests | doubles | reflects | mimics | transforms
    )


def among_types(kind: jax.Array, foe: Fighter) -> jax.Array:
    """Whether a type of the foe keeps it from that status."""
    found = jnp.bool_(False)
    for status in range(1, len(tables.IMMUNE)):
        for number, immune in enumerate(tables.IMMUNE[status]):
            if immune:
                found = found | ((kind == status) & ((foe.types[0] == number) | (foe.types[1] == number)))
    return found


def transformed(me: Fighter, foe: Fighter) -> Fighter:
    """The user as a copy of the foe; but its speed, until it is looked up again, is that of the foe's species at the
    user's own level."""
    first_type_, second_type_, base_speed = tables.species(foe.active_species)
    del first_type_, second_type_
    five = [jnp.minimum(tables.row(number).pp, 5) for number in foe.moves]
    return me.replace(
        active_species=foe.active_species,
        types=foe.types,
        moves=foe.moves,
        pp=tuple(jnp.where(number > 0, pp, 0) for number, pp in zip(foe.moves, five, strict=True)),
        stored=foe.stored,
        modified=foe.modified,
        boosts=foe.boosts,
        speed=over((2 * base_speed + me.speed_points) * me.level, 100) + 5,
        transformed=jnp.bool_(True),
    )


# ---- after the move: the event AfterMoveSelf ----


def after_move(me: Fighter, happens: jax.Array, at_foe: jax.Array, tell: Tell = silent) -> Fighter:
    """Burn and poison take their part; who has slept enough wakes up."""
    happens = happens & (me.hp > 0)
    loss = jnp.where(happens, residual(me.max_hp, me.status), 0)
    wakes = happens & (me.status == ASLEEP) & (me.sleep <= 0)
    hp = jnp.maximum(me.hp - loss, 0)
    tell(loss > 0, Event.DAMAGE, ME, hp, me.status, jnp.where(at_foe, 4, 2))
    tell(wakes, Event.CURED, ME, ASLEEP)
    return me.replace(hp=hp, status=jnp.where(wakes, HEALTHY, me.status), rested=me.rested & ~wakes)
