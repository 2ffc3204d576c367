"""Notes, for every test, how it ended."""

import json
import os
import traceback
from pathlib import Path
from typing import Any

import pytest

GAME = os.environ["RULEBOOK_GAME"].partition(":")[0] + ".py"
_notes: dict[str, dict[str, Any]] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: Any) -> Any:
    outcome = yield
    error = outcome.excinfo
    failure = "" if error is None else _failure(error, item.fspath.basename)
    _notes[item.nodeid.partition("::")[2]] = {"passed": error is None, "failure": failure}


def pytest_runtest_logreport(report: Any) -> None:
    if report.failed and report.when != "call":  # a fixture that is not there
        _notes[report.nodeid.partition("::")[2]] = {"passed": False, "failure": str(report.longrepr).strip()[-1500:]}


def pytest_collectreport(report: Any) -> None:
    if report.failed:
        _notes[""] = {"passed": False, "failure": str(report.longrepr).strip()[-1500:]}


def pytest_sessionfinish(session: Any) -> None:
    del session
    Path(os.environ["RULEBOOK_NOTES"]).write_text(json.dumps(_notes))


def _failure(error: Any, file: str) -> str:
    """The lines of the test and what was raised, but no line of the game: its authors are not to see each other's."""
    kind, value, where = error
    frames = traceback.extract_tb(where)
    said = [f"line {frame.lineno}: {frame.line}" for frame in frames if frame.filename.endswith(os.sep + file)]
    inside = any(frame.filename.endswith(os.sep + GAME) for frame in frames)
    raised = f"{kind.__name__}: {value}" if str(value) else kind.__name__
    return "\n".join([*said[-2:], raised[:1500] + (" (raised inside the game)" if inside else "")])
