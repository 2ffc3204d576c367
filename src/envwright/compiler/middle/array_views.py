"""NumPy functions that return views: writes to the result go to the array."""

from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import narrow
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Place, Value, as_array
from envwright.compiler.middle.numpy_generic import Options, generic
from envwright.compiler.refusal import RefusedError

_VIEWS = {
    "ravel", "reshape", "transpose", "squeeze", "expand_dims", "swapaxes", "moveaxis", "flip", "fliplr", "flipud",
    "rot90", "atleast_1d", "atleast_2d",
}  # fmt: skip
_ITSELF = {"asarray", "asanyarray"}


def rearranged(frame: CallFrame, name: str, arguments: list[Value], options: Options) -> Value | None:
    """`np.name(...)`, if it is a view of a reference; else None."""
    place = arguments[0] if arguments else None
    if name not in _VIEWS | _ITSELF or not isinstance(place, ir.PLACES):
        return None
    content = frame.memory.see(place)
    if not _is_array(content):
        return None
    if name in _ITSELF:
        return _itself(place, content, arguments[1:], options)
    try:
        rest = [known(frame.memory.deep(a)) for a in arguments[1:]]
        named = {key: known(frame.memory.deep(v)) for key, v in options.items()}
    except RefusedError:
        return None
    return turned(frame, place, content, name, rest, named)


def _is_array(content: Value) -> bool:
    if isinstance(content, ir.Static):
        return isinstance(content.value, np.ndarray) and content.value.dtype.kind in "biuf"
    return isinstance(content, ir.Array) and bool(content.kind.shape) and not content.listed


def _itself(place: Place, content: Value, rest: list[Value], options: Options) -> Value | None:
    """`np.asarray(x)` is x, unless it casts. Where our dtypes are narrower, that is unknown, so that the result is
    read-only."""
    dtype = known(options.get("dtype", rest[0] if rest else ir.Static(None)))
    if dtype is None:
        return place
    array = as_array(content)
    return replace(array, shared=True) if narrow(dtype) == array.kind.dtype else None


def turned(
    frame: CallFrame, place: Place, content: Value, name: str, rest: list[Any], named: dict[str, Any]
) -> Value | None:
    """A view of all elements in another order, or None if NumPy copies."""
    shape = as_array(content).kind.shape

    def by_numpy(array: np.ndarray) -> np.ndarray:
        return getattr(np, name)(array, *rest, **named)

    def turn(value: ir.Array) -> ir.Array:
        if name == "transpose" and not rest:
            return ir.Array(code.attribute(value.code, "T"), value.kind.shaped(*value.kind.shape[::-1]))
        made = generic(name, [value, *map(ir.Static, rest)], {key: ir.Static(v) for key, v in named.items()})
        return replace(as_array(made), kind=as_array(made).kind._replace(of=value.kind.of))

    try:
        order = by_numpy(np.arange(int(np.prod(shape))).reshape(shape))
        probe = _probe(frame, place)
        if probe is None or not np.shares_memory(by_numpy(probe), probe):
            return None
    except Exception as error:
        raise RefusedError(f"np.{name} does not accept these arguments: {error}") from None
    return ir.PermutedView(place, turn, lambda new: _back(new, order, shape), by_numpy)


def _back(new: ir.Array, order: np.ndarray, shape: tuple[int, ...]) -> ir.Array:
    """The inverse of the permutation."""
    places = np.arange(order.size)
    kind = new.kind.shaped(*shape)
    if np.array_equal(order, places.reshape(shape).T):
        return ir.Array(code.attribute(new.code, "T"), kind)
    made = new.code
    if not np.array_equal(order.ravel(), places):
        inverse = code.call("jnp.array", code.const(np.argsort(order.ravel())))
        made = code.index(code.method(made, "ravel") if order.ndim > 1 else made, inverse)
    return ir.Array(code.method(made, "reshape", code.const(shape)), kind)


def _probe(frame: CallFrame, place: Place) -> np.ndarray | None:
    """A NumPy array with the memory layout of a view, to tell views from copies."""
    content = frame.memory.see(place)
    if not _is_array(content):
        return None
    if isinstance(place, ir.PermutedView):
        inner = _probe(frame, place.ref)
        return None if inner is None else place.probe(inner)
    if isinstance(place, ir.IndexView) and _is_array(frame.memory.see(place.ref)):
        inner = _probe(frame, place.ref)
        return None if inner is None else inner[tuple(_probe_part(part) for part in place.where)]
    if isinstance(place, ir.Either) and any(not _plain(side) for side in (place.yes, place.no)):
        return None
    return np.zeros(as_array(content).kind.shape)


def _plain(place: Place) -> bool:
    return not isinstance(place, ir.IndexView | ir.PermutedView | ir.Either)


def _probe_part(part: Value) -> Any:
    if isinstance(part, ir.Static):
        return part.value if not isinstance(part.value, int | np.integer) else 0
    assert isinstance(part, ir.Array)
    return slice(part.kind.shape[0]) if part.sliced else 0
