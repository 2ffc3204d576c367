"""What is wrong with a reference is found, and named."""

from typing import Any

import pytest
from loading import hazard

from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.minatar_game import minatar_reference
from envwright.references.python import reference as reference_module
from envwright.references.self_check import SelfCheck, check_reference


def check(name: str) -> SelfCheck:
    with hazard(name) as reference:
        return check_reference(reference, 4, seed=0)


@pytest.mark.parametrize("id", ["CartPole-v1", "FrozenLake-v1", "Blackjack-v1", "Pendulum-v1"])
def test_sound_references_have_nothing_to_find(id: str) -> None:
    with gymnasium_reference(id) as reference:
        found = check_reference(reference, 3, seed=1)
    assert found.ok
    assert found.findings == ()
    assert found.steps > 3


@pytest.mark.parametrize("name", ["GlobalRandom", "BoundName", "GlobalNumpy", "Aliased", "Containers", "Shuffled"])
def test_awkward_but_sound_environments_have_nothing_to_find(name: str) -> None:
    assert {finding.where for finding in check(name).findings} <= {"late"}  # it does survive a reset


@pytest.mark.parametrize("trial", [None, (50, 50)])
def test_what_changes_late_is_state_like_any_other(trial: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the trial of a new reference sees it, or only the check itself does."""
    if trial:
        monkeypatch.setattr(reference_module, "_TRIAL", trial)
    with hazard("LateTurn") as reference:
        reference.reset(0)
        assert ("phase" in reference.snapshot()) is (trial is None)
        assert check_reference(reference, 2).findings == ()
        assert "phase" in reference.snapshot()


def test_time_is_found_to_be_no_luck() -> None:
    found = check("Clocked")
    assert not found.ok
    tape = next(finding for finding in found.findings if finding.kind == "tape")
    assert tape.where == "stamp"
    assert "not deterministic given its tape: attribute `stamp` differs in episode 0 at step 1" in tape.sentence


def test_state_that_no_snapshot_reaches_is_found() -> None:
    found = check("GlobalCounter")
    assert {finding.kind for finding in found.findings} >= {"tape", "restore"}


def test_a_generator_that_no_seed_reaches_is_noted_with_its_place() -> None:
    found = check("OwnState")
    assert found.ok
    assert [finding.kind for finding in found.findings] == ["seed"]
    assert "draws differ first at hazards.py:" in found.findings[0].sentence


def test_a_start_by_luck_that_no_seed_reaches_does_not_survive() -> None:
    found = check("OwnStart")
    assert [(finding.kind, finding.note) for finding in found.findings] == [("seed", True)]


def test_state_that_survives_a_reset_is_noted_and_no_fault() -> None:
    found = check("Surviving")
    assert found.ok
    assert {finding.where for finding in found.findings if finding.kind == "survives"} == {"last", "resets"}
    assert "survives reset: last" in found.findings[0].sentence
    with minatar_reference("breakout") as reference:
        notes = check_reference(reference, 3, seed=0).findings
    assert [(finding.kind, finding.where) for finding in notes] == [("survives", "last_action")]


def test_an_info_that_is_another_one_each_time_is_noted_and_no_fault() -> None:
    found = check("Telling")
    assert found.ok
    notes = {(finding.kind, finding.where) for finding in found.findings}
    assert notes == {("info", "info['games']"), ("survives", "games")}


def test_growth_is_found() -> None:
    found = check("Growing")
    assert "`log` has had" in next(f.sentence for f in found.findings if f.kind == "growth")
    assert not found.ok
    assert not any(finding.kind == "growth" for finding in check("Containers").findings)


def test_numbers_that_are_not_finite_are_found() -> None:
    found = check("NotANumber")
    assert {finding.where for finding in found.findings} == {"obs", "reward"}
    assert "reward that is not finite in episode 0 at step 3: nan" in found.findings[-1].sentence
