"""A workspace with one given file, a task that asks for one file, and fake programs on the PATH."""

import os
import sys
from pathlib import Path

import pytest

from envwright.agents.protocol import Task

FAKES = Path(__file__).parent / "fakes"
KEYS = {
    "ANTHROPIC_API_KEY": "anthropic-key",
    "GEMINI_API_KEY": "gemini-key",
    "CODEX_API_KEY": "codex-key",
    "OPENAI_API_KEY": "openai-key",
    "SECRET_OF_THE_SHELL": "shell-secret",
}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "given.py").write_text("GIVEN = 1\n")
    return folder


@pytest.fixture
def task() -> Task:
    return Task("translate-rules", "Write rules.py.", ("rules.py",))


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """A key for every provider, and a home where nobody is signed in."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    return KEYS


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keys: dict[str, str]) -> Path:
    """A folder first on the PATH that holds `claude`, `gemini` and `codex`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "gemini", "codex"):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "{FAKES / name}.py" "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder
