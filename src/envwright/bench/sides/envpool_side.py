"""envpool: environments in C++, stepped by a pool of threads."""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference, import_quietly, in_envpool
from envwright.bench.sides.reference_side import THREADS
from envwright.core.layouts import PROCESSES

ENVS = by_reference("gymnasium", in_envpool)
NEEDS = {"envpool": "mujoco-peers"}
LARGEST = 2**11  # a thousand MuJoCo environments take a second to make, four thousand ten
STEPS_A_CALL = 2**12  # of all environments together
ASYNC = f"{THREADS}, async"  # a quarter of the batch is acted on while the rest is stepped


def layouts(what: str) -> tuple[str, ...]:
    return (THREADS, ASYNC, PROCESSES) if what == "random" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Import it."""
    del job
    import_quietly("envpool")


def build(job: Job) -> Built:
    import numpy as np
    from gymnasium.spaces import Discrete

    at_once = job.num_envs // 4 if job.layout == ASYNC else job.num_envs
    sizes = {"num_envs": job.num_envs, "batch_size": at_once, "num_threads": job.cores}
    pool = import_quietly("envpool").make(ENVS[job.env], env_type="gymnasium", seed=0, **sizes, **job.options)
    space, rng = pool.action_space, np.random.default_rng(0)
    rounds = max(1, STEPS_A_CALL // at_once)
    pool.async_reset()

    def actions() -> Any:
        if isinstance(space, Discrete):
            return rng.integers(space.n, size=at_once, dtype=np.int32)
        return rng.uniform(space.low, space.high, (at_once, *space.shape)).astype(space.dtype)

    def go(calls: int) -> int:
        for _ in range(calls * rounds):
            *_, info = pool.recv()
            pool.send(actions(), info["env_id"])
        return calls * rounds * at_once

    steps = rounds * at_once // job.num_envs
    return Built({"run": go}, {"steps_a_call": steps, "autoreset": "next step", "device": "cpu"})
