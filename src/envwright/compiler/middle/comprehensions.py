"""Comprehensions: unrolled where their length is known, else vectorised."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from envwright.compiler.ir import code, object_arena, strings, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.alias_invalidation import with_rows_of
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import all_of, concatenate, counted, in_use, items_of, order_matters
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.operators import binary, truth
from envwright.compiler.ir.phi import join_memories
from envwright.compiler.ir.sequences import distinct
from envwright.compiler.ir.set_algebra import members_in_use
from envwright.compiler.ir.store import differs, known
from envwright.compiler.ir.values import Value, as_array, cast, common, stack
from envwright.compiler.middle.elementwise import columns
from envwright.compiler.middle.generators import check_reads
from envwright.compiler.middle.iteration_space import Evaluate, IterationSpace, iterate_over, iteration_space_of
from envwright.compiler.middle.parts import keep_new
from envwright.compiler.refusal import RefusedError

MOST = 256  # elements that are unrolled one by one
LONG = 8  # more elements than these are computed at once
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp


@dataclass
class Way:
    """The iteration spaces of a comprehension, and the rows that are among its elements."""

    through: list[IterationSpace]
    rows: list[Value]

    @property
    def unordered(self) -> bool:
        return any(iterations.unordered for iterations in self.through)

    def noted(self, value: Any) -> Any:
        if not isinstance(value, tuple) and locs_within(value):
            self.rows.append(value)
        return value


def comprehend(frame: CallFrame, node: Comprehension, evaluate: Evaluate) -> Value:
    """List, set and dict comprehensions, and generator expressions."""
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


def _first(frame: CallFrame, node: Comprehension, evaluate: Evaluate) -> list[IterationSpace]:
    """The iteration space of the first `for`; that of `a + b` is two, if they cannot be concatenated."""
    first = node.generators[0].iter
    lists = isinstance(node, ast.ListComp | ast.GeneratorExp)
    if not (isinstance(first, ast.BinOp) and isinstance(first.op, ast.Add) and lists):
        return [iteration_space_of(frame, first, evaluate)]
    sides = [evaluate(frame, side) for side in (first.left, first.right)]
    if _rows_differ(*(frame.memory.see(side) for side in sides)):
        return [iterate_over(frame, side) for side in sides]
    return [iterate_over(frame, binary(frame, first.op, *sides))]


def _comprehend(frame: CallFrame, node: Comprehension, first: list[IterationSpace], evaluate: Evaluate) -> Value:
    if isinstance(node, ast.DictComp):
        found = list(_walk(frame, node, node.generators, first[0], evaluate, None, Way(first, [])))
        if any(keep is not None for _, keep in found):
            raise RefusedError("the keys of a dict are known only at run time")
        return ir.Keyed({known(frame.memory.deep(k)): v for (k, v), _ in found})
    made, *more = [_made(frame, node, iterations, evaluate) for iterations in first]
    for other in more:
        made = concatenate(frame.memory, made, other)
    if not isinstance(node, ast.SetComp):
        return made
    try:
        return ir.Static(set(known(frame.memory.deep(made))))
    except RefusedError:
        return distinct(made if isinstance(made, ir.Counted | ir.Masked) else counted(frame.memory.deep(made)))


def _rows_differ(left: Value, right: Value) -> bool:
    """Whether two variable-length lists have rows of different lengths, so that they cannot be concatenated."""
    if not isinstance(left, ir.Counted | ir.Masked) or not isinstance(right, ir.Counted | ir.Masked):
        return False
    return left.array.kind.shape[1:] != right.array.kind.shape[1:]


def _made(frame: CallFrame, node: Any, iterations: IterationSpace, evaluate: Evaluate) -> Value:
    before = frame.memory.copy()
    way = Way([iterations], [])
    made = _at_once(frame, node, iterations, evaluate, way)
    if made is None:
        found = list(_walk(frame, node, node.generators, iterations, evaluate, None, way))
        made = _listed(frame, node, iterations, found, way.unordered)
    for each in way.through:
        check_reads(each.reads, before, [frame.memory])
    if way.unordered and not frame.memory.is_as(before):
        raise order_matters()
    return with_rows_of(frame.memory, made, [place for each in way.through for place in each.lists if way.rows])


def _listed(
    frame: CallFrame, node: Any, iterations: IterationSpace, found: list[tuple[Value, ir.Array | None]], unordered: bool
) -> Value:
    """Elements with their conditions, as a list."""
    if all(keep is None for _, keep in found) and not unordered:
        return ir.Items(tuple(value for value, _ in found), is_list=True)
    array = _in_a_row(frame, [value for value, _ in found])
    behind = _set_behind(frame, iterations)
    if iterations.count is not None and len(found) == iterations.length and _is_plain(node) and behind is None:
        return ir.Counted(ir.Array(array.code, array.kind, listed=True), iterations.count)
    flags = code.list_of(code.const(True) if keep is None else keep.code for _, keep in found)
    mask = ir.Array(code.call("jnp.array", flags), Aval(BOOL, (len(found),)))
    return ir.Masked(array, mask, unordered=unordered)


def _in_a_row(frame: CallFrame, values: list[Value]) -> ir.Array:
    """Elements as an array; constant strings are encoded in an alphabet of their own."""
    if values and all(isinstance(value, ir.Static) and isinstance(value.value, str) for value in values):
        alphabet = tuple(dict.fromkeys(value.value for value in values if isinstance(value, ir.Static)))
        return strings.into(alphabet, ir.Items(tuple(values), True))
    arrays = [as_array(_number(frame, value)) for value in values]
    return stack(ir.Items(tuple(cast(a, common(arrays)) for a in arrays), True))


def _number(frame: CallFrame, value: Value) -> Value:
    """An object that is created for a variable-length list is allocated."""
    arena = object_arena.arena_for(frame, frame.memory.see(value))
    return (
        strings.beside_others(frame.memory.deep(value))
        if arena is None
        else object_arena.number_of(frame, arena, value)
    )


def _is_plain(node: Any) -> bool:
    """Whether there is one element for each iteration."""
    return len(node.generators) == 1 and not node.generators[0].ifs


def _set_behind(frame: CallFrame, iterations: IterationSpace) -> ir.Masked | ir.Members | None:
    """The masked array or set that is iterated over, if it is one."""
    source = None if iterations.source is None else frame.memory.see(iterations.source)
    return source if isinstance(source, ir.Masked | ir.Members) else None


def _at_once(frame: CallFrame, node: Any, iterations: IterationSpace, evaluate: Evaluate, way: Way) -> Value | None:
    """All elements by one vectorised expression, if possible."""
    generator = node.generators[0]
    source = None if iterations.source is None else frame.memory.see(iterations.source)
    part = _element_part(node, generator)
    if isinstance(source, ir.Picked) and part is not None and _is_plain(node):
        return tables.each(frame.program, source, part[0])
    if isinstance(source, ir.Members) and not source.texts:
        source = members_in_use(frame, source)
    if (
        len(node.generators) > 1
        or iterations.element is None
        or iterations.length <= LONG
        or iterations.known is not None
    ):
        return None
    direct = isinstance(source, ir.Counted | ir.Masked)
    places = ir.Array(code.call("jnp.arange", code.const(iterations.length)), Aval(INT, (iterations.length,)))
    marked = source if isinstance(source, ir.Masked) else _marked(source.array if direct else places, iterations.count)
    has_conditions, themselves = bool(generator.ifs), direct and _is_target(node.elt, generator)

    def compute(each: Value) -> Value:
        unpack(frame, generator.target, frame.memory.hold(each) if direct else iterations.element(as_array(each).code))
        keep = _asked(frame, generator, evaluate, None)
        value = way.noted(evaluate(frame, node.elt))
        value = ir.Static(0) if themselves else value
        return ir.Items((value, ir.Static(True) if keep is None else keep)) if has_conditions else value

    block = len(frame.block)
    try:
        found = columns(frame, marked, compute)
    except RefusedError:
        del frame.block[block:]
        return None
    if isinstance(found, ir.Items) and not has_conditions:
        found = _rows(found)
    if not has_conditions and isinstance(found, ir.Array):
        found = marked.array if themselves else found
        counts = iterations.count is not None and _set_behind(frame, iterations) is None
        return ir.Counted(found, iterations.count) if counts and iterations.count else replace(marked, array=found)
    assert isinstance(found, ir.Items)
    value, keep = found.items
    value = marked.array if themselves else _rows(value) if isinstance(value, ir.Items) else value
    mask = ir.Array(code.both(marked.mask.code, as_array(keep).code), marked.mask.kind)
    return ir.Masked(as_array(value), mask, unordered=marked.unordered)


def _marked(array: ir.Array, count: ir.Array | None) -> ir.Masked:
    """The elements of the iteration space."""
    return ir.Masked(array, all_of(array.kind.shape[0]) if count is None else in_use(ir.Counted(array, count)))


def _rows(parts: ir.Items) -> ir.Array:
    """Columns as rows."""
    arrays = [as_array(part) for part in parts.items]
    if len({a.kind for a in arrays}) > 1:
        raise RefusedError("a list of tuples that mix number types is not supported")
    made = code.call("jnp.stack", code.list_of(a.code for a in arrays), axis=code.const(1))
    kind = arrays[0].kind
    return ir.Array(made, Aval(kind.dtype, (kind.shape[0], len(arrays), *kind.shape[1:])), listed=True)


def _is_target(elt: ast.expr, generator: ast.comprehension) -> bool:
    """`x for x in ...`."""
    return isinstance(elt, ast.Name) and isinstance(generator.target, ast.Name) and elt.id == generator.target.id


def _element(frame: CallFrame, iterations: IterationSpace, behind: ir.Masked | ir.Members | None, i: int) -> Value:
    if iterations.known is not None:
        return iterations.known[i]
    if behind is None:
        return iterations.element(code.const(i))
    if isinstance(behind, ir.Members):
        return ir.Static(behind.places[i])
    inner = behind.array.kind.shaped(*behind.array.kind.shape[1:])
    found = ir.Array(code.index(behind.array.code, code.const(i)), inner, behind.array.listed and bool(inner.shape))
    return frame.memory.hold(found)


def _is_there(iterations: IterationSpace, behind: ir.Masked | ir.Members | None, i: int) -> code.Code | None:
    """The condition of an iteration, if it is known only at run time."""
    if isinstance(behind, ir.Members):
        return code.index(code.method(behind.array.code, "ravel"), code.const(i))
    if behind is not None:
        return code.index(behind.mask.code, code.const(i))
    return None if iterations.count is None else code.compare(code.const(i), ast.Lt(), iterations.count.code)


def _asked(
    frame: CallFrame, generator: ast.comprehension, evaluate: Evaluate, kept: ir.Array | None
) -> ir.Array | None:
    """The conjunction of the conditions so far."""
    keep = kept
    for condition in generator.ifs:
        asked = _under(frame, keep, lambda condition=condition: truth(frame, evaluate(frame, condition)))
        if isinstance(asked, ir.Static):
            if not asked.value:
                return ir.Array(code.const(False), Aval(BOOL))
            continue
        keep = as_array(asked) if keep is None else ir.Array(code.both(keep.code, as_array(asked).code), Aval(BOOL))
    return keep


def _walk(
    frame: CallFrame,
    node: Comprehension,
    generators: list[ast.comprehension],
    iterations: IterationSpace | None,
    evaluate: Evaluate,
    kept: ir.Array | None,
    way: Way,
) -> Any:
    """The elements in order, each with its condition."""
    if not generators:
        yield _under(frame, kept, lambda: way.noted(_own(frame, node, evaluate))), kept
        return
    first, *rest = generators
    if iterations is None:
        iterations = iteration_space_of(frame, first.iter, evaluate)
        way.through.append(iterations)
    behind = _set_behind(frame, iterations)
    if iterations.length < 0 or iterations.length > MOST:
        raise RefusedError(f"a comprehension over more than {MOST} elements is not supported")
    for i in range(iterations.length):
        keep, there = kept, _is_there(iterations, behind, i)
        if there is not None:
            keep = ir.Array(there if kept is None else code.both(kept.code, there), Aval(BOOL))
        unpack(frame, first.target, _element(frame, iterations, behind, i))
        keep = _asked(frame, first, evaluate, keep)
        if keep is None or not (isinstance(keep.code, ast.Constant) and keep.code.value is False):
            yield from _walk(frame, node, rest, None, evaluate, keep, way)


def _own(frame: CallFrame, node: Comprehension, evaluate: Evaluate) -> Any:
    if isinstance(node, ast.DictComp):
        return evaluate(frame, node.key), evaluate(frame, node.value)
    return evaluate(frame, node.elt)


def _under(frame: CallFrame, kept: ir.Array | None, compute: Callable[[], Any]) -> Any:
    """Evaluate under a condition, which also guards side effects."""
    if kept is None:
        return compute()
    before, guards = frame.memory, frame.guards
    frame.memory, frame.guards = before.copy(), (*guards, kept.code)
    try:
        value = compute()
        if not isinstance(value, tuple) and object_arena.arena_for(frame, frame.memory.see(value)) is None:
            value = frame.memory.deep(value)
    finally:
        after, frame.memory, frame.guards = frame.memory, before, guards
    keep_new(before, after)
    if differs(after, before):
        frame.memory = join_memories(frame, kept, after, before)
    return value


def unpack(frame: CallFrame, target: ast.expr, value: Value) -> None:
    """Bind loop targets, without emitting statements."""
    if isinstance(target, ast.Name):
        frame.memory.names[target.id] = frame.memory.hold(value) if not isinstance(value, ir.Array) else value
        return
    if isinstance(target, ast.Tuple | ast.List):
        parts = items_of(frame.memory, object_arena.opened(frame.memory, value))
        if len(parts) != len(target.elts):
            raise RefusedError(f"{len(parts)} values for {len(target.elts)} names")
        for inner, part in zip(target.elts, parts, strict=True):
            unpack(frame, inner, part)
        return
    raise RefusedError("a loop target is not a name")


def _element_part(node: Any, generator: ast.comprehension) -> tuple[int] | None:
    """`t[0] for t in ...`: which part."""
    match node.elt, generator.target:
        case ast.Subscript(value=ast.Name(id=a), slice=ast.Constant(value=int() as which)), ast.Name(id=b) if a == b:
            return (which,)
    return None
