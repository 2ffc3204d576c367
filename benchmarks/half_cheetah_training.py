"""Training HalfCheetah to a return of 3,000, on the JAX environment and on Gymnasium's vector environment, in turns.

The same PPO, network, batch and settings (the tuned ppo.toml) on both sides. Gymnasium's environments are divided over
the cores, a process with a `SyncVectorEnv` on each. They are too slow to be trained to the end here: how long it would
take is extrapolated from their steps a second and from the steps that ours took.
Run: python benchmarks/half_cheetah_training.py
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import envwright
from envwright.bench.machine import hardware, versions
from envwright.bench.statistics import ratio
from gymnasium_processes import Processes
from training_side import Side

ENV = "HalfCheetah-v5"
GOAL = 3000.0
TURN, TURN_OF_GYMNASIUM = 8, 1  # updates before the other side has its turn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, default=None, help="cores for each side (default: all)")
    parser.add_argument("--rounds", type=int, default=12, help="turns of each side (default 12)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default out)")
    args = parser.parse_args()
    envwright.tune_cpu(args.devices)
    found = compare(args.seed, args.rounds)
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "half_cheetah_training.json"
    path.write_text(json.dumps(found, indent=2) + "\n")
    print(f"Written to {path}")


def compare(seed: int, rounds: int) -> dict[str, Any]:
    """Both sides, turn by turn; then ours alone, until it has reached the goal."""
    import jax

    from envwright.core.native import spaces_of
    from envwright.training.config import for_env
    from envwright.training.host_trainer import HostTrainer
    from envwright.training.ppo import Trainer

    env, config, devices = envwright.make(ENV), for_env(ENV), len(jax.devices())
    trainer = Trainer(env, config, seeds=(seed,))
    with Processes(ENV, config.num_envs, devices, spaces_of(env, None)) as processes:
        slow = HostTrainer(lambda: processes, config, seeds=(seed,))
        ours = Side(_trained(trainer), TURN, TURN * config.batch, GOAL)
        gymnasium = Side(_trained(slow), TURN_OF_GYMNASIUM, TURN_OF_GYMNASIUM * config.batch, GOAL)
        for _ in range(1 + rounds):
            ours.turn()
            gymnasium.turn()
    while math.isnan(ours.solved) and ours.steps * len(ours.rates) < config.total_steps:
        ours.turn()
    faster = ratio(ours.rates[1 : 1 + rounds], gymnasium.rates[1:])  # both compile in the first turn
    rates = {name: float(np.median(side.rates[1:])) for name, side in (("JAX", ours), ("Gymnasium", gymnasium))}
    extrapolated = ours.solved_steps / rates["Gymnasium"]
    print(
        f"JAX: {rates['JAX']:,.0f} steps/s, return {GOAL:,.0f} after {ours.solved_steps:,} steps, {ours.solved:.1f} s "
        f"of training and {ours.compiling:.1f} s of compiling\n"
        f"Gymnasium: {rates['Gymnasium']:,.0f} steps/s; as many steps would take {extrapolated:.0f} s (extrapolated)\n"
        f"JAX of Gymnasium: {faster.median:.1f} [{faster.low:.1f}, {faster.high:.1f}], {devices} devices, seed {seed}"
    )
    return {
        "ratio": vars(faster),
        "sides": {"JAX": ours.plain(), "Gymnasium": gymnasium.plain() | {"extrapolated": extrapolated}},
        "hardware": hardware(),
        "versions": versions(("gymnasium", "mujoco", "jax")),
    }


def _trained(trainer: Any) -> Callable[[int], Any]:
    states = [trainer.start()]

    def play(updates: int) -> Any:
        states[0], metrics = trainer.run(states[0], updates)
        return np.asarray(metrics["return"])[:, 0]

    return play


if __name__ == "__main__":
    main()
