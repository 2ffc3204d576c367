"""`match`, as a chain of ifs."""

import ast
from typing import Any

from envwright.compiler.ir.code import substituted
from envwright.compiler.refusal import RefusedError


def as_ifs(node: ast.Match) -> list[ast.stmt]:
    """The statements that do what a match does."""
    subject = f"matched_{node.lineno}"
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        names: dict[str, ast.expr] = {}
        tests = _tests(case.pattern, ast.Name(subject, ast.Load()), names)
        if case.guard is not None:
            tests.append(substituted(case.guard, names))
        given: list[ast.stmt] = [ast.Assign([ast.Name(n, ast.Store())], value) for n, value in names.items()]
        body = [*given, *case.body]
        chain = body if not tests else [ast.If(_all(tests), body, chain)]
    made: list[ast.stmt] = [ast.Assign([ast.Name(subject, ast.Store())], node.subject), *chain]
    return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in made]


def _tests(pattern: ast.pattern, value: ast.expr, names: dict[str, ast.expr]) -> list[ast.expr]:
    """What must hold for a pattern to fit."""
    match pattern:
        case ast.MatchValue():
            return [ast.Compare(value, [ast.Eq()], [pattern.value])]
        case ast.MatchSingleton():
            return [ast.Compare(value, [ast.Is()], [ast.Constant(pattern.value)])]
        case ast.MatchAs():
            tests = _tests(pattern.pattern, value, names) if pattern.pattern is not None else []
            if pattern.name is not None:
                names[pattern.name] = value
            return tests
        case ast.MatchOr():
            options = [_tests(p, value, names) for p in pattern.patterns]
            if any(not tests for tests in options):
                return []
            return [ast.BoolOp(ast.Or(), [_all(tests) for tests in options])]
        case ast.MatchSequence():
            return _sequence(pattern.patterns, value, names)
    raise RefusedError(f"{type(pattern).__name__} in a match is not supported", pattern)


def _sequence(patterns: list[Any], value: ast.expr, names: dict[str, ast.expr]) -> list[ast.expr]:
    if any(isinstance(p, ast.MatchStar) for p in patterns):
        raise RefusedError("a starred name in a match is not supported", patterns[0])
    length = ast.Call(ast.Name("len", ast.Load()), [value], [])
    tests: list[ast.expr] = [ast.Compare(length, [ast.Eq()], [ast.Constant(len(patterns))])]
    for i, pattern in enumerate(patterns):
        tests += _tests(pattern, ast.Subscript(value, ast.Constant(i), ast.Load()), names)
    return tests


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
