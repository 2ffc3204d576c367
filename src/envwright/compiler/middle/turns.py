"""What a for loop goes through, turn by turn."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from envwright.compiler.ir import code, tables
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, items_of, row
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.sequences import turns
from envwright.compiler.ir.set_algebra import some_of
from envwright.compiler.ir.sums import difference, most_between
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Items,
    Masked,
    Members,
    Picked,
    Place,
    Ref,
    Rows,
    Shelf,
    Static,
    Value,
    View,
    as_array,
)
from envwright.compiler.middle import shelf_methods
from envwright.compiler.middle.generators import Reads, consumed, reads_of
from envwright.compiler.middle.parts import meant
from envwright.compiler.refusal import RefusedError


@dataclass
class Turns:
    """What a for loop goes through."""

    known: list[Value] | None  # the elements one by one, if there are so many
    element: Any  # the element of turn i, as a function of the code for i
    length: int
    count: Array | None = None  # how many of them there are, if that changes
    unordered: bool = False  # they come in an order that is not Python's
    source: Value | None = None  # what is gone through, if it is one thing
    lists: tuple[Place, ...] = ()  # those behind it that can be changed meanwhile
    form: Literal["", "plain", "enumerated", "reversed"] = ""  # how it goes through a list
    first: int = 0  # what enumerate begins with
    renewed: Callable[[], list[Value]] | None = None  # the elements one by one, as they are now
    reads: tuple[Reads, ...] = ()  # what it looks at while it is gone through, but for these lists


Evaluate = Callable[..., Value]  # `expressions.evaluate`, as it is handed to loops and comprehensions


def turns_of(frame: Frame, node: ast.expr, evaluate: Evaluate) -> Turns:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        match node.func.id, node.args:
            case "range", arguments:
                return _range(frame, [frame.memory.see(evaluate(frame, a)) for a in arguments])
            case "enumerate", [inner, *start]:
                return enumerated(
                    turns_of(frame, inner, evaluate), int(known(evaluate(frame, start[0]))) if start else 0
                )
            case "reversed", [inner]:
                return _reversed(turns_of(frame, inner, evaluate))
            case "zip", parts:
                return _zipped([turns_of(frame, p, evaluate) for p in parts])
    if (turns := _of_shelf(frame, node, evaluate)) is not None:
        return turns
    consumed(frame, node)
    called = node.func if isinstance(node, ast.Call) and not _calls(node.func) else None
    reads = reads_of(frame, node, evaluate(frame, called) if called is not None else Static(None))
    return replace(turns_over(frame, evaluate(frame, node)), reads=reads)


def _of_shelf(frame: Frame, node: ast.expr, evaluate: Evaluate) -> Turns | None:
    """`stock.items()` and `stock.values()` of a dict by numbers, whose values are looked at turn by turn."""
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr="items" | "values" as name), args=[]) if not _calls(base):
            place = evaluate(frame, base)
        case _:
            return None
    shelf = frame.memory.see(place) if isinstance(place, PLACES) else None
    if not isinstance(shelf, Shelf) or not isinstance(place, PLACES):
        return None

    def pair(key: Value, value: Value) -> Value:
        return value if name == "values" else Items((key, value))

    def now() -> list[Value]:
        return [pair(Static(key), shelf_methods.value_of(frame, place, i)) for i, key in enumerate(shelf.keys)]

    def element(i: Code) -> Value:
        key = shelf_methods.key_at(frame, shelf, i)
        return pair(key, shelf_methods.value_under(frame, place, key, i))

    return Turns(now(), element, len(shelf.keys), lists=(place,), renewed=now)


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def turns_over(frame: Frame, value: Value) -> Turns:
    """Through the elements of something."""
    value = meant(value)
    lists = (value,) if isinstance(value, PLACES) else ()
    renewed = (lambda: _elements(frame, value).known or []) if lists else None
    return replace(_elements(frame, value), source=value, lists=lists, form="plain", renewed=renewed)


def _elements(frame: Frame, value: Value) -> Turns:
    content = frame.memory.see(value)
    if isinstance(content, Members) and content.texts:
        return Turns(None, None, len(content.texts), content.count, unordered=True)
    some = some_of(frame, content)
    if isinstance(some, Masked):
        content = counted(replace(some, unordered=False))
        content = replace(content, array=replace(content.array, code=frame.named("items", content.array.code)))
        if some.unordered:
            return _members(content)
    if isinstance(content, Picked):
        values, count = tables.elements(frame.program, content)
        if isinstance(count, Static):
            return Turns(values, None, len(values))
        if not all(isinstance(option, list | tuple | np.ndarray | str) for option in content.table.flat):
            return Turns(values, None, len(values), as_array(count))  # of a dict, an index gives something else
        one = lambda i: tables.deeper(frame.program, content, Array(i, Kind(INT), natural=True))  # noqa: E731
        return Turns(values, one, len(values), as_array(count))
    if isinstance(content, Counted):
        ref = value if isinstance(value, PLACES) else None
        return Turns(None, _at(frame, ref, content.array), content.room, content.count)
    if isinstance(content, Rows):
        ref = value if isinstance(value, PLACES) else None
        known = [View(ref, (Static(i),)) for i in range(content.length)] if ref else items_of(frame.memory, content)
        at = (lambda i: View(ref, (Array(i, Kind(INT), natural=True),))) if ref else (lambda i: row(content, i))
        return Turns(list(known), at, content.length)
    if isinstance(content, Static) and isinstance(content.value, dict):
        content = Static(list(content.value))
    if isinstance(content, Shelf):
        return _elements(frame, Static([*content.keys]))
    if isinstance(value, Ref) and isinstance(content, Items) and any(isinstance(v, PLACES) for v in content.items):
        content = replace(content, items=tuple(frame.memory.hold(v) for v in content.items))
        frame.memory.cells[value.cell] = content  # each of its rows has a name then, by which it is changed
    known_items = items_of(frame.memory, content)
    if isinstance(value, PLACES) and isinstance(content, Items | Array):
        known_items = [
            View(value, (Static(i),)) if not isinstance(v, PLACES) and _has_parts(v) else v
            for i, v in enumerate(known_items)
        ]
    if isinstance(content, Static):
        try:
            array = as_array(Static(list(content.value)))
        except (RefusedError, ValueError):
            return Turns(known_items, None, len(known_items))
        made = frame.program.constant("TURNS", list(content.value))
        return Turns(known_items, _at(frame, None, Array(made, array.kind)), len(known_items))
    if isinstance(content, Array):
        ref = value if isinstance(value, PLACES) else None
        return Turns(known_items, _at(frame, ref, content), len(known_items))
    try:
        array = as_array(frame.memory.deep(content))
    except RefusedError:
        return Turns(known_items, None, len(known_items))
    held = isinstance(content, Items) and any(isinstance(v, PLACES) for v in content.items)
    if isinstance(value, Ref) and len(array.kind.shape) > 1 and not held:
        frame.memory.cells[value.cell] = array  # its rows are changed by their number in the loop
        return Turns(known_items, _at(frame, value, array), len(known_items))
    return Turns(known_items, _at(frame, value if isinstance(value, Ref) else None, array), len(known_items))


def _members(content: Counted) -> Turns:
    """Of a set: numbers, or tuples of them."""
    array, one = content.array, Kind(content.array.kind.dtype)

    def element(i: Code) -> Value:
        if len(array.kind.shape) == 1:
            return Array(code.index(array.code, i), one)
        parts = range(array.kind.shape[1])
        return Items(tuple(Array(code.index(array.code, i, code.const(k)), one) for k in parts))

    return Turns(None, element, content.room, content.count, unordered=True)


def _has_parts(value: Value) -> bool:
    return isinstance(value, Items) or (isinstance(value, Array) and bool(value.kind.shape))


def _at(frame: Frame, ref: Place | None, array: Array) -> Any:
    inner = array.kind.shaped(*array.kind.shape[1:])
    if ref is not None and inner.shape:
        return lambda i: View(ref, (Array(i, Kind(INT), natural=True),))
    was = array if ref is None else frame.memory.deep(ref)
    listed = array.listed and bool(inner.shape)
    return lambda i: Array(code.index(_now(frame, ref, array, was).code, i), inner, listed)


def _now(frame: Frame, ref: Place | None, array: Array, was: Value) -> Array:
    """A list as it is in the turn that asks: the turns before may have changed it."""
    if ref is None:
        return array
    content = frame.memory.deep(ref)
    if content is was:
        return array
    content = counted(content) if isinstance(content, Masked) else content
    found = content.array if isinstance(content, Counted | Rows) else as_array(content)
    return found if found.kind.shape == array.kind.shape else array


def _range(frame: Frame, ends: list[Value]) -> Turns:
    if all(isinstance(e, Static) for e in ends):
        numbers = range(*(int(known(e)) for e in ends))
        first, step = numbers.start, numbers.step

        def element(i: Code) -> Value:
            scaled = i if step == 1 else code.binary(i, ast.Mult(), code.const(step))
            made = scaled if first == 0 else code.binary(scaled, ast.Add(), code.const(first))
            return Array(made, Kind(INT), natural=min(numbers, default=0) >= 0, most=max(numbers, default=None))

        return Turns([Static(n) for n in numbers], element, len(numbers))
    start, stop = (Static(0), ends[0]) if len(ends) == 1 else ends[:2]
    low, high, step = as_array(start), as_array(stop), as_array(ends[2] if len(ends) > 2 else Static(1))
    natural = low.natural and step.natural

    def number(i: Code) -> Value:
        scaled = i if _is(step, 1) else code.binary(i, ast.Mult(), step.code)
        return Array(scaled if _is(low, 0) else code.binary(low.code, ast.Add(), scaled), Kind(INT), natural=natural)

    count = Array(turns(low.code, high.code, step.code), Kind(INT))
    most = most_between(frame, low.code, high.code) if _is(step, 1) else None
    if most is None:
        return Turns(None, number, -1, count)
    most = max(most, 0)
    if difference(frame, low.code, high.code) is not None:
        return Turns([number(code.const(i)) for i in range(most)], number, most)
    return Turns(None, number, most, Array(code.call("jnp.maximum", count.code, code.const(0)), Kind(INT)))


def _is(value: Array, number: int) -> bool:
    return isinstance(value.code, ast.Constant) and value.code.value == number


def enumerated(turns: Turns, start: int) -> Turns:
    """The same, with numbers."""
    if turns.unordered:
        raise RefusedError("the members of a set are numbered, in an order that is Python's own")

    def element(i: Code) -> Value:
        number = i if start == 0 else code.binary(i, ast.Add(), code.const(start))
        return Items((Array(number, Kind(INT), natural=start >= 0), turns.element(i)))

    def numbered(values: list[Value]) -> list[Value]:
        return [Items((Static(n + start), v)) for n, v in enumerate(values)]

    pairs = None if turns.known is None else numbered(turns.known)
    again = turns.renewed
    made = Turns(pairs, element if turns.element else None, turns.length, turns.count, lists=turns.lists)
    made.renewed = (lambda: numbered(again())) if again else None
    return replace(made, form="enumerated" if turns.form == "plain" else "", first=start, reads=turns.reads)


def _reversed(turns: Turns) -> Turns:
    last = (
        code.const(turns.length - 1) if turns.count is None else code.binary(turns.count.code, ast.Sub(), code.const(1))
    )
    known = None if turns.known is None else turns.known[::-1]
    element = (lambda i: turns.element(code.binary(last, ast.Sub(), i))) if turns.element else None
    made = Turns(known, element, turns.length, turns.count, lists=turns.lists, unordered=turns.unordered)
    again = turns.renewed
    made.renewed = (lambda: again()[::-1]) if again else None
    return replace(made, form="reversed" if turns.form == "plain" else "", reads=turns.reads)


def _zipped(parts: list[Turns]) -> Turns:
    if any(part.unordered for part in parts):
        raise RefusedError("the members of a set go with others, in an order that is Python's own")
    length = min((part.length for part in parts if part.length >= 0), default=-1)
    counts = [part.count for part in parts if part.count is not None]
    if counts and any(part.count is None for part in parts):
        counts.append(as_array(Static(min(part.length for part in parts if part.count is None))))
    count = counts[0] if counts else None
    for other in counts[1:]:
        count = Array(code.call("jnp.minimum", counts[0].code if count is None else count.code, other.code), Kind(INT))

    def side_by_side(columns: list[list[Value]]) -> list[Value]:
        return [Items(values) for values in zip(*columns, strict=False)]

    rows = side_by_side([p.known or [] for p in parts]) if all(p.known is not None for p in parts) else None
    renewed = (lambda: side_by_side([p.renewed() if p.renewed else p.known or [] for p in parts])) if rows else None
    element = (lambda i: Items(tuple(p.element(i) for p in parts))) if all(p.element for p in parts) else None
    lists = tuple(ref for part in parts for ref in part.lists)
    reads = tuple(each for part in parts for each in part.reads)
    return Turns(rows, element, length, count, lists=lists, renewed=renewed, reads=reads)
