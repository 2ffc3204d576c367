"""Race Pong against the C original: same machine, same cores, turn by turn.

A step is one call of the environment: at frameskip 8 it plays eight frames. Both sides draw random actions, write every
observation, reward and flag at every step, and begin a fresh game where one ended. Each round times C, then JAX, on the
same cores; a ratio is taken within a round, so that a busy machine slows both. Compilation is timed apart.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

PAPER = 275e6  # steps/s the paper reports for its JAX Pong on an RTX 5090
CASES = ((1, 1), (1, 2), (8, 1), (8, 2))  # frameskip, cores
C_ENVS = 1024  # its shipped configuration, and its fastest batch of those tried
JAX_ENVS = 4096  # a core
TURN = 0.4  # seconds one side runs before the other does


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="turns of each side (default 15)")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the results (default out)")
    parser.add_argument("--worker", type=int, nargs=2, metavar=("FRAMESKIP", "CORES"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(race(*args.worker, rounds=args.rounds)))
        return
    available = len(os.sched_getaffinity(0))
    print(f"{machine()}; load {os.getloadavg()[0]:.1f}; {args.rounds} rounds; steps a second in millions")
    print(f"{'frameskip':>9} {'cores':>5} {'C':>16} {'envwright':>18} {'ratio':>22} {'compile':>8}")
    results = []
    for frameskip, cores in CASES:
        if cores > available:
            print(f"{frameskip:9} {cores:5}  left out: this machine lends us {available} core(s)")
            continue
        results.append(summarise(run_worker(frameskip, cores, args.rounds)))
        print(row(results[-1]), flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "pong_vs_c.json"
    path.write_text(json.dumps({"machine": machine(), "versions": versions(), "results": results}, indent=2) + "\n")
    print(f"Written to {path} and {plot(results, path.with_suffix('.png'))}")


def run_worker(frameskip: int, cores: int, rounds: int) -> dict[str, Any]:
    """Each case in a process of its own, held to its cores from the start."""
    command = [sys.executable, __file__, "--rounds", str(rounds), "--worker", str(frameskip), str(cores)]
    pin = sorted(os.sched_getaffinity(0))[:cores]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, pin)
    )
    return json.loads(done.stdout)


def race(frameskip: int, cores: int, rounds: int) -> dict[str, Any]:
    """Both sides, turn by turn."""
    import envwright

    envwright.tune_cpu(cores)
    began = time.perf_counter()
    ours = our_side(frameskip, cores)
    ours(1)
    compile_seconds = time.perf_counter() - began
    theirs = c_side(frameskip, cores)
    calls = {side: calibrate(side) for side in (theirs, ours)}
    speeds: dict[str, list[float]] = {"c": [], "envwright": []}
    for _ in range(rounds):
        speeds["c"].append(speed(theirs, calls[theirs]))
        speeds["envwright"].append(speed(ours, calls[ours]))
    return {"frameskip": frameskip, "cores": cores, "compile_seconds": compile_seconds, **speeds}


Side = Callable[[int], int]  # run this many calls; how many steps that was


def our_side(frameskip: int, cores: int) -> Side:
    import jax

    import envwright
    from envwright.core import key, rollout

    env = envwright.make("Pong-v0", frameskip=frameskip)
    steps = 4000 // frameskip
    run = rollout(env, num_envs=JAX_ENVS * cores, steps=steps)
    last, keys = [run.reset(key(0))], [key(i) for i in range(1, 17)]

    def side(calls: int) -> int:
        for i in range(calls):
            last[0] = run(keys[i % len(keys)], last[0])
        jax.block_until_ready(last[0])
        return calls * steps * JAX_ENVS * cores

    return side


def c_side(frameskip: int, cores: int) -> Side:
    """A batch a core, each on its own thread; C runs without Python's lock."""
    from envwright.envs.pong.reference import PongReference

    batches = [PongReference(C_ENVS, frameskip=frameskip) for _ in range(cores)]
    steps = 2000 // frameskip
    for batch in batches:
        batch.reset()

    def side(calls: int) -> int:
        threads = [threading.Thread(target=batch.race, args=(calls * steps, i + 1)) for i, batch in enumerate(batches)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return calls * steps * C_ENVS * cores

    return side


def calibrate(side: Side) -> int:
    """How many calls fill a turn; runs until two timings agree, which also warms up."""
    before = 0.0
    while True:
        began = time.perf_counter()
        side(2)
        took = (time.perf_counter() - began) / 2
        if abs(took - before) < 0.2 * took:
            return max(1, round(TURN / took))
        before = took


def speed(side: Side, calls: int) -> float:
    began = time.perf_counter()
    steps = side(calls)
    return steps / (time.perf_counter() - began)


def summarise(raw: dict[str, Any]) -> dict[str, Any]:
    """Medians and spread, and an interval for the ratio by resampling rounds."""
    c, ours = np.array(raw["c"]), np.array(raw["envwright"])
    ratios = ours / c
    resampled = np.random.default_rng(0).choice(ratios, (10_000, len(ratios)))
    low, high = np.percentile(np.median(resampled, axis=1), [2.5, 97.5])
    return {**raw, "ratio": float(np.median(ratios)), "ratio_interval": [float(low), float(high)]}


def row(result: dict[str, Any]) -> str:
    def cell(values: list[float]) -> str:
        return f"{np.median(values) / 1e6:.1f} ({min(values) / 1e6:.0f}-{max(values) / 1e6:.0f})"

    low, high = result["ratio_interval"]
    ratio = f"{result['ratio']:.2f} [{low:.2f}, {high:.2f}]"
    return (
        f"{result['frameskip']:9} {result['cores']:5} {cell(result['c']):>16} {cell(result['envwright']):>18} "
        f"{ratio:>22} {result['compile_seconds']:6.1f} s"
    )


def plot(results: list[dict[str, Any]], path: Path) -> Path:
    """Bars side by side, the spread of rounds as whiskers."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
    places = np.arange(len(results))
    for shift, side, label, colour in (
        (-0.2, "c", "PufferLib (C)", "#b9b9b9"),
        (0.2, "envwright", "envwright", "#127a7a"),
    ):
        values = np.array([r[side] for r in results]) / 1e6
        middle = np.median(values, axis=1)
        whiskers = np.abs(np.stack([values.min(axis=1), values.max(axis=1)]) - middle)
        axes.bar(places + shift, middle, 0.38, yerr=whiskers, label=label, color=colour, capsize=3, ecolor="#555555")
    for place, result in zip(places, results, strict=True):
        top = max(result["envwright"]) / 1e6
        axes.annotate(f"{result['ratio']:.1f}x", (place + 0.2, top), (0, 3), textcoords="offset points", ha="center")
    axes.axhline(PAPER / 1e6, color="#c0562f", linestyle="--", linewidth=1)
    label = "JAX Pong on an RTX 5090, as published"
    place = (len(results) - 0.55, PAPER / 1e6)  # over the lower bars
    axes.annotate(label, place, (0, 3), textcoords="offset points", color="#c0562f", fontsize=8, ha="right")
    names = [f"frameskip {r['frameskip']}\n{r['cores']} core{'s' * (r['cores'] > 1)}" for r in results]
    axes.set_xticks(places, names)
    axes.set_ylabel("million steps a second")
    axes.set_title(f"Pong, random actions, no GPU ({machine()})", fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=150)
    return path


def machine() -> str:
    try:
        names = [
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ]
    except OSError:
        names = [platform.processor()]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def versions() -> dict[str, str]:
    packages = ("envwright", "jax", "jaxlib", "numpy")
    return {name: importlib.metadata.version(name) for name in packages} | {"python": platform.python_version()}


if __name__ == "__main__":
    main()
