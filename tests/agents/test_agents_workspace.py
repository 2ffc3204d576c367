"""What an agent wrote is found; what it wrote besides is named."""

from pathlib import Path

import pytest

from envwright.agents.protocol import Task
from envwright.agents.workspace import LARGEST, collect, look, put


def test_asked_for_files_are_taken_and_others_named(workspace: Path, task: Task) -> None:
    put(workspace, [("gone.txt", "x"), ("kept/same.txt", "x")])
    before = look(workspace)
    put(workspace, [("rules.py", "new ä"), ("given.py", "changed"), ("deep/er.txt", "x")])
    (workspace / "gone.txt").unlink()
    assert collect(workspace, task, before) == ({"rules.py": "new ä"}, ("deep/er.txt", "given.py", "gone.txt"))


def test_a_file_that_was_not_touched_is_not_taken(workspace: Path, task: Task) -> None:
    put(workspace, [("rules.py", "stub")])
    assert collect(workspace, task, look(workspace)) == ({}, ())


def test_a_link_is_never_followed(workspace: Path, task: Task, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    before = look(workspace)
    (workspace / "rules.py").symlink_to(secret / "key")
    (workspace / "more").symlink_to(secret)
    assert collect(workspace, task, before) == ({}, ("more", "rules.py"))


def test_what_is_no_text_or_too_large_is_a_stray(workspace: Path) -> None:
    before = look(workspace)
    (workspace / "a").write_bytes(b"\xff\xfe\x00")
    (workspace / "b").write_text("x" * (LARGEST + 1))
    assert collect(workspace, Task("t", "", ("a", "b")), before) == ({}, ("a", "b"))


@pytest.mark.parametrize("folder", ["__pycache__", ".git", "target"])
def test_what_tools_leave_behind_is_ignored(workspace: Path, task: Task, folder: str) -> None:
    before = look(workspace)
    put(workspace, [(f"{folder}/x", "x")])
    assert collect(workspace, task, before) == ({}, ())


def test_a_folder_in_place_of_a_file_is_not_taken(workspace: Path, task: Task) -> None:
    before = look(workspace)
    (workspace / "rules.py").mkdir()
    assert collect(workspace, task, before) == ({}, ())
