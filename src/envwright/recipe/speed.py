"""How fast both sides are: by turns in one run, the clock held here, each side in a process of its own.

reference ──► one environment, as the original is used, nobody watching it
candidate ──► many environments, compiled, on all devices                    a ratio a round, then their median
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np

from envwright.bench.competitor import available_cores
from envwright.bench.race import calibrate, take_turns
from envwright.bench.statistics import ratio, summary
from envwright.core.errors import EnvwrightError
from envwright.core.layouts import processor
from envwright.recipe.briefing import Briefing
from envwright.recipe.events import Measured
from envwright.references.protocol import Reference
from envwright.references.python import PythonReference
from envwright.references.python.making import made_alike
from envwright.sandbox.process import Limits, Sandbox, SandboxError
from envwright.verifier.host import Host
from envwright.verifier.record import Beat

ROUNDS = 5
TRIED = 3  # calls of each layout, to choose the fastest
FAR = 2.0  # times slower
TURN = 0.3  # seconds that a side runs before the other does
NUM_ENVS = 4096
FIRST_STEPS, MOST_STEPS = 32, 4096  # of one environment in a call: to begin with, and at most
LONG_CALL = 0.04  # seconds: calls much shorter than this cost more than the steps in them
BEAT_EVERY = 16  # steps of the reference
A_STEP = (
    "one decision: an action at random, then observation, reward and flags of what came of it; where an episode ended, "
    "the start of the next is part of it"
)

Ways = Mapping[str, Sequence[str]]  # layout -> the command of a worker that speaks as `jax_timer.py` does


class MeasureError(EnvwrightError, RuntimeError):
    """A side could not be timed."""


def measure(
    host: Host,
    brief: Briefing,
    folder: Path,
    limits: Limits | None = None,
    *,
    num_envs: int = NUM_ENVS,
    rounds: int = ROUNDS,
    turn: float = TURN,
) -> Measured:
    """Steps a second of the reference and of the candidate in `folder`. The host is closed, for timing it ends its
    observation; one that is apart begins anew when it is next asked."""
    try:
        with _candidate(brief.target.workers(brief.interface), folder, limits or Limits(), num_envs) as candidate:
            plain = host.run(_prepare)
            steps = calibrate(lambda n: _seconds(lambda: host.run(_play, n)), turn)
            calls = calibrate(candidate.seconds, turn)
            slow, fast = take_turns(
                [
                    lambda: steps / _seconds(lambda: host.run(_play, steps)),
                    lambda: calls * candidate.steps_a_call / candidate.seconds(calls),
                ],
                rounds,
            )
    finally:
        host.close()
    found = ratio(fast, slow)
    facts: dict[str, Any] = {
        "step": A_STEP,
        "reference_runs": "1 environment in 1 process, "
        + ("as its users run it" if plain else "under observation, which slows it"),
        "num_envs": candidate.num_envs,
        "steps_a_call": candidate.steps,
        "layout": candidate.layout,
        "cores": len(available_cores()),
        "processor": processor(),
        **candidate.facts,
        "autoreset": "fresh: every episode has a start of its own",
        "compile_seconds": round(candidate.compile_seconds, 2),
        "rounds": rounds,
        "reference_rates": [round(rate, 1) for rate in slow],
        "candidate_rates": [round(rate, 1) for rate in fast],
    }
    return Measured(summary(slow).median, summary(fast).median, (found.median, found.low, found.high), facts)


# ---- the candidate ----


class _Timed:
    """A candidate that is built and ready."""

    def __init__(self, box: Sandbox, layout: str, num_envs: int) -> None:
        self.box, self.layout = box, layout
        self.facts: dict[str, Any] = self._ask({"load": True})
        self.num_envs = -(-num_envs // self.facts["devices"]) * self.facts["devices"]  # as many on each

    def begin(self) -> None:
        """Make the first, short calls possible."""
        self._build(FIRST_STEPS)

    def settle(self, a_call: float) -> None:
        """Make calls long enough to be timed."""
        if a_call < LONG_CALL / 2:
            self._build(min(MOST_STEPS, round(FIRST_STEPS * LONG_CALL / a_call)))

    @property
    def steps_a_call(self) -> int:
        return self.steps * self.num_envs

    def seconds(self, calls: int) -> float:
        return _seconds(lambda: self._ask({"go": calls}))

    def _build(self, steps: int) -> None:
        self.steps = steps
        self.compile_seconds = _seconds(lambda: self._ask({"build": [self.num_envs, steps]}))

    def _ask(self, message: Any) -> Any:
        answer = self.box.ask(message)
        if not isinstance(answer, dict) or "value" not in answer:
            reason = str(answer.get("error", "")) if isinstance(answer, dict) else "it gave no answer"
            raise MeasureError(f"The translation cannot be timed ({self.layout}): {reason.rstrip('.')}.")
        return answer["value"]


@contextmanager
def _candidate(ways: Ways, folder: Path, limits: Limits, num_envs: int) -> Iterator[_Timed]:
    """The candidate in its fastest layout, of those in which it can be built: XLA fails at some."""
    failed: EnvwrightError | None = None
    loaded: list[_Timed] = []
    ready: list[_Timed] = []
    with ExitStack() as stack:
        for layout, argv in ways.items():
            box = Sandbox(argv, folder, limits, {"PYTHONDONTWRITEBYTECODE": "1"})  # the folder is what users get
            stack.callback(box.close)
            try:
                loaded.append(_Timed(box, layout, num_envs))  # here: a process ends with the thread that began it
            except (MeasureError, SandboxError) as error:
                failed = error
        with ThreadPoolExecutor(max(1, len(loaded))) as side_by_side:
            builds = [(timed, side_by_side.submit(timed.begin)) for timed in loaded]
        for timed, build in builds:
            try:
                build.result()
                ready.append(timed)
            except (MeasureError, SandboxError) as error:
                failed = error
        if not ready:
            raise failed or MeasureError("There is no way to run the translation; give one.")
        yield _fastest(ready)


def _fastest(ready: Sequence[_Timed]) -> _Timed:
    """By the best of a few calls; one that is far behind after its first is not asked again."""
    best: tuple[float, _Timed] | None = None
    for timed in ready:
        a_call = timed.seconds(1)
        if best is not None and a_call / timed.steps_a_call > FAR * best[0] / best[1].steps_a_call:
            continue
        a_call = min(a_call, *(timed.seconds(1) for _ in range(TRIED - 1)))
        if best is None or a_call / timed.steps_a_call < best[0] / best[1].steps_a_call:
            best = a_call, timed
    assert best is not None
    best[1].settle(best[0])
    return best[1]


# ---- the reference, where it lives ----


class _Plain:
    """A Python original as its users run it: made anew, with nothing of ours in it. Actions are drawn beforehand."""

    def __init__(self, reference: PythonReference) -> None:
        driver = reference.driver
        reference.close()  # from now on the random generators are the original's own
        made = made_alike(driver.make)
        rng = np.random.default_rng(0)
        self.actions: Iterator[Any] = cycle([driver.sample_action(rng) for _ in range(4096)])
        driver.reset(made, 0)
        # Our driver asks at every call what kind of environment it has, which costs more than some games do.
        ours = partial(driver.step, made), partial(driver.reset, made, None)
        self.step: Callable[[Any], Any]
        self.reset: Callable[[], Any]
        modern = _is_modern(made) and len(made.step(next(self.actions))) == 5
        self.step, self.reset = (made.step, made.reset) if modern else ours
        self.reset()

    def play(self, steps: int, beat: Beat) -> None:
        step, reset = self.step, self.reset
        for i, action in enumerate(islice(self.actions, steps)):
            _, _, terminated, truncated, _ = step(action)
            if terminated or truncated:
                reset()
            if i % BEAT_EVERY == 0:
                beat()


def _is_modern(made: Any) -> bool:
    """Whether it is one of Gymnasium's own kind, whose steps give five values."""
    gymnasium = sys.modules.get("gymnasium")
    return gymnasium is not None and isinstance(made, gymnasium.Env)


class _WatchedReference:
    """Any other original, through whatever watches it."""

    def __init__(self, reference: Reference) -> None:
        self.reference, self.rng = reference, np.random.default_rng(0)
        reference.reset(seed=0)

    def play(self, steps: int, beat: Beat) -> None:
        for i in range(steps):
            outcome = self.reference.step(self.reference.sample_action(self.rng))
            if outcome.terminated or outcome.truncated:
                self.reference.reset()
            if i % BEAT_EVERY == 0:
                beat()


_prepared: list[_Plain | _WatchedReference] = []  # in the reference's process: what is timed there, between two turns


def _prepare(reference: Reference, beat: Beat) -> bool:
    """Get ready; says whether it runs as its users run it."""
    beat()
    plain = isinstance(reference, PythonReference)
    _prepared[:] = [_Plain(reference) if isinstance(reference, PythonReference) else _WatchedReference(reference)]
    return plain


def _play(reference: Reference, steps: int, beat: Beat) -> None:
    del reference
    _prepared[0].play(steps, beat)


def _seconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began
