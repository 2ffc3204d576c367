"""Draw a game of Pong: a scripted player against the opponent, written as a GIF."""

import argparse
from pathlib import Path

import jax
import numpy as np
from PIL import Image

import envwright
from envwright.envs.pong import policies


def play(frames: int, seed: int) -> list[np.ndarray]:
    """Frames of a game, in pictures; the player on the right attacks."""
    env = envwright.make("Pong-v0", frameskip=4)
    params = env.default_params
    step = jax.jit(env.step)
    rng = np.random.default_rng(seed)
    player = policies.attack(frameskip=4)
    obs, state = env.reset(envwright.key(seed))
    pictures = []
    for t in range(frames):
        direction = player(np.asarray(obs)[None], rng)
        action = policies.as_actions(direction, continuous=False)[0]
        obs, state, *_ = step(jax.random.fold_in(envwright.key(seed), t), state, action)
        pictures.append(env.render(state, params))
    return pictures


def write_gif(pictures: list[np.ndarray], path: Path, scale: int = 2, milliseconds: int = 40) -> None:
    """Few colours and half the size make a small file."""
    images = [Image.fromarray(picture[::scale, ::scale]).quantize(16) for picture in pictures]
    path.parent.mkdir(parents=True, exist_ok=True)
    images[0].save(path, save_all=True, append_images=images[1:], duration=milliseconds, loop=0, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("out/pong.gif"), help="where to write it (default out/pong.gif)"
    )
    parser.add_argument("--frames", type=int, default=300, help="frames to draw (default 300)")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    write_gif(play(args.frames, args.seed), args.out)
    print(f"Written to {args.out}")


if __name__ == "__main__":
    main()
