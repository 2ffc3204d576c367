"""The slow original: PufferLib 3.0.0's pong.h, fetched, compiled outside the repository and driven in batches."""

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import BatchStep
from envwright.core.errors import ActionError
from envwright.core.record import field_names
from envwright.core.spaces import Box, Discrete, Space
from envwright.envs.pong.state import Params
from envwright.references import c_library, c_source, sources
from envwright.references.protocol import Watchpoint

ARCHIVE = sources.SourceArchive(
    project="pufferlib",
    version="3.0.0",
    sha256="7df3a3e3f5f894d78d2a1f5374097890aec01473183e748abefe4f3faa10eaa9",
    members=("pufferlib/ocean/pong/pong.h", "raylib-5.5_linux_amd64/include/raylib.h"),
)
DRIVER = Path(__file__).with_name("driver.c")
FLAGS = ("-O2", "-fwrapv")  # PufferLib's own; no -march, so no fused multiply-add
MARKED_FLAGS = (*FLAGS, "-DPER_THREAD=__thread")  # there may be many marked builds in a process

_TYPES = {"float": np.float32, "uint32": np.uint32, "int32": np.int32}
_STATIC = ("frameskip", "continuous")
_COURT = np.dtype(  # Court in driver.c
    [(name, np.float32) for name in field_names(Params) if name != "max_score"]
    + [("max_score", np.uint32)]
    + [(name, np.int32) for name in _STATIC]
)


_LISTENER = ctypes.CFUNCTYPE(None, ctypes.c_int32)


def library(archive: Path | None = None, points: Sequence[Watchpoint] = ()) -> Path:
    """The compiled reference; fetched and built on first use. With points, it calls its listener at each of them."""
    return c_library.build("pong", DRIVER, includes(archive, points), MARKED_FLAGS if points else FLAGS)


def header(archive: Path | None = None) -> Path:
    """PufferLib's pong.h."""
    return sources.obtain(ARCHIVE, archive) / ARCHIVE.members[0]


def includes(archive: Path | None = None, points: Sequence[Watchpoint] = ()) -> list[Path]:
    """Where the driver finds its headers; with points, a marked pong.h."""
    pong, raylib = (sources.obtain(ARCHIVE, archive) / member for member in ARCHIVE.members)
    return [c_source.marked_copy(pong, points) if points else pong.parent, raylib.parent]


class PongReference:
    """`num_envs` games of the C environment, stepped together; the C code resets a finished game in the same step.

    Arrays it hands out are views of its memory: copy what you keep.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        frameskip: int = 1,
        continuous: bool = False,
        params: Params | None = None,
        build: Path | None = None,
        on_glimpse: Callable[[int], None] | None = None,
    ):
        self.use(build or library())
        self._listener = None if on_glimpse is None else _LISTENER(on_glimpse)  # kept alive for C
        params = params or Params()
        self.num_envs = num_envs
        self.continuous = continuous
        self.obs = np.zeros((num_envs, 8), np.float32)
        self.reward = np.zeros(num_envs, np.float32)
        self.terminated = np.zeros(num_envs, bool)
        self.rand = np.zeros(num_envs, np.int32)  # what rand() last gave each environment
        self.draws = np.zeros(num_envs, np.int32)  # how often it was asked during the last call
        self._actions = np.zeros(num_envs, np.float32)
        self._memory = np.zeros((num_envs, self._lib.struct_size()), np.uint8)
        self._structs = self._memory.view(self._struct_dtype())[:, 0]
        court = np.zeros((), _COURT)
        for name in field_names(Params):
            court[name] = getattr(params, name)
        court["frameskip"], court["continuous"] = frameskip, continuous
        self._lib.set_up(_at(self._memory), num_envs, _at(court))
        self._attach()

    def use(self, build: Path) -> None:
        """Play on with another build of the same source."""
        self._lib = c_library.load(build)
        self._lib.struct_size.restype = ctypes.c_size_t
        self._lib.race.restype = ctypes.c_uint32
        self._lib.drawn_in.restype = ctypes.c_char_p

    @property
    def fields(self) -> dict[str, NDArray[Any]]:
        """Every field of the games, as views; those of the log have names that begin with `log.`."""
        return {name: self._structs[name] for name in self._structs.dtype.names or ()}

    @property
    def chance(self) -> NDArray[np.int32]:
        """The luck of the last call as the translation takes it: the serve that C makes of rand()."""
        return self.rand % 2 - 1

    @property
    def drawn_at(self) -> str:
        """The line and the function that last called rand()."""
        return f"pong.h:{self._lib.drawn_line()} {self._lib.drawn_in().decode()}"

    def game(self, index: int) -> dict[str, Any]:
        """Every field of one game, as Python numbers, which hold C's exactly."""
        return dict(zip(self._structs.dtype.names or (), self._structs[index].item(), strict=True))

    def seed(self, seed: int) -> None:
        """Begin a new stream of the C library's rand()."""
        self._lib.seed(seed)

    def reset(self, serves: NDArray[np.int32] | None = None) -> NDArray[np.float32]:
        """New games. `serves` are the results of rand() to inject; without them the C library draws."""
        self._set_tape(serves)
        self._lib.reset_all(_at(self._memory), self.num_envs)
        return self.obs

    def step(self, actions: NDArray[Any], serves: NDArray[np.int32] | None = None) -> None:
        """One step of every game, with the clipping that PufferLib's Python wrapper does."""
        actions = np.asarray(actions)
        if actions.size != self.num_envs:
            raise ActionError(f"{self.num_envs} games need as many actions, but got an array of shape {actions.shape}.")
        self._actions[:] = np.clip(actions.reshape(-1), -1.0, 1.0) if self.continuous else actions
        self._set_tape(serves)
        self._lib.step_all(_at(self._memory), self.num_envs)

    def snapshot(self) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """All memory a game depends on: the whole structs, and the observations, which a point leaves stale."""
        return self._memory.copy(), self.obs.copy()

    def restore(self, snapshot: tuple[NDArray[np.uint8], NDArray[np.float32]]) -> None:
        """Go back to a snapshot, of this batch or of another of the same size."""
        self._memory[:], self.obs[:] = snapshot
        self._attach()

    def observe(self) -> None:
        """Have C compute the observations of the games as they are."""
        self._lib.set_listener(None)  # the last may be another batch's, and gone
        self._lib.observe_all(_at(self._memory), self.num_envs)

    def race(self, steps: int, seed: int = 1) -> None:
        """Step all games `steps` times with random actions drawn in C, for benchmarks."""
        self._set_tape(None)
        self._lib.race(_at(self._memory), self.num_envs, ctypes.c_int64(steps), ctypes.c_uint32(seed))

    def _attach(self) -> None:
        buffers = (self.obs, self._actions, self.reward, self.terminated)
        self._lib.attach(_at(self._memory), self.num_envs, *map(_at, buffers))

    def _set_tape(self, serves: NDArray[np.int32] | None) -> None:
        """Point the driver at the tape to read, if any, at the arrays to record into, and at who listens."""
        self.draws[:] = 0
        self._injected = None if serves is None else np.ascontiguousarray(serves, np.int32)  # kept alive for C
        inject = None if self._injected is None else _at(self._injected)
        self._lib.set_tape(inject, _at(self.rand), _at(self.draws))
        self._lib.set_listener(self._listener)

    def _struct_dtype(self) -> np.dtype[Any]:
        """The C struct as the compiler laid it out."""
        names = _strings(self._lib, "field_names")
        types = [_TYPES[name] for name in _strings(self._lib, "field_types")]
        places = (ctypes.c_size_t * len(names)).in_dll(self._lib, "field_places")
        return np.dtype(
            {"names": names, "formats": types, "offsets": list(places), "itemsize": self._lib.struct_size()}
        )


class PongBatch:
    """The C games behind the batch interface, for learners; C's own luck, and its own reset within the step."""

    def __init__(self, num_envs: int, *, frameskip: int = 1, continuous: bool = False) -> None:
        self.num_envs, self.players = num_envs, 1
        self.observation_space: Space = Box(0.0, 1.0, (8,))
        self.action_space: Space = Box(-1.0, 1.0, (1,)) if continuous else Discrete(3)
        self._games = PongReference(num_envs, frameskip=frameskip, continuous=continuous)

    def reset(self, seeds: Sequence[int] | None = None, mask: Any = None) -> NDArray[np.float32]:
        """New games, all of them. C has one stream of luck, so the first seed decides."""
        if mask is not None:
            raise ActionError("The C games are reset all together; leave the mask out.")
        if seeds is not None:
            self._games.seed(seeds[0])
        return self._games.reset().copy()

    def step_and_restart(self, actions: Any) -> BatchStep:
        """A step. C begins the new game before anyone can look, so what is seen last of the old one is lost with it."""
        games = self._games
        games.step(np.asarray(actions))
        obs, ended = games.obs.copy(), games.terminated.copy()
        return BatchStep(obs, games.reward.copy(), ended, np.zeros_like(ended), {}, obs)

    def legal_actions(self) -> None:
        """All actions may be taken at any time."""


def _at(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _strings(lib: ctypes.CDLL, name: str) -> list[str]:
    """A NULL-terminated array of C strings."""
    array = (ctypes.c_char_p * 64).in_dll(lib, name)
    found: list[str] = []
    for text in array:
        if text is None:
            break
        found.append(text.decode())
    return found
