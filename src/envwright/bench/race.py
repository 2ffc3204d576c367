"""Competitors take turns. Only one runs at a time; the others wait for a line on their standard input."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.bench.competitor import Competitor, WorkerError, available_cores
from envwright.bench.job import Job
from envwright.bench.statistics import Spread, summary

TURN = 0.3  # seconds a competitor runs before the next one does
AGREE = 0.1  # two timings that differ by less than this part of them say that warm-up is over
WARM_UPS = 12  # timings at most: a machine that never settles is measured as it is
LONGEST_WARM_UP = 10.0  # seconds, after which the slowest are measured as they are
SHORTEST = 0.02  # seconds below which a timing says little


@dataclass(frozen=True)
class Timing:
    """One part of one competitor, after a race."""

    job: Job
    part: str
    rates: list[float]  # a round each, per second
    compile_seconds: float  # building it and its first call, the slowest worker's; less where it was compiled before
    memory: int  # bytes, the peaks of all workers together, beyond those of idle ones
    facts: dict[str, Any]

    @property
    def summary(self) -> Spread:
        return summary(self.rates)


def race(
    jobs: Sequence[Job],
    *,
    rounds: int,
    turn: float = TURN,
    progress: Callable[[str], None] = lambda what: None,
    give_up: Callable[[Job, str], None] | None = None,
    compiled: Path | None = None,
) -> list[Timing]:
    """Everybody's rates, a part of a job each. Jobs that fail are given to `give_up`, or raise without it.

    A folder `compiled` keeps programs from one race to the next.
    """
    with contextlib.ExitStack() as stack:
        competitors: list[Competitor] = []
        for job in jobs:
            progress(f"starting {job.label}")
            try:
                competitors.append(Competitor(job, available_cores()[: job.cores], compiled))
            except WorkerError as error:
                if give_up is None:
                    raise
                give_up(job, str(error))
                continue
            stack.callback(competitors[-1].close)
        turns = [(competitor, part) for competitor in competitors for part in competitor.parts]
        calls = []
        for competitor, part in turns:
            progress(f"warming up {competitor.job.label}")
            calls.append(calibrate(lambda n, c=competitor, p=part: c.go(p, n)[1], turn))
        rates = take_turns(
            [lambda c=c, p=p, n=n: _rate(*c.go(p, n)) for (c, p), n in zip(turns, calls, strict=True)],
            rounds,
            lambda i: progress(f"round {i + 1} of {rounds}, {len(turns)} competitors"),
        )
        return [
            Timing(c.job, p, r, c.compile_seconds(p), c.memory(), c.facts)
            for (c, p), r in zip(turns, rates, strict=True)
        ]


def take_turns(
    turns: Sequence[Callable[[], float]], rounds: int, starting: Callable[[int], None] = lambda i: None
) -> list[list[float]]:
    """`rounds` times around, one after the other."""
    values: list[list[float]] = [[] for _ in turns]
    for i in range(rounds):
        starting(i)
        for turn, mine in zip(turns, values, strict=True):
            mine.append(turn())
    return values


def calibrate(seconds_of: Callable[[int], float], turn: float) -> int:
    """How many calls fill a turn. Runs until two timings of a call agree, which is when it is warm."""
    calls, before, spent = 1, float("inf"), 0.0
    for _ in range(WARM_UPS):
        seconds = seconds_of(calls)
        spent += seconds
        if seconds < SHORTEST:
            calls *= 4
            continue
        a_call = seconds / calls
        agree = abs(a_call - before) < AGREE * a_call
        before = a_call
        if agree or spent > LONGEST_WARM_UP:
            break
    return max(1, round(turn / before)) if before < float("inf") else calls


def _rate(amount: int, seconds: float) -> float:
    return amount / seconds
