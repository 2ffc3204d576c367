"""Training Pong from nothing to 18 points of 21, on the JAX environment and on the C one, in turns.

The same PPO, network, batch and settings (the tuned ppo.toml) on both sides, on one core and on all: who is faster end
to end, and by how much? Run: python benchmarks/pong_training.py
"""

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import envwright
from envwright.bench.statistics import ratio
from training_side import Side

SOLVED = 18.0
TURN = 8  # updates before the other side has its turn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, default=None, help="cores for each side (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default out)")
    args = parser.parse_args()
    envwright.tune_cpu(args.devices)
    found = compare(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "pong_training.json"
    path.write_text(json.dumps(found, indent=2) + "\n")
    print(f"Written to {path}")


def compare(seed: int) -> dict[str, Any]:
    """Both sides, turn by turn, to the end of the tuned run."""
    import jax

    from envwright.envs.pong.batched import PongBatch
    from envwright.training.config import for_env
    from envwright.training.host_trainer import HostTrainer
    from envwright.training.ppo import Trainer

    config = for_env("pong")
    trainer = Trainer(envwright.make("pong", **config.env_options), config, seeds=(seed,))
    on_c = HostTrainer(lambda: PongBatch(config.num_envs, **config.env_options), config, seeds=(seed,))
    states = {"JAX": trainer.start(), "C": on_c.start()}

    def play(name: str, updates: int) -> Any:
        states[name], metrics = (trainer if name == "JAX" else on_c).run(states[name], updates)
        return np.asarray(metrics["return"])[:, 0]

    sides = {name: Side(partial(play, name), TURN, TURN * config.batch, SOLVED) for name in states}
    for _ in range(0, config.updates, TURN):
        for side in sides.values():
            side.turn()
    faster = ratio(sides["JAX"].rates[1:], sides["C"].rates[1:])  # both compile in the first turn
    for name, side in sides.items():
        print(
            f"{name:4} {np.median(side.rates[1:]) / 1e6:.3f}M steps/s, return {SOLVED:g} after {side.solved:.1f} s of "
            f"training and {side.compiling:.1f} s of compiling, at the end {side.last:.2f}"
        )
    print(f"JAX of C: {faster.median:.2f} [{faster.low:.2f}, {faster.high:.2f}], {len(jax.devices())} devices")
    return {"ratio": vars(faster), "sides": {name: side.plain() for name, side in sides.items()}}


if __name__ == "__main__":
    main()
