"""What happens in an update, as rows of numbers from which `log.py` writes Pokemon Showdown's protocol.

The rules tell what happens to a `Tell`. `Events` keeps it: a row for each place in the rules that can tell something,
in the order of the rules, which is Showdown's, with 0 for what did not happen. `silent` keeps nothing, and then nothing
of it is computed: what is told only has a cost where it is asked for.
"""

from collections.abc import Callable
from enum import IntEnum, auto
from typing import Any

import jax
import jax.numpy as jnp

Tell = Callable[..., None]  # (when, what, who, a, b, c)
ME, FOE = 0, 1  # who, in a move; a side elsewhere


class Event(IntEnum):
    """What can happen; in brackets what the three numbers of a row are."""

    CANNOT_MOVE = auto()  # why: a place in log.py's list
    IS_CONFUSED = auto()
    IS_CONFUSED_NO_MORE = auto()
    MOVE = auto()  # move, move that called it, whether at itself
    PREPARES = auto()
    MISS = auto()
    IMMUNE = auto()  # whether to a move that knocks out at once
    KNOCK_OUT = auto()
    FAIL = auto()  # why: 0, a status, or one of log.py's
    CRITICAL = auto()
    MATCHUP = auto()  # above 0: super effective, below: resisted
    DAMAGE = auto()  # HP, status, cause: a place in log.py's list
    HEAL = auto()  # HP, status, cause
    SUBSTITUTE_HURT = auto()
    SUBSTITUTE_BREAKS = auto()
    HITS = auto()  # how many
    BOOST = auto()  # stat, by how much, whether it stays
    STATUS = auto()  # status, move
    CURED = auto()  # of which status
    CONFUSED = auto()
    SUBSTITUTE = auto()
    REFLECT = auto()
    MIMIC = auto()  # move
    TRANSFORM = auto()
    MUST_RECHARGE = auto()
    SLEEP_CLAUSE = auto()
    FREEZE_CLAUSE = auto()
    SWITCH = auto()  # member, HP, status
    FAINT = auto()
    UPKEEP = auto()
    NO_PROGRESS = auto()
    TURN = auto()  # turn
    OVER = auto()  # winner


def silent(*told: Any) -> None:
    """Nobody listens."""
    del told


class Events:
    """Listens while an update is traced."""

    def __init__(self) -> None:
        self.rows: list[jax.Array] = []

    def __call__(self, when: jax.Array, what: Event, who: Any = 0, a: Any = 0, b: Any = 0, c: Any = 0) -> None:
        row = [jnp.asarray(value).astype(jnp.int32) for value in (int(what), who, a, b, c)]
        self.rows.append(jnp.where(when, jnp.stack(row), 0))

    def stacked(self) -> jax.Array:
        """(events, 5) int32: event, side, a, b, c; all 0 where nothing happened."""
        return jnp.stack(self.rows)


def of_side(tell: Tell, side: jax.Array) -> Tell:
    """Of a move: its user is that side's."""
    if tell is silent:
        return silent

    def told(when: jax.Array, what: Event, who: int = ME, *numbers: Any) -> None:
        tell(when, what, side if who == ME else 1 - side, *numbers)

    return told
