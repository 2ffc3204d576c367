"""A host that remembers in files what the reference answered: many candidates are compared with one recording of it."""

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envwright.verifier.contract import Contract
from envwright.verifier.host import Host


class Remembering:
    """Asks `make()`'s host only what was never asked before. What is asked are functions of the reference and of plain
    arguments, so an answer stays true as long as the reference and those functions do; the folder is for one such time.
    """

    def __init__(self, make: Callable[[], Host], folder: Path) -> None:
        self._make, self._folder = make, folder
        self._host: Host | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        asked = pickle.dumps((work.__module__, work.__qualname__, *map(_plain, arguments)))
        place = self._folder / hashlib.sha256(asked).hexdigest()
        if place.exists():
            return pickle.loads(place.read_bytes())
        self._host = self._host or self._make()
        answer = self._host.run(work, *arguments)
        place.write_bytes(pickle.dumps(answer))
        return answer

    def close(self) -> None:
        if self._host is not None:
            self._host.close()


def _plain(argument: Any) -> Any:
    """A contract by its text, for it stands in another folder each time and keeps what it was asked before."""
    return argument.sha256 if isinstance(argument, Contract) else argument
