"""Which rules are where: comments `# rule 2.1` in a game, and `@rules("2.1")` on tests. Read, not run."""

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from envwright.core.errors import EnvwrightError

_TAG = re.compile(r"#\s*rules?:?\s+([\w.]+(?:\s*(?:,|and)\s*[\w.]+)*)")
UNTESTED = "UNTESTED"  # {"2.1": "why no test can show it"}


class TagError(EnvwrightError, ValueError):
    """A file does not name rules as it should; says where and how."""


@dataclass(frozen=True)
class NamedTests:
    """What a file of tests says about rules."""

    tests: dict[str, tuple[str, ...]] = field(default_factory=dict)  # the numbers that each names
    untested: dict[str, str] = field(default_factory=dict)  # the numbers that none can show, and why


def tagged_lines(game: str, known: Collection[str]) -> dict[str, tuple[int, ...]]:
    """The lines that run where a rule takes effect, by its number."""
    statements = list(_statements(_parsed(game)))
    found: dict[str, list[int]] = {}
    for line, comment in _comments(game):
        match = _TAG.search(comment)
        if match is None:
            continue
        place = _statement_at(line, statements)
        if place is None:
            raise TagError(
                f"Line {line}: '{comment.strip()}' is not beside a statement inside of a method, so nobody can see "
                "whether it ever runs; put it where the rule takes effect."
            )
        for number in re.split(r"\s*(?:,|and)\s*", match[1].rstrip(".")):
            if number not in known:
                raise TagError(f"Line {line}: there is no rule {number}; use the numbers of the specification.")
            found.setdefault(number, []).append(place)
    return {number: tuple(sorted(set(lines))) for number, lines in found.items()}


def named_rules(tests: str, known: Collection[str]) -> NamedTests:
    """The numbers that each test names."""
    found = NamedTests()
    for node in _parsed(tests).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            if node.name in found.tests:
                raise TagError(f"Line {node.lineno}: there are two tests {node.name}; only the second would run.")
            found.tests[node.name] = _decorated(node)
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == UNTESTED for t in node.targets):
            found.untested.update(_reasons(node))
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            raise TagError(f"Line {node.lineno}: write tests as functions, not in the class {node.name}.")
    if not found.tests:
        raise TagError("There is no test; write functions whose names begin with test_.")
    for name, numbers in [*found.tests.items(), *((UNTESTED, (n,)) for n in found.untested)]:
        for number in numbers:
            if number not in known:
                raise TagError(f"{name} names rule {number}, which there is not; use the numbers of the specification.")
    missing = [n for n in known if n not in found.untested and not any(n in named for named in found.tests.values())]
    if missing:
        raise TagError(
            f"No test names rule {', '.join(missing)}. Write one, or say in {UNTESTED} why none can show it: "
            f'{UNTESTED} = {{"{missing[0]}": "the reason"}}.'
        )
    return found


def without(game: str, places: Collection[int]) -> str:
    """The game without the statements that begin in these lines. Those with a body of their own stay, and so does what
    returns a value: without them there would be another game, or none."""
    lines = game.splitlines()
    for node in ast.walk(_parsed(game)):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr) and node.lineno in places:
            lines[node.lineno - 1] = " " * node.col_offset + "pass"
            lines[node.lineno : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno)
    return "\n".join(lines) + "\n"


def function_sources(tests: str) -> dict[str, str]:
    """The source of every test, with what is above it."""
    lines = tests.splitlines()
    return {
        node.name: "\n".join(lines[min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1 : node.end_lineno])
        for node in _parsed(tests).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }


# ---- how ----


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise TagError(f"Line {error.lineno}: this is not Python: {error.msg}.") from None


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _statements(tree: ast.Module) -> Iterator[tuple[int, int, int]]:
    """Of every statement in a function: its first line, the last one of its head, and the line that is seen to run."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        body = [s for s in function.body if not _is_docstring(s)]
        if body:
            yield function.lineno, function.body[0].lineno - 1, body[0].lineno
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
                    yield node.lineno, _end_of_head(node), node.lineno


def _end_of_head(node: ast.stmt) -> int:
    """Of `if`, `for` and the like, the head ends before the body begins."""
    inner = getattr(node, "body", None)
    end = node.end_lineno or node.lineno
    return max(node.lineno, inner[0].lineno - 1) if isinstance(inner, list) and inner else end


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _statement_at(line: int, statements: list[tuple[int, int, int]]) -> int | None:
    """The statement that a comment is beside; or, if it has a line of its own, the next one below in the function."""
    beside = [s for s in statements if s[0] <= line <= s[1]]
    if beside:
        return max(beside)[2]
    below = [s for s in statements if line < s[0] <= line + 3]
    return min(below)[2] if below else None


def _decorated(node: ast.FunctionDef) -> tuple[str, ...]:
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Name) and decorator.func.id == "rules":
            numbers = [a.value for a in decorator.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if numbers and len(numbers) == len(decorator.args):
                return tuple(numbers)
    raise TagError(f'Line {node.lineno}: {node.name} names no rule; write @rules("2.1") above it.')


def _reasons(node: ast.Assign) -> dict[str, str]:
    try:
        reasons = ast.literal_eval(node.value)
    except ValueError:
        reasons = None
    if not isinstance(reasons, dict) or not all(isinstance(x, str) and x.strip() for kv in reasons.items() for x in kv):
        raise TagError(f'Line {node.lineno}: write {UNTESTED} as {{"2.1": "why no test can show it"}}.')
    return reasons
