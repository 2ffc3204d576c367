"""A candidate in a process of its own: it may loop, crash, print or eat memory, and never holds what is expected of it.

The same protocol, question by question over a pipe; on the other side is `child.py`. When the process has died, every
further question fails at once with the same sentence.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import ColumnKind, Columns
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete, Space
from envwright.sandbox.process import Limits, Sandbox, SandboxError, python


class CandidateError(EnvwrightError, RuntimeError):
    """The candidate's code raised; says what and where."""


@dataclass(eq=False)
class ApartCandidate:
    """What `apart` gives."""

    name: str
    box: Sandbox
    handle: int = 0  # which of those in the box: `with_params` and `in_float64` make others

    @property
    def takes_chance(self) -> bool:
        return self._facts["takes_chance"]

    @property
    def players(self) -> int:
        return self._facts["players"]

    @property
    def action_space(self) -> Space | None:
        return read_space(self._facts["action_space"])

    @property
    def params(self) -> Columns:
        return self._facts["params"]

    def kinds(self) -> dict[str, ColumnKind]:
        return _kinds(self._ask("kinds"))

    def chance_kinds(self) -> tuple[dict[str, ColumnKind], dict[str, ColumnKind]]:
        start, step = self._ask("chance_kinds")
        return _kinds(start), _kinds(step)

    def provenance(self) -> dict[str, Any]:
        return self._ask("provenance")

    def init(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._ask("init", seeds)

    def start(self, chance: Columns, games: int) -> Columns:
        return self._ask("start", chance, games)

    def step(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self._ask("step", state, actions, chance)

    def step_uncompiled(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self._ask("step_uncompiled", state, actions, chance)

    def play(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self._ask("play", state, actions, chance)

    def play_on(self, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns) -> Columns:
        return self._ask("play_on", state, actions, chance, start)

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._ask("draw_start", seeds)

    def draw(self, seeds: NDArray[np.uint32], state: Columns, actions: NDArray[Any]) -> Columns:
        return self._ask("draw", seeds, state, actions)

    def phases(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> dict[str, Columns]:
        return self._ask("phases", state, actions, chance)

    def draws(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> Columns:
        return {}  # only shown, to whoever can change the code

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return self._ask("call", function, list(arguments))

    def with_params(self, params: Columns) -> "ApartCandidate":
        return ApartCandidate(self.name, self.box, self._ask("with_params", params))

    def in_float64(self) -> "ApartCandidate | None":
        handle = self._ask("in_float64")
        return None if handle is None else ApartCandidate(self.name, self.box, handle)

    def close(self) -> None:
        self.box.close()

    @cached_property
    def _facts(self) -> Any:
        return self._ask("facts")

    def _ask(self, what: str, *arguments: Any) -> Any:
        answer = self.box.ask({"handle": self.handle, "what": what, "arguments": arguments})
        if not isinstance(answer, dict) or ("value" not in answer and not isinstance(answer.get("error"), str)):
            raise SandboxError("garbled", "The generated code answered with something that is not an answer.")
        if "value" not in answer:
            raise CandidateError(answer["error"])
        return answer["value"]


def apart(
    name: str, folder: Path, options: dict[str, Any] | None = None, limits: Limits | None = None
) -> ApartCandidate:
    """The candidate called `name` in a process of its own, which works in `folder` and imports from there."""
    argv = [*python("envwright.candidates.child"), name, json.dumps(options or {})]
    return ApartCandidate(name, Sandbox(argv, folder, limits or Limits()))


# ---- what crosses the pipe ----


def plain_space(space: Space | None) -> Any:
    if space is None or isinstance(space, Discrete):
        return None if space is None else {"n": space.n}
    return {"low": space.low, "high": space.high, "shape": space.shape, "dtype": space.dtype.str}


def read_space(plain: Any) -> Space | None:
    if plain is None or "n" in plain:
        return None if plain is None else Discrete(plain["n"])
    low, high = (tuple(b) if isinstance(b, list) else b for b in (plain["low"], plain["high"]))
    return Box(low, high, tuple(plain["shape"]), np.dtype(plain["dtype"]))


def plain_kinds(kinds: dict[str, ColumnKind]) -> dict[str, Any]:
    return {name: [list(kind.shape), kind.dtype.str] for name, kind in kinds.items()}


def _kinds(plain: dict[str, Any]) -> dict[str, ColumnKind]:
    return {name: ColumnKind(tuple(shape), np.dtype(dtype)) for name, (shape, dtype) in plain.items()}
