"""A function mapped over the elements of a list: unrolled if it is short, else by `jax.vmap`."""

from collections.abc import Callable
from dataclasses import replace

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.code import Code, Define
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import flags_of, items_of
from envwright.compiler.ir.store import Store, differs
from envwright.compiler.ir.values import Value, as_array, cast, common, described, stack
from envwright.compiler.refusal import RefusedError

SHORT = 8  # elements that are unrolled one by one
Source = ir.Array | ir.Counted | ir.Masked


def columns(frame: CallFrame, source: Source, compute: Callable[[Value], Value]) -> Value:
    """A function mapped over the elements, stacked; of tuples, a tuple of arrays."""
    array = source if isinstance(source, ir.Array) else source.array
    flags = None if isinstance(source, ir.Array) else flags_of(source)
    before = frame.memory
    if array.kind.shape[0] > SHORT:
        return _mapped(frame, array, flags, compute)
    found: list[Value] = []
    guards = frame.guards
    for i, element in enumerate(items_of(before, array)):
        if flags is not None:  # where there is no element, a loop might never end
            frame.guards = (*guards, code.index(flags.code, code.const(i)))
        try:
            frame.memory = before.copy()
            found.append(frame.memory.deep(compute(element)))
            _unchanged(frame.memory, before)
        finally:
            frame.memory, frame.guards = before, guards
    return stacked(found)


def stacked(values: list[Value]) -> Value:
    """Values of the same structure, stacked."""
    if values and all(isinstance(v, ir.Items) and not v.is_list for v in values):
        width = {len(v.items) for v in values if isinstance(v, ir.Items)}
        if len(width) > 1:
            raise RefusedError("tuples of different lengths are in one list")
        return ir.Items(
            tuple(stacked([v.items[i] for v in values if isinstance(v, ir.Items)]) for i in range(width.pop()))
        )
    arrays = [as_array(v) for v in values]
    return stack(ir.Items(tuple(cast(a, common(arrays)) for a in arrays), True))


def _mapped(frame: CallFrame, array: ir.Array, flags: ir.Array | None, compute: Callable[[Value], Value]) -> Value:
    writer, before = frame.writer, frame.memory
    each, used = writer.fresh("each"), writer.fresh("is_there")
    inner = array.kind.shaped(*array.kind.shape[1:])
    element = ir.Array(code.name(each), inner, array.listed and bool(inner.shape))
    guards, frame.memory = frame.guards, before.copy()
    frame.guards = guards if flags is None else (*guards, code.name(used))
    writer.blocks.append([])
    frame.depth += 1
    try:
        value = _as_arrays(frame.memory.deep(compute(element)))
        _unchanged(frame.memory, before)
    finally:
        frame.depth -= 1
        frame.memory, frame.guards = before, guards
        body = writer.blocks.pop()
    leaves = [part.code for part in value] if isinstance(value, tuple) else [value.code]
    result = leaves[0] if not isinstance(value, tuple) else code.tuple_of(leaves)
    define = Define(writer.fresh("of_each"), [each], body, result)
    given: list[Code] = [array.code]
    if used in code.uses(define) and flags is not None:
        define.parameters.append(used)
        given.append(flags.code)
    frame.emit(define)
    made = code.call(code.call("jax.vmap", code.name(define.name)), *given)
    if not isinstance(value, tuple):
        return _longer(value, made, array)
    whole = code.name(frame.bind("of_all", made))
    return ir.Items(tuple(_longer(part, code.index(whole, code.const(i)), array) for i, part in enumerate(value)))


def _longer(of_one: ir.Array, made: Code, array: ir.Array) -> ir.Array:
    kind = of_one.kind.shaped(array.kind.shape[0], *of_one.kind.shape)
    return replace(of_one, code=made, kind=kind, listed=True, weak=False)


def _as_arrays(value: Value) -> ir.Array | tuple[ir.Array, ...]:
    """A number or row, or a tuple of them."""
    if isinstance(value, ir.Items) and not value.is_list:
        return tuple(_strong(part) for part in value.items)
    if isinstance(value, ir.Static) and isinstance(value.value, tuple):
        return tuple(_strong(ir.Static(part)) for part in value.value)
    return _strong(value)


def _strong(value: Value) -> ir.Array:
    if not isinstance(value, ir.Array | ir.Static | ir.Items):
        raise RefusedError(f"{described(value)} is the result of a function that is mapped over a list")
    array = as_array(value)
    return cast(array, array.kind.dtype)


def _unchanged(after: Store, before: Store) -> None:
    """Refuse a function with side effects."""
    if differs(after.inner({}), before.inner({})):
        raise RefusedError("a function that is mapped over a list writes the state or draws random numbers")
