"""Who lives in the dungeon."""

from typing import Any


class Beast:
    """Any of them."""

    bite = 2

    def __init__(self, room: int) -> None:
        self.room = room
        self.health = 5

    def act(self, luck: Any) -> None:
        self.move(luck)

    def move(self, luck: Any) -> None:
        self.room += 1


class Bat(Beast):
    """Flies at random."""

    def move(self, luck: Any) -> None:
        self.room = int(luck.integers(12))


class Ghost(Beast):
    """Nobody makes one."""

    def haunt(self) -> None:
        self.health = 99
