"""Running a program that is not trusted to end, to be quiet, or to tidy up after itself."""

import os
import selectors
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MOST = 16_000_000  # bytes of output, on either stream, before it is a flood
BASE = ("PATH", "HOME", "LANG")
NETWORK = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")

EXITED = "exited"
DEADLINE = "deadline"
FLOOD = "flood"
UNSTARTED = "unstarted"

_MARK = "ENVWRIGHT_CALL"
_TICK = 0.05  # seconds between two looks at whether it still runs
_CHUNK = 1 << 20  # more than a pipe holds, so that one look empties it


class Ended(NamedTuple):
    """How a program ended."""

    how: str  # EXITED, DEADLINE, FLOOD or UNSTARTED
    code: int  # its exit code, negative for a signal
    stdout: str
    stderr: str

    @property
    def sentence(self) -> str:
        """What happened, as part of a sentence: "exited with 1", "was killed by SIGSEGV"."""
        if self.how == DEADLINE:
            return "was stopped at the deadline"
        if self.how == FLOOD:
            return f"was stopped because it printed more than {MOST // 1_000_000} MB"
        if self.how == UNSTARTED:
            return f"could not be started: {self.stderr}"
        if self.code < 0:
            return f"was killed by {_signal_name(-self.code)}"
        return f"exited with {self.code}"


def run_program(
    argv: Sequence[str],
    folder: Path,
    deadline: float,
    stdin: str = "",
    names: Sequence[str] = (),
    extra: Mapping[str, str] | None = None,
    most: int = MOST,
) -> Ended:
    """Run a program in a folder until it ends, is too late or too loud; nothing it started is left running.

    It sees the environment variables `names` as they are here, those of `extra`, and no others but the few that every
    program needs.
    """
    mark = uuid.uuid4().hex
    with tempfile.TemporaryDirectory(prefix="envwright-", ignore_cleanup_errors=True) as scratch:
        variables = {name: os.environ[name] for name in (*BASE, *names) if name in os.environ}
        variables |= {"TERM": "dumb", "TMPDIR": scratch, _MARK: mark, **(extra or {})}
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=folder,
                env=variables,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return Ended(UNSTARTED, 0, "", getattr(error, "strerror", None) or str(error))
        try:
            how, out, err = _attend(process, stdin.encode(errors="replace"), deadline, most)
        finally:
            _end(process, mark)
    return Ended(how, process.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


def _attend(process: subprocess.Popen[bytes], fed: bytes, deadline: float, most: int) -> tuple[str, bytes, bytes]:
    """Feed it and listen to it, in one thread."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    heard = {process.stdout: bytearray(), process.stderr: bytearray()}
    rest = memoryview(fed)
    how = EXITED
    with selectors.DefaultSelector() as selector:
        for stream in (process.stdin, *heard):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_WRITE if stream is process.stdin else selectors.EVENT_READ)
        while True:
            over = process.poll() is not None  # asked before reading, so that what it printed last is still read
            for key, _ in selector.select(0 if over else max(0.0, min(_TICK, deadline - time.monotonic()))):
                if key.fileobj is process.stdin:
                    rest = _feed(process, rest, selector)
                    continue
                chunk = os.read(key.fd, _CHUNK)
                if chunk:
                    heard[key.fileobj] += chunk  # pyright: ignore[reportArgumentType]
                else:
                    selector.unregister(key.fileobj)
            if any(len(said) > most for said in heard.values()):
                how = FLOOD
                break
            if over:
                break
            if time.monotonic() >= deadline:
                how = DEADLINE
                break
            if not selector.get_map():  # it closed both streams, and goes on
                time.sleep(_TICK)
    return how, bytes(heard[process.stdout][:most]), bytes(heard[process.stderr][:most])


def _feed(process: subprocess.Popen[bytes], rest: memoryview, selector: selectors.BaseSelector) -> memoryview:
    """Write what fits; closed when all is written, or when nobody reads."""
    assert process.stdin is not None
    try:
        rest = rest[os.write(process.stdin.fileno(), rest[:_CHUNK]) :] if rest else rest
    except BrokenPipeError:
        rest = rest[:0]
    if not rest:
        selector.unregister(process.stdin)
        process.stdin.close()
    return rest


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill the group, and whatever left the group; then take the exit code, so that no zombie stays."""
    with suppress(ProcessLookupError, PermissionError):  # macOS answers the second for a group of zombies
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pid in _marked(mark):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            with suppress(BrokenPipeError):
                stream.close()


def _marked(mark: str) -> list[int]:
    """Processes that have our mark in their environment. Only Linux tells; elsewhere the group has to do."""
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
