"""Syntax trees by tree-sitter, and the little that is asked of them whatever the language."""

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from envwright.core.errors import missing_extra
from envwright.recipe.analyse.facts import JAVASCRIPT, TYPESCRIPT, Analysis, C, Hazard

if TYPE_CHECKING:
    from tree_sitter import Node
else:
    Node = Any

_GRAMMARS = {
    C: ("tree_sitter_c", "language"),
    JAVASCRIPT: ("tree_sitter_javascript", "language"),
    TYPESCRIPT: ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}


def parse(text: str, language: str) -> "Node":
    """The root of a text's tree. What is not of the language is an ERROR node in it, never an exception."""
    return _parser(language).parse(text.encode()).root_node


@cache
def _parser(language: str) -> Any:
    module, function = _GRAMMARS[language]
    try:
        tree_sitter = importlib.import_module("tree_sitter")
        grammar = importlib.import_module(module)
    except ImportError:
        raise missing_extra(module.replace("_", "-"), "analyse") from None
    return tree_sitter.Parser(tree_sitter.Language(getattr(grammar, function)()))


def walk(node: "Node", into: Any = lambda node: True) -> Iterator["Node"]:
    """A node and all below it, in the order of the text; not below those that `into` is false of."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        if found is node or into(found):
            waiting += found.children[::-1]


def text(node: "Node | None") -> str:
    return "" if node is None or node.text is None else node.text.decode()


def line(node: "Node") -> int:
    return node.start_point[0] + 1


def last_line(node: "Node") -> int:
    """The line that a node ends on; a directive's end is the beginning of the next line."""
    row, column = node.end_point
    return row + (column > 0)


def code_lines(root: "Node") -> frozenset[int]:
    """The numbers of lines with code on them: no blanks and no comments."""
    lines: set[int] = set()
    for node in walk(root, lambda node: node.type != "comment"):
        if not node.children and node.type != "comment" and text(node).strip():
            lines.update(range(line(node), last_line(node) + 1))
    return frozenset(lines)


def above(lines: list[str], first: int) -> int:
    """The first line of the comment that stands above a line without a gap, or the line itself."""
    begin = first
    while begin > 1 and lines[begin - 2].strip().startswith(("//", "/*", "*")):
        begin -= 1
    return begin


def fault(root: "Node") -> "Node | None":
    """The first place that could not be understood."""
    if not root.has_error:
        return None
    return next((node for node in walk(root) if node.type == "ERROR" or node.is_missing), None)


def arms(node: "Node", alternative: str = "alternative") -> int:
    """How many arms a chain of if and else has."""
    count = 1
    while (following := node.child_by_field_name(alternative)) is not None:
        inner = next((child for child in following.children if child.type == "if_statement"), None)
        count += 1
        if inner is None:
            return count
        node = inner
    return count


def with_faults(analysis: Analysis, roots: "Iterable[tuple[str, Node]]") -> Analysis:
    """The analysis, with a hazard for each file that could not be understood as a whole."""
    used = {source.path for source in analysis.sources}
    faults = [
        Hazard(path, line(found), f"Line {line(found)} could not be understood, so what is there was not looked at.")
        for path, root in roots
        if path in used and (found := fault(root)) is not None
    ]
    hazards = sorted({*analysis.hazards, *faults}, key=lambda h: (h.file, h.line, h.sentence))
    return replace(analysis, hazards=tuple(hazards))
