"""Decks of cards: lists of numbers, texts, tuples and objects that are shuffled and drawn from."""

import pytest
from small_games import assert_plays_the_same, game

RANKS = "RANKS = ['2', '3', 'J', 'Q', 'A']"
DRAW = "card = self.deck.pop() if self.deck else 'A'\nself.n = RANKS.index(card)"
TEXTS = {
    "the list of the state": "self.deck = [r for r in RANKS for _ in range(3)]\nself.np_random.shuffle(self.deck)",
    "another list": "deck = list(RANKS) * 3\nrandom.shuffle(deck)\nself.deck = deck",
    "some of them": "self.deck = random.sample(RANKS, 4)",
    "some, again and again": "self.deck = random.choices(RANKS, k=7)",
}


@pytest.mark.parametrize("shuffle", ["self.np_random.shuffle(self.deck)", "random.shuffle(self.deck)"])
def test_numbers(shuffle: str) -> None:
    step = "self.n = self.deck.pop() if self.deck else action"
    assert_plays_the_same(game(step, start=shuffle, deck="[r for r in range(5) for _ in range(3)]", n="0"))


@pytest.mark.parametrize("start", TEXTS.values(), ids=TEXTS)
def test_texts(start: str) -> None:
    assert_plays_the_same(game(DRAW, top=RANKS, start=start, n="0"))


def test_a_hand_of_texts() -> None:
    pair = game(
        """
        card = self.deck.pop() if self.deck else "A"
        self.n += VALUES[card] if card != "A" else 11
        if card in ("J", "Q"):
            self.n -= 1
        self.last = card
        if len(self.hand) < 4:
            self.hand.append(card)
        elif card == self.hand[0]:
            self.hand.remove(card)
        self.m = self.hand.count("A") + sum(VALUES[c] for c in self.hand) + 100 * sum(1 for c in self.hand if c == "Q")
        self.jack = "J" in self.hand
        """,
        top=f"{RANKS}\nVALUES = dict(zip(RANKS, [2, 3, 10, 10, 1]))",
        start="""
random.shuffle(self.deck)
self.hand = [self.deck.pop(), self.deck.pop()]
self.last = self.deck[0]
        """,
        deck="RANKS * 4", n="0", m="0", jack="False",
    )  # fmt: skip
    assert_plays_the_same(pair)
    assert pair.contract.state["hand"].text == "pad(letters(hand, ['2', '3', 'A', 'J', 'Q']), 8)"


CARDS = """
from collections import namedtuple
from dataclasses import dataclass

@dataclass
class Card:
    rank: int
    suit: str

class Plain:
    def __init__(self, rank, suit):
        self.rank = rank
        self.suit = suit

Named = namedtuple("Named", "rank suit")
SUITS = ["hearts", "spades"]
"""
PLAY = """
if self.deck:
    card = self.deck.pop()
    self.n += card.rank
    if card.suit == "hearts":
        self.n += 100
    if len(self.hand) < 4:
        self.hand.append(card)
self.m = sum(c.rank for c in self.hand if c.suit == "spades")
"""
ALL = "[{}(r, s) for r in range(1, 7) for s in SUITS]"
STARTS = {
    "shuffled": "random.shuffle(self.deck)\nself.hand = []",
    "dealt by slices": "random.shuffle(self.deck)\nself.hand = self.deck[:2]\nself.deck = self.deck[2:]",
    "dealt": "self.np_random.shuffle(self.deck)\nself.hand = [self.deck.pop() for _ in range(2)]",
    "another list": "deck = self.deck\nrandom.shuffle(deck)\nself.deck = deck\nself.hand = [deck.pop()]",
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("made", ["Card", "Plain", "Named"])
def test_objects(made: str, start: str) -> None:
    assert_plays_the_same(game(PLAY, top=CARDS, start=start, deck=ALL.format(made), n="0", m="0"))


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_tuples_of_numbers_and_texts(start: str) -> None:
    play = PLAY.replace("card.rank", "card[0]").replace("card.suit", "card[1]")
    play = play.replace("c.rank for c", "r for r, s").replace("c.suit", "s")
    assert_plays_the_same(game(play, top=CARDS, start=start, deck=ALL.format(""), n="0", m="0"))


def test_tuples_that_are_taken_apart() -> None:
    step = "if self.deck:\n    rank, suit = self.deck.pop()\n    self.n = rank if suit == 'hearts' else -rank"
    assert_plays_the_same(game(step, top=CARDS, start="random.shuffle(self.deck)", deck=ALL.format(""), n="0"))


def test_some_of_the_objects() -> None:
    start = f"self.deck = random.sample({ALL.format('Card')}, 8)"
    step = "if self.deck:\n    self.n = self.deck.pop().rank"
    assert_plays_the_same(game(step, top=CARDS, start=start, n="0"))
