"""The folder an agent works in: what was there before, and what it wrote."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from envwright.agents.protocol import Task

LARGEST = 1_000_000  # bytes of a file that is taken over
IGNORED = ("__pycache__", ".git", ".pytest_cache", ".ruff_cache", "target", ".claude", ".gemini", ".codex")

Snapshot = dict[str, str]  # path -> hash of its content; of a link, where it points


def look(workspace: Path) -> Snapshot:
    """Every file, by its hash; links are not followed."""
    found: Snapshot = {}
    for path in sorted(workspace.rglob("*")):
        inside = path.relative_to(workspace)
        if not any(part in IGNORED for part in inside.parts) and (mark := _mark(path)):
            found[inside.as_posix()] = mark
    return found


def collect(workspace: Path, task: Task, before: Snapshot) -> tuple[dict[str, str], tuple[str, ...]]:
    """The files a task asked for, as far as they were written; and what else was written, changed or taken away."""
    after = look(workspace)
    files: dict[str, str] = {}
    strays: list[str] = [name for name in after if name not in task.writes and after[name] != before.get(name)]
    strays += [name for name in before if name not in after and name not in task.writes]
    for name in task.writes:
        if name not in after or after[name] == before.get(name):
            continue
        text = _text(workspace / name)
        if text is None:
            strays.append(name)
        else:
            files[name] = text
    return files, tuple(sorted(strays))


def put(workspace: Path, files: Sequence[tuple[str, str]]) -> None:
    """Write files into a workspace."""
    for name, text in files:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _mark(path: Path) -> str:
    """What tells a file from one with another content; nothing for what is no file."""
    if path.is_symlink():
        return f"link to {os.readlink(path)}"
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:  # taken away meanwhile, or made unreadable
        return f"unreadable: {error.strerror}"


def _text(path: Path) -> str | None:
    """A file's text, if it is one and not too large."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
