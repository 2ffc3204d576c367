"""The process in which a Rust candidate is timed, as `jax_timer.py` is for JAX: all cores, arrays of our own, no clock.

Run as `python -m envwright.recipe.rust_timer PACKAGE READ WRITE` in the folder of the crate.
"""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from envwright.candidates.child import sentence
from envwright.candidates.rust_crate import rust_candidate
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete
from envwright.sandbox.serve import serve

ACTIONS = 64  # steps for which actions are drawn beforehand; then they begin again


class RustTimer:
    """Games in a batch, stepped as often as asked."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.steps = 0

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """One request; what the candidate's code raises is an answer, too."""
        try:
            if "load" in message:
                return {"value": {"devices": 1, "device": "cpu", "threads": os.cpu_count()}}
            if "build" in message:
                return {"value": self._build(*message["build"])}
            return {"value": self._go(message["go"])}
        except EnvwrightError as error:
            return {"error": str(error)}
        except Exception as error:  # a panic of the rules is an exception
            return {"error": sentence(error)}

    def _build(self, num_envs: int, steps: int) -> None:
        candidate = rust_candidate(Path(self.package))
        space = candidate.action_space
        rng = np.random.default_rng(0)
        if isinstance(space, Discrete):
            self.actions = rng.integers(space.n, size=(ACTIONS, num_envs))
        else:
            assert space is not None
            low, high = (np.clip(bound, -1e3, 1e3) for bound in (space.low, space.high))
            self.actions = rng.uniform(low, high, (ACTIONS, num_envs, *space.shape))
        self.actions = self.actions.astype(candidate.action_kind.dtype)
        kind = candidate.kinds()["observation"]
        self.obs = np.empty((num_envs, *kind.shape), kind.dtype)
        self.rewards, self.flags = np.empty(num_envs), np.empty((2, num_envs), bool)
        self.batch = candidate.batch(num_envs)
        self.batch.reset_into(np.arange(num_envs, dtype=np.uint64), self.obs)
        self.steps = steps
        self._go(1)

    def _go(self, calls: int) -> None:
        for i in range(calls * self.steps):
            self.batch.step_into(self.actions[i % ACTIONS], self.obs, self.rewards, *self.flags)


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    serve(RustTimer(sys.argv[1]).answer, int(sys.argv[2]), int(sys.argv[3]))
