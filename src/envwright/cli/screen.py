"""Output that is at home in a terminal and plain outside one."""

import os
import sys
from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def bold(text: str) -> str:
    """`text` in bold, where that means something."""
    return _style(text, "1")


def green(text: str) -> str:
    return _style(text, "32")


def red(text: str) -> str:
    return _style(text, "31")


class Status:
    """One line that is rewritten in a terminal; nothing elsewhere. Goes to standard error, away from results."""

    def __init__(self) -> None:
        self.shown = is_terminal(sys.stderr)

    def show(self, what: str) -> None:
        if self.shown:
            print(f"\r\x1b[K{what} ...", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def coloured(text: str) -> str:
    """A verdict with its passes in green and its failures in red."""
    lines = []
    for line in text.splitlines():
        failed = line.startswith("FAIL") or " FAIL " in line or line.startswith("       ")
        passed = line.startswith("PASS") or " ok   " in line
        lines.append(red(line) if failed else green(line) if passed else line)
    return "\n".join(lines)


def _style(text: str, code: str) -> str:
    if not is_terminal(sys.stdout) or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{code}m{text}\x1b[0m"
