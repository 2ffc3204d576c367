"""Any ordinary Gymnasium environment as a candidate: Python, one game after the other.

It is what a reference is, looked at from the other side, so that two versions of an environment can be compared, or a
port that is not written in JAX. Its state are the attributes that are numbers or arrays of one shape throughout a few
trial games; all others are as `reset` leaves them.
"""

import warnings
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import ColumnKind, Columns
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete, Space
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.protocol import Outcome, Reference

TRIAL = (4, 30)  # games, and steps of each, to see which attributes keep their shape


def gymnasium_candidate(id: str, /, **options: Any) -> "GymnasiumCandidate":
    """`gymnasium.make(id, **options)`, stepped in a loop; a time limit of the id truncates, and nothing resets."""
    return GymnasiumCandidate(gymnasium_reference(id, **options), f"gymnasium:{id}")


class GymnasiumCandidate:
    """A reference in the role of a candidate. It draws its own random numbers, by seed."""

    def __init__(self, reference: Reference, name: str) -> None:
        self.name, self._reference = name, reference

    @property
    def takes_chance(self) -> bool:
        return False

    @property
    def players(self) -> int:
        return self._reference.players

    @property
    def action_space(self) -> Space | None:
        return self._reference.action_space

    @property
    def params(self) -> Columns:
        return {}

    def kinds(self) -> dict[str, ColumnKind]:
        return self._kinds

    def chance_kinds(self) -> tuple[dict[str, ColumnKind], dict[str, ColumnKind]]:
        return {}, {}

    def provenance(self) -> dict[str, Any]:
        return {"candidate": self.name, **self._reference.provenance()}

    # ---- in batches ----

    def init(self, seeds: NDArray[np.uint32]) -> Columns:
        return self._columns(self._standing(self._reference.reset(seed=int(seed))) for seed in seeds)

    def start(self, chance: Columns, games: int) -> Columns:
        raise self._no_chance()

    def step(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        played = self.play(state, np.asarray(actions)[:, None], chance)
        return {name: column[:, 0] for name, column in played.items()}

    def step_uncompiled(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        return self.step(state, actions, chance)

    def play(self, state: Columns, actions: NDArray[Any], chance: Columns | None = None) -> Columns:
        if chance:
            raise self._no_chance()
        games, steps = np.shape(actions)[:2]
        self._check(state)
        flat = self._columns(
            self._told(self._step(action))
            for game in range(games)
            for action in self._moves(game, {name: column[game] for name, column in state.items()}, actions[game])
        )
        return {name: column.reshape(games, steps, *column.shape[1:]) for name, column in flat.items()}

    def play_on(self, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns) -> Columns:
        raise self._no_chance()

    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns:
        raise self._no_chance()

    def draw(self, seeds: NDArray[np.uint32], state: Columns, actions: NDArray[Any]) -> Columns:
        raise self._no_chance()

    def phases(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> dict[str, Columns]:
        return {}

    def draws(self, state: Columns, actions: NDArray[Any], chance: Columns | None) -> Columns:
        return {}

    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]:
        return np.asarray([self._reference.call(function, row) for row in zip(*arguments, strict=True)])

    def with_params(self, params: Columns) -> "GymnasiumCandidate":
        if params:
            raise EnvwrightError(f"{self.name} has no param {min(params)}; it has none. Correct [params].")
        return self

    def in_float64(self) -> "GymnasiumCandidate | None":
        fields = [kind.dtype for name, kind in self._kinds.items() if name.startswith("state.")]
        floats = [dtype for dtype in fields if dtype.kind == "f"]
        return self if floats and all(dtype == np.float64 for dtype in floats) else None

    # ---- one game ----

    def _moves(self, seed: int, state: Columns, actions: NDArray[Any]) -> Iterable[Any]:
        """Set a game up, then hand out its actions."""
        self._reference.reset(seed=seed)
        old = self._reference.snapshot()
        self._reference.restore({name: _in_kind(value, old[name]) for name, value in state.items()})
        yield from actions

    def _step(self, action: Any) -> Outcome:
        one = isinstance(self.action_space, Discrete) and self.players == 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Gymnasium warns of steps after the end, which are asked for here
            return self._reference.step(int(action) if one else action)

    def _standing(self, outcome: Outcome) -> dict[str, Any]:
        state = {f"state.{name}": value for name, value in self._reference.snapshot().items()}
        seats = {"legal_actions": outcome.legal, "acting": outcome.acting}
        given = {name: mask for name, mask in seats.items() if mask is not None}
        return {**state, **_numbers(outcome.obs, "observation"), **given}

    def _told(self, outcome: Outcome) -> dict[str, Any]:
        ends = {"reward": outcome.reward, "terminated": outcome.terminated, "truncated": outcome.truncated}
        return {**self._standing(outcome), **ends, **_numbers(outcome.info, "info")}

    # ---- columns ----

    @cached_property
    def _kinds(self) -> dict[str, ColumnKind]:
        """The kinds of all that was a number, and of one shape, in all steps of a few trial games and before them."""
        rng, moments, before = np.random.default_rng(0), [], []
        for seed in range(TRIAL[0]):
            before.append(self._standing(self._reference.reset(seed=seed)))
            for _ in range(TRIAL[1]):
                outcome = self._step(self._reference.sample_action(rng))
                moments.append(self._told(outcome))
                if outcome.terminated or outcome.truncated:
                    break
        kinds = {}
        for name in sorted(moments[0]):
            among = moments + before if name in before[0] else moments
            arrays = [array for moment in among if (array := _array(moment.get(name))) is not None]
            if len(arrays) == len(among) and len({array.shape for array in arrays}) == 1:
                kinds[name] = ColumnKind(arrays[0].shape, np.result_type(*arrays))
        return kinds

    def _columns(self, moments: Iterable[dict[str, Any]]) -> Columns:
        """Rows as columns. What `info` does not say at every step has none."""
        moments = list(moments)
        columns = {}
        for name, kind in self._kinds.items():
            if not all(name in moment for moment in moments):
                continue
            arrays = [_array(moment[name]) for moment in moments]
            for array in arrays:
                if array is None or array.shape != kind.shape:
                    raise EnvwrightError(
                        f"{self.name}'s {name} had the shape {kind.shape} in trial games, but is now "
                        f"{'no number' if array is None else array.shape}; it cannot be a column."
                    )
            columns[name] = np.asarray(arrays).astype(kind.dtype)
        return columns

    def _check(self, state: Columns) -> None:
        known = [name.removeprefix("state.") for name in self._kinds if name.startswith("state.")]
        unknown = sorted(set(state) - set(known))
        if unknown:
            raise EnvwrightError(
                f"{self.name} has no field {unknown[0]} in its state; it has {', '.join(known)}. Correct [state]."
            )
        for name, column in state.items():
            shape = self._kinds[f"state.{name}"].shape
            if column.shape[1:] != shape:
                raise EnvwrightError(
                    f"{self.name}'s field {name} has the shape {shape}, but the contract gives it {column.shape[1:]}."
                )

    def _no_chance(self) -> EnvwrightError:
        return EnvwrightError(f"{self.name} draws its own random numbers; they cannot be handed in.")


def _array(value: Any) -> NDArray[Any] | None:
    """A number, an array, or a list or tuple of numbers, as an array; None if it is anything else."""
    if isinstance(value, list | tuple) and not (value and all(_array(item) is not None for item in value)):
        return None
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    return array if array.dtype.kind in "biuf" else None


def _numbers(value: Any, name: str) -> dict[str, Any]:
    """The numbers in dicts and tuples, by dotted name."""
    if isinstance(value, dict):
        return {inner: leaf for key, item in value.items() for inner, leaf in _numbers(item, f"{name}.{key}").items()}
    if isinstance(value, tuple):
        return _numbers(dict(enumerate(value)), name)
    return {} if _array(value) is None else {name: value}


def _in_kind(value: Any, old: Any) -> Any:
    """`value` as an attribute that was `old`."""
    if isinstance(old, list | tuple):
        return type(old)(np.asarray(value).tolist())
    if isinstance(old, bool | int | float) and not isinstance(old, np.generic):
        return type(old)(value)
    return np.array(value)[()]
