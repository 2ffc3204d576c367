"""A model can look at everything in its folder, write what it was asked for, and do nothing else."""

from pathlib import Path
from typing import Any

import pytest

from envwright.agents.protocol import Task
from envwright.agents.tools import LONGEST, MATCHES, make_tools, use
from envwright.agents.workspace import LARGEST


@pytest.fixture
def outside(workspace: Path) -> Path:
    """A file beside the workspace, and links to it and to its folder."""
    path = workspace.parent / "secret.txt"
    path.write_text("secret")
    (workspace / "link.txt").symlink_to(path)
    (workspace / "folder").symlink_to(workspace.parent)
    return path


def call(workspace: Path, task: Task, tool: str, **arguments: Any) -> str:
    return use(make_tools(workspace, task), tool, arguments)


def test_files_are_written_read_edited_and_found(workspace: Path, task: Task) -> None:
    assert call(workspace, task, "list_files") == "given.py"
    assert (
        call(workspace, task, "write_file", path="rules.py", content="a = 1\nb = 2\n")
        == "rules.py is written: 2 lines."
    )
    assert call(workspace, task, "read_file", path="rules.py", first_line=2) == "b = 2\n"
    assert call(workspace, task, "edit_file", path="rules.py", old="b = 2", new="b = 3") == "rules.py is changed."
    assert (workspace / "rules.py").read_text() == "a = 1\nb = 3\n"
    assert call(workspace, task, "grep", text="b =") == "rules.py:2: b = 3"
    assert call(workspace, task, "grep", text="GIVEN", path="given.py") == "given.py:1: GIVEN = 1"
    assert call(workspace, task, "grep", text="(a+)+$") == "No line contains it."


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/etc/passwd", "link.txt", "folder/secret.txt", "x/../../secret.txt"]
)
def test_nothing_outside_is_read(workspace: Path, task: Task, outside: Path, path: str) -> None:
    assert "outside of the folder" in call(workspace, task, "read_file", path=path)
    assert "outside of the folder" in call(workspace, task, "grep", text="secret", path=path)
    assert call(workspace, task, "grep", text="secret") == "No line contains it."
    assert call(workspace, task, "list_files") == "given.py"


@pytest.mark.parametrize(
    "path", ["given.py", "../secret.txt", "/etc/x", "./rules.py", "link.txt", "folder/secret.txt", ""]
)
def test_only_what_was_asked_for_is_written(workspace: Path, task: Task, outside: Path, path: str) -> None:
    for tool, arguments in (("write_file", {"content": "x"}), ("edit_file", {"old": "secret", "new": "x"})):
        assert "cannot be written" in call(workspace, task, tool, path=path, **arguments)
    assert outside.read_text() == "secret"
    assert (workspace / "given.py").read_text() == "GIVEN = 1\n"


def test_a_link_in_place_of_an_asked_for_file_is_not_written_through(workspace: Path, outside: Path) -> None:
    task = Task("t", "", ("link.txt", "folder/new.txt"))
    for path in task.writes:
        assert "cannot be written" in call(workspace, task, "write_file", path=path, content="x")
    assert outside.read_text() == "secret"
    assert not (workspace.parent / "new.txt").exists()


def test_folders_are_made_for_asked_for_files(workspace: Path) -> None:
    task = Task("t", "", ("src/deep/rules.rs",))
    call(workspace, task, "write_file", path="src/deep/rules.rs", content="fn main() {}")
    assert (workspace / "src/deep/rules.rs").read_text() == "fn main() {}"


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("read_file", {"path": "none.py"}, "There is no file none.py"),
        ("read_file", {"path": "."}, "is a folder"),
        ("read_file", {"path": "given.py", "first_line": 9}, "given.py has 1 lines"),
        ("read_file", {"path": "given.py", "first_line": "1"}, "first_line has to be a whole number"),
        ("read_file", {"path": 7}, "path has to be a text"),
        ("read_file", {}, "read_file takes path, first_line; check path"),
        ("read_file", {"path": "given.py", "lines": 3}, "check lines"),
        ("read_file", {"path": "a\0b"}, "outside of the folder"),
        ("read_file", {"path": "x" * 5000}, "That did not work"),
        ("read_file", None, "not complete JSON"),
        ("read_file", [1], "not complete JSON"),
        ("shell", {"command": "rm -rf /"}, "There is no tool 'shell'; there are list_files, read_file"),
        ("edit_file", {"path": "rules.py", "old": "none", "new": "x"}, "does not contain"),
        ("edit_file", {"path": "rules.py", "old": "", "new": "x"}, "does not contain"),
        ("edit_file", {"path": "rules.py", "old": "a", "new": "x"}, "contains this text 2 times"),
        ("write_file", {"path": "rules.py", "content": "\ud800"}, "half a character"),
        ("write_file", {"path": "rules.py", "content": "x" * (LARGEST + 1)}, "would be larger"),
        ("write_file", {"path": "sub", "content": "x"}, "sub is a folder"),
        ("write_file", {"path": "given.py/x.py", "content": "x"}, "That did not work"),
        ("read_file", {"path": "binary"}, "is not text"),
        ("read_file", {"path": "large"}, "too much to read"),
    ],
)
def test_misuse_is_answered_with_a_sentence(workspace: Path, tool: str, arguments: Any, answer: str) -> None:
    (workspace / "rules.py").write_text("a + a")
    (workspace / "sub").mkdir()
    (workspace / "binary").write_bytes(b"\xff\x00")
    (workspace / "large").write_text("x" * (LARGEST + 1))
    task = Task("t", "", ("rules.py", "sub", "given.py/x.py"))
    assert answer in use(make_tools(workspace, task), tool, arguments)
    assert (workspace / "rules.py").read_text() == "a + a"


def test_answers_are_bounded(workspace: Path, task: Task) -> None:
    (workspace / "long.txt").write_text("xy\n" * 100_000)
    answer = call(workspace, task, "read_file", path="long.txt")
    assert len(answer) < LONGEST + 100
    assert "first_line" in answer
    assert len(call(workspace, task, "grep", text="xy").splitlines()) == MATCHES + 1
