"""Legal actions: masks of the actions of a `Discrete` space, ([players,] n) booleans; None means that all are legal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.spaces import Discrete, Space
from envwright.references.protocol import ReferenceFailedError

Mask = NDArray[np.bool_]


def checked(mask: Any, players: int, space: Space | None, name: str) -> Mask | None:
    """A mask as a reference gave it; one of another shape than its actions have is refused."""
    if mask is None or not isinstance(space, Discrete):
        return None
    array, wanted = np.asarray(mask), (*seats(players), space.n)
    if array.shape != wanted or array.dtype.kind not in "biuf":
        raise ReferenceFailedError(
            f"{name} gives a mask of legal actions of shape {array.shape}, {array.dtype}; booleans of shape {wanted} "
            "are needed."
        )
    return array.astype(bool)


def seats(players: int) -> tuple[int, ...]:
    """The leading axis of what each player has; one player has none."""
    return (players,) if players > 1 else ()


def sample(rng: np.random.Generator, legal: Mask) -> Any:
    """Any legal action, for every player."""
    chosen = [int(rng.choice(np.flatnonzero(row))) if row.any() else 0 for row in np.atleast_2d(legal)]
    return np.array(chosen) if legal.ndim == 2 else chosen[0]


def is_stuck(legal: Mask | None) -> bool:
    """Whether nobody can do anything. A player who waits may have no legal action, as long as another has one."""
    return legal is not None and not legal.any()


def is_legal(action: Any, legal: Mask | None) -> bool:
    """Whether every player may do that; what a player does who has no legal action is not asked."""
    if legal is None:
        return True
    rows, chosen = np.atleast_2d(legal), np.atleast_1d(np.asarray(action))
    inside = (chosen >= 0) & (chosen < rows.shape[1])
    taken = rows[np.arange(len(rows)), np.where(inside, chosen, 0)]
    return bool(((inside & taken) | ~rows.any(axis=1)).all())


def nearest(action: Any, legal: Mask | None) -> Any:
    """The action where it is legal, elsewhere one that is, always the same for the same action and mask."""
    if legal is None or is_legal(action, legal):
        return action
    rows, chosen = np.atleast_2d(legal), np.atleast_1d(np.asarray(action)).tolist()
    instead = [_instead(one, row) for one, row in zip(chosen, rows, strict=True)]
    return np.array(instead) if legal.ndim == 2 else instead[0]


def _instead(action: int, row: Mask) -> int:
    options = np.flatnonzero(row)
    return action if not len(options) or action in options else int(options[action % len(options)])
