"""What a player sees of a game (spec.md, section 13): the parts of `layout.OBSERVED`, in their order."""

import jax
import jax.numpy as jnp

from envwright.envs.tcg_pocket.engine.laying import joined, laid, to_front
from envwright.envs.tcg_pocket.engine.rows import look_up
from envwright.envs.tcg_pocket.engine.words import i32
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    CARDS,
    EVOLVE,
    HEIGHT,
    IN_DISCARD,
    IN_HAND,
    OBSERVED,
    OPENING,
    OVER,
    TRAINER,
)
from envwright.envs.tcg_pocket.state import State

OF_GAME = ("supporter_used", "retreat_used", "boost", "boost_by", "retreat_change")
OF_BOTH = (
    *("condition", "poisoned", "no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left"),
    *("dealt_less", "taken_less", "guard", "lock_left", "avenged"),
)
SEEN_TOP = 3


def observe(state: State) -> jax.Array:
    """(2, size) int16."""
    numbers = _in_play(state)
    piles = [state.cards[player] for player in (0, 1)]
    gone = [state.where[player] == IN_DISCARD for player in (0, 1)]
    fronts = to_front([*piles, *piles], [*gone, state.known[0], state.known[1]])
    top = _top(state)
    return laid([_of(state, me, numbers, fronts[:2], fronts[2:], top) for me in (0, 1)], jnp.int16)


def _of(
    state: State, me: int, numbers: jax.Array, discard: list[jax.Array], known: list[jax.Array], top: jax.Array
) -> jax.Array:
    them = 1 - me
    setup = state.turn == 0
    both = lambda array: jnp.stack([array[me], array[them]])  # noqa: E731
    shown = lambda array: jnp.stack([array[me], jnp.where(setup, 0, array[them])])  # noqa: E731
    hands = [_count(state.where[player] == IN_HAND) for player in (me, them)]
    parts = {
        "turn": state.turn,
        "my_turn": state.player == me,
        "i_am_first": state.first == me,
        "i_choose": (state.actor == me) & (state.pending != OVER),
        "pending": state.pending,
        "stage": state.stage,
        "points": both(state.points),
        "deck_size": jnp.stack([_count(state.deck[player] > 0) for player in (me, them)]),
        "hand_size": jnp.stack([hands[0], jnp.where(setup, OPENING, hands[1])]),  # R13.2
        "zone_now": both(state.zone_now),
        "zone_next": state.zone_next[me],
        "types": state.types[me],
        **{name: getattr(state, name) for name in OF_GAME},
        **{name: both(getattr(state, name)) for name in OF_BOTH},
        "about": jnp.where(state.actor == me, _about(state, numbers), 0),
        "attack": state.attack,
        "units": state.units,
        "pokemon": shown(numbers[:, :, 0]),
        "below": shown(numbers[:, :, 1:]),
        "damage": both(state.damage),
        "energy": both(state.energy),
        "new": both(state.new),
        "used": both(state.used),
        "my_cards": state.cards[me],
        "my_where": state.where[me],
        "their_discard": discard[them],
        "their_known": known[them],
        "my_top": top[me],
    }
    assert list(parts) == list(OBSERVED)
    return joined(list(parts.values()), jnp.int16)


def _in_play(state: State) -> jax.Array:
    """(2, 4, 3): the number of the top card of each place, then those of the cards under it, Basic first."""
    numbers = []
    for player in (0, 1):
        at = state.stack[player]
        found = look_up(state.cards[player], jnp.maximum(at, 1) - 1)
        numbers.append(jnp.where(at > 0, found, jnp.zeros_like(found)))
    first, second, third = jnp.moveaxis(jnp.stack(numbers), -1, 0)
    none = jnp.zeros_like(first)
    top = jnp.where(third > 0, third, jnp.where(second > 0, second, first))
    below = [jnp.where(second > 0, first, none), jnp.where(third > 0, second, none)]
    assert 1 + len(below) == HEIGHT
    return jnp.stack([top, *below], axis=-1)


def _about(state: State, numbers: jax.Array) -> jax.Array:
    """The card that a choice is about."""
    mine = jnp.where(state.player == 0, state.cards[0], state.cards[1])
    tops = jnp.where(state.player == 0, numbers[0, :, 0], numbers[1, :, 0])
    of_card = (state.pending == EVOLVE) | (state.pending == TRAINER)
    card = look_up(mine, jnp.minimum(state.source, CARDS - 1))
    holder = look_up(tops, jnp.minimum(state.source, 3))
    none = jnp.zeros_like(card)
    return jnp.where(of_card, card, jnp.where(state.pending == ABILITY, holder, none))


def _count(flags: jax.Array) -> jax.Array:
    """How many of 20."""
    found = i32(flags[0])
    for k in range(1, CARDS):
        found = found + i32(flags[k])
    return found


def _top(state: State) -> jax.Array:
    """(2, 3): the numbers of the seen cards of a deck, the top first."""
    found = []
    for player in (0, 1):
        n = _count(state.deck[player] > 0)
        for i in range(SEEN_TOP):
            at = look_up(state.deck[player], jnp.maximum(n - 1 - i, 0))
            card = look_up(state.cards[player], jnp.maximum(at, 1) - 1)
            seen = (state.seen_top[player] > i) & (n > i)
            found.append(jnp.where(seen, card, jnp.zeros_like(card)))
    return jnp.stack(found).reshape(2, SEEN_TOP)
