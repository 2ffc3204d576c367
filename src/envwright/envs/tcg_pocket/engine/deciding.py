"""What an action means: which card, which place, which effect, and what has to be asked before it is carried out."""

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Record
from envwright.envs.tcg_pocket.engine import rows
from envwright.envs.tcg_pocket.engine.looking import aimable, attack_row, copyable, paying
from envwright.envs.tcg_pocket.engine.rows import Fields, look_up, unpacked
from envwright.envs.tcg_pocket.engine.table import PocketTable
from envwright.envs.tcg_pocket.engine.words import Word, any_of, i32, pick
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ACTIONS,
    ATTACH,
    CARDS,
    COPY,
    COPY_OF,
    DISCARD,
    ENERGIZE,
    ENERGY,
    EVOLVE,
    MAIN,
    OPP,
    OVER,
    OWN,
    PASS,
    PLACES,
    PLAY,
    PROMOTE,
    RETREAT,
    RETREAT_TO,
    SETUP_ACTIVE,
    SETUP_BENCH,
    SWITCH,
    TARGET,
    TRAINER,
    USE_ABILITY,
    USE_ATTACK,
)

PLACE_OF = np.zeros(ACTIONS, np.uint8)  # the place that an action names
for _first, _least in ((ENERGIZE, 0), (RETREAT_TO, 1), (USE_ABILITY, 0), (DISCARD, 0), (OWN, 0), (OPP, 0)):
    PLACE_OF[_first : _first + PLACES - _least] = np.arange(_least, PLACES)
PLACE_OF[COPY_OF:] = np.arange(2 * PLACES) // 2


class StepDraws(Record):
    """The random words of a step (R12.5)."""

    smokescreen: jax.Array  # () uint32
    coins: jax.Array  # () uint32
    targets: jax.Array  # (4,) uint32
    pick: jax.Array  # () uint32
    keys: jax.Array  # (20,) uint32
    wake: jax.Array  # () uint32
    zone: jax.Array  # () uint32


class Deed(Record):
    """An action, understood. Flags are booleans; several of them may hold."""

    over: jax.Array
    passes: jax.Array  # ends the turn
    aimed: jax.Array  # the place is the target of an attack
    enough: jax.Array  # ends setup's Bench
    chosen_card: jax.Array  # j of TRAINER: of the cards that may be chosen, the j-th
    k: jax.Array  # the card
    place: jax.Array  # the place that the action names
    puts: jax.Array  # card k onto the table: in setup, or a Basic or fossil onto the Bench
    in_setup: jax.Array
    asks_evolution: jax.Array
    evolves: jax.Array
    trainer: jax.Array  # card k is played as a Trainer
    supporter: jax.Array
    energizes: jax.Array
    retreats: jax.Array
    pays: jax.Array  # a unit of `type` for a retreat under way
    type: jax.Array
    uses: jax.Array  # an ability
    attacks: jax.Array
    discards: jax.Array  # a fossil
    attaches: jax.Array  # a unit of an attack's effect
    switches: jax.Array  # or promotes
    holder: jax.Array  # place of the Pokemon whose ability it is

    asks_trainer: jax.Array
    asks_ability: jax.Array
    asks_copy: jax.Array
    asks_target: jax.Array
    attack: jax.Array  # number of the attack
    row: Fields  # of the attack
    does: jax.Array  # an effect is carried out
    strikes: jax.Array  # and it is an attack's
    words: tuple[Word, ...]  # of the effect, 0 unless it is carried out
    attach_type: jax.Array  # of `attaches`


def decide(table: PocketTable, action: jax.Array, draws: StepDraws) -> Deed:
    """`action` is () int32, a legal one."""
    me, foe, pending = table.me, table.foe, table.pending
    asked = {what: pending == what for what in range(OVER + 1)}
    main, setup = asked[MAIN], asked[SETUP_ACTIVE] | asked[SETUP_BENCH]
    within = lambda low, high: main & (action >= low) & (action < high)  # noqa: E731
    place = i32(look_up(PLACE_OF, action))

    plays = (main | setup) & (action >= PLAY) & (action < ENERGIZE)
    k = jnp.where(plays, action - PLAY, table.source)
    k = jnp.minimum(k, CARDS - 1)
    kind = unpacked(rows.CARD, look_up(me.words, k)).kind
    card = look_up(me.numbers, k)
    trainer = plays & main & ((kind == rows.ITEM) | (kind == rows.SUPPORTER))
    uses = within(USE_ABILITY, USE_ATTACK)
    holder = jnp.where(uses, place, table.source)

    # Attacks: R5.2 to R5.4.
    attacks = within(USE_ATTACK, DISCARD)
    declares = attacks & ((me.needs_coin_left == 0) | ((draws.smokescreen & 1) != 0))
    own = me.active.rest.attack + action - USE_ATTACK
    copied = pick([mon.rest.attack for mon in foe.mons], place) + ((action - COPY_OF) & 1)
    number = jnp.where(attacks, own, jnp.where(asked[COPY], copied, table.attack))
    number = jnp.where(attacks | asked[COPY] | asked[TARGET] | asked[ATTACH], number, 0)
    row = attack_row(number)
    copies = declares & (row.copies > 0)
    asks_copy = copies & any_of(copyable(me, foe, paying(me), row))

    # The effect.
    of_trainer, of_ability = trainer | asked[TRAINER], uses | asked[ABILITY]
    of_card = unpacked(rows.MORE, look_up(rows.MORE_WORDS, card)).effect
    of_holder = pick([mon.rest.effect for mon in me.mons], holder)
    effect = jnp.where(of_trainer, of_card, jnp.where(of_ability, of_holder, row.effect))
    words = [look_up(one, effect) for one in rows.EFFECT_WORDS]
    fields = Fields()
    for layout, word in zip(rows.EFFECT, words, strict=True):
        unpacked(layout, word, fields)
    aims = (declares & ~copies) | asked[COPY]
    asks_target = aims & any_of([one for side in aimable(me, foe, fields.hit_whom) for one in side])
    strikes = (aims & ~asks_target) | asked[TARGET]
    at_once = (trainer | uses) & (fields.ask == 0)
    does = strikes | at_once | asked[TRAINER] | asked[ABILITY]
    return Deed(
        over=asked[OVER],
        passes=main & (action == PASS),
        aimed=asked[TARGET],
        enough=asked[SETUP_BENCH] & (action == PASS),
        chosen_card=jnp.minimum(action - PLAY, CARDS - 1),
        k=k,
        place=place,
        puts=plays & (setup | (kind == rows.BASIC) | (kind == rows.FOSSIL)),
        in_setup=setup,
        asks_evolution=plays & main & (kind == rows.EVOLUTION),
        evolves=asked[EVOLVE],
        trainer=trainer,
        supporter=trainer & (kind == rows.SUPPORTER),
        energizes=within(ENERGIZE, RETREAT_TO),
        retreats=within(RETREAT_TO, USE_ABILITY),
        pays=asked[RETREAT],
        type=action - ENERGY,
        uses=uses,
        attacks=attacks,
        discards=within(DISCARD, OWN),
        attaches=asked[ATTACH],
        switches=asked[SWITCH] | asked[PROMOTE],
        holder=holder,
        asks_trainer=trainer & (fields.ask > 0),
        asks_ability=uses & (fields.ask > 0),
        asks_copy=asks_copy,
        asks_target=asks_target,
        attack=number,
        row=row,
        does=does,
        strikes=strikes,
        words=tuple(jnp.where(does, word, jnp.uint32(0)) for word in words),
        attach_type=fields.attach_type,
    )
