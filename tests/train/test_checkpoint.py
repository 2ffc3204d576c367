"""Checkpoints: whole or not at all, and honest about what they are."""

import re
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.training import checkpoint
from envwright.training.checkpoint import KEEP, CheckpointError, fill, load, newest, save

HEADER = {"env": "Pong-v0", "config": {"gamma": 0.9, "hidden": [8, 8]}, "seeds": [0]}


def state(width: int = 8, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "actors": {"count": np.int32(seed), "done": rng.random(5) < 0.5, "nothing": np.zeros((4, 0), np.float32)},
        "weights": [rng.normal(size=(width, 3)).astype(np.float32), np.array([np.nan, np.inf, -0.0], np.float32)],
    }


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    return save(tmp_path, 12, HEADER, state())


def test_what_is_read_is_what_was_written_bit_for_bit(whole: Path) -> None:
    found = load(whole)
    assert found.header == {**HEADER, "updates": 12}
    again = fill(found, state(seed=1))
    assert again["weights"][0].tobytes() == state()["weights"][0].tobytes()
    assert again["weights"][1].tobytes() == state()["weights"][1].tobytes()
    assert again["actors"]["done"].tolist() == state()["actors"]["done"].tolist()
    assert (again["actors"]["count"].dtype, again["actors"]["count"].shape) == (np.int32, ())
    assert again["actors"]["nothing"].shape == (4, 0)


def test_the_same_state_is_the_same_file(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert save(tmp_path / "other", 12, HEADER, state()).read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("cut", [1, 100, "half", "header"])
def test_one_that_was_cut_short_is_refused(whole: Path, cut: Any) -> None:
    content = whole.read_bytes()
    keep = {"half": len(content) // 2, "header": 30}.get(cut, len(content) - cut if isinstance(cut, int) else 0)
    whole.write_bytes(content[:keep])
    with pytest.raises(CheckpointError, match="is damaged: its content does not match its checksum"):
        load(whole)


def test_any_flipped_bit_is_found(whole: Path) -> None:
    content = whole.read_bytes()
    for place in (*range(0, len(content), 37), len(content) - 1):
        changed = bytearray(content)
        changed[place] ^= 1
        whole.write_bytes(changed)
        with pytest.raises(CheckpointError, match=r"is damaged|not a checkpoint"):
            load(whole)


@pytest.mark.parametrize("content", [b"", b"envwright checkpoint 2\n", b"\x89PNG\r\n", b"envwright"])
def test_another_file_is_not_taken_for_one(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "000000001.ckpt"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="is not a checkpoint of this version of envwright"):
        load(path)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot be read: No such file or directory"):
        load(tmp_path / "none.ckpt")
    with pytest.raises(CheckpointError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_another_network_is_refused_by_its_first_wrong_array(whole: Path) -> None:
    sentence = "['weights'][0] should be float32 of shape (9, 3), but there is float32 of shape (8, 3)"
    with pytest.raises(CheckpointError, match=re.escape(sentence)):
        fill(load(whole), state(width=9))


def test_another_environment_is_refused_by_what_is_missing_or_left_over(whole: Path) -> None:
    more, fewer = state(), state()
    more["actors"]["score"] = np.zeros(2, np.int32)
    del fewer["actors"]["done"]
    with pytest.raises(CheckpointError, match=re.escape("['score'] should be int32 of shape (2,), but there is none")):
        fill(load(whole), more)
    with pytest.raises(CheckpointError, match=re.escape("it holds ['actors']['done'], which this one does not have")):
        fill(load(whole), fewer)
    wrong = state()
    wrong["actors"]["count"] = np.int64(0)
    with pytest.raises(CheckpointError, match=r"should be int64 of shape \(\), but there is int32"):
        fill(load(whole), wrong)


def test_only_the_newest_stay(tmp_path: Path) -> None:
    assert newest(tmp_path) is None
    for updates in (1, 20, 300, 100_000):
        path = save(tmp_path, updates, HEADER, state(seed=updates))
        assert newest(tmp_path) == path
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["000000300.ckpt", "000100000.ckpt"]
    assert len(names) == KEEP
    assert [load(tmp_path / name).header["updates"] for name in names] == [300, 100_000]


@pytest.mark.parametrize("room", [10, 100, 2000])
def test_a_full_disk_leaves_the_last_checkpoint_and_no_part_of_a_new_one(whole: Path, room: int) -> None:
    before = whole.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(CheckpointError) as refused:
            save(whole.parent, 13, HEADER, state(width=1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"File too large; the last whole one is {whole}. Make room" in str(refused.value)
    assert [path.name for path in whole.parent.iterdir()] == [whole.name]
    assert whole.read_bytes() == before
    save(whole.parent, 13, HEADER, state(width=1000))


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="No such file or directory; there is none yet"):
        save(tmp_path / "none", 1, HEADER, state())


def test_what_a_killed_process_left_half_written_is_not_taken_for_a_checkpoint(whole: Path) -> None:
    (whole.parent / "000000099.part").write_bytes(whole.read_bytes()[:50])
    assert newest(whole.parent) == whole
    assert checkpoint.SUFFIX == ".ckpt"
