"""What goes wrong outside of the rules: each time one clear sentence, and the rest of the verdict is intact."""

import subprocess
import sys
from pathlib import Path

import pytest
from walking import SMALL, TERMS, failed, judge, session, terms

from envwright.verifier.trace import load, save
from envwright.verifier.verdict import Divergence, Verdict


def blamed(verdict: Verdict, check: str) -> Divergence:
    """The first divergence of a check that failed; no traceback is anywhere in the text."""
    assert "Traceback" not in verdict.text()
    return failed(verdict)[check].divergences[0]


def test_a_sound_pair_passes_everywhere():
    verdict = judge()
    assert verdict.passed, verdict.text()
    assert {check.level for check in verdict.checks} == {"L0", "L1", "L2", "L3"}
    assert verdict.modules == ()


# ---- the reference ----


def test_a_reference_that_is_not_deterministic_given_its_tape_names_the_attribute():
    verdict = judge(terms("Clocked"), levels=("L0",))
    found = blamed(verdict, "the reference repeats itself")
    assert (found.module, found.column) == ("reference", "stamp")
    assert "is not deterministic given its tape: attribute `stamp` differs" in verdict.text()


def test_a_count_of_all_games_is_in_the_way_only_if_it_is_asked_for():
    name, more = "the reference repeats itself", '\n[ignored]\n"reference.games" = "it leads to info alone"\n'
    assert name not in failed(judge(terms("Counting", more=more), levels=("L0",)))
    more += "[outcome.info]\ngames = \"info['games']\"\n"
    assert blamed(judge(terms("Counting", more=more), levels=("L0",)), name).column == "info['games']"


def test_an_attribute_that_cannot_be_copied_is_named_with_its_hook():
    verdict = judge(terms("Locked"), apart={})
    assert not verdict.passed
    for check in failed(verdict).values():
        assert check.detail.startswith("could not be made: Attribute `doors[0]` of Locked is a _thread.lock, which ")
        assert "envwright_snapshot(self)" in check.detail


def test_a_reference_that_raises_in_the_middle_of_an_episode_harms_no_other_check():
    verdict = judge(terms("Raises"))
    assert list(failed(verdict)) == ["the reference plays on"]
    found = blamed(verdict, "the reference plays on")
    assert found.module == "reference"
    assert "Raises raised ZeroDivisionError (too far to the left) at games.py:" in str(found.got)
    assert {c.name: c.count for c in verdict.checks}["episodes"] > 50


@pytest.mark.parametrize(
    ("reference", "host", "says"),
    [
        ("Crashes", {}, "The reference's process died (killed by SIGABRT); the rest goes on."),
        pytest.param(
            "Hangs",
            {"patience": 1.0},
            "The reference made no step for 1 s and was stopped; it seems to hang.",
            marks=pytest.mark.slow,  # test_host.py has the quick one
        ),
        pytest.param("Leaks", {"memory": 2**30}, "GiB of memory in", marks=pytest.mark.slow),
    ],
)
def test_a_reference_that_cannot_go_on_harms_no_other_check(reference, host, says):
    verdict = judge(terms(reference), apart=host)
    assert list(failed(verdict)) == ["the reference plays on"]
    found = failed(verdict)["the reference plays on"].divergences
    assert found
    assert all(says in str(d.got) for d in found)
    assert {c.name: c.count for c in verdict.checks}["episodes"] > 10


def test_a_shape_that_changes_says_to_pad_it():
    details = {check.detail for check in failed(judge(terms("Hand"))).values()}
    assert len(details) == 1
    assert "observation has the shapes (1,) and (" in details.pop()


# ---- the candidate ----


def test_other_actions_are_a_matter_of_the_contract():
    found = blamed(judge(terms("ThreeWays"), levels=("L0",)), "spaces")
    assert (found.module, found.column, found.expected, found.got) == (
        "contract", "action space", "Discrete(n=3)", "Discrete(n=2)",
    )  # fmt: skip


def test_a_candidate_that_is_not_finite_is_found_with_its_input():
    verdict = judge(terms(fault="nan"))
    assert verdict.modules == ("reward",)
    assert set(failed(verdict)) == {"single steps", "invariants", "episodes"}
    found = blamed(verdict, "single steps")
    assert (found.expected, str(found.got), found.input["at"]) == (-3.0, "nan", 2)


def test_a_candidate_that_raises_is_quoted_with_its_line_and_what_can_be_asked_is():
    verdict = judge(terms(fault="raises"))
    failures = failed(verdict)
    assert "steps" in failures
    assert all(
        "the candidate raised TypeError: this cannot be traced (walks.py:" in c.detail for c in failures.values()
    )
    assert {check.name for check in verdict.checks if check.passed} >= {"seeds matter", "chance in distribution"}


def test_luck_that_ignores_the_seed_and_a_start_that_ignores_luck_are_told_apart():
    assert judge(terms(fault="seed"), levels=("L1",)).modules == ("chance",)
    assert judge(terms(fault="start")).modules == ("reset",)


# ---- the contract ----


def test_an_unknown_field_of_the_candidate_is_named():
    verdict = judge(terms(at='att = "at"'))
    assert "state.att: expected a field of the candidate, got there is none; did you mean at?" in verdict.text()
    assert {check.name for check in verdict.checks if check.passed} >= {"the reference repeats itself", "spaces"}
    assert "KeyError" not in verdict.text()


def test_a_slip_of_the_pen_in_what_is_ignored_allowed_or_blamed_is_named():
    more = """
[ignored]
"reference.att" = "is said to matter nothing"
[[tolerance]]
columns = ["observations"]
reason = "none"
[[module]]
name = "walking"
owns = ["state.att"]
"""
    found = failed(judge(terms(more=more), levels=("L0",)))["every name is known"].divergences
    assert [d.column for d in found] == ["reference.att", "observations", "state.att"]
    assert [d.got for d in found] == [
        "did you mean reference.at?", "did you mean observation?", "did you mean state.at?",
    ]  # fmt: skip


def test_an_unknown_name_of_the_reference_is_one_sentence():
    told = [check for check in failed(judge(terms(at='at = "ta"'))).values() if not check.divergences]
    assert told
    for check in told:
        assert "[state] at: the reference has no ta; " in check.detail


def test_what_has_no_counterpart_is_named_on_either_side():
    timed = terms("Clocked").replace('fault = ""', "max_episode_steps = 50")
    found = failed(judge(timed, levels=("L0",)))["every field has its counterpart"].divergences
    assert [(d.module, d.column, d.got) for d in found] == [
        ("contract", "state.time", "neither"),
        ("contract", "reference.stamp", "neither"),
    ]
    said = timed + "[ignored]\n'candidate.time' = 'the reference has no limit'\n'reference.stamp' = 'the hour'"
    assert "every field has its counterpart" not in failed(judge(said, levels=("L0",)))


def test_luck_the_contract_does_not_mention_is_named_by_its_place():
    text = terms(more="[chance.ignored]\nreset = 'is said to matter nothing'").replace("draws('step', 0)", "0")
    details = [check.detail for check in failed(judge(text)).values()]
    assert details
    assert all("draws integers at games.py:" in detail and "step, which the contract" in detail for detail in details)


# ---- files ----


def test_a_trace_is_recorded_once_and_anew_if_it_is_of_another_version(tmp_path, monkeypatch):
    path = tmp_path / "walk.trace"
    first = session(traces=path).trace
    written = path.stat().st_mtime_ns
    assert session(traces=path).trace.key == first.key
    assert path.stat().st_mtime_ns == written
    monkeypatch.setattr("envwright.verifier.trace.VERSION", 0)
    save(first, path)
    monkeypatch.undo()
    again = session(traces=path).trace
    assert again.steps["action"].tolist() == first.steps["action"].tolist()
    assert load(path).key == first.key
    assert SMALL.episodes == again.episodes


# ---- as a person meets it ----


def envwright(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "envwright", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def verified(folder: Path, text: str, *more: str) -> subprocess.CompletedProcess[str]:
    (folder / "walk.toml").write_text(text)
    out = ("--out", str(folder / "out"), "--episodes", "8")
    return envwright("verify", str(folder / "walk.toml"), *out, *more)


def test_a_divergence_is_exit_code_1_and_its_replay_too(tmp_path):
    result = verified(tmp_path, terms(fault="step"), "--levels", "1")
    assert result.returncode == 1, result
    assert "module dynamics, state.at: expected" in result.stdout
    command = next(line for line in result.stdout.splitlines() if "again: envwright replay" in line).split()
    again = envwright(*command[2:])
    assert again.returncode == 1, again
    assert "module dynamics, state.at: expected" in again.stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TERMS.replace("version = 1", "version = 7"), "walk.toml is of version 7; this envwright reads version 1."),
        (TERMS.replace("[state]", "[stat]"), "walk.toml: unknown key stat; did you mean state?"),
        (TERMS.replace("games.py", "gone.py"), "There is no file"),
        (terms("Locked"), "Attribute `doors[0]` of Locked is a _thread.lock"),
        (terms(at='at = "ta"'), "the reference has no ta"),
    ],
    ids=["version", "key", "file", "attribute", "name"],
)
def test_a_mistake_is_exit_code_2(tmp_path, text, says):
    result = verified(tmp_path, text)
    assert result.returncode == 2, result
    assert says in result.stdout + result.stderr
    assert "Traceback" not in result.stdout + result.stderr


def test_what_is_no_regression_is_exit_code_2(tmp_path):
    (tmp_path / "a.json").write_text("{}")
    result = envwright("replay", str(tmp_path / "a.json"))
    assert (result.returncode, "is of version None; this envwright reads" in result.stderr) == (2, True)
