"""Scripted play for the shipped pairs: random play never gets where these do."""

from typing import Any

import numpy as np


def swing(obs: Any, rng: np.random.Generator) -> int:
    """Drive the car of MountainCar up by pushing the way it rolls."""
    return 2 if obs[1] >= 0 else 0


def swing_hard(obs: Any, rng: np.random.Generator) -> Any:
    """The same, for the continuous car, harder than it may."""
    return np.array([1.5 if obs[1] >= 0 else -1.5], np.float32)


def pump(obs: Any, rng: np.random.Generator) -> int:
    """Swing Acrobot up: push the second joint the way the first one moves."""
    return 0 if obs[4] > 0 else 2


def whirl(obs: Any, rng: np.random.Generator) -> Any:
    """Let the pendulum go round and round, so that its angle grows far beyond a turn."""
    return np.array([2.0 if obs[2] >= 0 else -2.0], np.float32)


def catch(obs: Any, rng: np.random.Generator) -> int:
    """Keep Breakout's paddle under the ball, one step ahead of it."""
    ball, trail, paddle = (int(np.argwhere(obs[:, :, channel])[0][1]) for channel in (1, 2, 0))
    aim = min(max(ball + np.sign(ball - trail), 0), 9)
    return 1 if aim < paddle else 3 if aim > paddle else 0


def hunt(obs: Any, rng: np.random.Generator) -> int:
    """Go for Asterix's nearest treasure; without one, out of the way of what comes."""
    y, x = np.argwhere(obs[:, :, 0])[0]
    gold = np.argwhere(obs[:, :, 3])
    if len(gold):
        dy, dx = min(gold - (y, x), key=lambda way: np.abs(way).sum())
        if dy:
            return 4 if dy > 0 else 2
        return 3 if dx > 0 else 1 if dx < 0 else 0
    return int(rng.choice([2, 4])) if obs[y, :, 1].any() else 0


def cross(obs: Any, rng: np.random.Generator) -> int:
    """Walk up Freeway's road whatever comes, now and then a step back."""
    return 4 if rng.random() < 0.05 else 2


def dodge_and_shoot(obs: Any, rng: np.random.Generator) -> int:
    """Shoot at Space Invaders' aliens, and step aside when a bullet comes down."""
    x = int(np.argwhere(obs[9, :, 0])[0][0])
    if obs[6:9, x, 5].any():
        return 1 if x == 9 or (x > 0 and rng.random() < 0.5) else 3
    columns = np.flatnonzero(obs[:, :, 1].any(axis=0))
    if rng.random() < 0.5 or not len(columns):
        return 5
    aim = columns[np.argmin(np.abs(columns - x))]
    return 1 if aim < x else 3 if aim > x else 5


def patrol(obs: Any, rng: np.random.Generator) -> int:
    """Dive in Seaquest, then stay down and shoot both ways until the air is gone or something hits."""
    y = int(np.argwhere(obs[:, :, 0])[0][0])
    if y < 2:
        return 4
    if obs[y, :, 5:7].any() or rng.random() < 0.2:
        return 5
    if rng.random() < 0.7:
        return int(rng.choice([0, 1, 3]))
    return int(rng.choice([2, 4] if 2 < y < 8 else [4 if y < 8 else 2]))


def rescue(obs: Any, rng: np.random.Generator) -> int:
    """Fetch Seaquest's divers, keep out of its fish's way, and come up for air with someone aboard."""
    y, x = np.argwhere(obs[:, :, 0])[0]
    aboard, air = int(obs[9, :, 8].sum()), int(obs[9, :, 7].sum())
    danger = obs[:, :, 4:7].any(axis=2)
    if y and danger[y, max(0, x - 2) : x + 3].any():
        above, below = (bool(danger[row, max(0, x - 2) : x + 3].any()) for row in (max(y - 1, 1), min(y + 1, 8)))
        return 5 if rng.random() < 0.4 else 2 if y > 1 and not above else 4 if y < 8 and not below else 5
    if y and aboard and (air < 4 or aboard == 6 or rng.random() < 0.02 * aboard):
        return 2
    divers = np.argwhere(obs[:, :, 9])
    if len(divers):
        dy, dx = min(divers - (y, x), key=lambda way: np.abs(way).sum())
        return (4 if dy > 0 else 2) if dy else (3 if dx > 0 else 1 if dx < 0 else 0)
    return 4 if y < 4 else int(rng.choice([0, 0, 5]))


def hit_to_seventeen(obs: Any, rng: np.random.Generator) -> int:
    """Play Blackjack as its dealer does."""
    return int(obs[0] < 17)


def walk_the_cliff(obs: Any, rng: np.random.Generator) -> int:
    """Along CliffWalking's edge to the goal, with a slip now and then."""
    if rng.random() < 0.1:
        return int(rng.integers(4))
    row, column = divmod(int(obs), 12)
    return 0 if row == 3 else 2 if column == 11 else 1
