"""The process in which a candidate is timed: builds a rollout of it, and makes calls when asked (`speed.py`).

Run as `python -m envwright.recipe.jax_timer NAME OPTIONS LAYOUT READ WRITE` in the folder that the candidate is
imported from. It holds no clock: whoever asks does.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np

from envwright.candidates.child import sentence
from envwright.candidates.find import find_candidate
from envwright.candidates.jax_candidate import JaxCandidate
from envwright.core import Box, Env, Rollout, key, rollout, tune_cpu
from envwright.core.errors import EnvwrightError
from envwright.core.layouts import PLAIN
from envwright.core.rollout import Policy, random_policy
from envwright.sandbox.serve import serve

KEYS = 16  # random keys for so many calls, then they begin again


class JaxTimer:
    """A rollout that is built when asked for, and again if another is asked for."""

    def __init__(self, name: str, options: dict[str, Any], layout: str) -> None:
        self.name, self.options, self.layout = name, options, layout
        self.env: Env[Any, Any] | None = None
        self.run: Rollout | None = None
        self.keys: list[jax.Array] = []
        self.last: Any = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """One request; what the candidate's code raises is an answer, too."""
        try:
            if "load" in message:
                return {"value": self._load()}
            if "build" in message:
                return {"value": self._build(*message["build"])}
            return {"value": self._go(message["go"])}
        except EnvwrightError as error:
            return {"error": str(error)}
        except Exception as error:  # generated code may raise anything
            return {"error": sentence(error)}

    def _load(self) -> dict[str, Any]:
        if self.layout != PLAIN:
            tune_cpu()
        found = find_candidate(self.name, self.options, Path.cwd())
        if not isinstance(found, JaxCandidate) or found.rules.env is None:
            raise EnvwrightError(f"{self.name} is not an environment in envwright's interface, so it cannot be timed.")
        self.env = found.rules.env
        devices = jax.devices()
        self.keys = [key(i) for i in range(KEYS)]
        return {"devices": len(devices), "device": devices[0].device_kind, "jax": jax.__version__}

    def _build(self, num_envs: int, steps: int) -> None:
        """Compile, by resetting and making the first call."""
        assert self.env is not None
        self.run = rollout(self.env, _policy(self.env), num_envs=num_envs, steps=steps, fused=self.layout != PLAIN)
        self.last = self.run.reset(self.keys[0])
        self._go(1)

    def _go(self, calls: int) -> None:
        assert self.run is not None
        for i in range(calls):
            self.last = self.run(self.keys[i % KEYS], self.last)
        jax.block_until_ready(self.last)


def _policy(env: Env[Any, Any]) -> Policy:
    """Random actions; where a box has no bounds, normal ones."""
    params = env.default_params
    space = env.action_space(params)
    if isinstance(space, Box) and not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
        return lambda keys, obs: jax.vmap(lambda k: jax.random.normal(k, space.shape, space.dtype))(keys)
    return random_policy(env, params)


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    serve(JaxTimer(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]).answer, int(sys.argv[4]), int(sys.argv[5]))
