"""The source of the original's functions, as syntax trees with the lines they stand on."""

import ast
import io
import tokenize
import types
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from envwright.compiler.refusal import RefusedError


class FunctionSource(NamedTuple):
    """A function of the original."""

    node: ast.FunctionDef | ast.Lambda
    file: str
    comments: dict[int, list[str]]  # by the line of the statement after them


def source_of(function: types.FunctionType) -> FunctionSource:
    """The syntax tree of a function."""
    made = function.__code__
    try:
        tree, comments = _parsed(made.co_filename)
    except (OSError, SyntaxError, UnicodeDecodeError):
        raise RefusedError(f"the source of {function.__qualname__} cannot be read") from None
    name, line = made.co_name, made.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef) and node.name == name:
            raise RefusedError(f"{name} is a coroutine")
        if name == "<lambda>" and isinstance(node, ast.Lambda) and node.lineno == line:
            return FunctionSource(node, made.co_filename, comments)
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == line:
                return FunctionSource(node, made.co_filename, comments)
    raise RefusedError(f"the source of {function.__qualname__} cannot be found in {made.co_filename}")


@lru_cache(maxsize=64)
def _parsed(file: str) -> tuple[ast.Module, dict[int, list[str]]]:
    text = Path(file).read_text(encoding="utf-8")
    return ast.parse(text), _comments(text)


def _comments(text: str) -> dict[int, list[str]]:
    """Comments on lines of their own, under the line of the code that follows."""
    found: dict[int, list[str]] = {}
    waiting: list[str] = []
    fresh = True  # nothing but space so far on this line
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and fresh:
            waiting.append(token.string)
        elif token.type == tokenize.NL or token.type == tokenize.NEWLINE:
            fresh = True
        elif token.type not in (tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT):
            if waiting and fresh:
                found[token.start[0]] = waiting
                waiting = []
            fresh = False
    return found


def is_generator(node: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether it yields; inner functions apart."""
    waiting: list[ast.AST] = list(node.body) if isinstance(node.body, list) else [node.body]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(inner, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(inner)
    return False
