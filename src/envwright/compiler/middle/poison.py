"""Poison: what a statement that cannot be translated would have written is unknown, and refused where it is read."""

import ast
from typing import Any

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import ROWS, invalidate_aliases
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.locations import locs_of
from envwright.compiler.ir.values import Value
from envwright.compiler.middle import attributes
from envwright.compiler.middle.assignment import loaded
from envwright.compiler.middle.effects import Effects, effects_of
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.nested_state import live_at, parts_within
from envwright.compiler.refusal import RefusedError


def poison(frame: CallFrame, statement: ast.stmt, why: RefusedError) -> None:
    """Poison what a statement would have written: the refusal is raised where it is read. A statement with unknown
    effects is refused at once."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    elif not isinstance(statement, ast.Expr):
        raise why
    value = statement.value
    effects = effects_of(frame, value) if value is not None else Effects()
    if not targets and not effects.complete:
        raise why
    for (_, name), owner in effects.writes.items():
        _poison_attribute(frame, owner, name, ir.Unknown(why))
    for target in targets:
        if isinstance(statement, ast.AugAssign) and not isinstance(target, ast.Subscript):
            changed = _named(frame, target)
            if isinstance(changed, ir.Static) and isinstance(changed.value, set):
                raise why  # whoever has it would see the change
            _poison_list(frame, changed, ir.Unknown(why))  # a list grows in place
        _poison_target(frame, target, why)


def _named(frame: CallFrame, target: ast.expr) -> Value:
    try:
        return evaluate(frame, ast.copy_location(loaded(target), target))
    except RefusedError as why:
        return ir.Unknown(why)


def _poison_target(frame: CallFrame, target: ast.expr, why: RefusedError) -> None:
    unknown = ir.Unknown(why)
    match target:
        case ast.Name():
            frame.memory.names[target.id] = unknown
        case ast.Attribute():
            base = evaluate(frame, target.value)
            if not isinstance(base, ir.Static):
                raise why
            _poison_attribute(frame, attributes.behind(base.value), target.attr, unknown)
        case ast.Tuple() | ast.List():
            for inner in target.elts:
                _poison_target(frame, inner, why)
        case ast.Subscript():
            base = evaluate(frame, target.value)
            if not locs_of(base):
                raise why
            _poison_list(frame, base, unknown)
        case _:
            raise why


def _poison_attribute(frame: CallFrame, owner: Any, name: str, unknown: ir.Unknown) -> None:
    for key in ((id(owner), name), *parts_within(frame, getattr(owner, name, None))):
        frame.memory.attributes[key] = unknown


def _poison_list(frame: CallFrame, base: Value, unknown: ir.Unknown) -> None:
    """Poison a list and its aliases."""
    memory = frame.memory
    for loc in locs_of(base):
        _poison_loc(frame, loc, unknown)
        invalidate_aliases(memory, loc, ROWS)
        if loc in memory.positions:
            memory.locs[memory.homes[loc]] = unknown
            invalidate_aliases(memory, memory.homes[loc], ROWS)


def _poison_loc(frame: CallFrame, loc: int, unknown: ir.Unknown) -> None:
    content = frame.memory.locs.get(loc)
    if isinstance(content, ir.Array | ir.Masked) and content.shared:
        raise unknown.why  # another array is changed by it, and nobody knows which
    if isinstance(content, ir.Array) and content.kind.is_object:
        raise unknown.why  # an object in a list is, and nobody knows which
    for part in content.items.values() if isinstance(content, ir.Keyed) else ():
        if isinstance(part, ir.Ref):
            frame.memory.locs[part.loc] = unknown
    for key in parts_within(frame, live_at(frame, loc)):
        frame.memory.attributes[key] = unknown
    frame.memory.locs[loc] = unknown
