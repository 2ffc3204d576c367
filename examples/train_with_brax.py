"""Train on one of our environments with Brax's PPO, which compiles the environment and the learning together.

Run: pip install 'envwright[brax]' && python examples/train_with_brax.py HalfCheetah-v5 1000000
"""

import argparse
import functools
from typing import Any

import envwright

envwright.tune_cpu()

import jax  # noqa: E402
import numpy as np  # noqa: E402
from brax.training.agents.ppo.networks import make_ppo_networks  # noqa: E402  # pyright: ignore[reportMissingImports]
from brax.training.agents.ppo.train import train  # noqa: E402  # pyright: ignore[reportMissingImports]

from envwright.adapters.brax import BraxEnv, jax_for_brax  # noqa: E402

LAYERS = (64, 64)  # Brax's own five layers of 256 take most of the time on a CPU
LONGEST = 1000  # steps of an episode, where the environment sets no limit


def main(
    id: str = "HalfCheetah-v5", steps: int = 1_000_000, *, num_envs: int = 256, episode: int = LONGEST, **options: Any
) -> dict[str, Any]:
    """Train for `steps` steps or a few more; returns mean returns and parameters, before and after, and losses."""
    env = BraxEnv(envwright.make(id, **options))
    limit = min(episode, env.episode_length or episode)
    told: list[dict[str, Any]] = []
    kept: list[Any] = []

    def tell(step: int, metrics: Any) -> None:
        told.append(metrics)
        print(f"{step:>10,} steps: mean return of an episode {metrics['eval/episode_reward']:.1f}")

    with jax_for_brax():
        train(
            env,
            num_timesteps=steps,
            num_evals=6,
            num_eval_envs=64,
            progress_fn=tell,
            policy_params_fn=lambda step, make_policy, params: kept.append(jax.tree.map(np.array, params)),
            network_factory=functools.partial(
                make_ppo_networks, policy_hidden_layer_sizes=LAYERS, value_hidden_layer_sizes=LAYERS
            ),
            episode_length=limit,
            num_envs=num_envs,
            batch_size=num_envs,
            num_minibatches=4,
            num_updates_per_batch=4,
            unroll_length=16,
            learning_rate=3e-4,
            entropy_cost=1e-3,
            discounting=0.97,
            max_grad_norm=0.5,
            normalize_observations=True,
            bootstrap_on_timeout=True,
            max_devices_per_host=1,  # any number of cores, while `num_envs` has to be a multiple of the devices
        )
    return {
        "before": float(told[0]["eval/episode_reward"]),
        "after": float(told[-1]["eval/episode_reward"]),
        "params_before": kept[0],
        "params_after": kept[-1],
        "losses": [float(value) for name, value in told[-1].items() if name.endswith("loss")],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train on an environment with Brax's PPO.")
    parser.add_argument("id", nargs="?", default="HalfCheetah-v5", help="an environment of `envwright list`")
    parser.add_argument("steps", nargs="?", type=int, default=1_000_000)
    try:
        main(**vars(parser.parse_args()))
    except envwright.EnvwrightError as error:
        parser.error(str(error))
