"""gymnax: steps under `vmap` and `scan`, as its own examples run them, in our layouts."""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference, in_gymnax
from envwright.bench.sides.envwright_side import steps_a_call
from envwright.core.layouts import PLAIN, PROCESSES, SHARDED

ENVS = by_reference("gymnasium", in_gymnax)
NEEDS = {"gymnax": "gymnax", "six": "gymnax"}
LARGEST = 2**17
STEPS_A_CALL = 2**20  # of all environments together
TUNED = f"{PROCESSES}, tuned"  # with the XLA option that `envwright.tune_cpu` turns on


def layouts(what: str) -> tuple[str, ...]:
    return (PLAIN, SHARDED, PROCESSES, TUNED) if what == "random" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Set JAX up before gymnax is imported, which starts it."""
    import jax

    from envwright.core import tune_cpu

    if job.layout == TUNED:
        tune_cpu(1)
    elif job.layout == SHARDED:
        jax.config.update("jax_num_cpu_devices", job.cores)
    import gymnax  # noqa: F401


def build(job: Job) -> Built:
    import gymnax
    import jax
    from jax.sharding import PartitionSpec

    from envwright.core import execute

    env, params = gymnax.make(ENVS[job.env])
    steps = steps_a_call(job.num_envs, STEPS_A_CALL)
    over = execute.mesh(job.cores if job.layout == SHARDED else 1)
    batch = PartitionSpec(execute.AXIS)

    def one_step(carry: Any, key: Any) -> tuple[Any, None]:
        _, state, *_ = carry
        act_key, step_key = jax.random.split(key)
        share = state.time.shape[0]
        actions = jax.vmap(env.action_space(params).sample)(jax.random.split(act_key, share))
        keys = jax.random.split(step_key, share)
        obs, state, reward, terminated, truncated, _ = jax.vmap(env.step, (0, 0, 0, None))(keys, state, actions, params)
        return (obs, state, reward, terminated, truncated), None

    def many_steps(keys: Any, carry: Any) -> Any:
        return jax.lax.scan(one_step, carry, jax.random.split(keys[0], steps))[0]

    def start(keys: Any) -> Any:
        def one(key: Any) -> Any:
            obs, state = env.reset(key, params)
            return obs, state, *env.step(key, state, env.action_space(params).sample(key), params)[2:5]

        return jax.vmap(one)(jax.random.split(keys[0], job.num_envs // over.size))

    # A key a device, so that devices need not talk.
    run = jax.jit(jax.shard_map(many_steps, mesh=over, in_specs=batch, out_specs=batch, check_vma=False))
    reset = jax.jit(jax.shard_map(start, mesh=over, in_specs=batch, out_specs=batch, check_vma=False))
    keys = [jax.random.split(jax.random.key(i), over.size) for i in range(16)]
    last = [reset(keys[0])]

    def go(calls: int) -> int:
        for i in range(calls):
            last[0] = run(keys[i % len(keys)], last[0])
        jax.block_until_ready(last[0])
        return calls * steps * job.num_envs

    return Built({"run": go}, {"steps_a_call": steps, "autoreset": "fresh", "device": jax.devices()[0].device_kind})
