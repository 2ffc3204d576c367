"""Turns, warm-up, and competitors that fail."""

import os
import subprocess
import sys

import pytest

from envwright.bench.competitor import Competitor, WorkerError, available_cores, pinned
from envwright.bench.job import Job
from envwright.bench.race import LONGEST_WARM_UP, SHORTEST, WARM_UPS, calibrate, race, take_turns

TINY = Job("envwright", "CartPole-v1", "random", "sharded", 1, 16)
INDIVISIBLE = Job("envwright", "CartPole-v1", "random", "sharded", 2, 15)


def test_everybody_has_a_turn_before_anybody_has_another():
    order: list[str] = []

    def turn(name: str):
        return lambda: order.append(name) or float(len(order))

    rates = take_turns([turn("a"), turn("b"), turn("c")], rounds=2)
    assert order == ["a", "b", "c", "a", "b", "c"]
    assert rates == [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]


def test_warm_up_lasts_until_two_timings_agree():
    timings = iter([3.0, 1.0, 0.5, 0.1, 0.101, 9.0])
    assert calibrate(lambda calls: calls * next(timings), turn=1.0) == 10  # of 0.1 s each
    assert next(timings) == 9.0


def test_calls_too_short_to_time_are_made_in_numbers():
    asked: list[int] = []
    assert calibrate(lambda calls: asked.append(calls) or calls * 1e-3, turn=0.3) == 300
    assert SHORTEST <= max(asked) * 1e-3 < 0.3


def test_a_machine_that_never_settles_is_measured_as_it_is():
    seconds = iter([0.1, 0.2] * WARM_UPS)
    assert calibrate(lambda calls: calls * next(seconds), turn=1.0) == 5  # of 0.2 s, the last timing
    assert len([*seconds]) == WARM_UPS


def test_warm_up_of_the_slowest_ends_whether_or_not_timings_agree():
    seconds = iter([0.6 * LONGEST_WARM_UP, 0.5 * LONGEST_WARM_UP, 9.0])
    assert calibrate(lambda calls: calls * next(seconds), turn=1.0) == 1
    assert next(seconds) == 9.0


def test_a_competitor_counts_the_steps_of_all_its_workers():
    job = Job("envwright", "CartPole-v1", "random", "processes", 2, 32)
    competitor = Competitor(job, (available_cores() * 2)[:2])
    try:
        amount, seconds = competitor.go("run", 1)
        assert amount == 32 * competitor.facts["steps_a_call"]
        assert seconds > 0
        assert competitor.memory() > 0
        assert competitor.compile_seconds("run") > 0
    finally:
        competitor.close()


def test_what_was_compiled_for_a_race_is_not_compiled_again_for_the_next(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    monkeypatch.setenv("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "0")

    def compiled(num_envs: int) -> set[str]:
        race([Job("envwright", "CartPole-v1", "random", "plain", 1, num_envs)], rounds=1, turn=0.01, compiled=tmp_path)
        return {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*-cache")}

    first = compiled(32)
    assert first
    assert compiled(32) == first
    both = compiled(64)
    assert both > first
    assert len({name.partition("/")[0] for name in both}) == 2  # whoever runs another batch finds nothing


def test_a_competitor_that_fails_is_left_out_and_the_others_race():
    given_up: list[str] = []
    results = race([INDIVISIBLE, TINY], rounds=2, turn=0.01, give_up=lambda job, reason: given_up.append(reason))
    assert [len(result.rates) for result in results] == [2]
    assert results[0].job == TINY
    assert len(given_up) == 1
    assert "15 environments do not divide over 2 devices" in given_up[0]


def test_a_failure_nobody_waits_for_is_one_sentence():
    with pytest.raises(WorkerError, match="envwright, sharded, 15 envs, 2 cores") as failure:
        race([INDIVISIBLE], rounds=1)
    assert "\n" not in str(failure.value)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not pin processes")
def test_what_is_started_pinned_stays_there_and_we_do_not():
    before = os.sched_getaffinity(0)
    last = max(before)
    with pinned([last]):
        said = subprocess.run(
            [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"],
            capture_output=True,
            text=True,
            check=True,
        )
    assert said.stdout.strip() == f"{{{last}}}"
    assert os.sched_getaffinity(0) == before
