"""A process that is not trusted: it has a clean environment, limits on time, memory and output, and dies as a group.

    box = Sandbox(argv, folder)              nothing of ours is in its environment: no keys, no home
    answer = box.ask(message)            one message there, one back

Whatever it does ends in an answer or in a `SandboxError` with a name for what happened. This is the one place where
processes of generated code are started, so it is here that a stronger sandbox belongs.
"""

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.sandbox import wire

ENDLESS, MEMORY, OUTPUT, CRASH, GARBLED = "endless", "memory", "output", "crash", "garbled"
CLEAN = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "VIRTUAL_ENV")  # what is handed on of our own environment
WEIGHED_EVERY = 0.2  # seconds
SHOWN = 2000  # characters of its output that are kept for the verdict


@dataclass(frozen=True)
class Limits:
    """What a process may take."""

    seconds: float = 120.0  # of wall time for one answer
    memory: int = 6 * 2**30  # bytes, of all its processes
    output: int = 2**20  # bytes written to its standard output and error, in all
    file: int = 2**30  # bytes of a file it writes


class SandboxError(EnvwrightError, RuntimeError):
    """It did not answer."""

    def __init__(self, kind: str, sentence: str) -> None:
        super().__init__(sentence)
        self.kind = kind


@dataclass
class Sandbox:
    """A process with limits. Started at the first question; once it has failed it fails at every other, too."""

    argv: Sequence[str]  # the numbers of the pipes to read from and write to are added at its end
    folder: Path
    limits: Limits = field(default_factory=Limits)
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._error: SandboxError | None = None
        self._said = bytearray()
        self._flooded = threading.Event()
        self._weighed = 0.0  # when its memory was looked at last

    def ask(self, message: Any) -> Any:
        """Send a message and wait for the answer."""
        if self._error is not None:
            raise self._error
        try:
            process = self._process or self._start()
            deadline = time.monotonic() + self.limits.seconds
            self._send(wire.pack(message), process, deadline)
            return wire.unpack(lambda n: self._read(n, process, deadline))
        except SandboxError as error:
            self._error = error
            self.close()
            raise
        except wire.WireError as error:
            self._error = SandboxError(GARBLED, f"The generated code answered with {error}.")
            self.close()
            raise self._error from error

    @property
    def said(self) -> str:
        """The end of what it wrote to its standard output and error."""
        return self._said[-SHOWN:].decode(errors="replace").strip()

    def close(self) -> None:
        """End the process and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self._listener.join(5)
        for descriptor in (self._to, self._from):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    # ---- how ----

    def _start(self) -> subprocess.Popen[bytes]:
        child_from, self._to = os.pipe()
        self._from, child_to = os.pipe()
        os.set_blocking(self._to, False)
        argv = [*self.argv, str(child_from), str(child_to)]
        environment = {name: os.environ[name] for name in CLEAN if name in os.environ}
        try:
            process = subprocess.Popen(
                argv,
                cwd=self.folder,
                env={**environment, "HOME": str(self.folder), "TMPDIR": str(self.folder), **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(child_from, child_to),
                start_new_session=True,
            )
        finally:
            os.close(child_from)
            os.close(child_to)
        for which, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, self.limits.file)):
            resource.prlimit(process.pid, which, (most, most))
        self._process = process
        self._listener = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._listener.start()
        return process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Keep the end of what it says, and notice a flood. Ends when the pipe does."""
        assert process.stdout is not None
        total = 0
        with process.stdout as stream:
            while chunk := os.read(stream.fileno(), 2**16):
                total += len(chunk)
                self._said += chunk
                del self._said[: -2 * SHOWN]
                if total > self.limits.output:
                    self._flooded.set()  # and read on, or it would be the pipe that it dies of

    def _send(self, data: bytes, process: subprocess.Popen[bytes], deadline: float) -> None:
        left = memoryview(data)
        while left:
            self._watch(process, deadline)
            if select.select([], [self._to], [], 0.05)[1]:
                try:
                    left = left[os.write(self._to, left) :]
                except BrokenPipeError:
                    self._died(process)

    def _read(self, size: int, process: subprocess.Popen[bytes], deadline: float) -> bytes:
        parts: list[bytes] = []
        while size:
            self._watch(process, deadline)
            if select.select([self._from], [], [], 0.05)[0]:
                part = os.read(self._from, min(size, 2**20))
                if not part:
                    self._died(process)
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _watch(self, process: subprocess.Popen[bytes], deadline: float) -> None:
        now = time.monotonic()
        if now > deadline:
            raise SandboxError(
                ENDLESS,
                f"The generated code gave no answer within {self.limits.seconds:g} s and was stopped; it may loop.",
            )
        self._watch_output()
        if now - self._weighed < WEIGHED_EVERY:
            return
        self._weighed, used = now, group_memory(process.pid)
        if used > self.limits.memory:
            raise SandboxError(
                MEMORY,
                f"The generated code took {used / 2**30:.1f} GiB of memory and was stopped; "
                f"{self.limits.memory / 2**30:g} are allowed.",
            )

    def _watch_output(self) -> None:
        if self._flooded.is_set():
            raise SandboxError(
                OUTPUT, f"The generated code printed more than {self.limits.output:,} bytes and was stopped."
            )

    def _died(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        self._listener.join(1)
        self._watch_output()
        code = process.returncode
        how = f"killed by {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        last = self.said.splitlines()[-1] if self.said else ""
        raise SandboxError(CRASH, f"The generated code's process died ({how})" + (f": {last}" if last else "."))


def group_memory(leader: int) -> int:
    """The resident memory of a process and of those in its session, in bytes; 0 where the system does not say."""
    page, total = os.sysconf("SC_PAGE_SIZE"), 0
    for entry in os.scandir("/proc") if Path("/proc").is_dir() else ():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = Path(entry.path, "stat").read_text()
            if int(stat.rpartition(")")[2].split()[3]) == leader:  # its session
                total += int(Path(entry.path, "statm").read_text().split()[1]) * page
    return total


def python(module: str) -> list[str]:
    """The command for one of our own modules in a process of its own; `-P`: nothing in its folder hides the library."""
    return [sys.executable, "-P", "-m", module]
