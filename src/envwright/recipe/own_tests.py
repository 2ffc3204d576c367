"""The tests that agents wrote, run: by pytest, in a process with limits, on the package they came with."""

import importlib.util
import sys
import time
from pathlib import Path

from envwright.agents.process import run_program
from envwright.recipe.events import Tested

SECONDS = 300.0  # for one file
NOTHING_COLLECTED = 5  # pytest's exit code


def run_tests(package: Path, path: str, imported_from: str = ".") -> Tested:
    """One file of tests, in the folder of the package."""
    if importlib.util.find_spec("pytest") is None:
        return Tested(path, False, "pytest is not installed, so it was not run")
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", path]
    variables = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str((package / imported_from).resolve())}
    ended = run_program(argv, package, time.monotonic() + SECONDS, extra=variables)
    if ended.code == NOTHING_COLLECTED:
        return Tested(path, False, "there is no test in it")
    lines = [line for line in ended.stdout.strip().splitlines() if line.strip()]
    said = _without_time(lines[-1]) if lines else ended.sentence
    return Tested(path, ended.code == 0, said)


def _without_time(line: str) -> str:
    """`3 passed in 1.2s` as `3 passed`: the same every time."""
    return line.strip("= ").rpartition(" in ")[0] or line.strip("= ")
