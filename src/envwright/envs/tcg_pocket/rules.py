"""A game, as spec.md has it: what an action does, and all that follows until somebody is asked again.

    decide     what the action means
    play       the card leaves the hand, evolutions are on their Pokemon, a retreat is paid
    strike     the coins of the effect are flipped, its damage is done
    do_effect  the rest of the effect is done, and who was chosen is switched
    ask        what has to be chosen before anything else
    settle     knock-outs, the end of the turn, checkup, the next turn: somebody is asked, or the game is over

All functions are pure and computed in every game: what does not happen is a condition, never a branch.
"""

import jax
import jax.numpy as jnp

from envwright.envs.tcg_pocket.engine import effects, encoding, piles, rows
from envwright.envs.tcg_pocket.engine.damage import Tossed, deal, toss
from envwright.envs.tcg_pocket.engine.deciding import Deed, StepDraws, decide
from envwright.envs.tcg_pocket.engine.ending import (
    checkup,
    end_turn,
    knock_outs,
    leave_active_spot,
    remove,
    start_turn,
    to_discard,
    winner,
)
from envwright.envs.tcg_pocket.engine.laying import laid
from envwright.envs.tcg_pocket.engine.legality import legal
from envwright.envs.tcg_pocket.engine.looking import fitting
from envwright.envs.tcg_pocket.engine.playing import evolve, hands, mark_used, placeable, retreat, swap
from envwright.envs.tcg_pocket.engine.rows import look_up
from envwright.envs.tcg_pocket.engine.table import PocketTable, load, store
from envwright.envs.tcg_pocket.engine.words import filled, i32, when
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ATTACH,
    COPY,
    EVOLVE,
    IN_CHECKUP,
    IN_ENDING,
    IN_MAIN,
    MAIN,
    NOBODY_YET,
    OTHER_FIRST,
    OVER,
    PROMOTE,
    RETREAT,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TARGET,
    TIE,
    TRAINER,
    PocketFlags,
)
from envwright.envs.tcg_pocket.state import State

PHASES = ("played", "evolved", "paid", "declared", "struck")  # those of some actions: the cards, then the damage
PHASES += ("taken", "after_action", "end_of_turn", "after_checkup", "next_turn")


def advance(state: State, action: jax.Array, draws: StepDraws, flags: PocketFlags) -> State:
    """The game after an action of who is asked: () int32, a legal one. A game that is over stays as it is."""
    table = load(state)
    deed = decide(table, action, draws)
    table, retreats, left = play(table, deed)
    table, tossed, dealt = strike(table, deed, draws)
    table, asks = do_effect(table, deed, draws, tossed, dealt, retreats)
    table = ask(table, deed, asks, left)
    return store(state, settle(table, deed, draws, flags))


def phases(state: State, action: jax.Array, draws: StepDraws, flags: PocketFlags) -> dict[str, State]:
    """The game after each of `PHASES`."""
    table = load(state)
    deed = decide(table, action, draws)
    table, retreats, left = play(table, deed)
    played = table
    table, tossed, dealt = strike(table, deed, draws)
    struck = table
    table, asks = do_effect(table, deed, draws, tossed, dealt, retreats)
    table = ask(table, deed, asks, left)
    # The first turn begins with the action that ends setup.
    table = when(deed.in_setup, next_turn(table, deed, draws, flags), table)
    deed = deed.replace(in_setup=jnp.bool_(False))
    found = [played, played, played, played, struck, table, after_action(table, flags)]
    found.append(end_of_turn(found[-1], draws, flags))
    found.append(after_checkup(found[-1], flags))
    found.append(next_turn(found[-1], deed, draws, flags))
    return {name: store(state, one) for name, one in zip(PHASES, found, strict=True)}


def legal_actions(state: State, flags: PocketFlags) -> jax.Array:
    """(2, 62) bool; who is not asked waits."""
    table = load(state)
    found = legal(table, flags)
    waits = jnp.arange(len(found)) == 0
    return laid([jnp.where(table.actor == player, found, waits) for player in (0, 1)], bool)


def play(table: PocketTable, deed: Deed) -> tuple[PocketTable, jax.Array, jax.Array]:
    """Cards, evolution, retreat, fossils (section 4). Also whether the Active retreats, and what is left to pay."""
    table = hands(table, deed)
    table = evolve(table, deed)
    table = mark_used(table, deed)
    table, retreats, left = retreat(table, deed)
    me = table.me
    leaves = jnp.bool_(False)
    for place, mon in enumerate(me.mons):
        gone = deed.discards & (deed.place == place)
        me = to_discard(remove(me, place, gone), filled(gone, mon.bits))
        leaves = leaves | gone if place == 0 else leaves
    me = leave_active_spot(me, leaves | (deed.evolves & (deed.place == 0)))
    return table.replace(me=me, stage=jnp.where(deed.attacks | deed.passes, IN_ENDING, table.stage)), retreats, left


def strike(table: PocketTable, deed: Deed, draws: StepDraws) -> tuple[PocketTable, Tossed, jax.Array]:
    """R5.5: coins, then damage. Also the damage that was dealt to the opponent's Active."""
    tossed = toss(table, deed, draws)
    table, dealt = deal(table, deed, draws, tossed)
    return table, tossed, dealt


def do_effect(
    table: PocketTable, deed: Deed, draws: StepDraws, tossed: Tossed, dealt: jax.Array, retreats: jax.Array
) -> tuple[PocketTable, dict[str, jax.Array]]:
    """R5.10 to R5.18, section 9, and who is switched. Also what has to be asked for after it."""
    row = tossed.after
    protected = deed.strikes & (table.foe.prevent_left > 0)
    table = effects.heal(table, deed, row, dealt)
    table = effects.status(table, row, protected)
    table = effects.lasting(table, row, protected)
    table = effects.this_turn(table, row, look_up(table.me.numbers, deed.k))
    table, units = effects.energies(table, deed, draws, tossed, protected)
    mine, theirs = effects.switching(table, row, protected)

    # Who leaves play for hand or deck.
    me, foe = table.me, table.foe
    returns = row.to_hand > 0
    me = me.replace(in_hand=me.in_hand | filled(returns, me.active.bits))
    me = leave_active_spot(remove(me, 0, returns), returns)
    gone, leaves = foe.active, (row.into_deck > 0) & ~protected
    foe = leave_active_spot(remove(foe, 0, leaves), leaves)
    table = piles.carry_out(table.replace(me=me, foe=foe), deed, draws, row, gone, leaves)

    # Who changes places.
    me, foe = table.me, table.foe
    is_me = table.actor == i32(table.turned)
    place = jnp.where(deed.pays, table.source, deed.place)
    mine_swaps, foes_swaps = retreats | (deed.switches & is_me), deed.switches & ~is_me
    foes_swaps = foes_swaps | (row.switch == encoding.DRAGGED)
    me = leave_active_spot(swap(me, place, mine_swaps), mine_swaps)
    foe = leave_active_spot(swap(foe, place, foes_swaps), foes_swaps)
    return table.replace(me=me, foe=foe), {"mine": mine, "theirs": theirs, "units": units}


def ask(table: PocketTable, deed: Deed, asks: dict[str, jax.Array], left: jax.Array) -> PocketTable:
    """R11.2: what is asked next; MAIN stands for nothing yet."""
    me = table.me
    own, other = i32(table.turned), 1 - i32(table.turned)
    attaches = asks["units"] > 0
    switches = asks["mine"] | asks["theirs"]
    benches = deed.in_setup & ~deed.enough & placeable(me, fitting(me, rows.REVIVED))
    ready = deed.in_setup & ~benches
    second = ready & (own == table.first)
    pending, actor, source = jnp.int32(MAIN), own, jnp.int32(0)
    for condition, what in (
        (deed.asks_evolution, EVOLVE),
        (deed.asks_trainer, TRAINER),
        (deed.asks_ability, ABILITY),
        (deed.asks_copy, COPY),
        (deed.asks_target, TARGET),
        (attaches, ATTACH),
        (switches, SWITCH),
        (left > 0, RETREAT),
        (benches, SETUP_BENCH),
        (second, SETUP_ACTIVE),
        (deed.over, OVER),
    ):
        pending = jnp.where(condition, what, pending)
    actor = jnp.where(deed.over, 0, jnp.where(second | asks["theirs"], other, actor))
    source = jnp.where(deed.asks_evolution | deed.asks_trainer, deed.k, source)
    source = jnp.where(deed.asks_ability, deed.place, source)
    source = jnp.where(left > 0, jnp.where(deed.pays, table.source, deed.place), source)
    under_way = deed.asks_target | attaches
    return table.replace(
        pending=pending,
        actor=actor,
        source=source,
        attack=jnp.where(under_way | deed.asks_copy, deed.attack, 0),
        units=jnp.where(left > 0, left, jnp.where(attaches, asks["units"], 0)),
    )


def settle(table: PocketTable, deed: Deed, draws: StepDraws, flags: PocketFlags) -> PocketTable:
    """R11.5: what follows, unless somebody is asked before."""
    table = after_action(table, flags)
    table = end_of_turn(table, draws, flags)
    table = after_checkup(table, flags)
    return next_turn(table, deed, draws, flags)


def after_action(table: PocketTable, flags: PocketFlags) -> PocketTable:
    """R8.1 to R8.7: knock-outs, the end, promotion."""
    happens = table.pending == MAIN
    table = knock_outs(table, happens)
    table = _finished(table, jnp.where(happens, winner(table, flags), NOBODY_YET))
    return _promoting(table, flags, table.pending == MAIN)


def end_of_turn(table: PocketTable, draws: StepDraws, flags: PocketFlags) -> PocketTable:
    """R3.6, section 7."""
    ends = (table.pending == MAIN) & (table.stage == IN_ENDING)
    table = end_turn(table, ends, flags)
    table = checkup(table, ends, draws)
    return table.replace(stage=jnp.where(ends, IN_CHECKUP, table.stage))


def after_checkup(table: PocketTable, flags: PocketFlags) -> PocketTable:
    """R7.4, R3.7. Nothing has hurt a Benched Pokemon since the last knock-outs."""
    happens = (table.pending == MAIN) & (table.stage == IN_CHECKUP)
    table = knock_outs(table, happens, (0,))
    won = winner(table, flags)
    won = jnp.where((won == NOBODY_YET) & (table.turn >= flags.turn_limit), TIE, won)
    table = _finished(table, jnp.where(happens, won, NOBODY_YET))
    return _promoting(table, flags, happens & (table.pending == MAIN))


def next_turn(table: PocketTable, deed: Deed, draws: StepDraws, flags: PocketFlags) -> PocketTable:
    """R3.1: the other player's; the first one begins when setup is over."""
    starts = (table.pending == MAIN) & ((table.stage == IN_CHECKUP) | deed.in_setup)
    table = start_turn(table, starts, draws, flags)
    other = 1 - i32(table.turned)
    return table.replace(
        actor=jnp.where(starts, other, table.actor),
        player=jnp.where(starts, other, table.player),
        stage=jnp.where(starts, IN_MAIN, table.stage),
    )


def _finished(table: PocketTable, won: jax.Array) -> PocketTable:
    """The game is over, if somebody has won."""
    over = won != NOBODY_YET
    return table.replace(
        pending=jnp.where(over, OVER, table.pending),
        actor=jnp.where(over, 0, table.actor),
        stage=jnp.where(over, IN_MAIN, table.stage),
        winner=jnp.where(over, won, table.winner),
    )


def _promoting(table: PocketTable, flags: PocketFlags, happens: jax.Array) -> PocketTable:
    """R8.7: who is to promote next, if anybody."""
    first, second = (table.foe, 1 - i32(table.turned)), (table.me, i32(table.turned))
    if flags.promotion != OTHER_FIRST:
        first, second = second, first
    lacks = happens & (~first[0].active.there | ~second[0].active.there)
    promoter = jnp.where(first[0].active.there, second[1], first[1])
    return table.replace(
        pending=jnp.where(lacks, PROMOTE, table.pending), actor=jnp.where(lacks, promoter, table.actor)
    )
