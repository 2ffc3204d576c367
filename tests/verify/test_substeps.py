"""Steps that go through the same phases several times: the fault is found in the substep where it begins."""

from dataclasses import replace
from pathlib import Path

import pytest

from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.contract import Contract, ContractError
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Check, Divergence

TERMS = """version = 1
reference = "frames.py:SlowBall"
candidate = "frames.py:FastBall"

[state]
at = "at"
speed = "speed"

[chance.start]
value = "draws('reset', 0)"

[[reachable]]
holds = "at >= -40"
reason = "below the floor the game is over"

[[phase]]
name = "push"
module = "push"
function = "step"
line = "for _ in range(self.frames):"
values = { push = "push" }
[[phase]]
name = "speed"
module = "speed"
function = "step"
line = "self.at += self.speed"
substeps = "frames"
values = { speed = "speed" }
[[phase]]
name = "move"
module = "move"
function = "step"
line = "if self.at > CEILING:"
substeps = "frames"
values = { at = "at" }
[[phase]]
name = "hit"
module = "bounce"
function = "step"
line = "self.at, self.speed = CEILING, -self.speed"
substeps = "frames"
values = { speed = "speed" }
[[phase]]
name = "bounce"
module = "bounce"
function = "step"
line = "if self.at < FLOOR:"
substeps = "frames"
values = { at = "at", speed = "speed" }
[[phase]]
name = "reward"
module = "reward"
function = "step"
values = { reward = "reward" }
"""
SMALL = Effort(episodes=4, limit=60, states=300, corners=40, pool=100, draws=400, watched=200)


def agreed(text: str = TERMS) -> Contract:
    return contracts.read(text, Path(__file__).with_name("frames.toml"))


def judged(contract: Contract, level: str = "L2", **options: object) -> Check:
    """The check of single steps or of phases."""
    contract = pairs.with_options(contract, {}, options)
    host = pairs.make_host(contract, apart=False)
    try:
        verdict = verify(contract, host, pairs.make_candidate(contract), effort=SMALL, levels=[level])
    finally:
        host.close()
    return next(check for check in verdict.checks if check.name in ("phases", "single steps"))


def only(check: Check) -> Divergence:
    assert check.status == "fail", check
    assert len(check.divergences) == 1, check
    return check.divergences[0]


def test_a_sound_candidate_passes() -> None:
    check = judged(agreed())
    assert check.status == "pass", check
    assert check.detail == "200 steps, 6 phases, 0 steps differ"


@pytest.mark.parametrize("frames", [1, 7])
def test_the_number_of_substeps_may_follow_an_option(frames: int) -> None:
    check = judged(pairs.with_options(agreed(), {"frames": frames}, {}), frames=frames)
    assert check.status == "pass", check


def test_a_fault_is_found_in_the_substep_where_it_begins() -> None:
    found = only(judged(agreed(), fault="late"))
    assert (found.module, found.column) == ("speed", "speed after speed, substep 3 of 4")
    found = only(judged(agreed(), "L1", fault="late"))
    assert (found.module, found.note) == ("speed", "they part after speed, substep 3 of 4")


def test_what_a_fault_does_to_the_next_substep_is_not_blamed() -> None:
    """`speed` and `move` come before `bounce` in the contract, but they are wrong only after it was."""
    found = only(judged(agreed(), fault="bounce"))
    assert found.module == "bounce"
    assert found.column.startswith("speed after bounce, substep ")
    assert only(judged(agreed(), "L1", fault="bounce")).module == "bounce"


def test_a_candidate_must_show_every_substep() -> None:
    check = judged(agreed(), fault="flat")
    assert "speed after speed with a leading axis of 4 substeps" in check.detail
    check = judged(agreed(), frames=3)
    assert "at after bounce with a leading axis of 4 substeps" in check.detail


def test_a_reference_that_goes_through_more_substeps_is_named() -> None:
    check = judged(agreed(TERMS.replace('"frames"', "2")), frames=2)
    assert (
        "[[phase]] speed: the reference passes it more than 2 times in a step; correct its `substeps`" in check.detail
    )


def test_phases_in_another_order_are_named() -> None:
    contract = agreed()
    push, speed, *others, reward = contract.phases
    check = judged(replace(contract, phases=(push, *others, speed, reward)))
    assert "the reference passes it before move, which should begin each of its substeps" in check.detail


def test_phases_that_are_never_passed_are_named() -> None:
    contract = agreed(TERMS.replace('holds = "at >= -40"', 'holds = "-40 <= at < -20 and speed < 0"'))
    check = judged(contract)
    assert check.detail.endswith("never passed: hit"), check


@pytest.mark.parametrize("wrong", ["0", "true", "2.5", "[4]"])
def test_bad_numbers_are_refused(wrong: str) -> None:
    with pytest.raises(ContractError, match=r"\[\[phase\]\] speed: substeps is a number from 1"):
        agreed(TERMS.replace('"frames"', wrong))
