"""A Python object under observation: played, looked at, put back, called, watched."""

import sys
from typing import Any

import numpy as np
import pytest
from loading import HAZARDS, hazard, play, replays

from envwright.core.errors import EnvwrightError
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import same
from envwright.references.protocol import ReferenceFailedError, Watchpoint
from envwright.references.python.draws import take_open


def test_an_error_of_the_reference_is_one_sentence_and_leaves_it_usable() -> None:
    line = 1 + HAZARDS.read_text().splitlines().index('            raise ZeroDivisionError("the fifth step")')
    with hazard("Failing") as reference:
        reference.reset(0)
        for _ in range(4):
            reference.step(0)
        with pytest.raises(ReferenceFailedError) as caught:
            reference.step(0)
        assert f"raised ZeroDivisionError (the fifth step) at hazards.py:{line} in step, after 4 steps" in str(
            caught.value
        )
        assert take_open() is None
        reference.restore({"t": 4})
        with pytest.raises(ReferenceFailedError, match="the fifth step"):
            reference.watch([Watchpoint("p", "turn")], 0)
        assert sys.gettrace() is None
        assert replays(reference, play(reference, 4))


def test_one_number_may_come_in_an_array_and_two_are_an_error() -> None:
    with hazard("OneNumber") as reference:
        reference.reset(0)
        outcome = [reference.step(1) for _ in range(3)][-1]
        assert (outcome.reward, outcome.terminated, outcome.truncated) == (3.5, False, False)
        with pytest.raises(ReferenceFailedError, match=r"gives 2 numbers for a reward, \[4.5, 4.5\]; weigh"):
            reference.step(1)


def test_an_error_from_a_library_is_placed_where_the_reference_called_it() -> None:
    with hazard("FailingInside") as reference:
        reference.reset(0)
        with pytest.raises(ReferenceFailedError, match=r"JSONDecodeError .* at hazards.py:\d+ in step, after 0 steps"):
            reference.step(0)


def test_look_has_state_constants_and_the_step_count_and_shares_nothing() -> None:
    with gymnasium_reference("CartPole-v1") as reference:
        reference.reset(0)
        reference.step(1)
        seen = reference.look()
        assert seen["gravity"] == 9.8
        assert seen["elapsed_steps"] == 1
        seen["state"][0] = 99.0
        assert reference.look()["state"][0] != 99.0
    with gymnasium_reference("Acrobot-v1") as reference:
        reference.reset(0)
        assert reference.look()["LINK_LENGTH_1"] == 1.0  # of the class
    with hazard("Aliased") as reference:
        reference.reset(0)
        assert reference.look()["top"]["rank"] == 1  # no references, whatever is reached twice


def test_the_state_needs_a_reset_first_but_can_be_put_in_without() -> None:
    with gymnasium_reference("CartPole-v1") as reference:
        with pytest.raises(EnvwrightError, match="call reset first"):
            reference.look()
        reference.restore({"state": np.array([0.0, 1.0, 0.0, 0.0]), "elapsed_steps": 499})
        assert reference.step(0).truncated


def test_a_closed_reference_says_so() -> None:
    reference = hazard("Aliased")
    reference.close()
    reference.close()
    with pytest.raises(EnvwrightError, match="is closed"):
        reference.reset(0)


def test_functions_and_methods_are_called_by_name() -> None:
    with gymnasium_reference("Blackjack-v1") as reference:
        reference.reset(0)
        assert reference.call("sum_hand", [[1, 10]]) == 21
        assert reference.call("gymnasium.envs.toy_text.blackjack.is_bust", [[10, 10, 2]]) is True
        reference.restore({"player": [2, 3]})
        assert reference.call("_get_obs", [])[0] == 5
        with pytest.raises(EnvwrightError, match=r"no method or function 'sumhand'.* did you mean 'sum_hand'\?"):
            reference.call("sumhand", [[1]])
        with pytest.raises(ReferenceFailedError, match=r"raised TypeError .* at blackjack.py:\d+ in sum_hand"):
            reference.call("sum_hand", [3])


def test_calls_are_collected_with_their_arguments() -> None:
    with gymnasium_reference("Blackjack-v1") as reference:
        calls = reference.record_calls(["sum_hand", "step", "draw_card"], lambda: (play(reference, 60), None)[1])
        assert all(set(call) == {"hand"} for call in calls["sum_hand"])
        assert len({tuple(call["hand"]) for call in calls["sum_hand"]}) == len(calls["sum_hand"]) > 10
        assert sorted(calls["step"], key=repr) == [{"action": 0}, {"action": 1}]
        assert calls["draw_card"] == [{}]  # its generator is no argument
        assert sys.getprofile() is None
        for call in calls["sum_hand"][:5]:
            reference.call("sum_hand", list(call.values()))


def test_a_step_is_seen_between_its_phases() -> None:
    points = [
        Watchpoint("looped", "turn", "x += i"),
        Watchpoint("doubled", "turn", "x += 1"),
        Watchpoint("again", "turn", "x += 1", occurrence=2),
        Watchpoint("whole", "turn", "x = self.double("),
        Watchpoint("inner", "Phases.double"),
        Watchpoint("end", "turn"),
    ]
    with hazard("Phases") as reference:
        reference.reset(0)
        glimpses, outcome = reference.watch(points, 1)
        seen = [(glimpse.phase, glimpse.names["x"]) for glimpse in glimpses]
        assert seen == [
            ("looped", 1),
            ("looped", 1),
            ("whole", 2),
            ("inner", 2),
            ("doubled", 4),
            ("again", 5),
            ("end", 6),
        ]
        inner, end = glimpses[3], glimpses[-1]
        assert (inner.names["result"], inner.names["twice"], end.names["result"]) == (4, 4, 6)
        assert end.names["t"] == 1  # state as it is in the middle of the step
        assert (end.names["total"], outcome.reward, end.names["elapsed_steps"]) == (0.0, 6.0, 0)
        assert "self" not in end.names
        assert sys.gettrace() is None


def test_a_watched_step_is_like_any_other() -> None:
    with gymnasium_reference("Blackjack-v1") as reference:
        reference.reset(3)
        before = reference.snapshot()
        plain = reference.step(0)
        reference.restore(before)
        glimpses, watched = reference.watch([Watchpoint("drawn", "draw_card")], 0, plain.draws)
        assert same(tuple(watched), tuple(plain))
        assert len(glimpses) == len(plain.draws)


def test_watchpoints_that_are_not_there_are_named_with_the_nearest_line() -> None:
    with hazard("Phases") as reference:
        reference.reset(0)
        with pytest.raises(EnvwrightError, match=r"'p': hazards.py has no line 'x \+= j' in turn.* is 'x \+= i'"):
            reference.watch([Watchpoint("p", "turn", "x += j")], 0)
        with pytest.raises(EnvwrightError, match=r"no line number 3 'x \+= 1' in turn; there are 2 of them"):
            reference.watch([Watchpoint("p", "turn", "x += 1", 3)], 0)
        with pytest.raises(EnvwrightError, match=r"'dubble'.*'double'"):
            reference.watch([Watchpoint("p", "dubble")], 0)


def test_watching_a_method_of_a_wrapped_environment_means_the_environment() -> None:
    with gymnasium_reference("CartPole-v1") as reference:
        reference.reset(0)
        glimpses, outcome = reference.watch([Watchpoint("end", "step")], 1)
        assert len(glimpses) == 1
        assert same(tuple(glimpses[0].names["result"][0]), tuple(outcome.obs))


def test_coverage_counts_what_was_entered_and_names_what_was_not_run() -> None:
    with gymnasium_reference("Blackjack-v1") as reference:
        with reference.covering() as covered:
            reference.reset(0)
            reference.step(0)
        assert 0 < covered.lines < covered.lines_possible
        assert 0 < covered.branches < covered.branches_possible
        assert any("blackjack.py" in place and "draw_card(self.np_random)" in place for place in covered.missing)
        assert any(" -> " in place for place in covered.missing)
        assert not any("pygame" in place for place in covered.missing)  # render was not entered
        with reference.covering() as nothing:
            pass
        assert (nothing.lines, nothing.missing) == (0, ())


def test_provenance_names_source_and_versions() -> None:
    with gymnasium_reference("CartPole-v1") as reference:
        told: dict[str, Any] = reference.provenance()
    assert (told["class"], told["package"], len(told["sha256"])) == ("CartPoleEnv", "gymnasium", 64)
    assert told["numpy"] == np.__version__
    with hazard("Phases") as reference:
        assert reference.provenance()["version"] is None
