"""Train on Pong with Stable-Baselines3.

Run: pip install 'envwright[sb3]' && python examples/sb3_ppo.py
"""

import sys
from typing import Any

import envwright

envwright.tune_cpu()

import numpy as np  # noqa: E402
import torch  # noqa: E402  # pyright: ignore[reportMissingImports]
from stable_baselines3 import PPO  # noqa: E402  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import VecMonitor  # noqa: E402  # pyright: ignore[reportMissingImports]

from envwright.adapters.sb3 import SB3VecEnv  # noqa: E402


def mean_return(model: Any, num_envs: int, steps: int) -> float:
    """The mean return of one game in each environment, or of its first `steps` steps."""
    env = SB3VecEnv(envwright.batch("Pong-v0", num_envs, frameskip=8, devices=1))
    env.seed(1000)
    obs = env.reset()
    returns, playing = np.zeros(num_envs), np.ones(num_envs, bool)
    for _ in range(steps):
        obs, rewards, dones, _ = env.step(model.predict(obs)[0])
        returns += rewards * playing
        playing &= ~dones
    return float(returns.mean())


def main(
    steps: int = 1_000_000, *, num_envs: int = 256, num_steps: int = 64, judge_steps: int = 1000
) -> dict[str, Any]:
    """Train for `steps` steps; returns mean returns and parameters, before and after, and the last loss."""
    torch.set_num_threads(1)  # the network is too small to share, and waiting threads keep the environments waiting
    env = VecMonitor(SB3VecEnv(envwright.batch("Pong-v0", num_envs, frameskip=8, devices=1)))
    minibatch = num_envs * num_steps // 8
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=num_steps,
        batch_size=minibatch,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.005,
        seed=0,
        device="cpu",
    )
    before, params_before = mean_return(model, 64, judge_steps), parameters(model)
    model.learn(steps)
    after = mean_return(model, 64, judge_steps)
    print(f"mean return of a game: {before:.1f} before, {after:.1f} after {model.num_timesteps:,} steps")
    return {
        "before": before,
        "after": after,
        "params_before": params_before,
        "params_after": parameters(model),
        "losses": [model.logger.name_to_value["train/loss"]],
    }


def parameters(model: Any) -> list[Any]:
    """Copies of the policy's parameters."""
    return [tensor.detach().numpy().copy() for tensor in model.policy.parameters()]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
