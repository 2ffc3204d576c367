"""Train on Pong with rejax: the environments and the learning compile into one program.

Run: pip install 'envwright[bench]' && python examples/rejax_ppo.py
"""

import sys
from typing import Any

import envwright

envwright.tune_cpu()

import jax  # noqa: E402
import rejax  # noqa: E402

from envwright.adapters.gymnax_legacy import GymnaxLegacy  # noqa: E402

GAME_STEPS = 1000  # a game to 21 points takes about 300


def main(steps: int = 2_000_000, *, num_envs: int = 256) -> dict[str, Any]:
    """Train for `steps` steps; returns mean returns before and after, and the actor's parameters before and after."""
    env = GymnaxLegacy(envwright.make("Pong-v0", frameskip=8), max_steps_in_episode=GAME_STEPS)
    algorithm = rejax.PPO.create(
        env=env,
        total_timesteps=steps,
        eval_freq=steps,  # once before, once after
        num_envs=num_envs,
        num_steps=64,
        num_minibatches=8,
        num_epochs=4,
        learning_rate=1e-3,
        gamma=0.99,
        ent_coef=0.005,
        max_grad_norm=0.5,
        normalize_observations=True,
    )
    key = jax.random.key(0)
    start = algorithm.init_state(key)
    trained, (_, returns) = jax.jit(algorithm.train)(train_state=start)
    before, after = returns.mean(axis=1).tolist()
    print(f"mean return of a game: {before:.1f} before, {after:.1f} after {int(trained.global_step):,} steps")
    return {
        "before": before,
        "after": after,
        "params_before": start.actor_ts.params,
        "params_after": trained.actor_ts.params,
    }


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
