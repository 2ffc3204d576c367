"""rejax's PPO on gymnax: the JAX trainer that ours is to be compared with, network and batch alike."""

from typing import Any

from envwright.bench.job import Built, Job
from envwright.bench.peers import by_reference, in_gymnax
from envwright.core.layouts import PLAIN, PROCESSES

ENVS = by_reference("gymnasium", in_gymnax)
NEEDS = {"rejax": "bench", "gymnax": "bench", "six": "bench"}
LARGEST = 2**17


def layouts(what: str) -> tuple[str, ...]:
    return (PLAIN, PROCESSES) if what == "ppo" else ()


def prepare(env: str) -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    """Import it."""
    del job
    import rejax  # noqa: F401


def build(job: Job) -> Built:
    import jax
    import rejax

    env = _five_values(ENVS[job.env])
    hidden = job.sizes["hidden"]
    algorithm: Any = rejax.get_algo("ppo").create(
        env=env,
        env_params=env.default_params,
        num_envs=job.num_envs,
        num_steps=job.sizes["steps"],
        num_minibatches=job.sizes["minibatches"],
        num_epochs=job.sizes["epochs"],
        max_grad_norm=0.5,
        agent_kwargs={"activation": "tanh", "hidden_layer_sizes": (hidden, hidden)},
    )
    # One turn of the loop in rejax's `train`, without the evaluations between them, which ours does not make either.
    update = jax.jit(algorithm.train_iteration, donate_argnums=0)
    state = [jax.jit(algorithm.init_state)(jax.random.key(0))]

    def go(calls: int) -> int:
        for _ in range(calls):
            state[0] = update(state[0])
        jax.block_until_ready(state[0])
        return calls * job.num_envs * job.sizes["steps"]

    return Built({"run": go}, {"autoreset": "fresh", "device": jax.devices()[0].device_kind})


def _five_values(id: str) -> Any:
    """gymnax's environment as rejax 0.1.3 expects it: gymnax 1.0's step returns six values, rejax unpacks five."""
    import gymnax

    kind: Any = type(gymnax.make(id)[0])

    class FiveValues(kind):
        def step(self, key: Any, state: Any, action: Any, params: Any = None) -> Any:
            obs, state, reward, terminated, truncated, info = super().step(key, state, action, params)
            return obs, state, reward, terminated | truncated, info

    return FiveValues()
