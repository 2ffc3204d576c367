"""The iteration space of a for loop or comprehension."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from envwright.compiler.ir import code, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.affine import difference, max_difference
from envwright.compiler.ir.avals import INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, items_of, row
from envwright.compiler.ir.sequences import range_length
from envwright.compiler.ir.set_algebra import some_of
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Place, Value, as_array
from envwright.compiler.middle import fixed_key_dict_methods
from envwright.compiler.middle.generators import Reads, consumed, reads_of
from envwright.compiler.middle.parts import unwrapped
from envwright.compiler.refusal import RefusedError


@dataclass
class IterationSpace:
    """What a for loop iterates over."""

    known: list[Value] | None  # the elements one by one, if there are so many
    element: Any  # the element of iteration i, as a function of the code for i
    length: int
    count: ir.Array | None = None  # how many of them there are, if that changes
    unordered: bool = False  # they come in an order that is not Python's
    source: Value | None = None  # what is iterated over, if it is one thing
    lists: tuple[Place, ...] = ()  # those behind it that can be changed meanwhile
    form: Literal["", "plain", "enumerated", "reversed"] = ""  # how it iterates over a list
    first: int = 0  # what enumerate begins with
    renewed: Callable[[], list[Value]] | None = None  # the elements one by one, as they are now
    reads: tuple[Reads, ...] = ()  # what it looks at while it is iterated over, but for these lists


Evaluate = Callable[..., Value]  # `expressions.evaluate`, as it is passed to loops and comprehensions


def iteration_space_of(frame: CallFrame, node: ast.expr, evaluate: Evaluate) -> IterationSpace:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        match node.func.id, node.args:
            case "range", arguments:
                return _range(frame, [frame.memory.see(evaluate(frame, a)) for a in arguments])
            case "enumerate", [inner, *start]:
                return enumerated(
                    iteration_space_of(frame, inner, evaluate), int(known(evaluate(frame, start[0]))) if start else 0
                )
            case "reversed", [inner]:
                return _reversed(iteration_space_of(frame, inner, evaluate))
            case "zip", parts:
                return _zipped([iteration_space_of(frame, p, evaluate) for p in parts])
    if (iterations := _of_fixed_key_dict(frame, node, evaluate)) is not None:
        return iterations
    consumed(frame, node)
    called = node.func if isinstance(node, ast.Call) and not _calls(node.func) else None
    reads = reads_of(frame, node, evaluate(frame, called) if called is not None else ir.Static(None))
    return replace(iterate_over(frame, evaluate(frame, node)), reads=reads)


def _of_fixed_key_dict(frame: CallFrame, node: ast.expr, evaluate: Evaluate) -> IterationSpace | None:
    """`stock.items()` and `stock.values()` of a dict with fixed keys, whose values are read in each iteration."""
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr="items" | "values" as name), args=[]) if not _calls(base):
            place = evaluate(frame, base)
        case _:
            return None
    mapping = frame.memory.see(place) if isinstance(place, ir.PLACES) else None
    if not isinstance(mapping, ir.FixedKeyDict) or not isinstance(place, ir.PLACES):
        return None

    def pair(key: Value, value: Value) -> Value:
        return value if name == "values" else ir.Items((key, value))

    def now() -> list[Value]:
        return [
            pair(ir.Static(key), fixed_key_dict_methods.value_of(frame, place, i)) for i, key in enumerate(mapping.keys)
        ]

    def element(i: Code) -> Value:
        key = fixed_key_dict_methods.key_at(frame, mapping, i)
        return pair(key, fixed_key_dict_methods.value_under(frame, place, key, i))

    return IterationSpace(now(), element, len(mapping.keys), lists=(place,), renewed=now)


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def iterate_over(frame: CallFrame, value: Value) -> IterationSpace:
    """The iteration space of a value."""
    value = unwrapped(value)
    lists = (value,) if isinstance(value, ir.PLACES) else ()
    renewed = (lambda: _elements(frame, value).known or []) if lists else None
    return replace(_elements(frame, value), source=value, lists=lists, form="plain", renewed=renewed)


def _elements(frame: CallFrame, value: Value) -> IterationSpace:
    content = frame.memory.see(value)
    if isinstance(content, ir.Members) and content.texts:
        return IterationSpace(None, None, len(content.texts), content.count, unordered=True)
    some = some_of(frame, content)
    if isinstance(some, ir.Masked):
        content = counted(replace(some, unordered=False))
        content = replace(content, array=replace(content.array, code=frame.named("items", content.array.code)))
        if some.unordered:
            return _members(content)
    if isinstance(content, ir.Picked):
        values, count = tables.elements(frame.program, content)
        if isinstance(count, ir.Static):
            return IterationSpace(values, None, len(values))
        if not all(isinstance(option, list | tuple | np.ndarray | str) for option in content.table.flat):
            return IterationSpace(
                values, None, len(values), as_array(count)
            )  # of a dict, an index gives something else
        one = lambda i: tables.deeper(frame.program, content, ir.Array(i, Aval(INT), natural=True))  # noqa: E731
        return IterationSpace(values, one, len(values), as_array(count))
    if isinstance(content, ir.Counted):
        ref = value if isinstance(value, ir.PLACES) else None
        return IterationSpace(None, _at(frame, ref, content.array), content.room, content.count)
    if isinstance(content, ir.Rows):
        ref = value if isinstance(value, ir.PLACES) else None
        known = (
            [ir.IndexView(ref, (ir.Static(i),)) for i in range(content.length)]
            if ref
            else items_of(frame.memory, content)
        )
        at = (
            (lambda i: ir.IndexView(ref, (ir.Array(i, Aval(INT), natural=True),)))
            if ref
            else (lambda i: row(content, i))
        )
        return IterationSpace(list(known), at, content.length)
    if isinstance(content, ir.Static) and isinstance(content.value, dict):
        content = ir.Static(list(content.value))
    if isinstance(content, ir.FixedKeyDict):
        return _elements(frame, ir.Static([*content.keys]))
    if (
        isinstance(value, ir.Ref)
        and isinstance(content, ir.Items)
        and any(isinstance(v, ir.PLACES) for v in content.items)
    ):
        content = replace(content, items=tuple(frame.memory.hold(v) for v in content.items))
        frame.memory.locs[value.loc] = content  # each of its rows has a name then, by which it is changed
    known_items = items_of(frame.memory, content)
    if isinstance(value, ir.PLACES) and isinstance(content, ir.Items | ir.Array):
        known_items = [
            ir.IndexView(value, (ir.Static(i),)) if not isinstance(v, ir.PLACES) and _has_parts(v) else v
            for i, v in enumerate(known_items)
        ]
    if isinstance(content, ir.Static):
        try:
            array = as_array(ir.Static(list(content.value)))
        except (RefusedError, ValueError):
            return IterationSpace(known_items, None, len(known_items))
        made = frame.program.constant("TURNS", list(content.value))
        return IterationSpace(known_items, _at(frame, None, ir.Array(made, array.kind)), len(known_items))
    if isinstance(content, ir.Array):
        ref = value if isinstance(value, ir.PLACES) else None
        return IterationSpace(known_items, _at(frame, ref, content), len(known_items))
    try:
        array = as_array(frame.memory.deep(content))
    except RefusedError:
        return IterationSpace(known_items, None, len(known_items))
    held = isinstance(content, ir.Items) and any(isinstance(v, ir.PLACES) for v in content.items)
    if isinstance(value, ir.Ref) and len(array.kind.shape) > 1 and not held:
        frame.memory.locs[value.loc] = array  # its rows are changed by their number in the loop
        return IterationSpace(known_items, _at(frame, value, array), len(known_items))
    return IterationSpace(
        known_items, _at(frame, value if isinstance(value, ir.Ref) else None, array), len(known_items)
    )


def _members(content: ir.Counted) -> IterationSpace:
    """The iteration space of a set."""
    array, one = content.array, Aval(content.array.kind.dtype)

    def element(i: Code) -> Value:
        if len(array.kind.shape) == 1:
            return ir.Array(code.index(array.code, i), one)
        parts = range(array.kind.shape[1])
        return ir.Items(tuple(ir.Array(code.index(array.code, i, code.const(k)), one) for k in parts))

    return IterationSpace(None, element, content.room, content.count, unordered=True)


def _has_parts(value: Value) -> bool:
    return isinstance(value, ir.Items) or (isinstance(value, ir.Array) and bool(value.kind.shape))


def _at(frame: CallFrame, ref: Place | None, array: ir.Array) -> Any:
    inner = array.kind.shaped(*array.kind.shape[1:])
    if ref is not None and inner.shape:
        return lambda i: ir.IndexView(ref, (ir.Array(i, Aval(INT), natural=True),))
    was = array if ref is None else frame.memory.deep(ref)
    listed = array.listed and bool(inner.shape)
    return lambda i: ir.Array(code.index(_now(frame, ref, array, was).code, i), inner, listed)


def _now(frame: CallFrame, ref: Place | None, array: ir.Array, was: Value) -> ir.Array:
    """The current content of a list: earlier iterations may have changed it."""
    if ref is None:
        return array
    content = frame.memory.deep(ref)
    if content is was:
        return array
    content = counted(content) if isinstance(content, ir.Masked) else content
    found = content.array if isinstance(content, ir.Counted | ir.Rows) else as_array(content)
    return found if found.kind.shape == array.kind.shape else array


def _range(frame: CallFrame, ends: list[Value]) -> IterationSpace:
    if all(isinstance(e, ir.Static) for e in ends):
        numbers = range(*(int(known(e)) for e in ends))
        first, step = numbers.start, numbers.step

        def element(i: Code) -> Value:
            scaled = i if step == 1 else code.binary(i, ast.Mult(), code.const(step))
            made = scaled if first == 0 else code.binary(scaled, ast.Add(), code.const(first))
            return ir.Array(made, Aval(INT), natural=min(numbers, default=0) >= 0, most=max(numbers, default=None))

        return IterationSpace([ir.Static(n) for n in numbers], element, len(numbers))
    start, stop = (ir.Static(0), ends[0]) if len(ends) == 1 else ends[:2]
    low, high, step = as_array(start), as_array(stop), as_array(ends[2] if len(ends) > 2 else ir.Static(1))
    natural = low.natural and step.natural

    def number(i: Code) -> Value:
        scaled = i if _is(step, 1) else code.binary(i, ast.Mult(), step.code)
        return ir.Array(scaled if _is(low, 0) else code.binary(low.code, ast.Add(), scaled), Aval(INT), natural=natural)

    count = ir.Array(range_length(low.code, high.code, step.code), Aval(INT))
    most = max_difference(frame, low.code, high.code) if _is(step, 1) else None
    if most is None:
        return IterationSpace(None, number, -1, count)
    most = max(most, 0)
    if difference(frame, low.code, high.code) is not None:
        return IterationSpace([number(code.const(i)) for i in range(most)], number, most)
    return IterationSpace(None, number, most, ir.Array(code.call("jnp.maximum", count.code, code.const(0)), Aval(INT)))


def _is(value: ir.Array, number: int) -> bool:
    return isinstance(value.code, ast.Constant) and value.code.value == number


def enumerated(iterations: IterationSpace, start: int) -> IterationSpace:
    """`enumerate` of an iteration space."""
    if iterations.unordered:
        raise RefusedError("the members of a set are enumerated, in Python's internal order")

    def element(i: Code) -> Value:
        number = i if start == 0 else code.binary(i, ast.Add(), code.const(start))
        return ir.Items((ir.Array(number, Aval(INT), natural=start >= 0), iterations.element(i)))

    def numbered(values: list[Value]) -> list[Value]:
        return [ir.Items((ir.Static(n + start), v)) for n, v in enumerate(values)]

    pairs = None if iterations.known is None else numbered(iterations.known)
    again = iterations.renewed
    made = IterationSpace(
        pairs, element if iterations.element else None, iterations.length, iterations.count, lists=iterations.lists
    )
    made.renewed = (lambda: numbered(again())) if again else None
    return replace(made, form="enumerated" if iterations.form == "plain" else "", first=start, reads=iterations.reads)


def _reversed(iterations: IterationSpace) -> IterationSpace:
    last = (
        code.const(iterations.length - 1)
        if iterations.count is None
        else code.binary(iterations.count.code, ast.Sub(), code.const(1))
    )
    known = None if iterations.known is None else iterations.known[::-1]
    element = (lambda i: iterations.element(code.binary(last, ast.Sub(), i))) if iterations.element else None
    made = IterationSpace(
        known, element, iterations.length, iterations.count, lists=iterations.lists, unordered=iterations.unordered
    )
    again = iterations.renewed
    made.renewed = (lambda: again()[::-1]) if again else None
    return replace(made, form="reversed" if iterations.form == "plain" else "", reads=iterations.reads)


def _zipped(parts: list[IterationSpace]) -> IterationSpace:
    if any(part.unordered for part in parts):
        raise RefusedError("the members of a set are zipped, in Python's internal order")
    length = min((part.length for part in parts if part.length >= 0), default=-1)
    counts = [part.count for part in parts if part.count is not None]
    if counts and any(part.count is None for part in parts):
        counts.append(as_array(ir.Static(min(part.length for part in parts if part.count is None))))
    count = counts[0] if counts else None
    for other in counts[1:]:
        count = ir.Array(
            code.call("jnp.minimum", counts[0].code if count is None else count.code, other.code), Aval(INT)
        )

    def side_by_side(columns: list[list[Value]]) -> list[Value]:
        return [ir.Items(values) for values in zip(*columns, strict=False)]

    rows = side_by_side([p.known or [] for p in parts]) if all(p.known is not None for p in parts) else None
    renewed = (lambda: side_by_side([p.renewed() if p.renewed else p.known or [] for p in parts])) if rows else None
    element = (lambda i: ir.Items(tuple(p.element(i) for p in parts))) if all(p.element for p in parts) else None
    lists = tuple(ref for part in parts for ref in part.lists)
    reads = tuple(each for part in parts for each in part.reads)
    return IterationSpace(rows, element, length, count, lists=lists, renewed=renewed, reads=reads)
