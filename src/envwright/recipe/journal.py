"""The journal of a run: an append-only file of events, the only truth about it.

A line is written and forced to the disk before anything follows from it. A run that is killed leaves at most half a
line at the end, which never happened: it is cut off when the journal is opened again.
"""

import fcntl
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

from envwright.core.errors import EnvwrightError
from envwright.recipe.events import Event, from_plain, to_plain

VERSION = 1
HEAD = {"journal": VERSION}


class JournalError(EnvwrightError, ValueError):
    """A journal cannot be read, or is in use."""


class Journal:
    """Events, in the order in which they happened. Safe to use from several threads."""

    def __init__(self, path: Path, file: IO[bytes], events: list[Event], clock: Callable[[], float]) -> None:
        self.path = path
        self._file, self._events, self._clock = file, events, clock
        self._lock = threading.RLock()

    @property
    def events(self) -> tuple[Event, ...]:
        with self._lock:
            return tuple(self._events)

    def append(self, event: Event) -> None:
        """Write an event; when this returns it is on the disk."""
        line = json.dumps({"at": round(self._clock(), 3), **to_plain(event)}, ensure_ascii=False) + "\n"
        with self._lock:
            _write(self._file, line.encode())
            self._events.append(event)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Nobody else writes meanwhile: for an event that depends on those before it."""
        with self._lock:
            yield

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_journal(path: Path, clock: Callable[[], float] = time.time) -> Journal:
    """The journal at `path`, begun if there is none. Only one process at a time can have it open."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "a+b")  # noqa: SIM115, it stays open as long as the run
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise JournalError(f"Another envwright is at work in {path.parent}; wait for it, or stop it first.") from None
    try:
        file.seek(0)
        whole, events = _parse(path, file.read())
        file.truncate(whole)
        if whole == 0:
            _write(file, (json.dumps(HEAD) + "\n").encode())
    except BaseException:
        file.close()
        raise
    return Journal(path, file, events, clock)


def read_journal(path: Path) -> list[Event]:
    """The events so far, without a claim on the file."""
    if not path.exists():
        raise JournalError(f"There is no run in {path.parent}; begin one with: envwright translate.")
    return _parse(path, path.read_bytes())[1]


def _parse(path: Path, content: bytes) -> tuple[int, list[Event]]:
    """How many bytes of whole lines there are, and their events."""
    whole = content.rfind(b"\n") + 1
    lines = content[:whole].splitlines()
    if not lines:
        return 0, []
    events: list[Event] = []
    for number, line in enumerate(lines, start=1):
        try:
            plain = json.loads(line)
            if number == 1:
                if plain != HEAD:
                    raise JournalError(
                        f"{path} is not a journal that this version of envwright can read; use the one that wrote it."
                    )
                continue
            events.append(from_plain(plain))
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, JournalError):
                raise
            raise JournalError(
                f"Line {number} of {path} is damaged; put the file back from a copy, or begin a new run."
            ) from None
    return whole, events


def _write(file: IO[bytes], data: bytes) -> None:
    try:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise JournalError(
            f"The journal cannot be written ({error.strerror}); make room and resume the run."
        ) from error
