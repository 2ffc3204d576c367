"""Draw a game of Pong: a scripted player against the opponent, written as a GIF."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np

import envwright
from envwright.envs.pong import policies
from envwright.play.film import save_film


def play(frames: int, seed: int) -> Iterator[np.ndarray]:
    """A game in pictures of half the size; the player on the right attacks."""
    env = envwright.make("Pong-v0", frameskip=4)
    params = env.default_params
    step = jax.jit(env.step)
    rng = np.random.default_rng(seed)
    player = policies.attack(frameskip=4)
    obs, state = env.reset(envwright.key(seed))
    for t in range(frames):
        direction = player(np.asarray(obs)[None], rng)
        action = policies.as_actions(direction, continuous=False)[0]
        obs, state, *_ = step(jax.random.fold_in(envwright.key(seed), t), state, action)
        yield env.render(state, params)[::2, ::2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out/pong.gif"), help="where to write it (default out/pong.gif)"
    )
    parser.add_argument("--frames", type=int, default=300, help="frames to draw (default 300)")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save_film(play(args.frames, args.seed), args.out, fps=25)
    print(f"Written to {args.out}")


if __name__ == "__main__":
    main()
