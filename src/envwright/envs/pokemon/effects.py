"""What a move does beside damage, for sure or by chance: `moveHit` after the damage."""

import jax
import jax.numpy as jnp

from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.events import FOE, ME, Event, Tell, silent
from envwright.envs.pokemon.fighter import Fighter, drops, over, pick, put, when
from envwright.envs.pokemon.move_context import MoveContext, hundredths
from envwright.envs.pokemon.state import ASLEEP, FROZEN, HEALTHY, HINT_AT_1, HINT_AT_999
from envwright.envs.pokemon.tables import Row, operation

CAP = 999  # of a stat


def boost(
    moment: MoveContext, move: Row, works: jax.Array, chance: jax.Array, tell: Tell = silent
) -> tuple[MoveContext, jax.Array]:
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


def flinch(moment: MoveContext, happens: jax.Array) -> MoveContext:
    """The foe flinches, and need not recharge any more."""
    foe = moment.foe
    new = happens & ~foe.flinched
    return moment.replace(foe=foe.replace(flinched=foe.flinched | new, recharging=foe.recharging & ~new))


def effects(
    moment: MoveContext, move: Row, number: jax.Array, works: jax.Array, chance: jax.Array, tell: Tell = silent
) -> tuple[MoveContext, jax.Array]:
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
