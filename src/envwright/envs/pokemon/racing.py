"""Battles of Showdown that nobody watches, in a process of their own, for benchmarks."""

import json
import os
import subprocess
from pathlib import Path

from envwright.envs.pokemon import package
from envwright.envs.pokemon.oracle import NODE
from envwright.references.protocol import ReferenceFailedError

PROGRAM = Path(__file__).parent / "showdown" / "race.js"


class ShowdownRace:
    """`num_envs` battles in one Node process, which takes random choices of its own."""

    def __init__(self, num_envs: int) -> None:
        environment = {**os.environ, package.PLACE: str(package.folder())}
        self._process = subprocess.Popen(
            [os.environ.get(NODE, "node"), str(PROGRAM), str(num_envs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._hear()

    def race(self, steps: int, seed: int) -> None:
        """Take `steps` updates in every battle; Python waits for a line, without its lock."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"steps": steps, "seed": seed}) + "\n")
        self._process.stdin.flush()
        self._hear()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise ReferenceFailedError(f"Pokemon Showdown's process ended with {self._process.wait()} in a race.")
