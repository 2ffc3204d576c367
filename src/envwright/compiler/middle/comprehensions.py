"""List comprehensions: taken apart where their length is known, over whole arrays where it is not."""

import ast
from collections.abc import Callable
from typing import Any

from envwright.compiler.ir import code, heaps, tables
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, Kind
from envwright.compiler.ir.lists import in_use, items_of
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.operators import truth
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
from envwright.compiler.middle.generators import consumed
from envwright.compiler.refusal import RefusedError

MOST = 256  # elements that are written out one by one
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
Evaluate = Callable[..., Value]


def comprehend(frame: Frame, node: Comprehension, evaluate: Evaluate) -> Value:
    """`[x for y in z if c]` and its sisters."""
    outer, frame.memory = frame.memory, frame.memory.copy()
    function = frame.function
    first = evaluate(frame, taken(frame, node.generators[0].iter))  # once, and by the function around it
    frame.function = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>"}.get(
        type(node), "<genexpr>"
    )
    try:
        if len(node.generators) == 1 and not isinstance(node, ast.DictComp):
            source = frame.memory.see(first)
            if isinstance(source, Members) and node not in frame.orderless:
                raise RefusedError("a set is gone through, and the order in which its members come may matter")
            if isinstance(source, Counted | Masked | Picked | Members):
                before = frame.memory.copy()
                made = _over_changing(frame, node, source, evaluate)
                if isinstance(source, Members) and not frame.memory.is_as(before):
                    raise RefusedError("a set is gone through, and the order in which its members come may matter")
                return made
        found = list(_walk(frame, node, node.generators, evaluate, None, first))
    finally:
        names, frame.function = outer.names, function
        outer.take_over(frame.memory)
        frame.memory = outer
        frame.memory.names = names
    if isinstance(node, ast.DictComp):
        return Keyed({known(frame.memory.deep(k)): v for (k, v), _ in found})
    if all(keep is None for _, keep in found):
        values = tuple(value for value, _ in found)
        if isinstance(node, ast.SetComp):
            return Static({known(v) for v in values})
        return Items(values, is_list=True)
    deep = [(_number(frame, frame.memory.deep(value)), keep) for value, keep in found]
    array = stack(Items(tuple(value for value, _ in deep), True))
    flags = code.list_of(code.const(True) if keep is None else keep.code for _, keep in deep)
    return Masked(array, Array(code.call("jnp.array", flags), Kind(BOOL, (len(deep),))))


def taken(frame: Frame, node: ast.expr) -> ast.expr:
    consumed(frame, node)
    return node


def _walk(
    frame: Frame,
    node: Comprehension,
    generators: list[ast.comprehension],
    evaluate: Evaluate,
    kept: Array | None,
    given: Value | None = None,
) -> Any:
    """The elements in order, each with the condition under which it is there."""
    if not generators:
        if isinstance(node, ast.DictComp):
            yield (evaluate(frame, node.key), evaluate(frame, node.value)), kept
        else:
            yield evaluate(frame, node.elt), kept
        return
    first, *rest = generators
    source = evaluate(frame, taken(frame, first.iter)) if given is None else given
    elements = items_of(frame.memory, source)
    if len(elements) > MOST:
        raise RefusedError(f"a comprehension over more than {MOST} elements is not covered")
    for element in elements:
        unpack(frame, first.target, element)
        keep: Array | None = kept
        skip = False
        for condition in first.ifs:
            asked = truth(frame, evaluate(frame, condition))
            if isinstance(asked, Static):
                skip = skip or not asked.value
            else:
                keep = (
                    as_array(asked) if keep is None else Array(code.both(keep.code, as_array(asked).code), Kind(BOOL))
                )
        if not skip:
            yield from _walk(frame, node, rest, evaluate, keep)


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


def _over_changing(frame: Frame, node: Any, source: Counted | Masked | Picked | Members, evaluate: Evaluate) -> Value:
    """Over a list of changing length: every place is computed, and those in use are kept."""
    generator = node.generators[0]
    if isinstance(source, Picked):
        elements, count = tables.elements(frame.program, source)
        flags: list[code.Code | None] = [None] * len(elements)
        if not isinstance(count, Static):
            flags = [code.compare(code.const(i), ast.Lt(), as_array(count).code) for i in range(len(elements))]
        simple = _element_part(node, generator)
        if simple is not None and not generator.ifs:
            return tables.each(frame.program, source, simple[0])
    elif isinstance(source, Members):
        elements = [Static(place) for place in source.places]
        flat = code.method(source.array.code, "ravel")
        flags = [code.index(flat, code.const(i)) for i in range(len(elements))]
        if len(elements) > MOST:
            raise RefusedError(f"a set of more than {MOST} things is gone through")
    else:
        mask = source.mask if isinstance(source, Masked) else in_use(source)
        length = source.array.kind.shape[0]
        elements = items_of(frame.memory, source.array)
        flags = [code.index(mask.code, code.const(i)) for i in range(length)]
    values, keeps, known_keep = [], [], True
    for element, flag in zip(elements, flags, strict=True):
        unpack(frame, generator.target, element)
        keep = flag
        for condition in generator.ifs:
            asked = truth(frame, evaluate(frame, condition))
            if isinstance(asked, Static) and asked.value:
                continue
            keep = as_array(asked).code if keep is None else code.both(keep, as_array(asked).code)
        known_keep = known_keep and keep is None
        values.append(frame.memory.deep(evaluate(frame, node.elt)))
        keeps.append(code.const(True) if keep is None else keep)
    if known_keep:
        return Items(tuple(values), is_list=True)
    values = [_number(frame, value) for value in values]
    arrays = [as_array(v) for v in values]
    array = stack(Items(tuple(cast(a, common(arrays)) for a in arrays), True))
    if (
        array.kind.of
        and not isinstance(source, Picked | Members)
        and ast.unparse(node.elt) == ast.unparse(generator.target)
    ):
        array = source.array  # the objects themselves, those that are kept
    if isinstance(source, Counted) and not generator.ifs:
        return Counted(Array(array.code, array.kind, listed=True), source.count)
    return Masked(array, Array(code.call("jnp.array", code.list_of(keeps)), Kind(BOOL, (len(values),))))


def _number(frame: Frame, value: Value) -> Value:
    """An object that is made for a list of changing length gets its number now."""
    heap = heaps.heap_for(frame, value)
    return value if heap is None else heaps.number_of(frame, heap, value)


def _element_part(node: Any, generator: ast.comprehension) -> tuple[int] | None:
    """`t[0] for t in ...`: which part."""
    match node.elt, generator.target:
        case ast.Subscript(value=ast.Name(id=a), slice=ast.Constant(value=int() as which)), ast.Name(id=b) if a == b:
            return (which,)
    return None
