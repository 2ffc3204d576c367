"""The reference let go, with its last bits moved: how far it drifts from itself in whole episodes.

All are plain functions of a reference, as those of record.py are.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envwright.references.protocol import Draw, Reference, ReferenceFailedError, TapeError
from envwright.verifier.contract import Contract
from envwright.verifier.expression import ExpressionError
from envwright.verifier.nudges import nudge
from envwright.verifier.record import Beat, Plain
from envwright.verifier.rows import Row, step_row
from envwright.verifier.sensitivity import distance, settings


class Episode(NamedTuple):
    """An episode to be played again, and what came of it."""

    seed: int
    start_tape: tuple[Draw, ...]
    actions: list[Any]
    tapes: list[tuple[Draw, ...]]
    rows: list[Row]


@dataclass
class Drift:
    """How far the nudged reference goes from itself in an episode, by column and step."""

    farthest: dict[str, NDArray[np.float64]]  # so far
    reach: int  # the steps in which it neither ended at another time nor lost itself, in any run

    def widened(self, more: "Drift") -> "Drift":
        """With further runs."""
        both = {name: np.maximum(far, more.farthest[name]) for name, far in self.farthest.items()}
        return Drift(both, min(self.reach, more.reach))


class _Nudging(NamedTuple):
    kind: np.dtype[Any]
    sizes: Plain
    rng: np.random.Generator
    ways: tuple[float, ...]
    widely: bool  # with actions of that kind, if it is wider than theirs


def record_drift(
    reference: Reference,
    contract: Contract,
    script: Sequence[Episode],
    dtype: str,
    sizes: Plain,
    lost: Mapping[str, NDArray[np.float64]],
    runs: Sequence[int],
    beat: Beat,
) -> list[Drift]:
    """Play each episode again, every number moved by a last bit: constants once, the rest at every step; and, moved at
    random, with all that is computed rounded, where the reference can, and set as tolerances say. In double precision
    it is given actions in it instead, for with a float32 it may compute in float32. A run in which a column moves
    farther than `lost` is left there."""
    kind = np.dtype(dtype)
    constants = {n: v for n, v in reference.look().items() if n not in sizes and isinstance(v, float | np.floating)}
    found: list[Drift] = []
    for episode in script:
        drift = Drift({name: np.zeros((len(episode.rows), *limit.shape)) for name, limit in lost.items()}, 0)
        drift.reach = len(episode.rows)
        for run in runs:
            ways = (1.0,) if run == 0 else (-1.0,) if run == 1 else (1.0, -1.0)  # all up, all down, then at random
            how = _Nudging(kind, sizes, np.random.default_rng([episode.seed, run]), ways, run >= 2)
            try:
                reference.restore(nudge(constants, None, kind, how.rng, ways))
                with _moved_otherwise(reference, contract, dtype, run):
                    reach = _run(reference, contract, episode, how, lost, drift, beat)
                    if not reach and how.widely:  # it may want its actions in no other type
                        reach = _run(reference, contract, episode, how._replace(widely=False), lost, drift, beat)
            finally:
                reference.restore(constants)
            drift.reach = reach
        farthest = {name: np.maximum.accumulate(far, axis=0) for name, far in drift.farthest.items()}
        found.append(Drift(farthest, drift.reach))
    return found


@contextmanager
def _moved_otherwise(reference: Reference, contract: Contract, dtype: str, run: int) -> Iterator[None]:
    """From the third run on: what it computes is rounded, where it can be, and it is set as tolerances say."""
    rounding = reference.rounding(run, dtype) if run >= 2 else None
    with ExitStack() as stack:
        for way in (*(settings(reference, contract) if run >= 2 else ()), *([rounding] if rounding else [])):
            stack.enter_context(way)
        yield


def _run(
    reference: Reference,
    contract: Contract,
    episode: Episode,
    how: _Nudging,
    lost: Mapping[str, NDArray[np.float64]],
    drift: Drift,
    beat: Beat,
) -> int:
    """One episode from its tape, nudged, until it ends elsewhere than it did, or is lost: how far that was. No farther
    than the runs before got."""
    reference.reset(seed=episode.seed, tape=episode.start_tape)
    for step in range(drift.reach):
        snapshot = reference.snapshot()
        state = {name: snapshot[name] for name in how.sizes}
        reference.restore(nudge(state, how.sizes, how.kind, how.rng, how.ways))
        try:
            before = reference.look() if contract.looks_back else {}
            outcome = reference.step(_moved(episode.actions[step], how), episode.tapes[step])
            now = step_row(contract, reference, outcome, episode.actions[step], before)
        except (ReferenceFailedError, ExpressionError, TapeError):
            return step
        beat()
        moved = {name: distance(now[name], episode.rows[step][name]) for name in lost}
        is_lost = any(np.any(far > lost[name]) for name, far in moved.items())
        if is_lost or not np.array_equal(now["ended"], episode.rows[step]["ended"]):
            return step
        for name, far in moved.items():
            drift.farthest[name][step] = np.maximum(drift.farthest[name][step], far)
    return drift.reach


def _moved(action: Any, how: _Nudging) -> Any:
    """An action moved by a last bit; one of a narrower kind than that is as exact as any, and its own last bits are far
    too coarse."""
    if isinstance(action, np.ndarray) and action.dtype.kind == "f":
        wide = np.promote_types(action.dtype, how.kind)
        if wide != action.dtype and not how.widely:
            return action
        action = action.astype(wide)
    return nudge(action, None, how.kind, how.rng, how.ways)
