"""Ours."""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.core.layouts import LAYOUTS, PLAIN

ENVS = None
NEEDS: dict[str, str] = {}
LARGEST = 2**20
STEPS_A_CALL = 2**22  # of all environments together; calls of a few milliseconds cost two devices a quarter
NATIVE_STEPS_A_CALL = 2**16  # of an environment outside of JAX, stepped from Python
OPERATIONS_A_CALL = 2**34  # by `core.cost`: where a step takes many, as in physics, a call of 2**22 would take minutes
LONGEST = 8192  # steps of one environment in a call
ONE_DEVICE = "one device"  # after `tune_cpu`, with XLA's own threads for large matrices


def layouts(what: str) -> tuple[str, ...]:
    return {"random": LAYOUTS, "ppo": LAYOUTS, "share": (ONE_DEVICE,)}.get(what, ())


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Set JAX up for the layout."""
    from envwright.core import tune_cpu

    if job.layout != PLAIN:
        tune_cpu(_devices(job))


def build(job: Job) -> Built:
    import jax

    built = {"random": _random, "ppo": _ppo, "share": _share}[job.what](job)
    return Built(built.parts, {"autoreset": "fresh", "device": jax.devices()[0].device_kind, **built.facts})


def _random(job: Job) -> Built:
    import jax

    from envwright.bench.sides import training
    from envwright.core import NativeEnv, key, make, rollout

    env = make(job.env, **job.options)
    if isinstance(env, NativeEnv):
        steps = steps_a_call(job.num_envs, NATIVE_STEPS_A_CALL)
        return Built({"run": training.host_env_only(env.batch(job.num_envs), steps)}, {"steps_a_call": steps})
    steps = steps_a_call(job.num_envs, STEPS_A_CALL)
    steps = max(1, min(steps, OPERATIONS_A_CALL // (_operations(env) * job.num_envs)))
    run = rollout(env, num_envs=job.num_envs, steps=steps, devices=_devices(job), fused=job.layout != PLAIN)
    keys = [key(i) for i in range(1, 17)]
    last: list[Any] = [run.reset(key(0))]

    def go(calls: int) -> int:
        for i in range(calls):
            last[0] = run(keys[i % len(keys)], last[0])
        jax.block_until_ready(last[0])
        return calls * steps * job.num_envs

    return Built({"run": go}, {"steps_a_call": steps})


def _operations(env: Any) -> int:
    """About how many simple operations a step of one environment takes; traced, not run."""
    import jax

    from envwright.core import key
    from envwright.core.autoreset import to_back
    from envwright.core.cost import cost
    from envwright.core.rollout import random_actions

    params, keys = env.default_params, jax.random.split(key(0), 1)
    _, states = jax.eval_shape(jax.vmap(env.init, (0, None)), keys, params)
    actions = jax.eval_shape(lambda states: random_actions(env, keys, to_back(states), params), states)
    state, action = jax.eval_shape(lambda batch: jax.tree.map(lambda leaf: leaf[0], batch), (states, actions))
    return max(1, cost(lambda state, action: env.transition(keys[0], state, action, params), state, action).operations)


def _ppo(job: Job) -> Built:
    from envwright.bench.sides import training
    from envwright.core import make
    from envwright.training.trainers import trainer_of

    config = training.config_of(job, job.sizes["hidden"])
    env = make(job.env, **job.options)
    go, size = training.updates(trainer_of(env, config, devices=_devices(job)), config)
    return Built({"run": go}, {"parameters": size})


def _share(job: Job) -> Built:
    """Whole updates, and their environments alone."""
    from envwright.bench.sides import training
    from envwright.core import NativeEnv, make
    from envwright.training.trainers import trainer_of

    env = make(job.env, **job.options)
    hidden = training.hidden_for(job.sizes["parameters"], *training.inputs_and_outputs(env))
    config = training.config_of(job, hidden)
    go, size = training.updates(trainer_of(env, config, devices=1), config)
    native = isinstance(env, NativeEnv)
    alone = (
        training.host_env_only(env.batch(job.num_envs), config.steps)
        if native
        else training.env_only(env, job.num_envs, config.steps)
    )
    return Built({"env": alone, "update": go}, {"parameters": size})


def _devices(job: Job) -> int:
    return 1 if job.layout in (PLAIN, ONE_DEVICE) else job.cores


def steps_a_call(num_envs: int, budget: int) -> int:
    """Long enough for the call not to matter, short enough for a turn."""
    return max(16, min(LONGEST, budget // num_envs))
