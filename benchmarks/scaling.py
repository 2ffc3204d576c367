"""What the second core brings: host devices that share a batch, against independent pinned processes, in turns.

Run: python benchmarks/scaling.py [--rounds 11]; the figures are in docs/scale.md.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from envwright.bench.competitor import available_cores
from envwright.bench.job import Job
from envwright.bench.machine import hardware
from envwright.bench.plan import PPO_SIZES
from envwright.bench.race import race
from envwright.bench.statistics import ratio
from envwright.core.layouts import PLAIN, PROCESSES, SHARDED

RANDOM_ENVS, PPO_ENVS = 4096, 512  # a core
CASES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Pong-v0", "random", {}),
    ("Pong-v0", "random", {"frameskip": 8}),
    ("CartPole-v1", "random", {}),
    ("Pong-v0", "ppo", {"frameskip": 8}),
    ("CartPole-v1", "ppo", {}),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11, help="turns of each layout (default 11)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default out)")
    args = parser.parse_args()
    cores = len(available_cores())
    print(f"{cores} cores; steps a second in millions, median of {args.rounds} rounds; ratios with 95% intervals")
    found = [case(*what, cores, args.rounds) for what in CASES]
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "scaling.json"
    path.write_text(json.dumps({"hardware": hardware(), "cases": found}, indent=2) + "\n")
    print(f"Written to {path}")


def case(env: str, what: str, options: dict[str, Any], cores: int, rounds: int) -> dict[str, Any]:
    """One core, then all of them in each layout; a batch a core is the same size everywhere."""
    envs, sizes = (PPO_ENVS, PPO_SIZES) if what == "ppo" else (RANDOM_ENVS, {})
    one = Job("envwright", env, what, SHARDED, 1, envs, options, sizes)
    all_cores = [replace(one, layout=layout, cores=cores, num_envs=envs * cores) for layout in LAYOUTS]
    alone, *layouts = race([one, *all_cores], rounds=rounds)
    rates = {"one core": alone.rates} | {r.job.layout: r.rates for r in layouts}
    shares = {
        "sharded of processes": ratio(rates[SHARDED], rates[PROCESSES]),
        "sharded of one core": ratio(rates[SHARDED], rates["one core"]),
    }
    name = f"{env} {what} {' '.join(f'{k}={v}' for k, v in options.items())}".strip()
    print(f"{name}: " + ", ".join(f"{layout} {np.median(r) / 1e6:.3g}" for layout, r in rates.items()))
    for what_of, r in shares.items():
        print(f"    {what_of}: {r.median:.2f} [{r.low:.2f}, {r.high:.2f}]", flush=True)
    return {"case": name, "rates": rates, "ratios": {k: vars(r) for k, r in shares.items()}}


LAYOUTS = (PLAIN, SHARDED, PROCESSES)

if __name__ == "__main__":
    main()
