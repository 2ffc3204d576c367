"""What cannot be translated, said by name and line."""

import ast
import traceback
from pathlib import Path
from typing import NamedTuple


class Refusal(NamedTuple):
    """One thing that the compiler cannot translate."""

    sentence: str  # with "file.py:LINE" in it
    function: str = ""  # qualified name in the original
    file: str = ""
    line: int = 0


class RefusedError(Exception):
    """Raised where the compiler has to give up; the place is added by whoever knows it first."""

    def __init__(self, why: str, node: ast.AST | None = None) -> None:
        super().__init__(why)
        self.why, self.node = why, node
        self.place: Refusal | None = None

    def at(self, function: str, file: str, line: int) -> "RefusedError":
        """The same, with its place; the innermost place stays."""
        if self.place is None:
            short = file.rpartition("/")[2]
            self.place = Refusal(f"{short}:{line} in {function}: {self.why}.", function, file, line)
        return self


class InternalError(RefusedError):
    """An exception in the compiler itself: a bug of envwright, at a line of the original that is not to blame."""

    def __init__(self, error: Exception, node: ast.AST | None = None) -> None:
        raised = traceback.extract_tb(error.__traceback__)[-1]
        super().__init__(
            f"envwright's compiler failed with {type(error).__name__}: {error} "
            f"({Path(raised.filename).name}:{raised.lineno}). This is a bug in envwright, not in your code: please "
            "report it together with the original; until it is fixed, another agent can translate this "
            "(--agent builtin,claude)",
            node,
        )
