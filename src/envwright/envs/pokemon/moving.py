"""A move, from the moment its user's turn has come: checks before it, accuracy, damage, effects, what follows.

Each phase is a function of a `MoveContext`: who moves, at whom, the seed, the damage done last. All of them are
computed in every battle, and whether they take place is a condition. Draws come in Showdown's order, since each moves
the seed on.
"""

import jax
import jax.numpy as jnp

from envwright.envs.pokemon import prng, tables
from envwright.envs.pokemon.events import ME, Event, Tell, silent
from envwright.envs.pokemon.fighter import Fighter, over, pick, put, residual
from envwright.envs.pokemon.hitting import try_move
from envwright.envs.pokemon.move_context import MoveContext, hurt_oneself
from envwright.envs.pokemon.state import ASLEEP, ATTACK, DEFENCE, FROZEN, HEALTHY, PARALYSED
from envwright.envs.pokemon.tables import operation

STRUGGLE, NOTHING_CHOSEN, FISSURE = (tables.move(name) for name in ("struggle", "nomove", "fissure"))
MIRROR_MOVE, SKY_ATTACK = (tables.move(name) for name in ("mirrormove", "skyattack"))
_ON_SELF = [n for n in range(len(tables.MOVES)) if tables.MOVE_ROWS["on_self"][n]]


def act(moment: MoveContext, acts: jax.Array, tell: Tell = silent) -> MoveContext:
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


def before_move(moment: MoveContext, acts: jax.Array, tell: Tell = silent) -> tuple[MoveContext, jax.Array]:
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


def choose_move(moment: MoveContext, moves: jax.Array, tell: Tell = silent) -> tuple[MoveContext, jax.Array, jax.Array]:
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


def use_move(
    moment: MoveContext, number: jax.Array, uses: jax.Array, caller: jax.Array, tell: Tell = silent
) -> MoveContext:
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


def after_move(me: Fighter, happens: jax.Array, at_foe: jax.Array, tell: Tell = silent) -> Fighter:
    """Burn and poison take their part; who has slept enough wakes up."""
    happens = happens & (me.hp > 0)
    loss = jnp.where(happens, residual(me.max_hp, me.status), 0)
    wakes = happens & (me.status == ASLEEP) & (me.sleep <= 0)
    hp = jnp.maximum(me.hp - loss, 0)
    tell(loss > 0, Event.DAMAGE, ME, hp, me.status, jnp.where(at_foe, 4, 2))
    tell(wakes, Event.CURED, ME, ASLEEP)
    return me.replace(hp=hp, status=jnp.where(wakes, HEALTHY, me.status), rested=me.rested & ~wakes)
