"""The state of a game as arrays: the fields of spec.md, section 10, in its order."""

import jax

from envwright.core import Record


class State(Record):
    """When somebody is asked, or the game is over. The first axis of 2 is the player."""

    # ---- cards ----
    cards: jax.Array  # (2, 20) uint16, the deck list, ascending
    types: jax.Array  # (2,) uint8, bit t: the deck has energy of type t
    where: jax.Array  # (2, 20) uint8, deck, hand, discard pile or play
    deck: jax.Array  # (2, 20) uint8, k + 1 from the bottom to the top, then 0
    known: jax.Array  # (2, 20) bool, in hand, and the opponent has seen it
    seen_top: jax.Array  # (2,) uint8, how many top cards of the own deck the player has seen

    # ---- Pokemon in play, by place: the Active Spot, then the Bench ----
    stack: jax.Array  # (2, 4, 3) uint8, k + 1, Basic first
    damage: jax.Array  # (2, 4) uint16
    energy: jax.Array  # (2, 4, 8) uint8, units by type
    new: jax.Array  # (2, 4) bool
    used: jax.Array  # (2, 4) bool

    # ---- the Active of each player ----
    condition: jax.Array  # (2,) uint8, NONE, ASLEEP or PARALYZED
    poisoned: jax.Array  # (2,) bool
    no_attack_left: jax.Array  # (2,) uint8, ends of turn that it still lasts, as all `_left`
    no_retreat_left: jax.Array  # (2,) uint8
    prevent_left: jax.Array  # (2,) uint8
    needs_coin_left: jax.Array  # (2,) uint8
    dealt_less: jax.Array  # (2,) uint8
    dealt_less_left: jax.Array  # (2,) uint8
    taken_less: jax.Array  # (2,) uint8
    taken_less_left: jax.Array  # (2,) uint8

    # ---- players ----
    guard: jax.Array  # (2,) uint8
    guard_left: jax.Array  # (2,) uint8
    lock_left: jax.Array  # (2,) uint8
    avenged: jax.Array  # (2,) bool
    points: jax.Array  # (2,) uint8
    zone_now: jax.Array  # (2,) uint8, type + 1
    zone_next: jax.Array  # (2,) uint8, type + 1

    # ---- the game ----
    first: jax.Array  # () uint8
    player: jax.Array  # () uint8, whose turn it is
    turn: jax.Array  # () uint8, 0 in setup
    pending: jax.Array  # () uint8, what is asked
    actor: jax.Array  # () uint8, who is asked
    stage: jax.Array  # () uint8, IN_MAIN, IN_ATTACK or IN_CHECKUP
    source: jax.Array  # () uint8, card or place that the choice is about
    attack: jax.Array  # () uint16, the attack under way
    units: jax.Array  # () uint8
    supporter_used: jax.Array  # () bool
    retreat_used: jax.Array  # () bool
    boost: jax.Array  # () uint8
    boost_by: jax.Array  # () uint16
    retreat_change: jax.Array  # () int8
    winner: jax.Array  # () uint8
