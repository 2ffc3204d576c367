"""NumPy functions, by their counterparts in jax.numpy."""

from dataclasses import replace

import numpy as np

from envwright.compiler.ir import table_functions, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.operators import side_by_side
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.middle.array_views import rearranged
from envwright.compiler.middle.numpy_generic import FLAGS, PLACES, REAL, RENAMED, Options, generic
from envwright.compiler.middle.numpy_reductions import REDUCTIONS, axis_of, reduce
from envwright.compiler.middle.numpy_special import OWN, note_constants
from envwright.compiler.middle.numpy_strings import as_numbers, as_texts
from envwright.compiler.refusal import RefusedError

_SAME = {
    "abs", "absolute", "negative", "positive", "sign", "floor", "ceil", "trunc", "rint", "round", "around", "square",
    "clip", "minimum", "maximum", "fmin", "fmax", "mod", "remainder", "fmod", "floor_divide", "power", "float_power",
    "add", "subtract", "multiply", "roll", "flip", "fliplr", "flipud", "rot90", "sort", "cumsum", "cumprod", "sum",
    "prod", "min", "max", "amin", "amax", "ravel", "reshape", "transpose", "squeeze", "expand_dims", "concatenate",
    "stack", "vstack", "hstack", "tile", "repeat", "pad", "dot", "matmul", "outer", "inner", "cross", "diff", "where",
    "broadcast_to", "swapaxes", "moveaxis", "trace", "diagonal", "diag", "append", "atleast_1d", "bitwise_and",
    "bitwise_or", "bitwise_xor", "invert", "ptp", "cumulative_sum", "take", "triu", "tril", "kron", "vdot", "fabs",
    "nan_to_num", "heaviside", "copysign", "left_shift", "right_shift", "delete", "insert", "interp", "norm",
    "column_stack", "dstack", "split", "array_split", "unravel_index", "convolve", "copy",
}  # fmt: skip
_ELEMENTWISE = (REAL - {"mean", "std", "var", "average", "median"}) | {
    "abs", "absolute", "negative", "sign", "floor", "ceil", "trunc", "rint", "round", "square", "minimum", "maximum",
    "mod", "remainder", "floor_divide", "power", "add", "subtract", "multiply",
}  # fmt: skip
_MAKERS = {
    "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "full_like", "empty_like", "array", "asarray",
    "arange", "eye", "identity", "linspace", "float_", "asanyarray", "ascontiguousarray",
}  # fmt: skip
_PARTS = {"split", "array_split"}  # which are views
_NAMES_OF_STATIC = REAL | FLAGS | PLACES | _SAME | _MAKERS


def call_numpy(frame: CallFrame, name: str, arguments: list[Value], options: Options) -> Value:
    """`np.name(...)`."""
    if (found := _of_picked(frame, name, arguments, options)) is not None:
        return found
    if (view := rearranged(frame, name, arguments, options)) is not None:
        return view
    seen = [_settled(frame, a) for a in arguments]
    named = {
        key: _settled(frame, v) for key, v in options.items() if key not in ("out", "casting", "order", "copy", "subok")
    }
    if (found := _known(name, seen, named)) is not None:
        return found
    alphabet, seen = as_numbers(name, seen)
    return as_texts(name, alphabet, _computed(frame, name, seen, named))


def _computed(frame: CallFrame, name: str, seen: list[Value], named: Options) -> Value:
    if name in OWN:
        return OWN[name](frame, seen, named)
    if name in REDUCTIONS and seen and isinstance(seen[0], ir.Counted | ir.Masked):
        return reduce(RENAMED.get(name, name), seen[0], axis_of(seen, named))
    if name not in _NAMES_OF_STATIC:
        raise RefusedError(f"np.{name} is not supported")
    if name in _ELEMENTWISE and any(isinstance(a, ir.Masked | ir.Counted) for a in seen):
        some, arrays = side_by_side(seen)
        made = generic(name, arrays, named)
        assert isinstance(made, ir.Array)
        return replace(some, array=made)
    if name in ("clip", "minimum", "maximum"):
        note_constants(frame, seen)
    made = generic(name, seen, named)
    if name in _PARTS and isinstance(made, ir.Items):
        return ir.Items(tuple(replace(as_array(part), shared=True) for part in made.items))
    return made


def _of_picked(frame: CallFrame, name: str, arguments: list[Value], options: Options) -> Value | None:
    """A NumPy function of table entries of different shapes."""
    seen = [a if isinstance(a, ir.Unknown) else frame.memory.deep(a) for a in arguments]
    if options or name not in _NAMES_OF_STATIC or not any(isinstance(a, ir.Picked) for a in seen):
        return None
    if name == "rot90" and len(seen) == 2 and isinstance(seen[0], ir.Picked) and isinstance(seen[1], ir.Array):
        return table_functions.turned(frame.program, seen[0], seen[1])
    return table_functions.applied(frame.program, getattr(np, name), seen, name)


def _settled(frame: CallFrame, value: Value) -> Value:
    if isinstance(value, ir.Unknown):
        return value
    value = frame.memory.deep(value)
    if isinstance(value, ir.Picked):
        settled = tables.settle(frame.program, value)
        return tables.each(frame.program, settled) if isinstance(settled, ir.Picked) else settled
    return value.value if isinstance(value, ir.Maybe) else value


def _known(name: str, arguments: list[Value], options: Options) -> Value | None:
    """Constant folding, by NumPy itself."""
    try:
        given = [known(a) for a in arguments]
        named = {key: known(v) for key, v in options.items()}
    except RefusedError:
        return None
    function = getattr(np, name, None) or getattr(np.linalg, name, None)
    if function is None:
        raise RefusedError(f"np.{name} is not supported")
    return ir.Static(fold(f"np.{name}", function, *given, **named))
