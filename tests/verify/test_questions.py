"""Questions beside single steps and episodes: functions alone, invariants, what play can reach, other precisions."""

from dataclasses import replace

import pytest
from planting import SMALL, divergences, kept_at, plant, put_to_the_engine
from walking import HERE, failed, judge, session, terms

from envwright.core.errors import EnvwrightError
from envwright.verifier.engine import ELSEWHERE
from envwright.verifier.replay import replay
from envwright.verifier.run import verify_names


def test_a_sound_candidate_that_rounds_passes_in_both_precisions(tmp_path):
    verdict = put_to_the_engine(plant(tmp_path, "cartpole"))
    assert verdict.passed, verdict.text()
    names = {check.name for check in verdict.checks if check.count > 100}
    assert names >= {"single steps in float64", "single steps in float32", "episodes in float64, free running"}


def test_a_number_that_is_wrong_in_its_third_digit_is_found(tmp_path):
    planted = plant(tmp_path, "cartpole", [("gravity: jax.Array = scalar(9.8)", "gravity: jax.Array = scalar(9.81)")])
    verdict = put_to_the_engine(planted, SMALL, ("L1",))
    assert verdict.modules == ("accelerations",)
    assert "single steps in float32" in failed(verdict)  # in float64 it gets the reference's own numbers


def test_a_constant_that_is_a_little_off_is_found_by_comparing_the_constants(tmp_path):
    planted = plant(
        tmp_path, "cartpole", [("gravity: jax.Array = scalar(9.8)", "gravity: jax.Array = scalar(9.80001)")]
    )
    (found,) = failed(put_to_the_engine(planted, SMALL, ("L0",)))["params are the reference's constants"].divergences
    assert found.column == "params.gravity"


SHAKE = f"""
version = 1
reference = "{HERE / "games.py"}:Shake"
candidate = "{HERE / "walks.py"}:Shake"
candidate_options = {{ stronger = 0.0 }}
[state]
x = "x"
t = "t"
[chance.start]
value = "draws('reset', 0)"
[[tolerance]]
columns = ["state.x", "observation"]
reason = "the candidate computes in float32"
"""


def test_what_rounding_explains_is_no_difference_however_far_a_step_magnifies_it():
    verdict = judge(SHAKE, ("L1", "L3"))
    assert verdict.passed, verdict.text()
    verdict = judge(SHAKE.replace("stronger = 0.0", "stronger = 0.01"), ("L1", "L3"))
    assert verdict.modules == ("dynamics",)
    assert {check.level for check in failed(verdict).values()} == {"L1", "L3"}


def test_what_rounding_explains_of_a_start_is_no_difference():
    terms = SHAKE.replace(":Shake", ":ShakenFromTheStart")
    assert judge(terms, ("L3",)).passed
    verdict = judge(terms.replace("stronger = 0.0", "stronger = 0.01"), ("L3",))
    assert "starts" in failed(verdict)


def test_a_function_is_compared_alone_and_replayed(tmp_path):
    """An ace that may count 11 up to 22: seen in the function itself, before any step goes wrong for it."""
    planted = plant(tmp_path, "blackjack", [("(hand.sum() + 10 <= LIMIT)", "(hand.sum() + 10 <= LIMIT + 1)")])
    verdict = put_to_the_engine(planted, SMALL, ("L1",), tmp_path / "kept")
    check = failed(verdict)["function usable_ace"]
    (found,) = check.divergences
    assert (found.module, found.column, found.expected, found.got) == ("hands", "usable_ace()", 0, 1)
    assert sum(found.input["hand"]) == 12
    assert 1 in found.input["hand"]
    assert replay(kept_at(found)).status == "fail"
    planted.undo()
    assert replay(kept_at(found)).status == "pass"


def test_an_invariant_is_asked_of_the_candidates_states():
    never = "[[invariant]]\nmodule = 'walls'\nname = 'nobody leaves the garden'\nholds = 'at < 5'\n"
    (found,) = failed(judge(terms(more=never), ("L1",)))["invariants"].divergences
    assert (found.module, found.column) == ("walls", "nobody leaves the garden")
    assert found.input["at"] >= 5
    always = never.replace("at < 5", "-20 < at < 20")
    assert judge(terms(more=always), ("L1",)).passed


def test_states_out_of_reach_are_not_compared():
    text = terms(fault="step", more="[[reachable]]\nholds = 'at != 4'\nreason = 'there is a pond'\n")
    assert "single steps" not in failed(judge(text, ("L1",)))
    assert "single steps" in failed(judge(terms(fault="step"), ("L1",)))


def test_an_original_that_refuses_every_state_is_named_and_not_the_candidate():
    (found,) = failed(judge(terms("Insists"), ("L1",))).values()
    assert found.numbers["fault"] == ELSEWHERE
    assert "the original refuses all 88 states from which single steps" in found.detail
    assert "put here by others" in found.detail


def test_a_stated_domain_is_searched_beyond_what_play_has_seen():
    far = terms(fault="far", more="[domain]\nat = { low = -9, high = 90 }\n")
    assert not failed(judge(terms(fault="far")))
    (found,) = divergences(judge(far, ("L1",)))
    assert (found.column, found.input["at"]) == ("state.at", 50)


def test_a_failing_input_is_tried_first_the_next_time(tmp_path):
    """Found with a domain that leads there, it is found again without."""
    (tmp_path / "walk.toml").write_text(terms(fault="far", more="[domain]\nat = { low = 50, high = 60 }\n"))
    (first,) = verify_names([str(tmp_path / "walk.toml")], levels=["L1"], episodes=4, out=tmp_path / "out")
    assert not first.passed
    (tmp_path / "walk.toml").write_text(terms(fault="far"))
    (again,) = verify_names([str(tmp_path / "walk.toml")], levels=["L1"], episodes=4, out=tmp_path / "out")
    assert failed(again)["single steps"].divergences[0].input["at"] == 50


def test_an_unknown_param_is_named(tmp_path):
    planted = plant(tmp_path, "cartpole", contract=[('gravity = "gravity"', 'gravty = "gravity"')])
    details = {check.detail for check in failed(put_to_the_engine(planted, SMALL, ("L1",))).values()}
    assert any("has no param gravty; it has " in detail for detail in details)


def test_one_name_or_two_but_no_more():
    with pytest.raises(EnvwrightError, match="Give an environment of envwright's, a contract's file, or REFERENCE"):
        list(verify_names(["a", "b", "c"], levels=["L0"]))


@pytest.mark.parametrize(("stir", "sound"), [("stir", True), ("stir_a_little_more", False)])
def test_functions_may_differ_by_what_rounding_explains_and_no_more(stir, sound):
    pair = f'[[function]]\nmodule = "shaking"\nreference = "stir"\ncandidate = "{stir}"\narguments = ["x"]'
    verdict = judge(f"{SHAKE}\n{pair}", ("L1",))
    check = next(check for check in verdict.checks if check.name == "function stir")
    assert check.count > 100
    assert (check.status == "pass") is sound, check


def test_long_games_are_fewer_each_to_its_end():
    all_of_them = session().trace
    now = session()
    now.effort = replace(now.effort, steps=int(all_of_them.lengths[:3].sum()))
    few = now.trace
    assert few.lengths.tolist() == all_of_them.lengths[:3].tolist()
    assert (few.seeds, few.policies) == (all_of_them.seeds[:3], all_of_them.policies[:3])
    assert len(few.start_tape) == 3
