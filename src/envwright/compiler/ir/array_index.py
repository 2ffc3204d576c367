"""NumPy indexing: integers, slices, `...`, new axes, integer arrays, masks."""

import ast
import math
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.refusal import RefusedError

Parts = list[Value]


def is_slice(part: Value) -> bool:
    return isinstance(part, ir.Static) and isinstance(part.value, slice)


def is_mask(part: Value) -> bool:
    return isinstance(part, ir.Array) and part.kind.is_bool and bool(part.kind.shape)


def is_number(part: Value) -> bool:
    """An integer, constant or not."""
    if isinstance(part, ir.Static):
        return isinstance(part.value, int | np.integer)
    return isinstance(part, ir.Array) and part.kind.shape == () and part.kind.is_whole


def basic(where: tuple[Value, ...]) -> bool:
    """Whether it is basic indexing, which gives a view: integers, slices and new axes."""
    for part in where:
        known = isinstance(part, ir.Static) and (part.value is None or isinstance(part.value, slice | type(...) | str))
        if not known and not is_number(part) and not (isinstance(part, ir.Array) and part.sliced):
            return False
    return True


def of_array(base: ir.Array, where: tuple[Value, ...]) -> Value:
    """`base[where]`."""
    parts = expanded(where, len(base.kind.shape))
    if (apart := in_turn(parts)) is not None:
        first, second = apart
        inner = of_array(base, tuple(first))
        if not isinstance(inner, ir.Array):
            raise RefusedError("a slice of run-time length is combined with a mask or another slice in one index")
        return of_array(inner, tuple(second))
    if len(parts) == 1 and is_mask(parts[0]):
        return _masked(base, as_array(parts[0]))
    if any(is_mask(part) for part in parts):
        return ir.Masked(_flat(base), _flat(mask_of(base, parts)), flat=True)
    if len(parts) == 1 and isinstance(parts[0], ir.Counted | ir.Masked):
        chosen = counted(parts[0])
        taken = of_array(base, (chosen.array,))
        assert isinstance(taken, ir.Array)
        return ir.Counted(taken, chosen.count)
    if any(isinstance(p, ir.Span) for p in parts):
        mask = mask_of(base, parts)
        if len(base.kind.shape) == 1:
            return ir.Masked(base, mask, shared=True)
        return ir.Masked(_flat(base), _flat(mask), flat=_axes_left(parts, base) > 1, shared=True)
    shape = shape_of(base.kind.shape, parts)
    return ir.Array(
        code.index(base.code, *(part_code(p) for p in parts)), base.kind.shaped(*shape), base.listed and bool(shape)
    )


def flat_mask(mask: ir.Array) -> ir.Array:
    return _flat(mask) if len(mask.kind.shape) > 1 else mask


def _axes_left(parts: Parts, base: ir.Array) -> int:
    return len(base.kind.shape) - sum(is_number(part) for part in parts)


def _masked(base: ir.Array, mask: ir.Array) -> ir.Masked:
    if mask.kind.shape == base.kind.shape:
        return ir.Masked(_flat(base), _flat(mask)) if len(base.kind.shape) > 1 else ir.Masked(base, mask)
    if len(mask.kind.shape) == 1 and mask.kind.shape == base.kind.shape[:1]:
        return ir.Masked(base, mask)
    raise RefusedError("an array is indexed by a mask of another shape")


def _flat(array: ir.Array) -> ir.Array:
    size = math.prod(array.kind.shape)
    return ir.Array(code.method(array.code, "ravel"), array.kind.shaped(size))


def in_turn(parts: Parts) -> tuple[Parts, Parts] | None:
    """An index as two, applied one after the other, where its parts would interfere: masks beside integers or slices,
    and slices with run-time bounds."""
    late = [part for part in parts if is_mask(part) or (isinstance(part, ir.Array) and part.sliced)]
    others = [part for part in parts if part not in late and not _is_whole(part)]
    if not late or (len(late) == 1 and (not others or len(parts) == 1)):
        return None
    if not others:
        late = late[1:] if not is_mask(late[0]) else late[:1]
        if all(is_mask(part) for part in parts if not _is_whole(part)):
            raise RefusedError("two masks in one index")
    first: Parts = []
    second: Parts = []
    for part in parts:
        if any(part is one for one in late):
            first += [ir.Static(slice(None))] * (len(as_array(part).kind.shape) if is_mask(part) else 1)
            second.append(part)
        else:
            first.append(part)
            if not is_number(part):
                second.append(ir.Static(slice(None)))
    return _short(first), _short(second)


def _short(parts: Parts) -> Parts:
    while len(parts) > 1 and _is_whole(parts[-1]):
        parts = parts[:-1]
    return parts


def _is_whole(part: Value) -> bool:
    return isinstance(part, ir.Static) and isinstance(part.value, slice) and part.value == slice(None)


def mask_of(base: ir.Array, parts: Parts) -> ir.Array:
    """The mask of the elements that an index with run-time slices or masks selects."""
    axes = len(base.kind.shape)
    made: Code | None = None
    axis = 0
    for part in parts:
        condition, width = _condition(part, base, axis), len(as_array(part).kind.shape) if is_mask(part) else 1
        axis += width
        if condition is not None:
            made = condition if made is None else code.both(made, condition)
    assert axis <= axes
    made = code.const(True) if made is None else made
    return ir.Array(code.call("jnp.broadcast_to", made, code.const(base.kind.shape)), Aval(BOOL, base.kind.shape))


def _condition(part: Value, base: ir.Array, axis: int) -> Code | None:
    """The mask of one part of an index along its axis; None: everything."""
    axes, size = len(base.kind.shape), base.kind.shape[axis]
    if _is_whole(part):
        return None
    if is_mask(part):
        mask = as_array(part)
        shape = (*(1,) * axis, *mask.kind.shape, *(1,) * (axes - axis - len(mask.kind.shape)))
        return mask.code if shape == mask.kind.shape else code.method(mask.code, "reshape", code.const(shape))
    if isinstance(part, ir.Static) and isinstance(part.value, slice):
        inside = np.zeros(size, bool)
        inside[part.value] = True
        return _along(code.call("jnp.array", code.const(inside)), axis, axes)
    places = _along(code.call("jnp.arange", code.const(size)), axis, axes)
    if not isinstance(part, ir.Span):
        return code.compare(places, ast.Eq(), _from_end(as_array(part), size))
    condition: Code | None = None
    if not (isinstance(part.low.code, ast.Constant) and part.low.code.value == 0):
        condition = code.compare(places, ast.GtE(), _from_end(part.low, size))
    if part.high is not None:
        below = code.compare(places, ast.Lt(), _from_end(part.high, size))
        condition = below if condition is None else code.both(condition, below)
    return condition


def _along(values: Code, axis: int, axes: int) -> Code:
    """A row of values along one of several axes."""
    if axes == 1:
        return values
    return code.method(values, "reshape", code.const(tuple(-1 if a == axis else 1 for a in range(axes))))


def _from_end(end: ir.Array, size: int) -> Code:
    """Negative ends count from the end."""
    if isinstance(end.code, ast.Constant) or end.natural:
        return end.code
    if isinstance(end.code, ast.UnaryOp) and isinstance(end.code.operand, ast.Constant):
        return code.const(size - end.code.operand.value)  # pyright: ignore[reportOperatorIssue]
    shifted = code.binary(end.code, ast.Add(), code.const(size))
    return code.call("jnp.where", code.compare(end.code, ast.Lt(), code.const(0)), shifted, end.code)


def expanded(where: tuple[Value, ...], axes: int) -> Parts:
    """The index without `...`; constant masks become integer arrays."""
    parts = [place for part in where for place in _places(part)]
    for i, part in enumerate(parts):
        if isinstance(part, ir.Static) and part.value is Ellipsis:
            missing = axes - sum(_axes_of(other) for other in parts if other is not part)
            parts[i : i + 1] = [ir.Static(slice(None))] * missing
            break
    return parts


def _places(part: Value) -> Parts:
    """A constant mask as integer arrays, one an axis; anything else as it is."""
    known = part.value if isinstance(part, ir.Static) else None
    if isinstance(part, ir.Items) and all(isinstance(item, ir.Static) for item in part.items):
        known = [item.value for item in part.items if isinstance(item, ir.Static)]
    if isinstance(known, np.ndarray | list) and (mask := np.asarray(known)).dtype == bool and mask.ndim:
        return [ir.Static(axis) for axis in np.nonzero(mask)]
    return [part]


def _axes_of(part: Value) -> int:
    """How many axes of the array a part of an index is for."""
    if isinstance(part, ir.Static) and part.value is None:
        return 0
    return len(as_array(part).kind.shape) if is_mask(part) else 1


def part_code(part: Value) -> Code:
    if isinstance(part, ir.Static) and isinstance(part.value, slice):
        ends = (part.value.start, part.value.stop, part.value.step)
        return code.span(*(None if end is None else code.const(int(end)) for end in ends))
    if isinstance(part, ir.Static) and part.value is None:
        return code.const(None)
    return as_array(part).code


def shape_of(shape: tuple[int, ...], parts: Parts) -> tuple[int, ...]:
    """The shape of what an index picks, as NumPy has it."""
    try:
        probe = tuple(_probe(part) for part in parts)
        return np.broadcast_to(np.zeros(()), shape)[probe].shape
    except IndexError as error:
        raise RefusedError(f"the index does not fit: {error}") from None


def _probe(part: Value) -> Any:
    if isinstance(part, ir.Static) and (part.value is None or isinstance(part.value, slice)):
        return part.value
    array = as_array(part)
    if array.kind.is_float:
        raise RefusedError("an array is indexed by a float")
    return np.zeros(array.kind.shape, int) if not array.kind.is_bool else np.ones(array.kind.shape, bool)
