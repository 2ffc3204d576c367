"""The process in which a candidate lives: finds it, and does with it what the other side asks (`apart.py`).

Run as `python -m envwright.candidates.child NAME OPTIONS READ WRITE` in the folder that the candidate is imported from;
OPTIONS is JSON, READ and WRITE are the numbers of two pipes.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from envwright.candidates.apart import plain_kinds, plain_space
from envwright.candidates.find import find_candidate
from envwright.candidates.protocol import Candidate
from envwright.core.errors import EnvwrightError
from envwright.sandbox.serve import serve

ANSWERS = (
    "init", "start", "step", "step_uncompiled", "play", "play_on", "draw_start", "draw", "phases", "call", "provenance",
)  # fmt: skip


class Child:
    """The candidate, found at the first question, and what was made of it since."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name, self.options = name, options
        self.candidates: list[Candidate] = []

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """One question. What the candidate's code raises is an answer, too: a sentence."""
        try:
            if not self.candidates:
                self.candidates.append(find_candidate(self.name, self.options, Path.cwd()))
            candidate = self.candidates[message["handle"]]
            return {"value": self._do(candidate, message["what"], message["arguments"])}
        except EnvwrightError as error:
            return {"error": str(error)}
        except Exception as error:  # generated code may raise anything
            return {"error": sentence(error)}

    def _do(self, candidate: Candidate, what: str, arguments: list[Any]) -> Any:
        if what == "facts":
            return _facts(candidate)
        if what == "kinds":
            return plain_kinds(candidate.kinds())
        if what == "chance_kinds":
            return [plain_kinds(kinds) for kinds in candidate.chance_kinds()]
        if what in ("with_params", "in_float64"):
            return self._keep(getattr(candidate, what)(*arguments))
        if what not in ANSWERS:
            raise EnvwrightError(f"A candidate does not answer {what}.")
        return getattr(candidate, what)(*arguments)

    def _keep(self, candidate: Candidate | None) -> int | None:
        if candidate is None:
            return None
        self.candidates.append(candidate)
        return len(self.candidates) - 1


def _facts(candidate: Candidate) -> dict[str, Any]:
    return {
        "takes_chance": candidate.takes_chance,
        "players": candidate.players,
        "action_space": plain_space(candidate.action_space),
        "params": candidate.params,
    }


def sentence(error: Exception) -> str:
    """What the candidate's code did, and where in its own files rather than in a library's."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append((Path(trace.tb_frame.f_code.co_filename), trace.tb_lineno))
        trace = trace.tb_next
    own = [(path, line) for path, line in frames if path.is_relative_to(Path.cwd())]
    path, line = (own or frames)[-1]
    place = path.relative_to(Path.cwd()) if own else path.name
    first = str(error).strip().splitlines()[0] if str(error).strip() else ""
    return f"{place}:{line}: {type(error).__name__}: {first}"


if __name__ == "__main__":
    sys.path.insert(0, os.getcwd())
    serve(Child(sys.argv[1], json.loads(sys.argv[2])).answer, int(sys.argv[3]), int(sys.argv[4]))
