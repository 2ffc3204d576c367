"""Counterexamples become as small as they can be."""

from dataclasses import replace

import numpy as np
from planting import SMALL, divergences, plant, put_to_the_engine
from walking import session, terms

from envwright.verifier import trial as trials
from envwright.verifier.record import Case
from envwright.verifier.trial import attempt, explain, precisions, shrink


def test_every_part_that_does_not_matter_goes():
    """The fault is in the step from 4 to the right; the wind and the count of steps have nothing to do with it."""
    under_way = session(terms(fault="step"))
    (precision,) = precisions(under_way)
    case = Case({"at": 4, "elapsed_steps": 37}, 1)
    small = shrink(under_way, precision, case, "state.at")
    assert (small.snapshot, small.action) == ({"at": 4, "elapsed_steps": 0}, 1)
    assert attempt(under_way, precision, [small]).bad["state.at"].tolist() == [True]


def test_a_round_tries_no_more_than_the_effort_says(monkeypatch):
    """A reference may take long to be put into a state."""
    under_way = session(terms(fault="step"))
    (precision,) = precisions(under_way)
    tried: list[int] = []
    monkeypatch.setattr(trials, "attempt", lambda *given: tried.append(len(given[-1])) or attempt(*given))

    def most_tried(most: int) -> int:
        tried.clear()
        under_way.effort = replace(under_way.effort, smaller=most)
        shrink(under_way, precision, Case({"at": 4, "elapsed_steps": 37}, 1), "state.at")
        return max(tried)

    assert most_tried(3) <= 3 < most_tried(4096)


def test_a_sound_pair_has_nothing_to_explain():
    under_way = session()
    (precision,) = precisions(under_way)
    trial = attempt(under_way, precision, [Case({"at": 4, "elapsed_steps": 37}, 1)])
    assert trial.rows.tolist() == []
    assert explain(under_way, precision, trial, "L1") == []


def test_each_module_gets_one_divergence_with_its_count():
    under_way = session(terms(fault="step"))
    (precision,) = precisions(under_way)
    cases = [Case({"at": at, "elapsed_steps": 9}, action) for at in range(3, 6) for action in (0, 1)]
    trial = attempt(under_way, precision, cases * 3)
    (found,) = explain(under_way, precision, trial, "L1")
    assert (found.module, found.column, found.differing) == ("dynamics", "state.at", 3)
    assert (found.input["at"], found.input["action"], found.input["elapsed_steps"]) == (4, 1, 0)


def test_a_fault_of_continuous_rules_shrinks_to_round_numbers(tmp_path):
    """Gravity pulls the wrong way: any pole that is not upright shows it; one that leans by a digit is enough."""
    planted = plant(tmp_path, "cartpole", [("(p.gravity * sin - cos", "(-p.gravity * sin - cos")])
    verdict = put_to_the_engine(planted, SMALL, ("L1",))
    found = divergences(verdict)
    assert [divergence.note for divergence in found] == [
        f"in {kind}; they part after accelerations" for kind in ("float64", "float32")
    ]
    for divergence in found:
        x, x_dot, theta, theta_dot = divergence.input["state"]
        assert (x, x_dot, theta_dot) == (0.0, 0.0, 0.0)
        assert len(str(np.float32(abs(theta))).strip("0.")) == 1
        assert (divergence.input["elapsed_steps"], divergence.input["action"]) == (0, 0)
