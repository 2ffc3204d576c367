"""The whole of it, in a real pseudo-terminal."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from envwright.core import EnvwrightError
from envwright.play import play

PLAY = "from envwright.play import play; play('Pong-v0', seed=0)"
# Fails when the screen is taken already.
BROKEN = "import envwright.play as p; p.run = lambda *a, **k: 1 / 0; p.play('Pong-v0', seed=0)"
# A new session that opens a terminal is governed by it, so that Ctrl-C would reach the program as a signal.
GOVERNED = "import os; os.close(os.open(os.ttyname(0), os.O_RDWR)); "
TAKEN, GIVEN_BACK = b"\x1b[?1049h", b"\x1b[?1049l"


class Session:
    """A program on a pseudo-terminal of 100 by 40."""

    def __init__(self, code: str) -> None:
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        self.process = subprocess.Popen(
            [sys.executable, "-c", GOVERNED + code],
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.output = b""

    def wait_for(self, what: bytes, times: int = 1) -> None:
        deadline = time.monotonic() + 60
        while self.output.count(what) < times:
            assert time.monotonic() < deadline, self.output[-500:]
            if select.select([self.ours], [], [], 0.1)[0]:
                self.output += os.read(self.ours, 65536)

    def end(self) -> tuple[int, bytes]:
        """The exit code and what went to stderr."""
        assert self.process.stderr is not None
        deadline = time.monotonic() + 30
        while self.process.poll() is None:
            assert time.monotonic() < deadline
            if select.select([self.ours], [], [], 0.02)[0]:
                self.output += os.read(self.ours, 65536)
        while select.select([self.ours], [], [], 0)[0]:
            self.output += os.read(self.ours, 65536)
        with self.process.stderr as stderr:
            return self.process.returncode, stderr.read()

    def assert_given_back(self) -> None:
        assert termios.tcgetattr(self.theirs) == self.before
        assert self.output.count(TAKEN) == self.output.count(GIVEN_BACK) == 1
        assert self.output.rindex(b"\x1b[?25h") > self.output.rindex(b"\x1b[?25l")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.mark.parametrize(
    ("ending", "code"), [("q", 0), ("ctrl-c", 0), ("terminate", 128 + signal.SIGTERM)], ids=lambda v: str(v)
)
def test_leaving_gives_the_terminal_back(ending: str, code: int) -> None:
    session = Session(PLAY)
    try:
        session.wait_for(b"playing", times=3)
        assert termios.tcgetattr(session.theirs) != session.before
        os.write(session.ours, b"\x1b[A")
        session.wait_for(b"playing", times=20)
        if ending == "terminate":
            session.process.terminate()
        else:
            os.write(session.ours, {"q": b"q", "ctrl-c": b"\x03"}[ending])
        assert session.end() == (code, b"")
        session.assert_given_back()
        assert "▀".encode() in session.output
    finally:
        session.close()


def test_a_crash_gives_the_terminal_back() -> None:
    session = Session(BROKEN)
    try:
        code, error = session.end()
        assert code == 1
        assert b"ZeroDivisionError" in error
        session.assert_given_back()
    finally:
        session.close()


def test_without_a_terminal_it_says_so_in_one_sentence() -> None:
    with pytest.raises(EnvwrightError, match="`envwright play` needs a terminal; run it in one"):
        play("Pong-v0")


def test_a_frame_rate_of_nothing_is_refused() -> None:
    with pytest.raises(EnvwrightError, match="fps must be at least 1, but is 0"):
        play("Pong-v0", fps=0)
