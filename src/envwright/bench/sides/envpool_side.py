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
ASYNC = f"{THREADS}, async"  # a part of the batch is acted on while the rest is stepped


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

    parts = next(n for n in (4, 3, 2, 1) if job.num_envs % n == 0) if job.layout == ASYNC else 1
    at_once, steps = job.num_envs // parts, max(1, STEPS_A_CALL // job.num_envs)
    sizes = {"num_envs": job.num_envs, "batch_size": at_once, "num_threads": job.cores}
    pool = import_quietly("envpool").make(ENVS[job.env], env_type="gymnasium", seed=0, **sizes, **job.options)
    space, rng = pool.action_space, np.random.default_rng(0)

    def actions() -> Any:
        if isinstance(space, Discrete):
            return rng.integers(space.n, size=at_once, dtype=np.int32)
        return rng.uniform(space.low, space.high, (at_once, *space.shape)).astype(space.dtype)

    def received() -> Any:
        return pool.recv()[-1]["env_id"]

    pool.async_reset()
    waiting = [received() for _ in range(parts)]

    def go(calls: int) -> int:
        """Nothing is left to the threads when it returns: they would work while others have their turn."""
        for ids in waiting:
            pool.send(actions(), ids)
        for _ in range((calls * steps - 1) * parts):
            pool.send(actions(), received())
        waiting[:] = [received() for _ in range(parts)]
        return calls * steps * job.num_envs

    return Built({"run": go}, {"steps_a_call": steps, "autoreset": "next step", "device": "cpu"})
