"""What of the rules L3 has met: counted by the contract's function, by the reference, and named where it was never."""

import pytest
from walking import HERE, failed, judge, session, terms

from envwright.verifier.contract import ContractError, read
from envwright.verifier.counting import add, since
from envwright.verifier.levels.l3_coverage import check_coverage

WALKED = f"""
[coverage]
count = "{HERE / "walked.py"}:count"
possible = "{HERE / "walked.py"}:possible"
"""


def of_coverage(text: str) -> dict[str, tuple[str, str]]:
    checks = judge(text, ("L3",)).checks
    return {check.name: (check.status, check.detail) for check in checks if "coverage" in check.name}


def test_without_anything_to_count_there_is_no_line():
    assert of_coverage(terms()) == {}


def test_the_function_of_the_contract_counts_and_what_was_never_met_is_named():
    found = of_coverage(terms(more=WALKED))
    status, detail = found["coverage: wind"]
    assert status == "pass"
    assert detail.startswith("2 of 2")
    status, detail = found["coverage: end"]
    assert status == "note"  # nothing is wrong with the translation
    assert detail.endswith("never: asleep")


def test_steps_begin_where_the_one_before_has_ended():
    verdict = judge(terms(more=WALKED), ("L3",))
    (wind,) = (check.numbers["counts"] for check in verdict.checks if check.name == "coverage: wind")
    (episodes,) = (check.count for check in verdict.checks if check.name == "episodes")
    assert sum(wind.values()) == episodes  # each moved by what its action and the wind are, or `count` raises


def test_a_reference_may_count_itself_and_only_what_was_played_in_episodes_is_told():
    text = terms("Tallying")
    (turns,) = (check for check in judge(text).checks if check.name == "coverage: turn")
    (alone,) = (check for check in judge(text, ("L3",)).checks if check.name == "coverage: turn")
    assert set(turns.numbers["counts"]) == {"left", "right"}
    assert turns.numbers == alone.numbers  # single steps and restored states are no play


def test_a_function_that_gives_something_else_is_the_contracts_fault():
    text = terms(more=WALKED.replace(":count", ":nothing"))
    (check,) = failed(judge(text, ("L3",))).values()
    assert "must give a dict of dicts" in check.detail


def test_only_two_functions_can_be_named():
    with pytest.raises(ContractError, match=r"\[coverage\]: unknown key counts; did you mean count\?"):
        read(terms(more='[coverage]\ncounts = "a.py:b"\n'))


def test_names_that_are_not_foreseen_are_shown():
    walk = session(terms(more=WALKED))
    add(walk.counts, {"wind": {"still": 3, "blows": 1, "storm": 1}})
    wind = next(check for check in check_coverage(walk) if check.name == "coverage: wind")
    assert "not among them: storm" in wind.detail


def test_counts_are_told_apart():
    before = {"a": {"x": 2, "y": 1}}
    now = {"a": {"x": 5, "y": 1}, "b": {"z": 1}}
    assert since(before, now) == {"a": {"x": 3}, "b": {"z": 1}}
    total: dict[str, dict[str, int]] = {}
    add(total, before)
    add(total, now)
    assert total == {"a": {"x": 7, "y": 2}, "b": {"z": 1}}
