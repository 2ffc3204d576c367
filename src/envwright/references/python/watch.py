"""Stopping in the middle of a step: what the state is just before a line of the reference runs, or at a return."""

import ast
import difflib
import functools
import linecache
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Glimpse, Watchpoint
from envwright.references.python.functions import codes_named, copy_locals

Lines = dict[types.CodeType, dict[int, list[str]]]  # the phases that end before a line of a function; 0 is its return


def find_lines(roots: Sequence[Any], points: Sequence[Watchpoint]) -> Lines:
    """Where these points are in the source; says which of them is not."""
    lines: Lines = {}
    for point in points:
        for code, line in _find(roots, point):
            lines.setdefault(code, {}).setdefault(line, []).append(point.phase)
    return lines


def _find(roots: Sequence[Any], point: Watchpoint) -> list[tuple[types.CodeType, int]]:
    """The functions and lines of a watchpoint; line 0 is the return."""
    codes = codes_named(roots, point.function)
    if point.line == "":
        return [(code, 0) for code in codes]
    found, texts = [], []
    for code in codes:
        numbers = sorted({line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno})
        source = [(number, linecache.getline(code.co_filename, number).strip()) for number in numbers]
        texts += [text for _, text in source]
        hits = [number for number, text in source if text == point.line.strip()]
        if len(hits) >= point.occurrence:
            found.append((code, hits[point.occurrence - 1]))
    if not found:
        raise _unknown_line(point, texts, Path(codes[0].co_filename).name)
    return found


def _unknown_line(point: Watchpoint, texts: Sequence[str], file: str) -> EnvwrightError:
    which = f" number {point.occurrence}" if point.occurrence > 1 else ""
    close = difflib.get_close_matches(point.line, texts, 1, 0.0)
    hint = f"the closest is {close[0]!r}" if close else "it has no lines"
    count = texts.count(point.line.strip())
    hint = f"there are {count} of them" if count else hint
    return EnvwrightError(
        f"Watchpoint '{point.phase}': {file} has no line{which} {point.line!r} in {point.function}; {hint}."
    )


class Watcher:
    """While it is entered, collects a glimpse at every watchpoint that is passed. Only watched functions are traced."""

    def __init__(self, lines: Lines, look: Callable[[], dict[str, Any]]) -> None:
        self.lines, self.look, self.glimpses = lines, look, list[Glimpse]()

    def __enter__(self) -> "Watcher":
        self.before = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: Any) -> None:
        sys.settrace(self.before)

    def _call(self, frame: types.FrameType, event: str, _: Any) -> Any:
        return _Frame(self, self.lines[frame.f_code]).trace if frame.f_code in self.lines else None

    def see(self, phases: Sequence[str], frame: types.FrameType, more: dict[str, Any]) -> None:
        names = {**self.look(), **copy_locals(dict(frame.f_locals)), **more}
        self.glimpses += [Glimpse(phase, names) for phase in phases]


class _Frame:
    """One call of a watched function."""

    def __init__(self, watcher: Watcher, lines: dict[int, list[str]]) -> None:
        self.watcher, self.lines, self.statement, self.raising = watcher, lines, (0, 0), False

    def trace(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.raising, line = False, frame.f_lineno
            # Python comes back to the first line of a statement over several lines; it has not run twice.
            inside = self.statement[0] <= line <= self.statement[1]
            if not inside:
                self.statement = _statements(frame.f_code.co_filename).get(line, (0, 0))
                if line in self.lines:
                    self.watcher.see(self.lines[line], frame, {})
            elif line in self.lines and line != self.statement[0]:
                self.watcher.see(self.lines[line], frame, {})
        elif event == "exception":
            self.raising = True
        elif event == "return" and not self.raising and 0 in self.lines:
            self.watcher.see(self.lines[0], frame, copy_locals({"result": argument}))
        return self.trace


@functools.cache
def _statements(file: str) -> dict[int, tuple[int, int]]:
    """For each line of a simple statement over several lines, where it begins and ends."""
    tree = ast.parse("".join(linecache.getlines(file)))
    spans = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and (node.end_lineno or 0) > node.lineno:
            span = node.lineno, node.end_lineno or node.lineno
            spans |= dict.fromkeys(range(span[0], span[1] + 1), span)
    return spans
