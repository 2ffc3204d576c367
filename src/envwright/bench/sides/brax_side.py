"""Brax: its own environment of the name, with its wrappers, by each of its three backends.

A process a core: on CPUs XLA spreads so small operations over threads at a loss. The bodies are Brax's own, and so are
the backends' steps of the physics in a step of the environment; a step is the same stretch of time.
"""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference, import_quietly, in_brax
from envwright.core.layouts import PROCESSES

ENVS = by_reference("gymnasium", in_brax)
NEEDS = {"brax": "mujoco-peers"}
LARGEST = 1280  # 1024, in equal shares over the cores
BACKENDS = ("generalized", "spring", "positional")


def layouts(what: str) -> tuple[str, ...]:
    return tuple(f"{PROCESSES}, {backend}" for backend in BACKENDS) if what == "random" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Import it."""
    del job
    import_quietly("brax.envs")

    from envwright.bench.sides.mujoco_episodes import warn_on_stderr

    warn_on_stderr()


def build(job: Job) -> Built:
    import jax

    from envwright.bench.sides.jax_loop import batch_steps

    backend = job.layout.rpartition(", ")[2]
    env = import_quietly("brax.envs").create(ENVS[job.env], batch_size=job.num_envs, backend=backend, **job.options)

    def one_step(state: Any, key: Any) -> Any:
        return env.step(state, jax.random.uniform(key, (job.num_envs, env.action_size), minval=-1.0, maxval=1.0))

    go = batch_steps(one_step, jax.jit(env.reset)(jax.random.key(0)), job.num_envs)
    facts = {"autoreset": "to an environment's first state, as Brax does", "backend": backend}
    return Built({"run": go}, {"device": jax.devices()[0].device_kind, **facts})
