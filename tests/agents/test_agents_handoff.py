"""A person is told what to do, and is believed when they say it is done."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from envwright.agents.handoff import HandoffAgent
from envwright.agents.protocol import DONE, REFUSED, WAITING, AgentOutcome, Task


def soon(seconds: float = 300.0) -> float:
    return time.monotonic() + seconds


def leave(task: Task, workspace: Path) -> AgentOutcome:
    return HandoffAgent(wait=False).run(task, workspace, 0, soon())


def test_the_task_is_written_down(task: Task, workspace: Path) -> None:
    outcome = leave(task, workspace)
    assert outcome.stop == WAITING
    assert str(workspace / "PROMPT.md") in outcome.sentence
    text = (workspace / "PROMPT.md").read_text()
    assert text.startswith(task.prompt)
    for word in ("- `rules.py`", "`DONE`", "`REFUSED`"):
        assert word in text


def test_a_later_call_takes_the_files(task: Task, workspace: Path) -> None:
    (workspace / "rules.py").write_text("stub")
    leave(task, workspace)
    assert leave(task, workspace).stop == WAITING
    (workspace / "rules.py").write_text("mine")
    (workspace / "notes.txt").write_text("mine too")
    (workspace / "DONE").write_text("it was easy\n")
    outcome = leave(task, workspace)
    assert outcome == AgentOutcome(DONE, {"rules.py": "mine"}, ("notes.txt",), sentence="it was easy")


def test_an_untouched_stub_is_not_an_answer(task: Task, workspace: Path) -> None:
    (workspace / "rules.py").write_text("stub")
    leave(task, workspace)
    (workspace / "DONE").touch()
    assert leave(task, workspace).files == {}


def test_refused_with_a_reason(task: Task, workspace: Path) -> None:
    leave(task, workspace)
    (workspace / "REFUSED").write_text("It is written in Fortran.")
    outcome = leave(task, workspace)
    assert (outcome.stop, outcome.sentence) == (REFUSED, "It is written in Fortran.")


def test_an_answer_to_another_task_does_not_count(task: Task, workspace: Path) -> None:
    leave(task, workspace)
    (workspace / "DONE").touch()
    for other in (replace(task, name="repair-rules-1"), replace(task, name="repair-rules-2", prompt="Once more.")):
        assert leave(other, workspace).stop == WAITING
        assert not (workspace / "DONE").exists()
        assert (workspace / "PROMPT.md").read_text().startswith(other.prompt)


def test_asked_in_other_words_the_work_done_so_far_still_counts(task: Task, workspace: Path) -> None:
    (workspace / "rules.py").write_text("stub")
    leave(task, workspace)
    (workspace / "rules.py").write_text("mine")
    (workspace / "DONE").touch()
    assert leave(replace(task, prompt="Please write rules.py."), workspace).files == {"rules.py": "mine"}


@pytest.mark.parametrize("memory", ["", "[]", "{}", '{"task": "translate-rules", "prompt": "Write rules.py."}'])
def test_a_damaged_memory_loses_no_answer(task: Task, workspace: Path, memory: str) -> None:
    leave(task, workspace)
    (workspace / "rules.py").write_text("mine")
    (workspace / "DONE").touch()
    (workspace / ".handoff.json").write_text(memory)
    outcome = leave(task, workspace)
    assert (outcome.stop, outcome.files, outcome.strays) == (DONE, {"rules.py": "mine"}, ())


def test_it_waits_for_the_answer(task: Task, workspace: Path) -> None:
    def person() -> None:
        while not (workspace / "PROMPT.md").exists():
            time.sleep(0.01)
        (workspace / "rules.py").write_text("mine")
        (workspace / "DONE").touch()

    thread = threading.Thread(target=person)
    thread.start()
    outcome = HandoffAgent().run(task, workspace, 0, soon())
    thread.join()
    assert (outcome.stop, outcome.files) == (DONE, {"rules.py": "mine"})


def test_it_waits_no_longer_than_the_deadline(task: Task, workspace: Path) -> None:
    assert HandoffAgent().run(task, workspace, 0, soon(0.1)).stop == WAITING


def test_it_is_always_ready_and_free() -> None:
    assert HandoffAgent().readiness().ready
    assert not HandoffAgent().costs
