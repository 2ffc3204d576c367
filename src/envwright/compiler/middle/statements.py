"""Statements of the original, read one after the other; ifs become `jnp.where`, returns and breaks become exits."""

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Note
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read, write
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.lists import appended, concatenate, counted, items_of
from envwright.compiler.ir.memory import Memory
from envwright.compiler.ir.merge import join, join_memories
from envwright.compiler.ir.operators import binary, compare, truth, unary
from envwright.compiler.ir.values import (
    NONE,
    Array,
    Closure,
    Counted,
    Items,
    Keyed,
    Masked,
    Maybe,
    Ref,
    Rows,
    Static,
    Unknown,
    Value,
    View,
    as_array,
)
from envwright.compiler.middle import attributes, growth
from envwright.compiler.middle.expressions import evaluate, index_parts, table_name
from envwright.compiler.middle.methods import as_list, pop, set_content
from envwright.compiler.refusal import RefusedError


@dataclass
class Exit:
    """A way out of a block, other than its end."""

    when: Array | None  # None: always
    value: Value
    memory: Memory


@dataclass
class Flow:
    """How a block ends."""

    memory: Memory | None  # after its last statement; None: it is never reached
    returns: list[Exit] = field(default_factory=list)
    breaks: list[Exit] = field(default_factory=list)
    continues: list[Exit] = field(default_factory=list)

    def take(self, other: "Flow", when: Array | None = None) -> None:
        for part in ("returns", "breaks", "continues"):
            mine: list[Exit] = getattr(self, part)
            mine += [Exit(_both(when, e.when), e.value, e.memory) for e in getattr(other, part)]


def _both(a: Array | None, b: Array | None) -> Array | None:
    if a is None or b is None:
        return a if b is None else b
    return Array(code.both(a.code, b.code), Kind(BOOL))


def execute(frame: Frame, body: Sequence[ast.stmt]) -> Flow:
    """Read statements; `frame.memory` is what holds after them, if they are passed at all."""
    flow, guards = Flow(frame.memory), frame.guards
    try:
        return _execute(frame, body, flow)
    finally:
        frame.guards = guards


def _execute(frame: Frame, body: Sequence[ast.stmt], flow: Flow) -> Flow:
    for statement in body:
        frame.line = statement.lineno
        _comments(frame, statement)
        try:
            inner = _read(frame, statement)
        except RefusedError as why:
            if why.node is None:
                why.node = statement
            _forgive(frame, statement, frame.placed(why))
            continue
        if inner is not None:
            flow.take(inner)
            if inner.memory is None:
                flow.memory = None
                return flow
            frame.memory = inner.memory
            exits = (*inner.returns, *inner.breaks, *inner.continues)
            frame.guards += tuple(code.negated(e.when.code) for e in exits if e.when is not None)
    flow.memory = frame.memory
    return flow


def _read(frame: Frame, statement: ast.stmt) -> Flow | None:
    """A statement; what goes wrong with it in an unforeseen way is a refusal, too."""
    try:
        return _statement(frame, statement)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
        raise RefusedError(f"the rules do not cover this ({type(error).__name__}: {error})", statement) from error


def _comments(frame: Frame, statement: ast.stmt) -> None:
    for text in frame.comments.get(statement.lineno, ()):
        frame.emit(Note(text, end=statement.end_lineno or 0))


def _forgive(frame: Frame, statement: ast.stmt, why: RefusedError) -> None:
    """What a statement would have set is not known; that is an error only for those who need it."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and _only_shows(statement.value):
        return
    else:
        raise why
    for target in targets:
        _forget(frame, target, why)


def _only_shows(node: ast.expr) -> bool:
    """Calls that draw or print: the state is not theirs to change."""
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else name
    return name.strip("_").startswith(
        ("render", "draw_screen", "print", "log", "warn", "debug", "info", "show", "plot")
    )


def _forget(frame: Frame, target: ast.expr, why: RefusedError) -> None:
    unknown = Unknown(why)
    match target:
        case ast.Name():
            frame.memory.names[target.id] = unknown
        case ast.Attribute():
            base = evaluate(frame, target.value)
            if not isinstance(base, Static):
                raise why
            owner = attributes.behind(base.value)
            frame.memory.attributes[id(owner), target.attr] = unknown
            for key in frame.program.slots:
                if key[0] == id(getattr(owner, target.attr, None)):
                    frame.memory.attributes[key] = unknown
        case ast.Tuple() | ast.List():
            for inner in target.elts:
                _forget(frame, inner, why)
        case ast.Subscript():
            base = evaluate(frame, target.value)
            cell = base.ref.cell if isinstance(base, View) else base.cell if isinstance(base, Ref) else None
            if cell is None:
                raise why
            content = frame.memory.cells.get(cell)
            if isinstance(content, Array) and content.shared:
                raise why  # another array is changed by it, and nobody knows which
            for part in content.items.values() if isinstance(content, Keyed) else ():
                if isinstance(part, Ref):
                    frame.memory.cells[part.cell] = unknown
            owner = frame.program.cache.get(("dict", cell))
            for key in [k for k in frame.program.slots if k[0] == owner]:
                frame.memory.attributes[key] = unknown
            frame.memory.cells[cell] = unknown
        case _:
            raise why


def _statement(frame: Frame, node: ast.stmt) -> Flow | None:
    match node:
        case ast.Assign():
            _assign_all(frame, node)
        case ast.AnnAssign():
            if node.value is not None:
                assign(frame, node.target, evaluate(frame, node.value, hints_of(node.target)))
        case ast.AugAssign():
            _augment(frame, node)
        case ast.Expr():
            if not isinstance(node.value, ast.Constant):
                evaluate(frame, node.value)
        case ast.Return():
            value = NONE if node.value is None else evaluate(frame, node.value)
            return Flow(None, returns=[Exit(None, value, frame.memory)])
        case ast.If():
            return _if(frame, node)
        case ast.For() | ast.While():
            from envwright.compiler.middle.loops import loop

            return loop(frame, node)
        case ast.Break():
            return Flow(None, breaks=[Exit(None, NONE, frame.memory)])
        case ast.Continue():
            return Flow(None, continues=[Exit(None, NONE, frame.memory)])
        case ast.Pass() | ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
            return _import(frame, node)
        case ast.Raise():
            return Flow(None)  # the original stops there; no game that is compared goes on after it
        case ast.Delete():
            _delete(frame, node)
        case ast.FunctionDef():
            frame.memory.names[node.name] = Closure(node, frame.memory, frame)
        case ast.Try():
            return _try(frame, node)
        case ast.With():
            return _with(frame, node)
        case _:
            raise RefusedError(f"the statement {type(node).__name__.lower()} is not covered")
    return None


def _import(frame: Frame, node: ast.stmt) -> None:
    """Imports in the middle of a function are done now, if they can be."""
    import importlib

    if isinstance(node, ast.Import):
        for alias in node.names:
            try:
                module = importlib.import_module(alias.name)
            except ImportError as error:
                raise RefusedError(f"{alias.name} cannot be imported: {error}") from None
            name = alias.asname or alias.name.partition(".")[0]
            frame.memory.names[name] = Static(module if alias.asname else importlib.import_module(name))
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        module = importlib.import_module(node.module)
        for alias in node.names:
            frame.memory.names[alias.asname or alias.name] = Static(getattr(module, alias.name))
    if isinstance(node, ast.Global | ast.Nonlocal):
        raise RefusedError("a variable outside of the function is written")


def _try(frame: Frame, node: ast.Try) -> Flow:
    """What is tried is taken to succeed; a game in which it does not is one that the verifier would find."""
    flow = execute(frame, node.body)
    for more in (node.orelse, node.finalbody):
        if flow.memory is not None and more:
            frame.memory = flow.memory
            later = execute(frame, more)
            flow.take(later)
            flow.memory = later.memory
    return flow


def _with(frame: Frame, node: ast.With) -> Flow:
    for item in node.items:
        text = ast.unparse(item.context_expr)
        if not text.startswith(("np.errstate", "warnings.catch_warnings", "contextlib.suppress")):
            raise RefusedError(
                f"`with {text}` is not covered" + (", for it opens a file" if text.startswith("open(") else "")
            )
    return execute(frame, node.body)


def _delete(frame: Frame, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.memory.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            pop(frame, evaluate(frame, target.value), index_parts(frame, target.slice)[0])
        else:
            raise RefusedError("an attribute is deleted")


# ---- assignment ----


def hints_of(target: ast.expr) -> tuple[str, ...]:
    """The names that a value will get."""
    match target:
        case ast.Name():
            return (target.id,)
        case ast.Attribute():
            return (target.attr.strip("_"),)
        case ast.Tuple() | ast.List():
            return tuple(hints_of(t)[0] if hints_of(t) else "value" for t in target.elts)
    return ()


def _assign_all(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value, hints_of(node.targets[0]))
    for target in node.targets:
        assign(frame, target, value)


def assign(frame: Frame, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    match target:
        case ast.Name():
            if isinstance(value, Static):
                attributes.flow(frame, value.value)
            frame.memory.names[target.id] = frame.memory.hold(_bound(frame, target.id, value))
        case ast.Attribute():
            base = evaluate(frame, target.value)
            attributes.store(frame, base, target.attr, _bound(frame, target.attr.strip("_"), value))
        case ast.Tuple() | ast.List():
            _unpack(frame, target.elts, value)
        case ast.Subscript():
            _assign_part(frame, target, value)
        case ast.Starred():
            raise RefusedError("a starred name in an assignment is not covered")
        case _:
            raise RefusedError("it cannot be assigned to this")


def _bound(frame: Frame, hint: str, value: Value) -> Value:
    """The value under a name of its own in the translation, as it has one in the original."""
    match value:
        case Array():
            long = code.size(value.code) > 1
            return replace(value, code=code.name(frame.bind(hint, value.code))) if long else value
        case Items() if len(value.items) <= 16:
            hints = value.names or [f"{hint}_{i}" for i in range(len(value.items))]
            return replace(value, items=tuple(_bound(frame, h, v) for h, v in zip(hints, value.items, strict=True)))
        case Counted():
            array, count = _bound(frame, hint, value.array), _bound(frame, f"{hint}_count", value.count)
            return Counted(array, count)  # pyright: ignore[reportArgumentType]
        case Masked():
            return Masked(_bound(frame, hint, value.array), _bound(frame, f"{hint}_mask", value.mask))  # pyright: ignore
        case Rows():
            array, there = _bound(frame, hint, value.array), _bound(frame, f"{hint}_present", value.present)
            return Rows(array, there)  # pyright: ignore[reportArgumentType]
        case Maybe():
            there = _bound(frame, f"{hint}_is_there", value.present)
            return Maybe(there, _bound(frame, hint, value.value))  # pyright: ignore[reportArgumentType]
    return value


def _unpack(frame: Frame, targets: list[ast.expr], value: Value) -> None:
    seen = frame.memory.see(value)
    if isinstance(seen, Counted | Masked) and not any(isinstance(t, ast.Starred) for t in targets):
        full = counted(seen)  # there are as many as there are names, or the original would fail
        parts = [read(frame.memory, full, (Static(i),)) for i in range(len(targets))]
    else:
        parts = items_of(frame, value)
    stars = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
    if stars:
        (at,) = stars
        rest = len(targets) - at - 1
        middle = parts[at : len(parts) - rest]
        parts = [*parts[:at], Items(tuple(middle), True), *parts[len(parts) - rest :]]
        targets = [t.value if isinstance(t, ast.Starred) else t for t in targets]
    if len(parts) != len(targets):
        raise RefusedError(f"{len(parts)} values are unpacked into {len(targets)} names")
    # All are computed before the first is assigned: `a, b = b, a`.
    parts = [_bound(frame, (hints_of(t) or ("value",))[0], p) for t, p in zip(targets, parts, strict=True)]
    for target, part in zip(targets, parts, strict=True):
        assign(frame, target, part)


def _assign_part(frame: Frame, target: ast.Subscript, value: Value) -> None:
    if (flattened := _flattened(target.value)) is not None:
        _assign_flat(frame, flattened, index_parts(frame, target.slice), value)
        return
    base = evaluate(frame, target.value)
    where = index_parts(frame, target.slice)
    if isinstance(value, Static):
        attributes.flow(frame, value.value)
    set_part(frame, base, where, value, table_name(target.value))


def _flattened(node: ast.expr) -> ast.expr | None:
    """`x` of `x.ravel()[...] = ...`, which writes into x."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr="ravel"), args=[]) | ast.Attribute(value=inner, attr="flat"):
            return inner
    return None


def _assign_flat(frame: Frame, node: ast.expr, where: tuple[Value, ...], value: Value) -> None:
    base = evaluate(frame, node)
    array = as_array(frame.memory.see(base))
    flat = Array(code.method(array.code, "ravel"), Kind(array.kind.dtype, (math.prod(array.kind.shape),)))
    written = as_array(write(frame.memory, flat, where, value))
    back = Array(code.method(written.code, "reshape", code.const(array.kind.shape)), array.kind)
    set_part(frame, base, (Static(slice(None)),), back, table_name(node))


def set_part(frame: Frame, base: Value, where: tuple[Value, ...], value: Value, hint: str) -> None:
    """`base[where] = value`, seen by all names of base."""
    memory = frame.memory
    if isinstance(base, View):
        inner = tuple(p for p in base.where)
        while inner and isinstance(inner[-1], Static) and inner[-1].value == slice(None):
            inner = inner[:-1]
        if any(isinstance(p, Static) and isinstance(p.value, slice) for p in inner):
            part = read(memory, memory.see(base.ref), inner)
            value, where = write(memory, part, where, value), inner
        else:
            where = (*inner, *where)
        base = base.ref
    if not isinstance(base, Ref):
        raise RefusedError("a part of something that has no name is set")
    if _set_by_key(frame, base, where, value):
        return
    changed = write(memory, memory.see(base), where, value)
    memory.cells[base.cell] = (
        _bound(frame, hint.strip("_").lower() or "value", changed)
        if not isinstance(changed, Items | Keyed)
        else changed
    )
    owner = frame.program.cache.get(("dict", base.cell))
    if owner is not None and isinstance(changed, Keyed) and isinstance(where[0], Static):
        key = (owner, where[0].value)
        slot = frame.program.slots.get(key)
        if slot is not None:
            held = memory.hold(slot.fit(memory.deep(value)))
            memory.attributes[key] = held
            memory.cells[base.cell] = Keyed({**changed.items, where[0].value: held})


def _set_by_key(frame: Frame, base: Ref, where: tuple[Value, ...], value: Value) -> bool:
    """`bag[key] = value`, where only the game says which of the known keys it is: each is set, if it is the one."""
    content, key = frame.memory.see(base), frame.memory.deep(where[0])
    if isinstance(content, Static) and isinstance(content.value, dict) and not isinstance(key, Static):
        content = Keyed({k: Static(v) for k, v in content.value.items()})
    if not isinstance(content, Keyed) or isinstance(key, Static) or len(where) != 1:
        return False
    for name, old in content.items.items():
        asked = compare(frame, ast.Eq(), key, Static(name))
        if isinstance(asked, Static) and not asked.value:
            continue
        new = join(frame, as_array(asked), frame.memory.deep(value), frame.memory.deep(old), str(name))
        set_part(frame, base, (Static(name),), new, str(name))
    return True


def _augment(frame: Frame, node: ast.AugAssign) -> None:
    """`target += value`; a list grows in place."""
    value = evaluate(frame, node.value)
    target = node.target
    if isinstance(target, ast.Subscript):
        base, where = evaluate(frame, target.value), index_parts(frame, target.slice)
        old = read(frame.memory, frame.memory.see(base), where, table_name(target.value))
        if isinstance(old, Ref) and _grow(frame, old, node.op, value):
            return
        set_part(frame, base, where, binary(frame, node.op, old, value), table_name(target.value))
        return
    load = ast.copy_location(_loaded(target), target)
    old = evaluate(frame, load)
    if isinstance(old, Ref) and _grow(frame, old, node.op, value):
        return
    new = binary(frame, node.op, old, value)
    if isinstance(old, View) and isinstance(new, Array) and not new.listed:
        set_content(frame, old, _keep_type(frame.memory.see(old), new))  # a part of an array is changed in place
        return
    if isinstance(old, Ref) and isinstance(new, Array) and isinstance(frame.memory.see(old), Array | Static):
        hint = (hints_of(target) or ("value",))[0]
        kept = _bound(frame, hint, _keep_type(frame.memory.see(old), new))
        frame.memory.cells[old.cell] = kept  # NumPy adds in place, and keeps the array's type
        return
    assign(frame, target, new)


def _keep_type(old: Value, new: Array) -> Array:
    from envwright.compiler.ir.values import cast

    return cast(new, as_array(old).kind.dtype) if not as_array(old).listed else new


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    assert isinstance(target, ast.Attribute)
    return ast.Attribute(target.value, target.attr, ast.Load())


def _grow(frame: Frame, ref: Ref, how: ast.operator, value: Value) -> bool:
    content = frame.memory.see(ref)
    if isinstance(content, Array) and content.listed:
        content = as_list(content)
    if not isinstance(how, ast.Add) or not isinstance(content, Items | Counted):
        return False
    more = frame.memory.deep(value)
    if isinstance(content, Counted) and isinstance(more, Counted):
        frame.memory.cells[ref.cell] = counted(concatenate(frame, content, more), content.room)
        return True
    if isinstance(content, Counted):
        growth.note(frame, ref, longer=True)
        for item in items_of(frame, more):
            content = appended(content, item)
        frame.memory.cells[ref.cell] = content
        return True
    frame.memory.cells[ref.cell] = concatenate(frame, content, more)
    return True


# ---- branches ----


def _if(frame: Frame, node: ast.If) -> Flow:
    asked = truth(frame, evaluate(frame, node.test))
    if isinstance(asked, Static):
        return execute(frame, node.body if asked.value else node.orelse)
    when = Array(frame.condition(as_array(asked).code), Kind(BOOL))
    otherwise = Array(code.negated(when.code), Kind(BOOL))
    before = frame.memory
    sides: list[Flow] = []
    guards = frame.guards
    for body, condition in ((node.body, when), (node.orelse, otherwise)):
        frame.memory = before.copy()
        frame.depth += 1
        frame.guards = (*guards, condition.code)
        try:
            sides.append(execute(frame, body))
        finally:
            frame.depth -= 1
            frame.guards = guards
    frame.memory = before
    yes, no = sides
    flow = Flow(None)
    flow.take(yes, when)
    flow.take(no, otherwise)
    if yes.memory is None or no.memory is None:
        flow.memory = no.memory if yes.memory is None else yes.memory
    else:
        flow.memory = join_memories(frame, when, yes.memory, no.memory)
    return flow


def settle(frame: Frame, flow: Flow) -> Value:
    """A function's value, and in `frame.memory` what it leaves behind, whichever way it ends."""
    exits = list(flow.returns)
    if flow.memory is not None:
        exits.append(Exit(None, NONE, flow.memory))
    if not exits:
        raise RefusedError("the function never returns")
    last = exits.pop()
    if not exits:
        frame.memory = last.memory
        return last.value  # it may still be a name for a list of the caller's
    value, memory = last.memory.deep(last.value), last.memory
    for way in reversed(exits):
        assert way.when is not None
        value = join(frame, way.when, way.memory.deep(way.value), value, "result")
        inner = Memory(
            {}, way.memory.attributes, way.memory.cells, way.memory.cursors, way.memory.state, way.memory.clean
        )
        other = Memory({}, memory.attributes, memory.cells, memory.cursors, memory.state, memory.clean)
        memory = join_memories(frame, way.when, inner, other)
    frame.memory = memory
    return value


def opposite(frame: Frame, value: Value) -> Value:
    return unary(frame, ast.Not(), value)


def nothing() -> Any:
    return None
