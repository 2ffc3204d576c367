"""A crate in Rust as a candidate: the library that cargo built, loaded and asked in batches."""

import hashlib
import importlib.machinery
import importlib.util
import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.apart import read_space
from envwright.candidates.play_on import play_on_stepwise
from envwright.candidates.protocol import ColumnKind, Columns
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Space

_loaded: dict[str, ModuleType] = {}  # by what is in the file

Kinds = dict[str, ColumnKind]


class RustError(EnvwrightError, RuntimeError):
    """The rules of a crate panicked; says what and where."""


def rust_candidate(path: Path | str, name: str | None = None, max_episode_steps: int | None = None) -> "RustCandidate":
    """The library at `path`, or the one in that folder of a crate or of its Python package."""
    path = Path(path)
    found = path if path.is_file() else next(iter(sorted(_libraries(path))), None)
    if found is None:
        raise EnvwrightError(f"There is no built crate in {path}; build it with cargo first.")
    candidate = RustCandidate(load(found), name or f"rust:{path}", found)
    limit = candidate.about["max_episode_steps"]
    if max_episode_steps is not None and max_episode_steps != limit:
        raise EnvwrightError(
            f"{candidate.name} was built with max_episode_steps = {limit}, but the contract's [candidate_options] say "
            f"{max_episode_steps}; build it anew."
        )
    return candidate


def _libraries(folder: Path) -> list[Path]:
    return [*folder.glob("*.abi3.so"), *folder.glob("python/*/*.abi3.so")]


def load(path: Path) -> ModuleType:
    """The module in a library. Loaded from a copy, so that it can be built again while it is in use."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest not in _loaded:
        name = path.name.partition(".")[0]
        with tempfile.TemporaryDirectory(prefix="envwright-") as folder:
            copy = shutil.copy(path, Path(folder) / path.name)
            loader = importlib.machinery.ExtensionFileLoader(name, str(copy))
            spec = importlib.util.spec_from_loader(name, loader)
            assert spec is not None
            try:
                module = importlib.util.module_from_spec(spec)
                loader.exec_module(module)
            except ImportError as error:
                raise EnvwrightError(f"{path} cannot be loaded: {error}; build it again.") from error
        _loaded[digest] = module
    return _loaded[digest]


class RustCandidate:
    """The rules in a crate, run on all cores."""

    def __init__(self, module: ModuleType, name: str, path: Path) -> None:
        self.name, self._module, self._path = name, module, path
        self.about: dict[str, Any] = json.loads(module.ABOUT)
        self._layout = {group: _kinds(fields) for group, fields in module.layout()}

    @property
    def takes_chance(self) -> bool:
        return True

    @property
    def players(self) -> int:
        return 1

    @property
    def action_space(self) -> Space | None:
        return read_space(self.about["action_space"])

    @property
    def params(self) -> Columns:
        return {}

    def kinds(self) -> Kinds:
        return dict(self._layout["told"])

    def chance_kinds(self) -> tuple[Kinds, Kinds]:
        return dict(self._layout["start_luck"]), dict(self._layout["step_luck"])

    def provenance(self) -> dict[str, Any]:
        digest = hashlib.sha256(self._path.read_bytes()).hexdigest()
        return {"candidate": self.name, "crate": self.about["package"], "library sha256": digest}

    @property
    def action_kind(self) -> ColumnKind:
        """What one game's action looks like in memory."""
        return self._layout["action"]["action"]

    def batch(self, num_envs: int) -> Any:
        """The crate's own batch of games on all cores, as its users have it."""
        return self._module.Batch(num_envs, None)

    # ---- in batches ----

    def init(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._run("init", self._layout["seen"], (len(seeds),), _seeds(seeds))

    def start(self, chance: Columns, games: int) -> Columns:
        drawn = self._chance("start_luck", chance, (games,))
        return self._run("start", self._layout["seen"], (games,), games, drawn)

    def step(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        row = None if chance is None else {name: np.asarray(column)[:, None] for name, column in chance.items()}
        played = self.play(state, np.asarray(actions)[:, None], row)
        return {name: column[:, 0] for name, column in played.items()}

    def step_uncompiled(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self.step(state, actions, chance)  # there is only the compiled one

    def play(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        games, steps = lead = np.shape(actions)[:2]
        drawn = None if chance is None else self._chance("step_luck", chance, lead)
        given = (games, steps, self._state(state, games), self._actions(actions, lead), drawn)
        return self._run("play", self._layout["told"], lead, *given)

    def play_on(self, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns) -> Columns:
        return play_on_stepwise(self, state, actions, chance, start)

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._run("draw_start", self._layout["start_luck"], (len(seeds),), _seeds(seeds))

    def draw(self, seeds: NDArray[np.uint32], state: Columns, actions: NDArray[Any]) -> Columns:
        lead = (len(seeds),)
        given = (_seeds(seeds), self._state(state, len(seeds)), self._actions(actions, lead))
        return self._run("draw", self._layout["step_luck"], lead, *given)

    def phases(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> dict[str, Columns]:
        kinds, games = self._layout["phases"], len(actions)
        if not kinds:
            return {}
        if chance is None:
            chance = self.draw(np.arange(games, dtype=np.uint32), state, actions)
        drawn = self._chance("step_luck", chance, (games,))
        given = (games, self._state(state, games), self._actions(actions, (games,)), drawn)
        found: dict[str, Columns] = {}
        for name, column in self._run("phases", kinds, (games,), *given).items():
            phase, _, value = name.rpartition("\0")
            found.setdefault(phase, {})[value] = column
        return found

    def draws(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> Columns:
        return {}

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        known = {name: (_kinds(fields), _kinds([result])) for name, fields, result in self._module.signatures()}
        if function not in known:
            raise EnvwrightError(f"{self.name} has no function {function}; correct the contract's [[function]].")
        wanted, result = known[function]
        if len(arguments) != len(wanted):
            raise EnvwrightError(
                f"{self.name}'s {function} takes {len(wanted)} arguments, but the contract's [[function]] gives it "
                f"{len(arguments)}."
            )
        games = len(arguments[0]) if arguments else 1
        given = [
            self._fitted(f"argument {name} of {function}", kind, argument, (games,))
            for (name, kind), argument in zip(wanted.items(), arguments, strict=True)
        ]
        room = np.empty((games, *result["result"].shape), result["result"].dtype)
        self._ask("call", function, games, given, room)
        return room

    def with_params(self, params: Columns) -> "RustCandidate":
        if params:
            raise EnvwrightError(f"{self.name} has no param {min(params)}; it has none. Correct [params].")
        return self

    def in_float64(self) -> "RustCandidate | None":
        """Itself, where it computes in double precision anyway, as its reference does.

        Its numbers are of the reference's own types. So if the reference's are double, the run in double precision is
        the one that there is. Where a number of the state or of the action is single, the reference in double
        precision throughout would be another program than the one that was translated.
        """
        space = self.action_space
        floats = [kind.dtype for kind in self._layout["state"].values() if kind.dtype.kind == "f"]
        floats += [space.dtype] if isinstance(space, Box) and space.dtype.kind == "f" else []
        return self if all(dtype == np.float64 for dtype in floats) else None

    # ---- how it is run ----

    def _run(self, what: str, kinds: Kinds, lead: tuple[int, ...], *given: Any) -> Columns:
        """Ask for columns: room for them is made here, and filled there."""
        columns = {name: np.empty((*lead, *kind.shape), kind.dtype) for name, kind in kinds.items()}
        self._ask(what, *given, list(columns.values()))
        return columns

    def _ask(self, what: str, *given: Any) -> None:
        try:
            getattr(self._module, what)(*given)
        except RuntimeError as error:
            raise RustError(f"{self.name}: {error}") from None

    @cached_property
    def _template(self) -> tuple[Columns, dict[str, Columns]]:
        """A game and some chance, for what a caller leaves out."""
        seed = np.zeros(1, np.uint32)
        state = {name.removeprefix("state."): c for name, c in self.init(seed).items() if name != "observation"}
        space = self.action_space
        action = np.zeros((1, *(space.shape if space else ())), self._layout["action"]["action"].dtype)
        return state, {"start_luck": self.draw_start(seed), "step_luck": self.draw(seed, state, action)}

    def _state(self, state: Columns, games: int) -> list[NDArray[Any]]:
        known = self._layout["state"]
        unknown = sorted(set(state) - set(known))
        if unknown:
            raise EnvwrightError(
                f"{self.name} has no field {unknown[0]} in its state; it has {', '.join(known)}. Correct [state]."
            )
        whole = state if set(state) == set(known) else {**self._as_in(self._template[0], (games,)), **state}
        return [self._fitted(f"field {name}", kind, whole[name], (games,)) for name, kind in known.items()]

    def _chance(self, group: str, chance: Columns, lead: tuple[int, ...]) -> list[NDArray[Any]]:
        known = self._layout[group]
        unknown = sorted(set(chance) - set(known))
        if unknown:
            raise EnvwrightError(f"{self.name} has no chance called {unknown[0]}; it has {', '.join(known) or 'none'}.")
        whole = chance if set(chance) == set(known) else {**self._as_in(self._template[1][group], lead), **chance}
        return [self._fitted(f"chance {name}", kind, whole[name], lead) for name, kind in known.items()]

    def _actions(self, actions: NDArray[Any], lead: tuple[int, ...]) -> NDArray[Any]:
        return self._fitted("action", self._layout["action"]["action"], actions, lead)

    def _as_in(self, template: Columns, lead: tuple[int, ...]) -> Columns:
        return {name: np.broadcast_to(column[0], (*lead, *column.shape[1:])) for name, column in template.items()}

    def _fitted(self, what: str, kind: ColumnKind, column: Any, lead: tuple[int, ...]) -> NDArray[Any]:
        """A column as the crate takes it; a whole number that does not fit is refused, not bent."""
        given = np.asarray(column)
        if given.shape != (*lead, *kind.shape):
            raise EnvwrightError(
                f"{self.name}'s {what} has the shape {kind.shape}, but the contract gives it "
                f"{given.shape[len(lead) :]}."
            )
        with np.errstate(invalid="ignore"):  # a number that is none as a whole one; it is found below
            fitted = np.ascontiguousarray(given, kind.dtype)
        safe = kind.dtype.kind == "f" or np.can_cast(given.dtype, kind.dtype, "safe")
        if not safe and not np.array_equal(given, fitted):
            raise EnvwrightError(
                f"{self.name}'s {what} is {kind.dtype}, but the contract gives it {given.dtype} that it cannot hold."
            )
        return fitted


def _kinds(fields: Sequence[tuple[str, Sequence[int], str]]) -> Kinds:
    return {name: ColumnKind(tuple(shape), np.dtype(dtype)) for name, shape, dtype in fields}


def _seeds(seeds: NDArray[np.uint32]) -> NDArray[np.uint64]:
    return np.ascontiguousarray(seeds, np.uint64)
