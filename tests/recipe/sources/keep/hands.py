"""What the player holds."""

from typing import Any

from . import tables


def draw(pile: list[int], luck: Any) -> int:
    """Take the top card; the pile is one shorter."""
    shuffle(pile, luck)
    return pile.pop()


def shuffle(pile: list[int], luck: Any) -> None:
    luck.shuffle(pile)


def total(hand: list[int]) -> int:
    def worth(card: int) -> int:
        return min(card, tables.LIMIT)

    return sum(map(worth, hand))


def nobody_calls_this() -> None:
    raise NotImplementedError
