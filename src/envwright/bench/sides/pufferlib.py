"""PufferLib's C environments, as envwright's reference runs them: PufferLib's own flags, no Python between steps.

PPO over them is ours (`train.host`), network and batch as in the JAX one, so that only the environment differs.
"""

import threading

from envwright.bench.job import Built, Job
from envwright.bench.sides.envwright_side import ONE_DEVICE
from envwright.core.layouts import PLAIN, PROCESSES

ENVS = {"Pong-v0": "pong.h of PufferLib 3.0.0"}
NEEDS: dict[str, str] = {}
LARGEST = 2**17
STEPS_A_CALL = 2**21  # of one thread's environments together, each of one frame
THREADS = "threads"  # a batch and a thread a core: C runs without Python's lock


def layouts(what: str) -> tuple[str, ...]:
    return {"random": (THREADS,), "ppo": (PLAIN, PROCESSES), "share": (ONE_DEVICE,)}.get(what, ())


def prepare() -> None:
    """Fetch and compile it."""
    from envwright.envs.pong.reference import library

    library()


def set_up(job: Job) -> None:
    """Set up the JAX that learns, if anybody does."""
    from envwright.core import tune_cpu

    if job.layout in (PROCESSES, ONE_DEVICE):
        tune_cpu(1)


def build(job: Job) -> Built:
    built = {"random": _random, "ppo": _ppo, "share": _share}[job.what](job)
    return Built(built.parts, {"autoreset": "fresh", "device": "cpu", **built.facts})


def _random(job: Job) -> Built:
    from envwright.envs.pong.reference import PongReference

    a_core = job.num_envs // job.cores
    batches = [PongReference(a_core, **job.options) for _ in range(job.cores)]
    steps = max(1, STEPS_A_CALL // a_core // job.options.get("frameskip", 1))
    for batch in batches:
        batch.reset()

    def go(calls: int) -> int:
        threads = [threading.Thread(target=batch.race, args=(calls * steps, i + 1)) for i, batch in enumerate(batches)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return calls * steps * job.num_envs

    return Built({"run": go}, {"steps_a_call": steps})


def _ppo(job: Job) -> Built:
    from envwright.bench.sides import training
    from envwright.envs.pong.reference import PongBatch

    config = training.config_of(job, job.sizes["hidden"])
    go, size = training.host_updates(PongBatch(job.num_envs, **job.options), config)
    return Built({"run": go}, {"parameters": size, "trainer": "envwright's, over the C environment"})


def _share(job: Job) -> Built:
    """Whole updates, and their environments alone."""
    from envwright.bench.sides import training
    from envwright.core import make
    from envwright.envs.pong.reference import PongBatch

    numbers = training.inputs_and_outputs(make(job.env, **job.options))
    config = training.config_of(job, training.hidden_for(job.sizes["parameters"], *numbers))
    go, size = training.host_updates(PongBatch(job.num_envs, **job.options), config)
    alone = training.host_env_only(PongBatch(job.num_envs, **job.options), config.steps)
    return Built({"env": alone, "update": go}, {"parameters": size})
