"""The slow original under the verifier's eyes: one game of PufferLib's C, shown as `Reference` wants it.

C resets a finished game within its last step. The verifier wants to see how it ended, so the memory just before that
reset is put back. C also keeps the last observation in a buffer and leaves it as it was when a point falls. The buffer
is no part of a snapshot, for no point falls in the first frame after a serve: wherever it is read, it is what C
computes from the state, and that is what `restore` has C do.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.core.record import field_names
from envwright.core.spaces import Box, Discrete, Space
from envwright.envs.pong.reference import (
    ARCHIVE,
    DRIVER,
    FLAGS,
    MARKED_FLAGS,
    PongReference,
    header,
    includes,
    library,
)
from envwright.envs.pong.state import Params
from envwright.references import c_coverage
from envwright.references.protocol import (
    Covered,
    Draw,
    Glimpse,
    Outcome,
    Reference,
    ReferenceFailedError,
    SnapshotError,
    TapeError,
    Watchpoint,
)

BODIES = ("paddle_yl", "paddle_yr", "ball_x", "ball_y", "ball_vx", "ball_vy")
_LOG = "log."
_OWN = (  # what the game itself wants to see of a step
    Watchpoint("shown", "compute_observations"),
    Watchpoint("over", "c_step", "c_reset(env);", 1),
    Watchpoint("over", "c_step", "c_reset(env);", 2),
)


class PongGame(Reference):
    """One game. A seed begins a new environment; a reset without one is C's own, which win and paddle_dir survive."""

    name = "pufferlib:pong"

    def __init__(self, frameskip: int = 1, continuous: bool = False) -> None:
        self.frameskip, self.continuous = frameskip, continuous
        self._builds: dict[tuple[Watchpoint, ...], Path] = {}
        self._build = self._built(())
        self._c = PongReference(1, frameskip=frameskip, continuous=continuous, build=self._build, on_glimpse=self._pass)
        self._new = self._c.snapshot()
        self._elapsed = 0
        self._shown: dict[str, Any] | None = None  # the bodies as last shown, once the game is over
        self._frame: dict[str, Any] = {}  # the last frame shown in the step under way
        self._final: tuple[NDArray[Any], NDArray[Any]] | None = None  # the memory before C's reset, if it came to that
        self._points: tuple[Watchpoint, ...] = ()
        self._glimpses: list[Glimpse] = []
        court = Params()
        self._constants = {name: np.asarray(getattr(court, name)).item() for name in field_names(Params)}

    @property
    def action_space(self) -> Space:
        return Box(-1.0, 1.0, (1,)) if self.continuous else Discrete(3)

    @property
    def observation_space(self) -> Space:
        return Box(-np.inf, np.inf, self.observation_shape)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return self._c.obs.shape[1:]

    def provenance(self) -> dict[str, Any]:
        return {
            "reference": ARCHIVE.requirement,
            "archive_sha256": ARCHIVE.sha256,
            "source": ARCHIVE.members[0],
            "sha256": hashlib.sha256(header().read_bytes()).hexdigest(),
            "compiler_flags": list(FLAGS),
            "frameskip": self.frameskip,
            "continuous": self.continuous,
        }

    def sample_action(self, rng: np.random.Generator) -> Any:
        return rng.uniform(-1, 1, 1).astype(np.float32) if self.continuous else int(rng.integers(3))

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        before = self._c.snapshot()
        if seed is not None:
            self._c.seed(seed % 2**32)
            self._c.restore(self._new)
        self._c.reset(_serves(tape))
        draws = self._drawn(tape, before)
        self._elapsed, self._shown = 0, None
        return Outcome(self._c.obs[0].copy(), 0.0, False, False, {}, draws)

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome:
        before = self._c.snapshot()
        self._frame, self._final = self._c.game(0), None
        self._c.step(np.asarray(action).reshape(-1), _serves(tape))
        draws = self._drawn(tape, before)
        self._elapsed, self._shown = self._elapsed + 1, None
        if self._final is not None:
            self._c.restore(self._final)
            self._shown = self._frame
        reward, terminated = float(self._c.reward[0]), bool(self._c.terminated[0])
        return Outcome(self._c.obs[0].copy(), reward, terminated, False, {}, draws)

    def look(self) -> dict[str, Any]:
        """Also `over`, and `shown`, the bodies as C last showed them: the frame of the last point it never does."""
        state = self.snapshot()
        shown = self._shown or state
        seen = {"over": self._shown is not None, "shown": {name: shown[name] for name in BODIES}}
        return {**self._constants, **state, **seen}

    def snapshot(self) -> dict[str, Any]:
        return {**_nested(self._c.game(0)), "elapsed_steps": self._elapsed}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        flat: dict[str, Any] = {}
        for name, value in snapshot.items():
            flat |= {f"{_LOG}{key}": v for key, v in value.items()} if name == "log" else {name: value}
        elapsed = flat.pop("elapsed_steps", self._elapsed)
        fields = self._c.fields
        for name, value in flat.items():
            if name not in fields:
                raise SnapshotError(f"{self.name} has no field {name} to restore; it has {', '.join(fields)}.")
            try:
                fields[name][0] = value
            except (OverflowError, TypeError, ValueError):
                raise ReferenceFailedError(f"{self.name}: {name} is a C {fields[name].dtype}, not {value!r}.") from None
        self._c.observe()
        self._elapsed, self._shown = int(elapsed), None

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        raise EnvwrightError(
            f"{function} of pong.h works on the whole game, not on arguments; compare it with a [[phase]] instead."
        )

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        self._points, self._glimpses = tuple(points), []
        self._c.use(self._built(self._points))
        try:
            outcome = self.step(action, tape)
        finally:
            self._c.use(self._build)
        return self._glimpses, outcome

    def late_changes(self) -> list[str]:
        return []  # the whole struct is the state

    def functions(self) -> list[str]:
        return []

    def record_calls(self, functions: Sequence[str], play: Callable[[], None]) -> dict[str, list[dict[str, Any]]]:
        """None: the functions of pong.h take the game and nothing else."""
        play()
        return {}

    @contextlib.contextmanager
    def covering(self) -> Iterator[Covered]:
        """Count what of pong.h runs inside of the `with`; the numbers are there when it ends."""
        with c_coverage.covering(DRIVER, includes(points=_OWN), MARKED_FLAGS, header()) as (build, covered):
            plain, self._build = self._build, build or self._build
            self._c.use(self._build)
            try:
                yield covered
            finally:
                self._build = plain
                self._c.use(plain)

    def close(self) -> None: ...

    def _built(self, points: tuple[Watchpoint, ...]) -> Path:
        if points not in self._builds:
            self._builds[points] = library(points=(*_OWN, *points))
        return self._builds[points]

    def _pass(self, number: int) -> None:
        """C is at a mark."""
        if number >= len(_OWN):
            point = self._points[number - len(_OWN)]
            so_far = {"obs": self._c.obs[0].copy(), "reward": float(self._c.reward[0])}
            so_far["terminated"] = bool(self._c.terminated[0])
            self._glimpses.append(Glimpse(point.phase, {**self._constants, **_nested(self._c.game(0)), **so_far}))
        elif _OWN[number].phase == "over":
            self._final = self._c.snapshot()
        elif self._final is None:
            self._frame = self._c.game(0)

    def _drawn(self, tape: Sequence[Draw] | None, before: tuple[NDArray[Any], NDArray[Any]]) -> tuple[Draw, ...]:
        """The luck of the last call; if it is not what the tape had, the call is undone."""
        count = int(self._c.draws[0])
        draws = (Draw(self._c.drawn_at, "rand", int(self._c.rand[0])),) if count else ()  # C never asks twice
        if tape is not None and [d.method for d in tape] != ["rand"] * count:
            self._c.restore(before)
            there = ", ".join(f"{d.method} at {d.site}" for d in tape) or "nothing"
            raise TapeError(f"The reference asked for rand {count} times, but the tape has {there}.")
        return draws


def _serves(tape: Sequence[Draw] | None) -> NDArray[np.int32] | None:
    return None if tape is None else np.array([tape[0].value if tape else 0], np.int32)


def _nested(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, those of the log in a dict of their own."""
    log = {name.removeprefix(_LOG): fields.pop(name) for name in tuple(fields) if name.startswith(_LOG)}
    return {**fields, "log": log}
