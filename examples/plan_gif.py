"""Draw a game that is played by a planner: before each move it simulates random futures and begins the best one.

Run: python examples/plan_gif.py cartpole --out cartpole.gif, or, of a translated board game whose wheel is installed:
     python examples/plan_gif.py fast_breakout --out breakout.gif
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import envwright
from envwright.play.film import save_film

HOLD = 5  # steps for which a plan keeps an action, so that plans get somewhere

SQUARE = 20  # pixels
COLOURS = np.array(  # of the channels of an observation, or of the numbers on its board
    [
        (24, 24, 32), (0, 226, 226), (244, 158, 66), (240, 84, 84), (120, 200, 110),
        (196, 140, 240), (250, 220, 90), (140, 160, 250), (230, 230, 240), (120, 130, 150), (200, 110, 70),
    ],
    np.uint8,
)  # fmt: skip


def play(id: str, moves: int, seed: int, futures: int, horizon: int = 40) -> Iterator[np.ndarray]:
    """Pictures of a game in which each move begins the best of `futures` random plans of `horizon` steps."""
    env = envwright.make(id)
    params = env.default_params
    num_actions = env.action_space(params).n

    def imagine(key: jax.Array, state: object, plan: jax.Array) -> jax.Array:
        """What a plan earns until its episode ends; sooner is better."""

        def one(carry, now):
            state, alive, earned = carry
            action, t = now
            step = env.transition(jax.random.fold_in(key, t), state, action, params)
            earned += alive * 0.97**t * (step.reward - step.terminated)
            return (step.state, alive * ~step.terminated, earned), None

        times = jnp.arange(horizon)
        return jax.lax.scan(one, (state, jnp.float32(1), jnp.float32(0)), (plan, times))[0][2]

    @jax.jit
    def move(key: jax.Array, state: object):
        plans = jax.random.randint(jax.random.fold_in(key, 0), (futures, horizon // HOLD), 0, num_actions)
        plans = jnp.repeat(plans, HOLD, axis=1)
        keys = jax.random.split(jax.random.fold_in(key, 1), futures)
        values = jax.vmap(imagine, in_axes=(0, None, 0))(keys, state, plans)
        return env.transition(jax.random.fold_in(key, 2), state, plans[jnp.argmax(values), 0], params)

    obs, state = env.init(envwright.key(seed), params)
    yield picture(env, obs, state)
    for t in range(moves):
        step = move(jax.random.fold_in(envwright.key(seed + 1), t), state)
        state = step.state
        yield picture(env, step.obs, state)
        if step.terminated:
            return


def picture(env: Any, obs: jax.Array, state: object) -> np.ndarray:
    """A board in colours; of (rows, columns, channels) the last channel that is set counts. Else what it renders."""
    if obs.ndim == 1:
        return env.render(state, env.default_params)[::2, ::2]
    board = np.asarray(obs, int)
    if board.ndim == 3:
        board = np.max(np.where(board, np.arange(1, board.shape[2] + 1), 0), axis=2)
    return COLOURS[board % len(COLOURS)].repeat(SQUARE, axis=0).repeat(SQUARE, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", help="an environment that renders, or whose observation is a board")
    parser.add_argument("--out", type=Path, default=Path("out/game.gif"), help="default out/game.gif")
    parser.add_argument("--moves", type=int, default=200, help="at most (default 200)")
    parser.add_argument("--fps", type=float, default=12, help="moves a second (default 12)")
    parser.add_argument("--futures", type=int, default=512, help="simulated before each move (default 512)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    count = save_film(play(args.id, args.moves, args.seed, args.futures), args.out, fps=args.fps)
    print(f"{count} frames in {args.out}")


if __name__ == "__main__":
    main()
