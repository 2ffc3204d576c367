"""MuJoCo's own C engine: `mujoco.rollout`, whose threads step a batch without Python between the steps.

It is the physics alone: states are written at every step of it, but no observations, rewards or flags are made.
"""

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference, import_quietly, in_mujoco
from envwright.bench.sides.reference_side import THREADS
from envwright.core.layouts import PROCESSES

ENVS = by_reference("gymnasium", in_mujoco)
NEEDS = dict.fromkeys(("gymnasium", "mujoco"), "mujoco-peers")
LARGEST = 2**14
STEPS_A_CALL = 2**14  # of all environments together, in one open loop


def layouts(what: str) -> tuple[str, ...]:
    return (THREADS, PROCESSES) if what == "random" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Import it."""
    del job
    import_quietly("mujoco.rollout")

    from envwright.bench.sides.mujoco_episodes import warn_on_stderr

    warn_on_stderr()


def build(job: Job) -> Built:
    import numpy as np

    from envwright.bench.sides.mujoco_episodes import sample_episodes

    mujoco, rollout = import_quietly("mujoco"), import_quietly("mujoco.rollout")
    episodes = sample_episodes(ENVS[job.env], job.options)
    model, skip, num_envs = episodes.model, episodes.frame_skip, job.num_envs
    steps, chunks = in_chunks(episodes.length, STEPS_A_CALL // num_envs)
    rng = np.random.default_rng(0)
    state = rng.choice(episodes.visited, num_envs)
    path = np.empty((num_envs, steps * skip, state.shape[1]))
    sensors = np.empty((num_envs, steps * skip, model.nsensordata))
    pool = rollout.Rollout(nthread=job.cores if job.cores > 1 else 0)  # with none, this thread works
    data = [mujoco.MjData(model) for _ in range(job.cores)]
    until_reset = rng.integers(chunks, size=num_envs)

    def one_call() -> None:
        ended = until_reset == 0
        state[ended] = rng.choice(episodes.starts, ended.sum())
        until_reset[:] = np.where(ended, chunks, until_reset) - 1
        actions = rng.uniform(episodes.low, episodes.high, (num_envs, steps, model.nu))
        pool.rollout(model, data, state, actions.repeat(skip, axis=1), state=path, sensordata=sensors)
        state[:] = path[:, -1]

    def go(calls: int) -> int:
        for _ in range(calls):
            one_call()
        return calls * steps * num_envs

    return Built(
        {"run": go},
        {
            "steps_a_call": steps,
            "autoreset": f"fresh, after {steps * chunks} steps",
            "counted": "physics alone, in float64: no observations, rewards or flags",
            "device": "cpu",
        },
    )


def in_chunks(length: int, most: int) -> tuple[int, int]:
    """An episode as calls of equal length: steps in each, at most `most`, and how many; they are about `length`."""
    chunks = -(-length // max(1, most))
    return round(length / chunks), chunks
