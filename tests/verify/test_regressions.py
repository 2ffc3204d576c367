"""Failing inputs on disk: written once, tried first, replayed alone."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from walking import session, terms

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Draw
from envwright.verifier import contract as contracts
from envwright.verifier import regressions
from envwright.verifier.engine import pair_of
from envwright.verifier.record import Case
from envwright.verifier.replay import replay
from envwright.verifier.verdict import Divergence

WRONG = Divergence("dynamics", "state.at", 1, 2)
CASE = Case({"at": 4, "board": np.eye(2), "who": None}, 1, (Draw("games.py:28 step", "integers", np.int64(1)),))


def kept(folder: Path, case: Case = CASE) -> Path:
    found = regressions.keep_step(session(regressions=folder, pair={"reference": "r"}), WRONG, case, "exact", "L1")
    return Path(found.replay.removeprefix("envwright replay "))


def test_a_step_comes_back_as_it_was(tmp_path):
    path = kept(tmp_path / "new")
    assert path.name.startswith("L1-dynamics-state.at-")
    case = regressions.step_of(regressions.load(path))
    assert (case.snapshot["at"], case.snapshot["who"], case.action, case.tape) == (4, None, 1, CASE.tape)
    assert case.snapshot["board"].tolist() == np.eye(2).tolist()
    assert isinstance(case.tape, tuple)
    assert isinstance(case.tape[0], Draw)


def test_the_same_fault_is_the_same_file_and_another_is_another(tmp_path):
    assert kept(tmp_path) == kept(tmp_path)
    assert kept(tmp_path, CASE._replace(action=0)) != kept(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_names_of_modules_cannot_leave_the_folder(tmp_path):
    wrong = replace(WRONG, module="time limit/../..", column="position after move")
    regressions.keep_step(session(regressions=tmp_path), wrong, CASE, "exact", "L2")
    (file,) = tmp_path.iterdir()
    assert " " not in file.name


def test_without_a_folder_nothing_is_written():
    assert regressions.keep_step(session(), WRONG, CASE, "exact", "L1") == WRONG


def test_files_of_versions_that_said_luck_can_be_replayed(tmp_path):
    (tmp_path / "walk.toml").write_text(terms(fault="seed"))
    pair = pair_of(contracts.load(tmp_path / "walk.toml"))
    ours = session(terms(fault="seed"), regressions=tmp_path, pair=pair)
    path = Path(regressions.keep_chance(ours, WRONG).replay.removeprefix("envwright replay "))
    assert json.loads(path.read_text())["kind"] == "chance"
    path.write_text(path.read_text().replace('"kind": "chance"', '"kind": "luck"'))
    assert replay(path).name == "seeds matter"


def test_only_steps_of_the_same_pair_are_tried_first(tmp_path):
    kept(tmp_path)
    ours = session(regressions=tmp_path, pair={"reference": "r"})
    regressions.keep_chance(ours, WRONG)
    assert [case.action for case in regressions.stored_steps(ours)] == [1]
    assert regressions.stored_steps(session(regressions=tmp_path, pair={"reference": "other"})) == []
    assert regressions.stored_steps(session()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not JSON", "is not a regression of envwright's: it is not JSON"),
        ("\udcff", "is not a regression of envwright's: it is not JSON"),
        ("{}", "is of version None; this envwright reads version 1"),
        ('{"version": 9}', "is of version 9; this envwright reads version 1"),
        ("[]", "is of version None"),
    ],
)
def test_what_is_no_regression_is_refused(tmp_path, text, says):
    (tmp_path / "a.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(EnvwrightError, match=says):
        replay(tmp_path / "a.json")


def test_a_file_that_is_not_there_or_not_whole_is_one_sentence(tmp_path):
    with pytest.raises(EnvwrightError, match=r"a\.json cannot be read: No such file or directory"):
        replay(tmp_path / "a.json")
    (tmp_path / "walk.toml").write_text(terms())
    whole = contracts.load(tmp_path / "walk.toml")
    pair = {"reference": whole.reference, "candidate": whole.candidate, "contract": str(whole.path)}
    about = {"version": 1, "pair": pair, "level": "L1", "column": "state.at", "kind": "step"}
    (tmp_path / "half.json").write_text(json.dumps(about))
    with pytest.raises(EnvwrightError, match=r"half\.json lacks 'precision'; it is not a whole regression"):
        replay(tmp_path / "half.json")
    (tmp_path / "odd.json").write_text(json.dumps({"version": 1}))
    with pytest.raises(EnvwrightError, match=r"odd\.json lacks 'pair'; it is not a whole regression"):
        replay(tmp_path / "odd.json")
