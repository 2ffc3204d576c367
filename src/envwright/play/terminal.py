"""The terminal: taken on entry, given back as it was on exit, however that comes about."""

import os
import select
import signal
import sys
from types import FrameType, TracebackType
from typing import Any, Self

from envwright.core import EnvwrightError

# The other screen, so that the shell's stays as it is; no cursor; no wrapping at the right edge.
_TAKE = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
_GIVE_BACK = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
_DISABLED = b"\x00"  # POSIX: no character


def check_terminal() -> None:
    """Raise unless both input and output are a terminal."""
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        raise EnvwrightError(
            "`envwright play` needs a terminal; run it in one, with neither input nor output redirected."
        )
    try:
        import termios  # noqa: F401
    except ImportError:
        raise EnvwrightError("`envwright play` needs a Unix terminal; on Windows run it under WSL.") from None


def _is_terminal(stream: Any) -> bool:
    try:
        return os.isatty(stream.fileno())
    except (AttributeError, OSError, ValueError):  # no stream, not a file, or closed
        return False


class Terminal:
    """The terminal while it is played on: keys come at once and unseen, Ctrl-C among them."""

    def __init__(self) -> None:
        self._in, self._out = sys.stdin.fileno(), sys.stdout.fileno()
        self._told_to_leave: int | None = None  # the signal that did

    def __enter__(self) -> Self:
        import termios
        import tty

        sys.stdout.flush()
        self._before = termios.tcgetattr(self._in)
        self._handler = signal.signal(signal.SIGTERM, self._on_signal)
        try:
            tty.setcbreak(self._in)
            attributes = termios.tcgetattr(self._in)
            # Ctrl-C is a key here: as a signal it is an exception at any point, which a destructor may swallow.
            attributes[6][termios.VINTR] = _DISABLED
            attributes[6][termios.VSUSP] = _DISABLED  # Ctrl-Z would leave the shell on our screen
            termios.tcsetattr(self._in, termios.TCSANOW, attributes)
            self.write(_TAKE)
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        import termios

        try:
            self.write(_GIVE_BACK)
        finally:  # the attributes come back even if the window is gone
            termios.tcsetattr(self._in, termios.TCSAFLUSH, self._before)
            signal.signal(signal.SIGTERM, self._handler)

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        del frame
        self._told_to_leave = signum

    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        columns, rows = os.get_terminal_size(self._out)
        return max(1, columns), max(1, rows)

    def read(self) -> bytes:
        """What was typed since the last call; nothing if nothing was. Leaves here if a signal asked for it."""
        if self._told_to_leave is not None:
            sys.exit(128 + self._told_to_leave)
        ready, _, _ = select.select([self._in], [], [], 0)
        if not ready:
            return b""
        data = os.read(self._in, 1024)
        if not data:
            raise EnvwrightError("The terminal was closed.")
        return data

    def write(self, text: str) -> None:
        """Print, all of it, in UTF-8 whatever the locale says."""
        data = text.encode()
        while data:
            data = data[os.write(self._out, data) :]
