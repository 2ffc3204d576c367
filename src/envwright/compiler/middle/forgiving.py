"""A statement that the rules do not cover: what it would have set is not known, and refused only if it is needed."""

import ast
from typing import Any

from envwright.compiler.ir.cells import cells_of
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.twins import ROWS, touched
from envwright.compiler.ir.values import (
    Array,
    Keyed,
    Masked,
    Ref,
    Static,
    Unknown,
    Value,
)
from envwright.compiler.middle import attributes
from envwright.compiler.middle.assignment import loaded
from envwright.compiler.middle.effects import Effects, effects_of
from envwright.compiler.middle.expressions import evaluate
from envwright.compiler.middle.state_parts import live_at, parts_within
from envwright.compiler.refusal import RefusedError


def forgive(frame: Frame, statement: ast.stmt, why: RefusedError) -> None:
    """What a statement would have written is poisoned: the refusal is raised where somebody reads it. A statement of
    which it is not known what it writes is refused at once."""
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
        _forget_attribute(frame, owner, name, Unknown(why))
    for target in targets:
        if isinstance(statement, ast.AugAssign) and not isinstance(target, ast.Subscript):
            changed = _named(frame, target)
            if isinstance(changed, Static) and isinstance(changed.value, set):
                raise why  # whoever has it would see the change
            _forget_list(frame, changed, Unknown(why))  # a list grows in place
        _forget(frame, target, why)


def _named(frame: Frame, target: ast.expr) -> Value:
    try:
        return evaluate(frame, ast.copy_location(loaded(target), target))
    except RefusedError as why:
        return Unknown(why)


def _forget(frame: Frame, target: ast.expr, why: RefusedError) -> None:
    unknown = Unknown(why)
    match target:
        case ast.Name():
            frame.memory.names[target.id] = unknown
        case ast.Attribute():
            base = evaluate(frame, target.value)
            if not isinstance(base, Static):
                raise why
            _forget_attribute(frame, attributes.behind(base.value), target.attr, unknown)
        case ast.Tuple() | ast.List():
            for inner in target.elts:
                _forget(frame, inner, why)
        case ast.Subscript():
            base = evaluate(frame, target.value)
            if not cells_of(base):
                raise why
            _forget_list(frame, base, unknown)
        case _:
            raise why


def _forget_attribute(frame: Frame, owner: Any, name: str, unknown: Unknown) -> None:
    for key in ((id(owner), name), *parts_within(frame, getattr(owner, name, None))):
        frame.memory.attributes[key] = unknown


def _forget_list(frame: Frame, base: Value, unknown: Unknown) -> None:
    """What would have been changed in place, and the lists that are it or have it."""
    memory = frame.memory
    for cell in cells_of(base):
        _forget_cell(frame, cell, unknown)
        touched(memory, cell, ROWS)
        if cell in memory.positions:
            memory.cells[memory.homes[cell]] = unknown
            touched(memory, memory.homes[cell], ROWS)


def _forget_cell(frame: Frame, cell: int, unknown: Unknown) -> None:
    content = frame.memory.cells.get(cell)
    if isinstance(content, Array | Masked) and content.shared:
        raise unknown.why  # another array is changed by it, and nobody knows which
    if isinstance(content, Array) and content.kind.is_object:
        raise unknown.why  # an object in a list is, and nobody knows which
    for part in content.items.values() if isinstance(content, Keyed) else ():
        if isinstance(part, Ref):
            frame.memory.cells[part.cell] = unknown
    for key in parts_within(frame, live_at(frame, cell)):
        frame.memory.attributes[key] = unknown
    frame.memory.cells[cell] = unknown
