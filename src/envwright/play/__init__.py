"""Play an environment yourself, in the terminal."""

import time
from typing import Any

import numpy as np

from envwright.core import Env, EnvwrightError, Spec, make
from envwright.core.native import AnyEnv, spaces_of
from envwright.core.registry import spec
from envwright.core.spec import load_object
from envwright.core.versus import RANDOM, Opponent, opponents_of
from envwright.play.controls import controls_for
from envwright.play.game import Game
from envwright.play.interactive import run
from envwright.play.terminal import Terminal, check_terminal
from envwright.play.text import run_text, text_game


def play(
    env_id: str,
    *,
    fps: int = 60,
    seed: int | None = None,
    frames: int | None = None,
    against: str | None = None,
    **env_kwargs: Any,
) -> None:
    """Play `env_id` with the keyboard until q is pressed, or for `frames` frames; a game for two `against` somebody."""
    if fps < 1:
        raise EnvwrightError(f"fps must be at least 1, but is {fps}.")
    check_terminal()
    chosen, env = spec(env_id), make(env_id, **env_kwargs)
    _, space = spaces_of(env)
    controls_for(chosen, space)  # refuses actions that keys cannot give, before anything is compiled
    opponent = opponent_for(chosen, env, against)
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    if chosen.screen and isinstance(env, Env):
        told = load_object(chosen.screen, f"The text of {chosen.id} should be")
        text = text_game(env, seed, told, opponent)  # compiles before the screen is taken
        with Terminal() as terminal:
            run_text(text, terminal, frames=frames, sleep=time.sleep)
        return
    game = Game(env, seed, opponent)  # compiles before the screen is taken
    controls = controls_for(chosen, space, waits=game.legal is not None)
    with Terminal() as terminal:
        run(game, controls, terminal, fps=fps, frames=frames, now=time.monotonic, sleep=time.sleep)


def opponent_for(chosen: Spec, env: AnyEnv, against: str | None = None) -> Opponent | None:
    """Who has the second seat of a game for two: the one named, else the environment's first, else a random player."""
    if env.players > 2 or (env.players == 1 and against is not None):
        what = "leave --against out" if env.players == 1 else "at a terminal only one or two can play"
        raise EnvwrightError(f"{chosen.id} is a game for {env.players}; {what}.")
    if env.players == 1:
        return None
    name = against or next(iter(chosen.opponents), RANDOM)
    return opponents_of(chosen, spaces_of(env)[1], [name])[name]
