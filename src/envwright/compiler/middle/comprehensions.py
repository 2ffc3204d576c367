"""List comprehensions: taken apart where their length is known, over whole arrays where it is not."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from envwright.compiler.ir import code, heaps, tables, texts
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Kind
from envwright.compiler.ir.lists import all_of, concatenate, counted, in_use, items_of, order_matters
from envwright.compiler.ir.memory import differs, known
from envwright.compiler.ir.merge import join_memories
from envwright.compiler.ir.operators import binary, truth
from envwright.compiler.ir.sequences import distinct
from envwright.compiler.ir.set_algebra import members_in_use
from envwright.compiler.ir.twins import with_rows_of
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Keyed,
    Masked,
    Members,
    Picked,
    Static,
    Value,
    as_array,
    cast,
    common,
    stack,
)
from envwright.compiler.middle.each import columns
from envwright.compiler.middle.generators import check_reads
from envwright.compiler.middle.parts import keep_new
from envwright.compiler.middle.turns import Evaluate, Turns, turns_of, turns_over
from envwright.compiler.refusal import RefusedError

MOST = 256  # elements that are written out one by one
LONG = 8  # more elements than these are computed at once
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp


@dataclass
class Way:
    """What a comprehension has gone through, and which rows of it its elements are."""

    through: list[Turns]
    rows: list[Value]

    @property
    def unordered(self) -> bool:
        return any(turns.unordered for turns in self.through)

    def noted(self, value: Any) -> Any:
        if not isinstance(value, tuple) and cells_within(value):
            self.rows.append(value)
        return value


def comprehend(frame: Frame, node: Comprehension, evaluate: Evaluate) -> Value:
    """`[x for y in z if c]` and its sisters."""
    outer, frame.memory = frame.memory, frame.memory.copy()
    function = frame.function
    first = _first(frame, node, evaluate)  # once, and by the function around it
    frame.function = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"}.get(
        type(node), "<genexpr>"
    )
    try:
        return _comprehend(frame, node, first, evaluate)
    finally:
        names, frame.function = outer.names, function
        outer.take_over(frame.memory)
        frame.memory = outer
        frame.memory.names = names


def _first(frame: Frame, node: Comprehension, evaluate: Evaluate) -> list[Turns]:
    """What the first `for` goes through; two lists one after the other, if they cannot become one."""
    first = node.generators[0].iter
    lists = isinstance(node, ast.ListComp | ast.GeneratorExp)
    if not (isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add) and lists):
        return [turns_of(frame, first, evaluate)]
    sides = [evaluate(frame, side) for side in (first.left, first.right)]
    if _rows_differ(*(frame.memory.see(side) for side in sides)):
        return [turns_over(frame, side) for side in sides]
    return [turns_over(frame, binary(frame, first.op, *sides))]


def _comprehend(frame: Frame, node: Comprehension, first: list[Turns], evaluate: Evaluate) -> Value:
    if isinstance(node, ast.DictComp):
        found = list(_walk(frame, node, node.generators, first[0], evaluate, None, Way(first, [])))
        if any(keep is not None for _, keep in found):
            raise RefusedError("which keys a dict has depends on the game")
        return Keyed({known(frame.memory.deep(k)): v for (k, v), _ in found})
    made, *more = [_made(frame, node, turns, evaluate) for turns in first]
    for other in more:
        made = concatenate(frame.memory, made, other)
    if not isinstance(node, ast.SetComp):
        return made
    try:
        return Static(set(known(frame.memory.deep(made))))
    except RefusedError:
        return distinct(made if isinstance(made, Counted | Masked) else counted(frame.memory.deep(made)))


def _rows_differ(left: Value, right: Value) -> bool:
    """Whether two lists of changing length have rows of different lengths, so that they cannot become one."""
    if not isinstance(left, Counted | Masked) or not isinstance(right, Counted | Masked):
        return False
    return left.array.kind.shape[1:] != right.array.kind.shape[1:]


def _made(frame: Frame, node: Any, turns: Turns, evaluate: Evaluate) -> Value:
    before = frame.memory.copy()
    way = Way([turns], [])
    made = _at_once(frame, node, turns, evaluate, way)
    if made is None:
        found = list(_walk(frame, node, node.generators, turns, evaluate, None, way))
        made = _listed(frame, node, turns, found, way.unordered)
    for each in way.through:
        check_reads(each.reads, before, [frame.memory])
    if way.unordered and not frame.memory.is_as(before):
        raise order_matters()
    return with_rows_of(frame.memory, made, [place for each in way.through for place in each.lists if way.rows])


def _listed(frame: Frame, node: Any, turns: Turns, found: list[tuple[Value, Array | None]], unordered: bool) -> Value:
    """Elements, each with the condition under which it is there, as a list."""
    if all(keep is None for _, keep in found) and not unordered:
        return Items(tuple(value for value, _ in found), is_list=True)
    array = _in_a_row(frame, [value for value, _ in found])
    behind = _set_behind(frame, turns)
    if turns.count is not None and len(found) == turns.length and _is_plain(node) and behind is None:
        return Counted(Array(array.code, array.kind, listed=True), turns.count)
    flags = code.list_of(code.const(True) if keep is None else keep.code for _, keep in found)
    mask = Array(code.call("jnp.array", flags), Kind(BOOL, (len(found),)))
    return Masked(array, mask, unordered=unordered)


def _in_a_row(frame: Frame, values: list[Value]) -> Array:
    """What may be in a list; texts that are known are numbers in an alphabet of their own."""
    if values and all(isinstance(value, Static) and isinstance(value.value, str) for value in values):
        alphabet = tuple(dict.fromkeys(value.value for value in values if isinstance(value, Static)))
        return texts.into(alphabet, Items(tuple(values), True))
    arrays = [as_array(_number(frame, value)) for value in values]
    return stack(Items(tuple(cast(a, common(arrays)) for a in arrays), True))


def _number(frame: Frame, value: Value) -> Value:
    """An object that is made for a list of changing length gets its number now."""
    heap = heaps.heap_for(frame, frame.memory.see(value))
    return texts.beside_others(frame.memory.deep(value)) if heap is None else heaps.number_of(frame, heap, value)


def _is_plain(node: Any) -> bool:
    """Whether there is one element for each that is gone through."""
    return len(node.generators) == 1 and not node.generators[0].ifs


def _set_behind(frame: Frame, turns: Turns) -> Masked | Members | None:
    """Those elements of an array that a condition picks, which have no places."""
    source = None if turns.source is None else frame.memory.see(turns.source)
    return source if isinstance(source, Masked | Members) else None


def _at_once(frame: Frame, node: Any, turns: Turns, evaluate: Evaluate, way: Way) -> Value | None:
    """All elements of a long list, or of a table, by one expression, if it can be done."""
    generator = node.generators[0]
    source = None if turns.source is None else frame.memory.see(turns.source)
    part = _element_part(node, generator)
    if isinstance(source, Picked) and part is not None and _is_plain(node):
        return tables.each(frame.program, source, part[0])
    if isinstance(source, Members) and not source.texts:
        source = members_in_use(frame, source)
    if len(node.generators) > 1 or turns.element is None or turns.length <= LONG or turns.known is not None:
        return None
    direct = isinstance(source, Counted | Masked)
    places = Array(code.call("jnp.arange", code.const(turns.length)), Kind(INT, (turns.length,)))
    marked = source if isinstance(source, Masked) else _marked(source.array if direct else places, turns.count)
    has_conditions, themselves = bool(generator.ifs), direct and _is_target(node.elt, generator)

    def compute(each: Value) -> Value:
        unpack(frame, generator.target, frame.memory.hold(each) if direct else turns.element(as_array(each).code))
        keep = _asked(frame, generator, evaluate, None)
        value = way.noted(evaluate(frame, node.elt))
        value = Static(0) if themselves else value
        return Items((value, Static(True) if keep is None else keep)) if has_conditions else value

    block = len(frame.block)
    try:
        found = columns(frame, marked, compute)
    except RefusedError:
        del frame.block[block:]
        return None
    if isinstance(found, Items) and not has_conditions:
        found = _rows(found)
    if not has_conditions and isinstance(found, Array):
        found = marked.array if themselves else found
        counts = turns.count is not None and _set_behind(frame, turns) is None
        return Counted(found, turns.count) if counts and turns.count else replace(marked, array=found)
    assert isinstance(found, Items)
    value, keep = found.items
    value = marked.array if themselves else _rows(value) if isinstance(value, Items) else value
    mask = Array(code.both(marked.mask.code, as_array(keep).code), marked.mask.kind)
    return Masked(as_array(value), mask, unordered=marked.unordered)


def _marked(array: Array, count: Array | None) -> Masked:
    """Those elements that there are turns for."""
    return Masked(array, all_of(array.kind.shape[0]) if count is None else in_use(Counted(array, count)))


def _rows(parts: Items) -> Array:
    """Columns as rows."""
    arrays = [as_array(part) for part in parts.items]
    if len({a.kind for a in arrays}) > 1:
        raise RefusedError("a list of tuples of different kinds of numbers is not covered")
    made = code.call("jnp.stack", code.list_of(a.code for a in arrays), axis=code.const(1))
    kind = arrays[0].kind
    return Array(made, Kind(kind.dtype, (kind.shape[0], len(arrays), *kind.shape[1:])), listed=True)


def _is_target(elt: ast.expr, generator: ast.comprehension) -> bool:
    """`x for x in ...`."""
    return isinstance(elt, ast.Name) and isinstance(generator.target, ast.Name) and elt.id == generator.target.id


def _element(frame: Frame, turns: Turns, behind: Masked | Members | None, i: int) -> Value:
    if turns.known is not None:
        return turns.known[i]
    if behind is None:
        return turns.element(code.const(i))
    if isinstance(behind, Members):
        return Static(behind.places[i])
    inner = behind.array.kind.shaped(*behind.array.kind.shape[1:])
    found = Array(code.index(behind.array.code, code.const(i)), inner, behind.array.listed and bool(inner.shape))
    return frame.memory.hold(found)


def _is_there(turns: Turns, behind: Masked | Members | None, i: int) -> code.Code | None:
    """Whether there is a turn, if that shows only in the game."""
    if isinstance(behind, Members):
        return code.index(code.method(behind.array.code, "ravel"), code.const(i))
    if behind is not None:
        return code.index(behind.mask.code, code.const(i))
    return None if turns.count is None else code.compare(code.const(i), ast.Lt(), turns.count.code)


def _asked(frame: Frame, generator: ast.comprehension, evaluate: Evaluate, kept: Array | None) -> Array | None:
    """The conditions of a generator and those before it, as far as they are not known to hold."""
    keep = kept
    for condition in generator.ifs:
        asked = _under(frame, keep, lambda condition=condition: truth(frame, evaluate(frame, condition)))
        if isinstance(asked, Static):
            if not asked.value:
                return Array(code.const(False), Kind(BOOL))
            continue
        keep = as_array(asked) if keep is None else Array(code.both(keep.code, as_array(asked).code), Kind(BOOL))
    return keep


def _walk(
    frame: Frame,
    node: Comprehension,
    generators: list[ast.comprehension],
    turns: Turns | None,
    evaluate: Evaluate,
    kept: Array | None,
    way: Way,
) -> Any:
    """The elements in order, each with the condition under which it is there."""
    if not generators:
        yield _under(frame, kept, lambda: way.noted(_own(frame, node, evaluate))), kept
        return
    first, *rest = generators
    if turns is None:
        turns = turns_of(frame, first.iter, evaluate)
        way.through.append(turns)
    behind = _set_behind(frame, turns)
    if turns.length < 0 or turns.length > MOST:
        raise RefusedError(f"a comprehension over more than {MOST} elements is not covered")
    for i in range(turns.length):
        keep, there = kept, _is_there(turns, behind, i)
        if there is not None:
            keep = Array(there if kept is None else code.both(kept.code, there), Kind(BOOL))
        unpack(frame, first.target, _element(frame, turns, behind, i))
        keep = _asked(frame, first, evaluate, keep)
        if keep is None or not (isinstance(keep.code, ast.Constant) and keep.code.value is False):
            yield from _walk(frame, node, rest, None, evaluate, keep, way)


def _own(frame: Frame, node: Comprehension, evaluate: Evaluate) -> Any:
    if isinstance(node, ast.DictComp):
        return evaluate(frame, node.key), evaluate(frame, node.value)
    return evaluate(frame, node.elt)


def _under(frame: Frame, kept: Array | None, compute: Callable[[], Any]) -> Any:
    """Compute something that is there under a condition: what it changes only then changes."""
    if kept is None:
        return compute()
    before, guards = frame.memory, frame.guards
    frame.memory, frame.guards = before.copy(), (*guards, kept.code)
    try:
        value = compute()
        if not isinstance(value, tuple) and heaps.heap_for(frame, frame.memory.see(value)) is None:
            value = frame.memory.deep(value)
    finally:
        after, frame.memory, frame.guards = frame.memory, before, guards
    keep_new(before, after)
    if differs(after, before):
        frame.memory = join_memories(frame, kept, after, before)
    return value


def unpack(frame: Frame, target: ast.expr, value: Value) -> None:
    """Names of a loop, without a statement of their own."""
    if isinstance(target, ast.Name):
        frame.memory.names[target.id] = frame.memory.hold(value) if not isinstance(value, Array) else value
        return
    if isinstance(target, ast.Tuple | ast.List):
        parts = items_of(frame.memory, heaps.opened(frame.memory, value))
        if len(parts) != len(target.elts):
            raise RefusedError(f"{len(parts)} values for {len(target.elts)} names")
        for inner, part in zip(target.elts, parts, strict=True):
            unpack(frame, inner, part)
        return
    raise RefusedError("a loop assigns to something else than names")


def _element_part(node: Any, generator: ast.comprehension) -> tuple[int] | None:
    """`t[0] for t in ...`: which part."""
    match node.elt, generator.target:
        case ast.Subscript(value=ast.Name(id=a), slice=ast.Constant(value=int() as which)), ast.Name(id=b) if a == b:
            return (which,)
    return None
