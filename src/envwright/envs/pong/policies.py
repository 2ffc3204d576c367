"""Scripted ways to play, for verification and pictures: between them they reach what random play never does.

A policy maps observations and luck to directions between -1 and 1, for many games at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Directions = NDArray[np.float32]
Policy = Callable[[NDArray[np.float32], np.random.Generator], Directions]

WIDTH, HEIGHT, BALL, PADDLE_SPEED, BALL_SPEED = 500, 640, 32, 8, 10  # of the default court


def random(obs: NDArray[np.float32], rng: np.random.Generator) -> Directions:
    """Any direction."""
    return rng.uniform(-1, 1, len(obs)).astype(np.float32)


def follow(obs: NDArray[np.float32], rng: np.random.Generator) -> Directions:
    """Keep the paddle at the ball, a little absent-minded: long rallies, points on both sides."""
    direction = np.sign(obs[:, 3] - obs[:, 1]).astype(np.float32)
    return np.where(rng.random(len(obs)) < 0.1, random(obs, rng), direction)


def avoid(obs: NDArray[np.float32], rng: np.random.Generator) -> Directions:
    """Flee from the ball: games are lost at once, with paddles pressed against the walls."""
    return -follow(obs, rng)


def extreme(obs: NDArray[np.float32], rng: np.random.Generator) -> Directions:
    """Full speed or none, and values past the edges of the action space."""
    return rng.choice(np.array([-2, -1, -0.5, 0, 1e-3, 1, 7], np.float32), len(obs))


def attack(frameskip: int) -> Policy:
    """Hit with the paddle moving the ball's way: it outruns the opponent, and games are won."""

    def policy(obs: NDArray[np.float32], rng: np.random.Generator) -> Directions:
        del rng
        ball_vy = obs[:, 5] * 26 - 13
        along = np.where(ball_vy < 0, -1, 1)
        frames_left = np.ceil((WIDTH - BALL - obs[:, 2] * WIDTH) / BALL_SPEED)
        frames = np.clip(frames_left, 1, frameskip)  # that this step can use
        arriving = (obs[:, 4] > 0.5) & (frames_left <= frameskip)
        ball_then = obs[:, 3] * HEIGHT + BALL / 2 + ball_vy * frames
        miss = [np.abs(ball_then - (obs[:, 1] * HEIGHT + PADDLE_SPEED * way * frames)) for way in (-1, 0, 1)]
        direction = np.argmin(miss, axis=0) - 1
        spinning = np.choose(along + 1, miss) < 45  # moving along still meets the ball
        return np.where(arriving & spinning, along, direction).astype(np.float32)

    return policy


def all_policies(frameskip: int) -> dict[str, Policy]:
    """Every policy, by name."""
    return {"random": random, "follow": follow, "attack": attack(frameskip), "avoid": avoid, "extreme": extreme}


def as_actions(directions: Directions, continuous: bool) -> NDArray[Any]:
    """Directions as actions of the environment: themselves, or 0 still, 1 up, 2 down."""
    if continuous:
        return directions[:, None]
    rounded = np.round(np.clip(directions, -1, 1)).astype(np.int32)
    return np.where(rounded < 0, 2, rounded).astype(np.int32)


# ---- for contracts, which name a function of what is seen in one game ----


def single(policy: Policy, continuous: bool) -> Callable[[NDArray[np.float32], np.random.Generator], Any]:
    """A policy for one game at a time."""

    def act(obs: NDArray[np.float32], rng: np.random.Generator) -> Any:
        action = as_actions(policy(obs[None], rng), continuous)[0]
        return action if continuous else int(action)

    return act


attack_discrete, attack_continuous = (single(attack(1), continuous) for continuous in (False, True))
attack_8_discrete, attack_8_continuous = (single(attack(8), continuous) for continuous in (False, True))
