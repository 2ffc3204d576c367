"""MJX, MuJoCo in JAX: steps under `vmap` in a loop, with the model's own solver settings.

A process a core: on CPUs XLA spreads so small operations over threads at a loss. It is the physics alone, as with
MuJoCo's C engine; nothing is lost by that, because everything else is negligible beside the solver.
"""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference, import_quietly, in_mujoco
from envwright.core.layouts import PROCESSES

ENVS = by_reference("gymnasium", in_mujoco)
NEEDS = dict.fromkeys(("gymnasium", "mujoco", "mujoco.mjx"), "mujoco-peers")
LARGEST = 1280  # 1024, in equal shares over the cores


def layouts(what: str) -> tuple[str, ...]:
    return (PROCESSES,) if what == "random" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Import it."""
    del job
    import_quietly("mujoco.mjx")

    from envwright.bench.sides.mujoco_episodes import warn_on_stderr

    warn_on_stderr()


def build(job: Job) -> Built:
    import jax
    import jax.numpy as jnp
    import numpy as np

    from envwright.bench.sides.jax_loop import batch_steps
    from envwright.bench.sides.mujoco_episodes import sample_episodes

    mjx = import_quietly("mujoco.mjx")
    episodes = sample_episodes(ENVS[job.env], job.options)
    num_envs = job.num_envs
    model, step = mjx.put_model(episodes.model), jax.vmap(mjx.step, (None, 0))
    low, high = jnp.asarray(episodes.low, jnp.float32), jnp.asarray(episodes.high, jnp.float32)
    start_qpos = jnp.asarray(episodes.positions(episodes.starts), jnp.float32)
    start_qvel = jnp.asarray(episodes.velocities(episodes.starts), jnp.float32)

    def one_step(carry: Any, key: Any) -> Any:
        data, age = carry
        act_key, start_key = jax.random.split(key)
        data = data.replace(ctrl=jax.random.uniform(act_key, (num_envs, model.nu), minval=low, maxval=high))
        data = jax.lax.fori_loop(0, episodes.frame_skip, lambda _, data: step(model, data), data)
        ended = age + 1 >= episodes.length
        start = jax.random.randint(start_key, (num_envs,), 0, len(start_qpos))

        def restarted(fresh: Any, now: Any) -> Any:
            return jnp.where(ended[:, None], fresh, now)

        data = data.replace(
            qpos=restarted(start_qpos[start], data.qpos),
            qvel=restarted(start_qvel[start], data.qvel),
            act=restarted(0.0, data.act),
            qacc_warmstart=restarted(0.0, data.qacc_warmstart),
        )
        return data, jnp.where(ended, 0, age + 1)

    rng = np.random.default_rng(0)
    begun = rng.choice(episodes.visited, num_envs)
    data = jax.tree.map(lambda x: jnp.broadcast_to(x, (num_envs, *x.shape)), mjx.make_data(episodes.model))
    data = data.replace(
        qpos=jnp.asarray(episodes.positions(begun), jnp.float32),
        qvel=jnp.asarray(episodes.velocities(begun), jnp.float32),
    )
    first = data, jnp.asarray(rng.integers(episodes.length, size=num_envs), jnp.int32)
    return Built(
        {"run": batch_steps(one_step, first, num_envs)},
        {
            "autoreset": f"fresh, after {episodes.length} steps",
            "counted": "physics alone: no observations, rewards or flags",
            "device": jax.devices()[0].device_kind,
        },
    )
