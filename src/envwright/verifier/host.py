"""Where the reference lives: in this process, or in one of its own that may crash, hang or leak without harm.

`host.run(work, ...)` calls `work(reference, ..., beat)` there. A child that dies, stands still or eats memory is ended,
the caller gets one sentence, and the next `run` begins with a new child.
"""

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Reference, ReferenceFailedError

Result = TypeVar("Result")
Make = Callable[[], Reference]  # importable, so that a child can call it too

PATIENCE = 60.0  # seconds without a step after which a reference counts as stuck
MEMORY = 4 * 2**30  # bytes a reference may take beyond what it began with


class Host(Protocol):
    """Runs work beside the reference."""

    def run(self, work: Callable[..., Result], *arguments: Any) -> Result: ...

    def close(self) -> None: ...


class Here:
    """In this process: quicker to start, but a crash is ours."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference

    def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        return work(self.reference, *arguments, _no_beat)

    def close(self) -> None:
        self.reference.close()


class Apart:
    """In a child process."""

    def __init__(self, make: Make, *, patience: float = PATIENCE, memory: int = MEMORY) -> None:
        self.make, self.patience, self.memory = make, patience, memory
        self._child: _Child | None = _Child(make)  # at once: it imports while we do

    def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        if self._child is None:
            self._child = _Child(self.make)
        try:
            return self._child.run(work, arguments, self.patience, self.memory)
        except _GoneError as gone:
            self.close()
            raise ReferenceFailedError(str(gone)) from None

    def close(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _GoneError(Exception):
    """The child cannot go on."""


class _Child:
    def __init__(self, make: Make) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit JAX's threads in an unknown state
        self.pipe, other = context.Pipe()
        self.beats = context.RawValue("Q", 0)
        self.process = context.Process(target=_serve, args=(make, other, self.beats), daemon=True)
        self.process.start()
        other.close()
        self.first_memory = 0

    def run(self, work: Callable[..., Result], arguments: tuple[Any, ...], patience: float, memory: int) -> Result:
        try:
            self.pipe.send((work, arguments))
            self._wait(patience, memory)
            answer, value = self.pipe.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self.process.join(5)
            raise _GoneError(
                f"The reference's process died ({_death(self.process.exitcode)}); the rest goes on."
            ) from None
        if answer == "error":
            raise value
        return value

    def _wait(self, patience: float, memory: int) -> None:
        seen, since = self.beats.value, time.monotonic()
        while not self.pipe.poll(0.05):
            if self.beats.value != seen:
                seen, since = self.beats.value, time.monotonic()
            elif time.monotonic() - since > (patience if seen else max(patience, PATIENCE)):  # it imports first
                raise _GoneError(f"The reference made no step for {patience:g} s and was stopped; it seems to hang.")
            used = resident(self.process.pid)
            self.first_memory = self.first_memory or used
            if used - self.first_memory > memory:
                raise _GoneError(
                    f"The reference took {(used - self.first_memory) / 2**30:.1f} GiB of memory in {seen:,} steps and "
                    f"was stopped; it seems to leak."
                )

    def end(self) -> None:
        self.pipe.close()
        self.process.join(0.5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(make: Make, pipe: Any, beats: Any) -> None:
    """The child: make the reference, then work until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    reference: Reference | None = None

    def beat() -> None:
        beats.value += 1

    with contextlib.suppress(EOFError, OSError):
        while True:
            work, arguments = pipe.recv()
            try:
                reference = reference or make()
                beat()
                pipe.send(("value", work(reference, *arguments, beat)))
            except EnvwrightError as error:
                pipe.send(("error", error))
            except Exception as error:  # the reference's own code may raise anything
                pipe.send(("error", ReferenceFailedError(_sentence(error))))
    if reference is not None:
        reference.close()


def _sentence(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"The reference failed with {type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})."


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def resident(pid: int | None) -> int:
    """The memory of a process in bytes; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _no_beat() -> None: ...
