"""A game for two with masks, put to the verifier: sound, and with every bug that only such a game can have."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fast_noughts import Noughts
from noughts_pair import HERE, SMALL, judge, session, terms
from slow_noughts import LINES

from envwright.candidates.native import native_candidate
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.protocol import ReferenceFailedError
from envwright.verifier.record import Case, record_transitions
from envwright.verifier.trial import attempt, explain, precisions
from envwright.verifier.verdict import Verdict

MAPPED = 'legal_actions = "legal"\nacting = "acting"\n'
SLOW = f"{HERE / 'slow_noughts.py'}:Noughts"


ADVICE = '[ignored]\n"reference.legal" = "advice"\n'
UNOWNED = ('owns = ["legal_actions"]', "owns = []")
STUCK = "[*free, False], [False] * 10"
MASKED = """
import gymnasium as gym, numpy as np

class Walk(gym.Env):
    action_space = gym.spaces.Discrete(3)
    observation_space = gym.spaces.Discrete(3)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return self.at, self.info()
    def step(self, action):
        self.at = int(action)
        return self.at, 0.0, False, False, self.info()
    def info(self):
        return {}
    def mask(self):
        return np.arange(3) != self.at

class Method(Walk):
    def action_masks(self):
        return self.mask()

class Info(Walk):
    def info(self):
        return {"action_mask": self.mask().astype(np.int8)}

class Wrapper(gym.Wrapper):
    def __init__(self):
        super().__init__(Walk())
    def action_masks(self):
        return self.unwrapped.mask()
"""


def changed(folder: Path, old: str, new: str) -> str:
    """The reference with a snippet replaced."""
    code = (HERE / "slow_noughts.py").read_text()
    assert code.count(old) == 1
    (folder / "changed.py").write_text(code.replace(old, new))
    return f"{folder / 'changed.py'}:Noughts"


def said(verdict: Verdict) -> str:
    return verdict.text()


def test_a_sound_translation_passes():
    verdict = judge()
    assert verdict.passed, said(verdict)
    assert {check.level for check in verdict.checks if check.status == "pass"} == {"L0", "L1", "L3"}


@pytest.mark.parametrize(("fault", "module"), [("mask", "moves"), ("turn", "turns"), ("reward", "scoring")])
def test_a_planted_bug_is_found_in_single_steps_and_in_episodes(fault: str, module: str):
    verdict = judge(terms(fault))
    assert verdict.modules == (module,), said(verdict)
    assert {check.level for check in verdict.checks if not check.passed} == {"L1", "L3"}, said(verdict)


def test_a_mask_that_is_wrong_at_the_start_alone_is_found_there():
    verdict = judge(terms("opening"))
    assert verdict.modules == ("moves",), said(verdict)
    assert [check.name for check in verdict.checks if not check.passed] == ["starts"]


def test_illegal_moves_are_compared_only_where_the_contract_says_that_masks_are_advice():
    assert judge(terms("illegal")).passed
    advice = ADVICE + '"candidate.legal_actions" = "advice"\n[outcome]\nacting = "acting"\n'
    changes = (f"[outcome]\n{MAPPED}", advice), UNOWNED
    verdict = judge(terms("illegal", *changes))
    assert verdict.modules == ("scoring",), said(verdict)
    assert judge(terms("", *changes)).passed


def test_a_mask_that_the_contract_forgets_is_a_fault_of_the_contract():
    verdict = judge(terms("", (MAPPED, 'acting = "acting"\n')), levels=("L0",))
    assert verdict.modules == ("contract",)
    assert 'legal_actions: expected mapped in [outcome], as legal_actions = "legal", or "candidate.leg' in said(verdict)
    verdict = judge(terms("", (MAPPED, 'legal_actions = "legal"\n')), levels=("L0",))
    assert 'acting: expected mapped in [outcome], as acting = "acting"' in said(verdict)


def test_a_mask_that_only_the_reference_has_is_a_fault_of_the_contract(tmp_path):
    code = (HERE / "fast_noughts.py").read_text().replace("def legal_actions", "def may_do")
    (tmp_path / "maskless.py").write_text(code)
    elsewhere = f"{HERE / 'fast_noughts.py'}", f"{tmp_path / 'maskless.py'}"
    text = terms("", elsewhere, (MAPPED, 'acting = "acting"\n'), UNOWNED)
    verdict = judge(text, levels=("L0",))
    assert 'reference.legal: expected a candidate with legal_actions, or "reference.legal" named in' in said(verdict)
    assert judge(text + ADVICE, levels=("L0",)).passed


def test_a_candidate_for_one_is_no_game_for_two():
    walk = f"{HERE.parent / 'verify' / 'games.py'}:Walk"
    checks = {check.name: check for check in judge(terms("", (SLOW, walk)), levels=("L0",)).checks}
    assert checks["spaces"].divergences[0].column == "players"


def test_the_candidate_gives_masks_and_rewards_for_each_player():
    candidate = native_candidate(Noughts())
    kinds = candidate.kinds()
    assert (kinds["legal_actions"].shape, kinds["acting"].shape, kinds["reward"].shape) == ((2, 10), (2,), (2,))
    new = candidate.init(np.arange(4, dtype=np.uint32))
    assert new["legal_actions"].sum(axis=(1, 2)).tolist() == [10] * 4
    assert (new["acting"].argmax(1) == new["state.turn"]).all()


def test_the_reference_gives_masks_and_rewards_for_each_player():
    with gymnasium_reference(SLOW) as reference:
        assert reference.players == 2
        outcome = reference.reset(seed=0)
        turn = reference.look()["turn"]
        assert outcome.reward.tolist() == [0, 0]
        assert outcome.legal is not None
        assert outcome.legal.sum(1)[turn] == 9
        assert outcome.acting is not None
        assert outcome.acting.tolist() == [turn == 0, turn == 1]
        rng = np.random.default_rng(0)
        while not outcome.terminated:
            action = reference.sample_action(rng)
            assert outcome.legal[[0, 1], action].all()
            outcome = reference.step(action)
            assert outcome.legal is not None
            assert outcome.legal.tolist() == np.asarray(reference.legal()).tolist()
        assert sorted(outcome.reward.tolist()) in ([-1, 1], [0, 0])


def test_no_action_is_taken_that_is_illegal_where_it_would_be_taken():
    now = session()
    cases = now.states.invent(now.actions, 200, now.rng(0))
    done = now.host.run(record_transitions, now.contract, cases)
    replaced = sum(not np.array_equal(a.action, b.action) for a, b in zip(cases, done.cases, strict=False))
    assert replaced > 50
    turn, board = done.before["state.turn"], done.before["state.board"]
    rows = np.arange(len(turn))
    place = done.after["action"][rows, turn]
    assert (np.where(place == 9, 0, board[rows, np.minimum(place, 8)]) == 0).all()
    assert (done.after["action"][rows, 1 - turn] == 9).all()


def is_possible(state: dict[str, Any]) -> bool:
    """Marks, moves and turn as play leaves them, before anybody has won."""
    marks = [state["board"].count(seat + 1) for seat in (0, 1)]
    ahead = marks[state["first"]] - marks[1 - state["first"]]
    won = any(len({state["board"][place] for place in line}) == 1 and state["board"][line[0]] for line in LINES)
    return sum(marks) == state["moves"] and ahead == (state["turn"] != state["first"]) and not won


@pytest.mark.parametrize("how", ["mined", "stated", "made"])
def test_invented_states_are_possible_and_so_are_the_smallest_shown(tmp_path, how: str):
    (tmp_path / "states.py").write_text(
        "def possible(rng, recorded):\n"
        "    return {**recorded[0], 'board': [0] * 9, 'moves': 0, 'turn': (t := int(rng.integers(2))), 'first': t}\n"
    )
    stated = "[domain]\ntogether = [['board', 'moves'], ['turn', 'moves', 'first']]\n"
    made = ("version = 1\n", f"version = 1\nstates = '{tmp_path / 'states.py'}:possible'\n")
    text = terms("turn", made) if how == "made" else terms("turn") + (stated if how == "stated" else "")
    few = SMALL if how == "mined" else replace(SMALL, pool=40)  # too few to tell
    now = session(text, few)
    cases = now.states.invent(now.actions, 300, now.rng(0)) + now.states.corners(now.actions, now.rng(1), 300)
    assert len(cases) > 300
    assert all(is_possible(case.snapshot) for case in cases)
    assert len({repr(case.snapshot["board"]) for case in cases}) > 20
    if how == "made":
        assert {case.snapshot["moves"] for case in cases[2::3][:100]} == {0}
    (precision,) = precisions(now)
    found = explain(now, precision, attempt(now, precision, cases), "L1")
    assert [divergence.module for divergence in found] == ["turns"]
    assert is_possible(found[0].input)


def test_too_few_states_say_nothing_of_what_belongs_together():
    now = session(effort=replace(SMALL, pool=40))
    assert now.states.groups == ()
    assert not all(is_possible(case.snapshot) for case in now.states.invent(now.actions, 100, now.rng(0)))


def test_a_state_in_which_nobody_can_do_anything_is_passed_over(tmp_path):
    now = session(terms("", (SLOW, changed(tmp_path, "[*free, not any(free)], [False] * 9 + [True]", STUCK))))
    full = {**now.trace.pool[0], "board": [1, 2, 1, 2, 1, 2, 2, 1, 2], "moves": 9}
    cases = [Case(state, np.zeros(2, int)) for state in (full, now.trace.pool[0])]
    done = now.host.run(record_transitions, now.contract, cases)
    assert (len(done.cases), done.outside) == (1, ["no action is legal there"])


def test_rewards_that_are_not_one_a_player_are_refused(tmp_path):
    with gymnasium_reference(changed(tmp_path, "np.zeros(2)", "0.0")) as reference:
        reference.reset(seed=0)
        with pytest.raises(ReferenceFailedError, match=r"has 2 players, but its reward is 0\.0; give an array of 2"):
            reference.step(reference.sample_action(np.random.default_rng(0)))


def test_a_mask_of_another_shape_is_refused(tmp_path):
    with pytest.raises(
        ReferenceFailedError, match=r"a mask of .* of shape \(1, 1\), bool; booleans of shape \(2, 10\)"
    ):
        gymnasium_reference(changed(tmp_path, "rows if self.turn == 0 else rows[::-1]", "[[True]]"))


@pytest.mark.parametrize("way", ["method", "wrapper", "info"])
def test_masks_of_one_player_come_by_a_method_of_a_wrapper_or_in_info(tmp_path, way: str):
    (tmp_path / "masked.py").write_text(MASKED)
    with gymnasium_reference(f"{tmp_path / 'masked.py'}:{way.title()}") as reference:
        outcome, rng = reference.reset(seed=0), np.random.default_rng(0)
        assert (outcome.reward, outcome.acting) == (0.0, None)
        for _ in range(9):
            assert outcome.legal is not None
            assert outcome.legal.tolist() == [reference.look()["at"] != place for place in range(3)]
            action = reference.sample_action(rng)
            assert outcome.legal[action]
            outcome = reference.step(action)
        reference.restore(reference.snapshot())
        assert (reference.legal() is None) == (way == "info"), "what is only told after a step is not known before it"
