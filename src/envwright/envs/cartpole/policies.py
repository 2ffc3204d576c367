"""Scripted play, for the verifier: random play falls over long before the track or the time ends."""

from typing import Any

import numpy as np


def balance(obs: Any, rng: np.random.Generator) -> int:
    """Keep the pole up, to the end."""
    x, x_dot, theta, theta_dot = obs
    return int(theta + 0.3 * theta_dot + 0.02 * x + 0.05 * x_dot > 0)


def run_away(obs: Any, rng: np.random.Generator) -> int:
    """Keep the pole up while driving off the track."""
    _, x_dot, theta, theta_dot = obs
    return int(theta + 0.3 * theta_dot + 0.12 * (x_dot - 1.2) > 0)
