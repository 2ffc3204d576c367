"""Marking the text of a C header, so that it can be stopped in the middle of a function.

A marked copy calls `ENVWRIGHT_GLIMPSE(i)` just before the line of watchpoint i, or has `ENVWRIGHT_AT_RETURN(i)` at the
top of a function whose return is watched. The driver that includes the copy defines the two. Marks are put on lines
that exist, so every line keeps its number; copies live in the cache only.
"""

import difflib
import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from envwright.core.cache import cache_dir
from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Watchpoint

_UNREAD = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M
)
_FUNCTION = re.compile(r"\b([A-Za-z_]\w*)\s*\([^;{}()]*\)\s*\{")


def marked_copy(header: Path, points: Sequence[Watchpoint]) -> Path:
    """A folder with a marked copy of `header`; the same marks give the same folder, written once."""
    text = mark(header.read_text(), points, header.name)
    folder = cache_dir() / "marked" / f"{header.stem}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    copy = folder / header.name
    if not copy.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        part = copy.with_suffix(f".{os.getpid()}.part")
        part.write_text(text)
        part.replace(copy)
    return folder


def mark(text: str, points: Sequence[Watchpoint], file: str) -> str:
    """`text` with a mark for each watchpoint, numbered by its place among them."""
    code = _code_only(text)
    functions = _functions(code)
    marks: list[tuple[int, int, str]] = []  # where in the text, the point's number, and what
    for number, point in enumerate(points):
        if point.function not in functions:
            close = difflib.get_close_matches(point.function, functions, 1, 0.0)
            raise EnvwrightError(
                f"Watchpoint '{point.phase}': {file} has no function {point.function}; the closest is {close[0]!r}."
                if close
                else f"Watchpoint '{point.phase}': {file} has no functions."
            )
        begin, end = functions[point.function]
        if point.line == "":
            marks.append((begin, number, f" ENVWRIGHT_AT_RETURN({number});"))
        else:
            place = _place(text, code, begin, end, point, file)
            marks.append((place, number, f"ENVWRIGHT_GLIMPSE({number}); "))
    for place, _, what in sorted(marks, reverse=True):  # from the end, so that places stay true
        text = text[:place] + what + text[place:]
    return text


def _place(text: str, code: str, begin: int, end: int, point: Watchpoint, file: str) -> int:
    """Where the statement of a watchpoint begins; refuses a line before which no statement may stand."""
    lines: list[tuple[int, str]] = []  # the function's lines: where the text of each begins, and that text
    start = begin
    for line in text[begin:end].splitlines(keepends=True):
        if code[start : start + len(line)].strip():  # not a comment
            lines.append((start + len(line) - len(line.lstrip()), line.strip()))
        start += len(line)
    hits = [place for place, line in lines if line == point.line.strip()]
    if len(hits) < point.occurrence:
        raise _unknown_line(point, [line for _, line in lines], len(hits), file)
    place = hits[point.occurrence - 1]
    before = code[begin:place].rstrip()
    whole = before.count("(") == before.count(")") and before[-1:] in ("", ";", "{", "}", ":")
    if not whole or code[place : place + 4] == "else":
        number = text.count("\n", 0, place) + 1
        raise EnvwrightError(
            f"Watchpoint '{point.phase}': no statement may stand before {file}:{number} {point.line!r}, which is the "
            "middle of one or the body of an if without braces; choose another line."
        )
    return place


def _unknown_line(point: Watchpoint, lines: Sequence[str], found: int, file: str) -> EnvwrightError:
    which = f" number {point.occurrence}" if point.occurrence > 1 else ""
    close = difflib.get_close_matches(point.line, lines, 1, 0.0)
    hint = f"there are {found} of them" if found else f"the closest is {close[0]!r}" if close else "it has no lines"
    return EnvwrightError(
        f"Watchpoint '{point.phase}': {file} has no line{which} {point.line!r} in {point.function}; {hint}."
    )


def _code_only(text: str) -> str:
    """`text` with blanks in place of comments, strings and directives; every character keeps its place."""
    return _UNREAD.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _functions(code: str) -> dict[str, tuple[int, int]]:
    """Each function of a file, and where the inside of its braces begins and ends."""
    functions: dict[str, tuple[int, int]] = {}
    start = 0
    while found := _FUNCTION.search(code, start):
        depth, end = 1, found.end()
        while depth and end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        functions[found[1]] = (found.end(), end - 1)
        start = end
    return functions
