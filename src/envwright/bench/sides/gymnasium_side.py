"""Gymnasium: environments one after the other (SyncVectorEnv), or its own vectorised NumPy version of them."""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference
from envwright.core.layouts import PROCESSES

ENVS = by_reference("gymnasium")
NEEDS = {"gymnasium": "gymnasium"}
LARGEST = 8192  # Python steps them one by one
SYNC, SYNC_EACH, NUMPY_EACH = "one process", PROCESSES, f"{PROCESSES}, NumPy"
STEPS_A_CALL = 2**14  # of all environments together


def layouts(what: str) -> tuple[str, ...]:
    return (SYNC, SYNC_EACH, NUMPY_EACH) if what == "random" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Import it."""
    del job
    import gymnasium  # noqa: F401


def build(job: Job) -> Built:
    import gymnasium
    import numpy as np
    from gymnasium.vector import AutoresetMode

    mode = "vector_entry_point" if job.layout == NUMPY_EACH else "sync"
    same_step = {"autoreset_mode": AutoresetMode.SAME_STEP} if mode == "sync" else None  # the other has no choice
    batch = gymnasium.make_vec(
        ENVS[job.env], job.num_envs, vectorization_mode=mode, vector_kwargs=same_step, **job.options
    )
    rng, space = np.random.default_rng(0), batch.action_space
    steps = max(1, STEPS_A_CALL // job.num_envs)
    batch.reset(seed=0)

    def actions() -> Any:
        if isinstance(space, gymnasium.spaces.MultiDiscrete):
            return rng.integers(space.nvec)
        assert isinstance(space, gymnasium.spaces.Box)
        return rng.uniform(space.low, space.high).astype(space.dtype)

    def go(calls: int) -> int:
        for _ in range(calls * steps):
            batch.step(actions())
        return calls * steps * job.num_envs

    return Built({"run": go}, {"steps_a_call": steps, "autoreset": "same step" if same_step else "next step"})
