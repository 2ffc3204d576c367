"""Optimisation of a function: dead code elimination, forward substitution, final names."""

import ast
import copy
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from envwright.compiler.back.call_sinking import sink_calls
from envwright.compiler.back.cse import eliminate_common_subexpressions
from envwright.compiler.back.loop_carries import prune_carries
from envwright.compiler.back.predicated_writes import predicate_writes
from envwright.compiler.ir import code
from envwright.compiler.ir.code import (
    Assign,
    Code,
    Define,
    Note,
    Statement,
    Written,
    defines,
    names_in,
    substitute,
    substituted,
    uses,
)

LONGEST = 14  # how long an expression may get by moving others into it


def clean_up(function: Written, functions: set[str]) -> None:
    """Optimise a function and give its variables their final names; `functions` are names that none may have."""
    body, result = function.body, function.result
    for _ in range(3):
        body = prune_carries(eliminate_dead_code(body, names_in(result)), names_in(result))
        body, result = forward_substitute(*predicate_writes(*sink_calls(body, result, functions)))
    body, result = forward_substitute(
        *eliminate_common_subexpressions(eliminate_dead_code(body, names_in(result)), result, function.bases)
    )
    body = [_selected_statement(s) for s in body]
    names = [p for p, _ in function.parameters]
    body, result, names = renamed(body, _selected(result), names, function.bases, functions)
    function.body, function.result = body, result
    function.parameters = [(new, kind) for new, (_, kind) in zip(names, function.parameters, strict=True)]


# ---- what is needed ----


def eliminate_dead_code(body: list[Statement], wanted: set[str]) -> list[Statement]:
    """Dead code elimination."""
    kept: list[Statement] = []
    wanted = set(wanted)
    for statement in reversed(body):
        if isinstance(statement, Note):
            if any(_is_about(statement, other) for other in kept):
                kept.append(statement)
            continue
        if not any(name in wanted for name in defines(statement)):
            continue
        if isinstance(statement, Define):
            statement.body = eliminate_dead_code(statement.body, names_in(statement.result))
        kept.append(statement)
        wanted |= uses(statement)
    return kept[::-1]


def _is_about(note: Note, other: Statement) -> bool:
    return (
        not isinstance(other, Note) and note.file == other.file and note.line <= other.line <= max(note.end, note.line)
    )


# ---- moving ----


def forward_substitute(body: list[Statement], result: Code) -> tuple[list[Statement], Code]:
    """Substitute compiler temporaries that are used once into their use."""
    counts: Counter[str] = Counter()
    inside: set[str] = set()  # used in the body of a loop, which would compute it again and again
    for statement in body:
        if isinstance(statement, Define):
            inside |= uses(statement)
            statement.body, statement.result = forward_substitute(statement.body, statement.result)
        elif isinstance(statement, Assign):
            counts.update(_occurrences(statement.value))
    counts.update(_occurrences(result))
    values: dict[str, Code] = {}
    kept: list[Statement] = []
    for statement in body:
        if isinstance(statement, Assign):
            statement.value = substituted(statement.value, values)
            if len(statement.targets) == 1 and not statement.unpack and _can_move(statement, counts, inside):
                values[statement.targets[0]] = statement.value
                continue
        elif isinstance(statement, Define):
            free = {n: v for n, v in values.items() if n in uses(statement)}
            if free:
                substitute(statement, free)
        kept.append(statement)
    return kept, substituted(result, values)


def _occurrences(value: Code) -> list[str]:
    return [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]


def _can_move(statement: Assign, counts: Counter[str], inside: set[str]) -> bool:
    name = statement.targets[0]
    if isinstance(statement.value, ast.Name | ast.Constant):
        return True
    if isinstance(statement.value, ast.Attribute) and isinstance(statement.value.value, ast.Name):
        return True  # `state.pos`
    if name in inside or not statement.auto:
        return False
    length = code.size(statement.value)
    return (counts[name] == 1 and length <= LONGEST) or length <= 2


# ---- chains of where ----


def _selected_statement(statement: Statement) -> Statement:
    if isinstance(statement, Assign):
        statement.value = _selected(statement.value)
    elif isinstance(statement, Define):
        statement.body = [_selected_statement(s) for s in statement.body]
        statement.result = _selected(statement.result)
    return statement


class _Select(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        conditions, values, rest = _chain(node)
        if len(conditions) >= 3:
            parts = [code.list_of([self.visit(c) for c in conditions]), code.list_of([self.visit(v) for v in values])]
            return code.call("select", *parts, self.visit(rest))
        self.generic_visit(node)
        return node


def _chain(node: Code) -> tuple[list[Code], list[Code], Code]:
    conditions: list[Code] = []
    values: list[Code] = []
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and code.text(node.func) == "jnp.where"
        and len(node.args) == 3
    ):
        conditions.append(node.args[0])
        values.append(node.args[1])
        node = node.args[2]
    return conditions, values, node


def _selected(value: Code) -> Code:
    return _Select().visit(copy.deepcopy(value))


# ---- names ----


def renamed(
    body: list[Statement], result: Code, parameters: list[str], bases: Mapping[str, str], forbidden: set[str]
) -> tuple[list[Statement], Code, list[str]]:
    """Final names: a new value takes over the name of the old one once that is dead."""
    last = _last_uses(body, result)
    finals: dict[str, str] = {}
    holders: dict[str, str] = {}  # final name -> who has it now
    for parameter in parameters:
        finals[parameter] = _unused(bases.get(parameter, parameter), holders, forbidden)
        holders[finals[parameter]] = parameter
    for position, statement in enumerate(body):
        for name in defines(statement):
            wanted = bases.get(name, name)
            holder = holders.get(wanted)
            if wanted in forbidden or (holder is not None and last.get(holder, -1) > position):
                wanted = _unused(wanted, holders, forbidden)
            finals[name] = wanted
            holders[wanted] = name
    values: dict[str, Code] = {old: code.name(new) for old, new in finals.items() if old != new}
    changed: list[Statement] = []
    for statement in body:
        if isinstance(statement, Assign):
            targets = [finals.get(t, t) for t in statement.targets]
            changed.append(replace(statement, targets=targets, value=substituted(statement.value, values)))
        elif isinstance(statement, Define):
            free_names = {finals.get(n, n) for n in uses(statement)}
            substitute(statement, {n: v for n, v in values.items() if n in uses(statement)})
            inner, own_result, own = renamed(
                statement.body, statement.result, list(statement.parameters), bases, free_names | forbidden
            )
            changed.append(Define(finals[statement.name], own, inner, own_result, statement.line, statement.file))
        else:
            changed.append(statement)
    return changed, substituted(result, values), [finals[p] for p in parameters]


def _unused(base: str, holders: Mapping[str, str], forbidden: set[str]) -> str:
    found, n = base, 2
    while found in holders or found in forbidden:
        found, n = f"{base.rstrip('_')}_{n}", n + 1
    return found


def _last_uses(body: list[Statement], result: Code) -> dict[str, int]:
    """The position of the last statement that reads each name; a loop body is read where the loop runs."""
    last: dict[str, int] = {}
    within: dict[str, set[str]] = {}
    for position, statement in enumerate(body):
        read = uses(statement)
        if isinstance(statement, Define):
            within[statement.name] = read
        for name in [*read, *(n for r in read for n in within.get(r, ()))]:
            last[name] = position
    for name in [*names_in(result), *(n for r in names_in(result) for n in within.get(r, ()))]:
        last[name] = len(body)
    return last
