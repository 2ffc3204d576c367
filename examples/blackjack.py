"""Gymnasium's Blackjack, written by hand: come closer to 21 than the dealer, without passing it.

`blackjack.toml` says what corresponds to what in the original, tests/test_stochastic_examples.py compares the two.

A hand is an array with a card a place and 0 in the empty places. How much room is enough follows from the rules:

- A player who has not passed 21 holds at most 21 aces, and one more card ends the episode: 22 cards.
- A dealer below 17 with an ace that counts 11 has cards of at most 6 in all, so at most 6 of them. A card of 6 or more
  then makes that ace count 1, and leaves 12 or more. From 12, four aces lead to 16, and one more card to the end:
  6 + 1 + 4 + 1 = 12 cards. Without an early ace it is less: six twos, four aces, the last. Two of the 12 are dealt at
  the start, so a step draws at most 10.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Box, Discrete, Env, Record, Space, Step, choose

STICK, HIT = 0, 1
ACE, TEN = 1, 10
RANKS = 13  # ace to king; ten, jack, queen and king all count ten
LIMIT = 21
DEALER_STANDS = 17

PLAYER_ROOM = 22
DEALER_ROOM = 12
DEALER_DRAWS = DEALER_ROOM - 2

# Each feature once, with its highest value: the observation follows this list.
FEATURES = {
    "player_sum": 31,
    "dealer_shows": 10,
    "usable_ace": 1,
}


class Params(Record):
    """Nothing: all options are fields of the environment, as in Gymnasium."""


class State(Record):
    """The cards on the table, in the order they came; 1 is an ace, 10 a ten or a face, 0 an empty place."""

    player: jax.Array  # (22,) int32
    player_cards: jax.Array  # () int32, how many of them there are
    dealer: jax.Array  # (12,) int32, the first lies open
    dealer_cards: jax.Array  # () int32


class StartChance(Record):
    """The random draws of a new episode."""

    cards: jax.Array  # (4,) int32, two for the dealer, then two for the player


class StepChance(Record):
    """The random draws of a step."""

    cards: jax.Array  # (10,) int32, the next of the deck: a hit takes the first, a dealer as many as the rules want


@dataclass(frozen=True)
class Blackjack(Env[State, Params]):
    """Gymnasium 1.3's Blackjack: an endless deck, no doubling, no splitting."""

    natural: bool = False  # an ace and a ten that win are paid 1.5
    sab: bool = False  # Sutton and Barto's rules: an ace and a ten beat any other 21; `natural` is ignored

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box((0,) * len(FEATURES), tuple(FEATURES.values()), (len(FEATURES),), np.dtype(np.int32))

    def action_space(self, params: Params) -> Space:
        del params
        return Discrete(2)

    def draw_start(self, key: jax.Array, params: Params) -> StartChance:
        del params
        return StartChance(cards=draw_cards(key, 4))

    def start(self, chance: StartChance, params: Params) -> tuple[jax.Array, State]:
        del params
        dealer, player = chance.cards[:2], chance.cards[2:]
        state = State(
            player=jnp.pad(player, (0, PLAYER_ROOM - 2)),
            player_cards=jnp.int32(2),
            dealer=jnp.pad(dealer, (0, DEALER_ROOM - 2)),
            dealer_cards=jnp.int32(2),
        )
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> StepChance:
        del state, action, params
        return StepChance(cards=draw_cards(key, DEALER_DRAWS))

    def apply(self, state: State, action: jax.Array, chance: StepChance, params: Params) -> Step:
        del params
        hits = action == HIT
        after = choose(hits, hit(state, chance.cards[0]), play_dealer(state, chance.cards))
        return Step(
            obs=observe(after),
            state=after,
            reward=jnp.where(hits, penalty(after.player), self.payout(after)),
            terminated=has_ended(after, action),
            truncated=jnp.bool_(False),
            info={},
        )

    def phases(
        self, state: State, action: jax.Array, chance: StepChance, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """What is known after each phase of a step; the showdown only means something if the player sticks."""
        step = self.apply(state, action, chance, params)
        after = step.state
        return {
            "hit": {"player": after.player, "player_cards": after.player_cards},
            "dealer": {"dealer": after.dealer, "dealer_cards": after.dealer_cards},
            "showdown": {"reward": showdown(after)},
            "payout": {"reward": step.reward},
            "ending": {"terminated": step.terminated},
        }

    def payout(self, state: State) -> jax.Array:
        """What sticking is worth once the dealer has played."""
        result = showdown(state)
        natural = is_natural(state.player)
        if self.sab:
            return jnp.where(natural & ~is_natural(state.dealer), jnp.float32(1), result)
        if self.natural:
            return jnp.where(natural & (result == 1), jnp.float32(1.5), result)
        return result


# ---- the rules ----


def usable_ace(hand: jax.Array) -> jax.Array:
    """1 if an ace in the hand can count 11 instead of 1, else 0."""
    return ((hand == ACE).any() & (hand.sum() + 10 <= LIMIT)).astype(jnp.int32)


def sum_hand(hand: jax.Array) -> jax.Array:
    """What the hand counts, at its best."""
    return hand.sum() + 10 * usable_ace(hand)


def is_bust(hand: jax.Array) -> jax.Array:
    """Whether the hand has passed 21."""
    return sum_hand(hand) > LIMIT


def score(hand: jax.Array) -> jax.Array:
    """What the hand counts in the showdown: nothing if bust."""
    return jnp.where(is_bust(hand), 0, sum_hand(hand))


def is_natural(hand: jax.Array) -> jax.Array:
    """Whether the hand is an ace and a ten, and no more."""
    return (hand == ACE).any() & (hand == TEN).any() & ((hand > 0).sum(dtype=jnp.int32) == 2)


def compare(a: jax.Array, b: jax.Array) -> jax.Array:
    """1 if a is more than b, -1 if less, 0 if equal."""
    return jnp.sign(a - b).astype(jnp.float32)


def add(hand: jax.Array, cards: jax.Array, card: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The hand and its number of cards, with one more card."""
    return jnp.where(jnp.arange(hand.size) == cards, card, hand), cards + 1


def hit(state: State, card: jax.Array) -> State:
    """A card for the player."""
    player, cards = add(state.player, state.player_cards, card)
    return state.replace(player=player, player_cards=cards)


def play_dealer(state: State, cards: jax.Array) -> State:
    """The dealer draws below 17 and then stands; who once stands never draws again, so cards are used in order."""

    def draw_or_stand(k: int, dealer: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return choose(sum_hand(dealer[0]) < DEALER_STANDS, add(*dealer, cards[k]), dealer)

    hand, count = jax.lax.fori_loop(0, DEALER_DRAWS, draw_or_stand, (state.dealer, state.dealer_cards))
    return state.replace(dealer=hand, dealer_cards=count)


def showdown(state: State) -> jax.Array:
    """1 if the player is closer to 21 than the dealer, -1 if less close, 0 if as close."""
    return compare(score(state.player), score(state.dealer))


def penalty(player: jax.Array) -> jax.Array:
    """What a hit is worth: -1 if it passed 21, else nothing yet."""
    return jnp.where(is_bust(player), jnp.float32(-1), jnp.float32(0))


def has_ended(state: State, action: jax.Array) -> jax.Array:
    """Whether the player has stuck, or is bust."""
    return (action == STICK) | is_bust(state.player)


def observe(state: State) -> jax.Array:
    """The three features."""
    features = {
        "player_sum": sum_hand(state.player),
        "dealer_shows": state.dealer[0],
        "usable_ace": usable_ace(state.player),
    }
    return jnp.stack([features[name] for name in FEATURES])


def draw_cards(key: jax.Array, count: int) -> jax.Array:
    """Cards of an endless deck."""
    ranks = jax.vmap(Discrete(RANKS).sample)(jax.random.split(key, count)) + 1
    return jnp.minimum(ranks, TEN)
