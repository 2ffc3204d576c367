"""What the machine can do, and what a step asks of it, so that one sees how far from the roof a step runs.

As a side of a race (`machine`), each part does one kind of work as fast as JAX can: a product of large matrices, a
chain of multiply-adds in the first-level cache, and a triad (a = b + s * a) in that cache and through main memory.
What a step asks is XLA's own count for one step of a batch; a loop would not do, because XLA counts its body once.
"""

from typing import Any

from envwright.bench.job import Built, Job, Part
from envwright.core.layouts import PROCESSES

ENVS = None
NEEDS: dict[str, str] = {}
LARGEST = 2**20
MATRIX = 1024  # rows and columns
CACHED = 2048  # floats: two such arrays fill 16 KiB of a first-level cache of 32
LARGE = 2**24  # floats: 64 MiB an array, beyond any cache
CHAIN = 16  # multiply-adds on an element between load and store
UNITS = {"matmul": "flops", "chain": "flops", "cache": "bytes", "memory": "bytes"}


def layouts(what: str) -> tuple[str, ...]:
    return (PROCESSES,) if what == "roof" else ()


def prepare() -> None:
    """Nothing to fetch."""


def set_up(job: Job) -> None:
    from envwright.core import tune_cpu

    del job
    tune_cpu(1)


def build(job: Job) -> Built:
    """One core's limits, and what a step asks, by XLA's count."""
    import jax
    import jax.numpy as jnp

    from envwright.core import execute

    square, vector = jnp.full((MATRIX, MATRIX), 0.5, jnp.float32), jnp.full(LARGE, 0.5, jnp.float32)
    small = vector[:CACHED]
    again = 20_000  # passes over a cached array in a call

    def chain(x: Any) -> Any:
        def body(_: Any, x: Any) -> Any:
            for i in range(CHAIN):
                x = x * jnp.float32(0.999 - 0.001 * i) + jnp.float32(0.001)
            return x

        return jax.lax.fori_loop(0, again, body, x)

    def triad(times: int) -> Any:
        # In place: an array made anew in every call would be mostly the time in which the system hands out its pages.
        return lambda a, b: jax.lax.fori_loop(0, times, lambda _, a: b + jnp.float32(0.5) * a, a)

    one_kernel = execute.one_kernel
    parts = {
        "matmul": _part(jax.jit(lambda a: a @ a), (square,), 2 * MATRIX**3),
        "chain": _part(jax.jit(one_kernel(chain)), (small,), 2 * CHAIN * again * CACHED),
        "cache": _part(jax.jit(one_kernel(triad(again))), (small, small), 12 * again * CACHED),
        "memory": _part(jax.jit(triad(10)), (vector, vector + 1), 12 * 10 * LARGE),
    }
    return Built(parts, step_cost(job.env, job.num_envs, job.options))


def step_cost(env_id: str, num_envs: int, options: dict[str, Any]) -> dict[str, Any]:
    """Flops and bytes of one step of one environment: actions drawn, auto-reset included.

    `loops` says that the step itself holds a loop (Pong's frames do), so that what is counted is too little.
    """
    import jax

    from envwright.core import key, make
    from envwright.core.autoreset import strategy, to_back
    from envwright.core.rollout import random_actions

    env = make(env_id, **options)
    params, how = env.default_params, strategy("fresh")

    def step(keys: Any, state: Any) -> Any:
        return how.step(env, keys, state, to_back(random_actions(env, keys, state, params)), params)[:5]

    keys = jax.random.split(key(0), num_envs)
    _, state = jax.eval_shape(lambda keys: how.reset(env, keys, params), keys)
    compiled = jax.jit(step).lower(keys, state).compile()
    found: Any = compiled.cost_analysis()
    return {
        "flops_a_step": (found.get("flops", 0.0) + found.get("transcendentals", 0.0)) / num_envs,
        "bytes_a_step": found.get("bytes accessed", 0.0) / num_envs,
        "loops": " while(" in (compiled.as_text() or ""),
    }


def _part(run: Any, inputs: tuple[Any, ...], amount: int) -> Part:
    import jax

    def go(calls: int) -> int:
        for _ in range(calls):
            jax.block_until_ready(run(*inputs))
        return calls * amount

    return go
