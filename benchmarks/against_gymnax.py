"""Translations of the builtin agent against gymnax's hand-written environments: random play, turn by turn.

Run: python benchmarks/against_gymnax.py [ENV ...]. Each side runs in a process of its own: ours as one kernel on every
core, gymnax as `vmap` and `scan` under `jit`, which uses the cores as XLA likes. They take turns, round by round; the
ratio is taken within a round. Compiling is not counted. There is no GPU in this.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ENVS = ("CartPole-v1", "MountainCar-v0", "Acrobot-v1", "Pendulum-v1")
NUM_ENVS, STEPS, CALLS, ROUNDS = 4096, 100, 10, 9


def main() -> None:
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
        return
    for name in sys.argv[1:] or ENVS:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "envwright", "translate", f"gymnasium:{name}", "--out", f"{folder}/run"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"{name} was not translated:\n{done.stdout}{done.stderr}")
            package = next((Path(folder) / "run" / "package").glob("**/fast_*/env.py")).parent
            race(name, package)


def race(name: str, package: Path) -> None:
    """Both sides in turns."""
    sides = [start("ours", str(package)), start("gymnax", name)]
    rates: list[list[float]] = []
    for _ in range(ROUNDS):
        rates.append([ask(side) for side in sides])
    for side in sides:
        side.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
        side.wait()
    ratios = sorted(ours / theirs for ours, theirs in rates)
    ours, theirs = (median(rate[i] for rate in rates) / 1e6 for i in (0, 1))
    print(
        f"{name}: {median(ratios):.1f} times gymnax [{ratios[1]:.1f}, {ratios[-2]:.1f}], "
        f"{ours:.1f}M against {theirs:.1f}M steps/s",
        flush=True,
    )


def start(side: str, what: str) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--worker", side, what]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


def ask(process: "subprocess.Popen[str]") -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def worker(side: str, what: str) -> None:
    """Builds a rollout, and answers every line with steps per second."""
    call = ours(Path(what)) if side == "ours" else theirs(what)
    call()
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        for _ in range(CALLS):
            call()
        print(NUM_ENVS * STEPS * CALLS / (time.perf_counter() - began), flush=True)


def ours(package: Path):
    import importlib

    import jax

    from envwright.core import key, rollout, tune_cpu

    tune_cpu()
    sys.path.insert(0, str(package.parent))
    module = importlib.import_module(f"{package.name}.env")
    env = next(v for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__)()
    run = rollout(env, num_envs=NUM_ENVS, steps=STEPS)
    last = [run.reset(key(0))]

    def call() -> None:
        last[0] = jax.block_until_ready(run(key(1), last[0]))

    return call


def theirs(name: str):
    import gymnax
    import jax

    env, params = gymnax.make(name)

    def step(carry, key):
        obs, state = carry
        act_key, step_key = jax.random.split(key)
        actions = jax.vmap(env.action_space(params).sample)(jax.random.split(act_key, NUM_ENVS))
        keys = jax.random.split(step_key, NUM_ENVS)
        obs, state, *_ = jax.vmap(env.step, in_axes=(0, 0, 0, None))(keys, state, actions, params)
        return (obs, state), None

    run = jax.jit(lambda carry, key: jax.lax.scan(step, carry, jax.random.split(key, STEPS))[0])
    carry = [jax.vmap(env.reset, in_axes=(0, None))(jax.random.split(jax.random.key(0), NUM_ENVS), params)]

    def call() -> None:
        carry[0] = jax.block_until_ready(run(carry[0], jax.random.key(1)))

    return call


if __name__ == "__main__":
    main()
