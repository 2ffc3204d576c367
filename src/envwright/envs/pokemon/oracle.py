"""The Node process in which Pokemon Showdown plays; showdown/oracle.js says what it can be asked."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.envs.pokemon import package
from envwright.references.node.pipe import Lost, Pipe
from envwright.references.protocol import ReferenceFailedError

PROGRAM = Path(__file__).parent / "showdown" / "oracle.js"
NODE = "ENVWRIGHT_NODE"  # the environment variable that names another Node than the one on the PATH
TIMEOUT = 120.0  # seconds for an answer


class Oracle:
    """A process, started when it is first asked, and anew after it was lost: what it held then is gone."""

    def __init__(self, timeout: float = TIMEOUT) -> None:
        self._timeout, self._closed = timeout, False
        self._pipe: Pipe | None = None
        self.folder = package.folder()
        self.facts = self.ask("hello")
        if self.facts["version"] != package.VERSION:
            self.close()
            raise ReferenceFailedError(
                f"Node runs {package.NAME} {self.facts['version']}, but {package.VERSION} is needed; delete "
                f"{self.folder} and run: envwright reference pokemon"
            )

    def say(self, ask: str, **given: Any) -> None:
        """Ask; others can be asked before the answer is heard."""
        self._asked = ask
        self._running().say(ask, given)

    def hear(self) -> Any:
        """The answer to what was asked last."""
        pipe = self._running()
        try:
            reply = pipe.hear(self._timeout)
        except Lost as lost:
            self._end()
            raise ReferenceFailedError(
                f"Pokemon Showdown's process {lost} during {self._asked}; a reset starts it anew."
            ) from None
        if "error" in reply:
            where = f" ({reply['where'][0]})" if reply.get("where") else ""
            raise ReferenceFailedError(f"Pokemon Showdown cannot {self._asked}: {reply['error']}{where}.")
        return reply["result"]

    def ask(self, ask: str, **given: Any) -> Any:
        self.say(ask, **given)
        return self.hear()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._running().pid

    def close(self) -> None:
        """End the process; more than once does no harm."""
        self._closed = True
        self._end()

    def _running(self) -> Pipe:
        if self._closed:
            raise EnvwrightError("This reference is closed; make a new one.")
        if self._pipe is None:
            command = [os.environ.get(NODE, "node"), str(PROGRAM)]
            self._pipe = Pipe(command, PROGRAM.parent, {package.PLACE: str(self.folder)})
        return self._pipe

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.end()
            self._pipe = None


def words(seed: int) -> list[int]:
    """A number as the two words of a seed of Showdown's generator, well mixed: it is linear, so that the battles of
    neighbouring seeds would be alike at first."""
    mixed = (seed + 0x9E3779B97F4A7C15) & (2**64 - 1)  # SplitMix64
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = ((mixed ^ (mixed >> shift)) * factor) & (2**64 - 1)
    mixed ^= mixed >> 31
    return [mixed >> 32, mixed & 0xFFFFFFFF]


def team_of(kind: str, seed: int) -> Mapping[str, str]:
    """A team that Node makes: `random`, as Showdown generates it, or `custom`, over the pool of moves."""
    high, low = words(seed)
    return {kind: f"{high >> 16},{high & 0xFFFF},{low >> 16},{low & 0xFFFF}"}
