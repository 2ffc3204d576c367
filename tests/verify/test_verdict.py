"""Verdicts: what people read and what machines do."""

import json

import numpy as np

from envwright.verifier.verdict import VERSION, Check, Divergence, Verdict, short, write

FOUND = Divergence(
    "walls",
    "state.ball_vy",
    np.float32(1.0),
    -1.0,
    episode=3,
    step=7,
    input={"ball_y": 0.0, "action": 2},
    differing=12,
    replay="envwright replay x.json",
    note="frame 2",
)
GOOD = Check("L1", "single steps", "pass", "3,000 steps", 3000)
BAD = Check("L3", "episodes", "fail", "9 episodes", 9, (FOUND, FOUND))
PASS = Verdict("a game", (Check("L0", "params", "note", "one is dead"), GOOD), {"seed": 1}, seconds=1.5)
FAIL = Verdict("a game", (GOOD, BAD), coverage={"lines": [3, 4], "branches": [1, 2], "missing": ["pong.h:3 x = 1;"]})


def test_notes_and_skips_pass_and_one_failure_fails_the_whole():
    assert PASS.passed
    assert Verdict("a game", (Check("L2", "phases", "skip"),)).passed
    assert not FAIL.passed
    assert FAIL.modules == ("walls",)


def test_the_text_has_a_line_a_check_and_under_a_failure_place_input_and_command():
    assert PASS.text().splitlines() == [
        "PASS  a game   (1.5 s)",
        "  L0 note params: one is dead",
        "  L1 ok   single steps: 3,000 steps",
    ]
    text = FAIL.text()
    assert "L3 FAIL episodes: 9 episodes" in text
    values = f"expected {short(FOUND.expected)}, got {short(FOUND.got)}"
    assert f"module walls, state.ball_vy, episode 3, step 7: {values}; so in 12 inputs" in text
    assert f"input: ball_y = {short(0.0)}, action = 2" in text
    assert "frame 2" in text
    assert "again: envwright replay x.json" in text
    assert "coverage of the reference: 3 of 4 lines, 1 of 2 branches" in text
    assert "never run: pong.h:3 x = 1;" in text


def test_the_file_is_versioned_and_passes_only_if_all_do(tmp_path):
    write([PASS, FAIL], tmp_path / "new" / "v.json")
    content = json.loads((tmp_path / "new" / "v.json").read_text())
    assert (content["version"], content["passed"]) == (VERSION, False)
    assert [v["passed"] for v in content["verdicts"]] == [True, False]
    assert content["verdicts"][1]["modules"] == ["walls"]
    assert content["verdicts"][1]["checks"][1]["divergences"][0]["expected"] == 1.0
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["v.json"]
