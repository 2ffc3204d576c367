"""A run on the screen: a panel that is drawn again in a terminal, plain lines elsewhere."""

import shutil
import sys
import threading
from collections.abc import Callable

from envwright.cli.screen import is_terminal


class Panel:
    """Shows lines as they come; in a terminal, under them the state of the run, kept up to date."""

    def __init__(self, state: Callable[[], str]) -> None:
        self.state = state
        self.live = is_terminal(sys.stderr)
        self._drawn = 0
        self._doing = ""
        self._lock = threading.Lock()

    def say(self, line: str) -> None:
        """A line that stays."""
        with self._lock:
            self._wipe()
            print(line, file=sys.stderr, flush=True)
            self._draw()

    def doing(self, what: str) -> None:
        """What is done just now."""
        with self._lock:
            self._doing = what
            self._wipe()
            self._draw()

    def close(self) -> None:
        with self._lock:
            self._wipe()

    def _wipe(self) -> None:
        if self._drawn:
            print(f"\x1b[{self._drawn}F\x1b[J", end="", file=sys.stderr, flush=True)
            self._drawn = 0

    def _draw(self) -> None:
        if not self.live:
            return
        width, height = shutil.get_terminal_size()
        lines = [*self.state().splitlines(), *([f"  {self._doing} ..."] if self._doing else [])]
        lines = [line[: width - 1] for line in lines][: height - 2]
        print("\n".join(lines), file=sys.stderr, flush=True)
        self._drawn = len(lines)
