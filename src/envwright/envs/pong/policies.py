"""Scripted ways to play, for verification and pictures: they reach states that random play never does."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Policy = Callable[[NDArray[np.float32], np.random.Generator], NDArray[np.float32]]  # obs, luck -> direction in [-1, 1]


def random(obs: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Any direction."""
    return rng.uniform(-1, 1, len(obs)).astype(np.float32)


def follow(obs: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Keep the paddle's centre at the ball's, a little absent-minded: long rallies, balls at full speed."""
    direction = np.sign(obs[:, 3] - obs[:, 1]).astype(np.float32)
    return np.where(rng.random(len(obs)) < 0.1, random(obs, rng), direction)


def avoid(obs: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Flee from the ball: points are lost at once, and paddles press against the walls."""
    return -follow(obs, rng)


def extreme(obs: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Full speed or none, and values past the edges of the action space."""
    return rng.choice(np.array([-2, -1, -0.5, 0, 1e-3, 1, 7], np.float32), len(obs))


ALL: dict[str, Policy] = {"random": random, "follow": follow, "avoid": avoid, "extreme": extreme}


def mixed(obs: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Every policy at once: game i is played by policy i modulo their number."""
    directions = np.zeros(len(obs), np.float32)
    for i, policy in enumerate(ALL.values()):
        directions[i :: len(ALL)] = policy(obs[i :: len(ALL)], rng)
    return directions


def as_actions(directions: NDArray[np.float32], continuous: bool) -> NDArray[Any]:
    """Directions as actions of the environment: themselves, or 0 still, 1 up, 2 down."""
    if continuous:
        return directions[:, None]
    rounded = np.round(np.clip(directions, -1, 1)).astype(np.int32)
    return np.where(rounded < 0, 2, rounded).astype(np.int32)
