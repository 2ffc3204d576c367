"""One step of a JAX peer's batch, as it is raced, printed as JSON: before and after.

A process of its own: the XLA option that the tests turn on for ours makes XLA crash on MJX, and neither MJX nor Brax
keeps to the strict promotion of dtypes that the tests ask for.
"""

import json
import sys
from typing import Any

import jax
import numpy as np

from envwright.bench import sides
from envwright.bench.job import Job
from envwright.bench.sides import jax_loop
from envwright.core import register


def main(side: str, env: str, entry_point: str, layout: str) -> None:
    register(env, entry_point)
    found: list[Any] = []

    def capture(one_step: Any, first: Any, num_envs: int) -> Any:
        found.extend((one_step, first))
        return lambda calls: calls * num_envs

    jax_loop.batch_steps = capture
    job = Job(side, env, "random", layout, 1, 4)
    sides.side(side).set_up(job)
    sides.side(side).build(job)
    one_step, first = found
    after = jax.jit(one_step)(first, jax.random.key(0))
    print(json.dumps([_columns(side, first), _columns(side, after)]))


def _columns(side: str, carry: Any) -> dict[str, Any]:
    if side == "mjx":
        data, age = carry
        named = {"qpos": data.qpos, "qvel": data.qvel, "ctrl": data.ctrl, "age": age}
    else:
        named = {"obs": carry.obs, "age": carry.info["steps"]}
    return {name: np.asarray(value, float).tolist() for name, value in named.items()}


if __name__ == "__main__":
    main(*sys.argv[1:])
