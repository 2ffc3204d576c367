"""Python games that nobody watches, in a process of their own, for benchmarks: random actions, legal ones if they tell.

A process a core, because Python runs one thread at a time. `python -m envwright.references.python_race` is the child;
its lines are JSON.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.references.gymnasium_env import mask_of, players_of, sampler_of, unwatched_maker
from envwright.references.protocol import ReferenceFailedError


class PythonRace:
    """`num_envs` games in one Python process, which takes random actions of its own."""

    def __init__(self, id: str, settings: Mapping[str, Any], num_envs: int, options: Mapping[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._id = id
        self._say({"id": id, "settings": dict(settings), "num_envs": num_envs, "options": dict(options)})

    def race(self, steps: int, seed: int) -> None:
        """Take `steps` steps in every game; Python waits for a line, without its lock."""
        self._say({"steps": steps, "seed": seed})

    def close(self) -> None:
        """End the process; nothing runs in it afterwards."""
        with self._process:  # waits for it, and closes what leads there
            self._process.kill()

    def _say(self, line: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or "{}")
        if "done" not in answer:
            why = answer.get("error", f"its process ended with {self._process.wait()}")
            raise ReferenceFailedError(f"{self._id} failed in a race: {why}.")


def serve() -> None:
    """The child: begins games, then takes as many steps as each line says."""
    asked = json.loads(sys.stdin.readline())
    make = unwatched_maker(asked["id"], asked["settings"], asked["options"])
    games = [_Game(make(), seed) for seed in range(asked["num_envs"])]
    _answer({"done": True})
    for line in sys.stdin:
        asked = json.loads(line)
        rng = np.random.default_rng(asked["seed"])
        for _ in range(asked["steps"]):
            for game in games:
                game.step(rng)
        _answer({"done": True})


class _Game:
    """One environment, begun anew whenever it ends."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env, self.players, self.mask = env, players_of(env), mask_of(env)
        self.sample = sampler_of(getattr(env, "action_space", None))
        self.info = env.reset(seed=seed)[1]

    def step(self, rng: np.random.Generator) -> None:
        made = self.env.step(self._action(rng))
        self.info = made[4]
        if made[2] or made[3]:
            self.info = self.env.reset(seed=None)[1]

    def _action(self, rng: np.random.Generator) -> Any:
        legal = self.mask(self.env, self.info)
        if legal is None:
            return self.sample(rng) if self.players == 1 else [self.sample(rng) for _ in range(self.players)]
        legal = np.asarray(legal)
        chosen = np.where(legal, rng.random(legal.shape), -1.0).argmax(axis=-1)
        return int(chosen) if self.players == 1 else chosen


def _answer(line: Mapping[str, Any]) -> None:
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    try:
        serve()
    except (EnvwrightError, OSError) as error:
        _answer({"error": str(error)})
