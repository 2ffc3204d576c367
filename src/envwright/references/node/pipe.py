"""A process that answers each line with a line, within a time limit."""

import contextlib
import json
import os
import selectors
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from envwright.core.errors import ReferenceUnavailableError


class Lost(Exception):  # noqa: N818 - it is news, told by whoever catches it
    """The process cannot be talked to any more; the message says what became of it."""


class Pipe:
    """A Node process that answers each line with a line, and is never waited for without a limit."""

    def __init__(self, command: Sequence[str], folder: Path, variables: Mapping[str, str] | None = None) -> None:
        """`variables` of the environment are added to ours."""
        pipe, around = subprocess.PIPE, {**os.environ, **(variables or {})}
        try:
            self._popen = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=around)
        except OSError as error:
            raise ReferenceUnavailableError(
                f"Node cannot be started as '{command[0]}' ({error.strerror}); install Node 18 or later, or name it."
            ) from None
        self._end = weakref.finalize(self, _end, self._popen)
        self._asked = 0
        self._unsent = b""
        self._heard = bytearray()
        self._last_words: deque[bytes] = deque(maxlen=64)  # chunks of stderr
        self._in, self._out, self._err = (pipe.fileno() for pipe in _pipes(self._popen))
        os.set_blocking(self._in, False)
        os.set_blocking(self._err, False)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._popen.pid

    def say(self, ask: str, given: Mapping[str, Any]) -> None:
        """Hand over a request; what the pipe does not take at once leaves while the answer is waited for."""
        self._asked += 1
        line = json.dumps({"id": self._asked, "ask": ask, **given}, allow_nan=False)
        self._unsent += line.encode() + b"\n"
        self._send()

    def hear(self, timeout: float) -> dict[str, Any]:
        """The answer to the last request."""
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._err, selectors.EVENT_READ)
            if self._unsent:
                selector.register(self._in, selectors.EVENT_WRITE)
            while (end := self._heard.find(b"\n")) < 0:
                left = deadline - time.monotonic()
                if left <= 0:  # it may be busy printing, so silence is not the sign
                    raise Lost(f"gave no answer for {timeout:g} s and was killed")
                for key, _ in selector.select(left):
                    self._serve(key.fd, selector)
        line, self._heard = bytes(self._heard[:end]), self._heard[end + 1 :]
        return self._read(line)

    def _send(self) -> None:
        with contextlib.suppress(BrokenPipeError, BlockingIOError):  # its end shows on stdout, with a reason
            self._unsent = self._unsent[os.write(self._in, self._unsent) :]

    def _serve(self, pipe: int, selector: selectors.BaseSelector) -> None:
        if pipe == self._in:
            self._send()
            if not self._unsent:
                selector.unregister(pipe)
            return
        chunk = os.read(pipe, 1 << 16)
        if pipe == self._err:
            self._last_words.append(chunk)
            if not chunk:
                selector.unregister(pipe)
        elif chunk:
            self._heard += chunk
        else:
            raise Lost(self._obituary())

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict) or reply.get("id") != self._asked:
            raise Lost(f"wrote {line[:60]!r} where an answer was due, and was killed")
        return reply

    def _obituary(self) -> str:
        try:
            code = self._popen.wait(1.0)
        except subprocess.TimeoutExpired:
            return "closed its output and was killed"
        with contextlib.suppress(BlockingIOError):  # a child of the game may hold the pipe open
            while chunk := os.read(self._err, 1 << 16):
                self._last_words.append(chunk)
        lines = [line.strip() for line in b"".join(self._last_words).decode(errors="replace").splitlines()]
        telling = [line for line in lines if "Error: " in line or "FATAL" in line] or lines
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return how + (f", saying '{telling[-1]}'," if telling else "")

    def end(self) -> None:
        """Stop it, whatever it does, and leave nothing behind."""
        self._end()


def _pipes(popen: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    return [pipe for pipe in (popen.stdin, popen.stdout, popen.stderr) if pipe is not None]


def _end(popen: subprocess.Popen[bytes]) -> None:
    popen.kill()
    popen.wait()
    for pipe in _pipes(popen):
        pipe.close()
