"""Traces on disk: what is read is what was written, or else a sentence says why not."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from envwright.references.protocol import Draw, TapeError
from envwright.verifier.trace import VERSION, Failure, Trace, load, save


def trace() -> Trace:
    deal, roll = Draw("g.py:1 deal", "choice", np.int64(4)), Draw("g.py:2 roll", "random", 0.1 + 0.2)
    return Trace(
        starts={"state.x": np.array([0.1, np.nan]), "chance.cards": np.array([[1, 2], [3, 4]])},
        steps={"action": np.arange(5), "state.x": np.array([1e-320, np.inf, -0.0, 1 / 3, 2.0]), "ended": np.eye(5, 2)},
        lengths=np.array([2, 3]),
        policies=["random", "p.py:go"],
        seeds=[0, 1],
        start_tape=[(deal,), ()],
        step_tape=[(roll,), (roll, deal), (), (Draw("g.py:3 mix", "shuffle", (2, [1, 0])),), ()],
        failures=[Failure(1, 3, "It fell over.")],
        pool=[{"x": 0.1, "board": np.arange(4).reshape(2, 2), "who": None}],
        coverage={"lines": [1, 2], "branches": [0, 0], "missing": []},
        key="what it was recorded from",
        provenance={"package": "x 1.0"},
    )


@pytest.fixture
def path(tmp_path) -> Path:
    save(trace(), tmp_path / "new" / "a.trace")
    return tmp_path / "new" / "a.trace"


def rewrite(path: Path, name: str, change) -> None:
    with zipfile.ZipFile(path) as file:
        parts = {entry: file.read(entry) for entry in file.namelist()}
    parts[name] = change(parts[name])
    with zipfile.ZipFile(path, "w") as file:
        for entry, content in parts.items():
            if content is not None:
                file.writestr(entry, content)


def test_what_is_read_is_what_was_written_to_the_bit(path):
    want, have = trace(), load(path)
    for a, b in ((want.starts, have.starts), (want.steps, have.steps), ({"": want.lengths}, {"": have.lengths})):
        assert a.keys() == b.keys()
        assert all(a[name].tobytes() == b[name].tobytes() and a[name].dtype == b[name].dtype for name in a)
    assert (have.start_tape, have.step_tape) == (want.start_tape, want.step_tape)
    assert isinstance(have.step_tape[0][0], Draw)
    for name in ("policies", "seeds", "failures", "coverage", "key", "provenance"):
        assert getattr(have, name) == getattr(want, name)
    assert have.pool[0]["board"].tolist() == [[0, 1], [2, 3]]
    assert [p.name for p in path.parent.iterdir()] == ["a.trace"]


def test_the_hash_is_of_the_content(tmp_path, path):
    assert save(trace(), tmp_path / "b") == save(load(path), tmp_path / "c")
    other = trace()
    other.steps["action"][0] = 9
    assert save(other, tmp_path / "d") != save(trace(), tmp_path / "e")


def test_another_version_says_which(path):
    rewrite(path, "header.json", lambda header: json.dumps({**json.loads(header), "version": VERSION + 1}))
    with pytest.raises(TapeError, match=rf"a\.trace is of version {VERSION + 1}; this envwright reads {VERSION}: reco"):
        load(path)


@pytest.mark.parametrize("part", ["tape.jsonl", "pool.jsonl", "columns.npz"])
def test_changed_bytes_are_noticed(path, part):
    rewrite(path, part, lambda content: content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(TapeError, match="has been changed since it was written"):
        load(path)


def test_what_is_no_trace_is_refused(tmp_path, path):
    (tmp_path / "text").write_text("not a trace")
    rewrite(path, "tape.jsonl", lambda content: None)
    for wrong in (tmp_path / "text", tmp_path / "nowhere", path):
        with pytest.raises(TapeError, match="is not a trace of envwright's, or is damaged; record it anew"):
            load(wrong)


def test_a_step_of_all_is_a_step_of_an_episode():
    found = trace()
    assert found.offsets.tolist() == [0, 2]
    assert [found.place(step) for step in range(5)] == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
    found.lengths = np.array([0, 2, 0, 1])
    assert [found.place(step) for step in range(3)] == [(1, 0), (1, 1), (3, 0)]
