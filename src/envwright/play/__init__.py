"""Play an environment yourself, in the terminal."""

import time
from typing import Any

import numpy as np

from envwright.core import EnvwrightError, make
from envwright.play.controls import controls_for
from envwright.play.game import Game
from envwright.play.loop import run
from envwright.play.terminal import Terminal, check_terminal


def play(env_id: str, *, fps: int = 60, seed: int | None = None, frames: int | None = None, **env_kwargs: Any) -> None:
    """Play `env_id` with the keyboard until q is pressed, or for `frames` frames."""
    if fps < 1:
        raise EnvwrightError(f"fps must be at least 1, but is {fps}.")
    check_terminal()
    env = make(env_id, **env_kwargs)
    controls = controls_for(env_id, env.action_space(env.default_params))
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    game = Game(env, seed)  # compiles before the screen is taken
    with Terminal() as terminal:
        run(game, controls, terminal, fps=fps, frames=frames, now=time.monotonic, sleep=time.sleep)
