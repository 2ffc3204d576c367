"""An environment's own reference, where it steps games by itself: C, Rust, Node or Python in processes of their own.

PPO over them is ours (`HostTrainer`), network and batch as in the JAX one, so that only the environment differs.
"""

import threading
from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import PeerEnvs, racing, reference_kind
from envwright.bench.sides.envwright_side import ONE_DEVICE
from envwright.core.layouts import PLAIN, PROCESSES
from envwright.core.registry import spec
from envwright.references.registry import ReferenceKind

ENVS = PeerEnvs(racing)
NEEDS: dict[str, str] = {}
LARGEST = 2**17
THREADS = "threads"  # a batch and a thread a core: they run without Python's lock


def layouts(what: str) -> tuple[str, ...]:
    return {"random": (THREADS,), "ppo": (PLAIN, PROCESSES), "share": (ONE_DEVICE,)}.get(what, ())


def prepare(env: str) -> None:
    """Fetch and compile it."""
    _kind(env).obtain()


def set_up(job: Job) -> None:
    """Set up the JAX that learns, if anybody does."""
    from envwright.core import tune_cpu

    if job.layout in (PROCESSES, ONE_DEVICE):
        tune_cpu(1)


def build(job: Job) -> Built:
    built = {"random": _random, "ppo": _ppo, "share": _share}[job.what](job)
    return Built(built.parts, {"autoreset": "fresh", "device": "cpu", **built.facts})


def _kind(env: str) -> ReferenceKind:
    kind = reference_kind(spec(env))
    assert kind is not None  # or the environment would not be among ENVS
    return kind


def _random(job: Job) -> Built:
    a_core = job.num_envs // job.cores
    batches = [_kind(job.env).racing(a_core, **job.options) for _ in range(job.cores)]
    steps = max(1, _kind(job.env).race_steps // a_core)

    def go(calls: int) -> int:
        racing = [batch.race for batch in batches if batch is not None]
        threads = [threading.Thread(target=race, args=(calls * steps, i + 1)) for i, race in enumerate(racing)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return calls * steps * job.num_envs

    return Built({"run": go}, {"steps_a_call": steps})


def _ppo(job: Job) -> Built:
    from envwright.bench.sides import training

    config = training.config_of(job, job.sizes["hidden"])
    go, size = training.host_updates(_stepping(job), config)
    return Built({"run": go}, {"parameters": size, "trainer": "envwright's, over the reference"})


def _share(job: Job) -> Built:
    """Whole updates, and their environments alone."""
    from envwright.bench.sides import training
    from envwright.core import make

    numbers = training.inputs_and_outputs(make(job.env, **job.options))
    config = training.config_of(job, training.hidden_for(job.sizes["parameters"], *numbers))
    go, size = training.host_updates(_stepping(job), config)
    alone = training.host_env_only(_stepping(job), config.steps)
    return Built({"env": alone, "update": go}, {"parameters": size})


def _stepping(job: Job) -> Any:
    from envwright.core import Env, make
    from envwright.core.native import spaces_of

    env = make(job.env, **job.options)
    masked = isinstance(env, Env) and masks_actions(env)
    return _kind(job.env).stepping(job.num_envs, *spaces_of(env), masked, **job.options)


def masks_actions(env: Any) -> bool:
    """Whether an environment says which actions are legal."""
    import jax

    from envwright.core import chance

    params = env.default_params

    def legal(key: jax.Array) -> Any:
        return env.legal_actions(env.init(key, params)[1], params)

    return jax.eval_shape(legal, chance.key(0)) is not None
