"""NumPy's functions, as jax.numpy has them; shapes are worked out by NumPy itself, on arrays of zeros."""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.compiler.ir import code, tables
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, FLOAT, INT, Kind, is_number, kind_of, narrow, promote
from envwright.compiler.ir.lists import counted, in_use
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.operators import numbers
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Masked,
    Maybe,
    Picked,
    Static,
    Unknown,
    Value,
    as_array,
    cast,
    jnp_name,
    stack,
)
from envwright.compiler.refusal import RefusedError

Options = dict[str, Value]
_REAL = {
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10", "log1p",
    "expm1", "sqrt", "cbrt", "deg2rad", "rad2deg", "radians", "degrees", "arctan2", "hypot", "mean", "std", "var",
    "true_divide", "divide", "logaddexp", "arctanh", "arcsinh", "arccosh", "sinc", "reciprocal", "average", "median",
}  # fmt: skip
_FLAGS = {
    "logical_and", "logical_or", "logical_not", "logical_xor", "isnan", "isinf", "isfinite", "equal", "not_equal",
    "less", "less_equal", "greater", "greater_equal", "any", "all", "isclose", "allclose", "array_equal", "isin",
}  # fmt: skip
_PLACES = {"argmax", "argmin", "count_nonzero", "argsort", "searchsorted", "digitize", "ravel_multi_index"}
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
_ELEMENTWISE = (_REAL - {"mean", "std", "var", "average", "median"}) | {
    "abs", "absolute", "negative", "sign", "floor", "ceil", "trunc", "rint", "round", "square", "minimum", "maximum",
    "mod", "remainder", "floor_divide", "power", "add", "subtract", "multiply",
}  # fmt: skip
_RENAMED = {
    "amin": "min",
    "amax": "max",
    "absolute": "abs",
    "around": "round",
    "fabs": "abs",
    "copy": "array",
    "fix": "trunc",
}
_MAKERS = {
    "zeros",
    "ones",
    "empty",
    "full",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "array",
    "asarray",
    "arange",
    "eye",
    "identity",
    "linspace",
    "float_",
    "asanyarray",
    "ascontiguousarray",
}
_NAMES_OF_STATIC = _REAL | _FLAGS | _PLACES | _SAME | _MAKERS


def call_numpy(frame: Frame, name: str, arguments: list[Value], options: Options) -> Value:
    """`np.name(...)`."""
    seen = [_settled(frame, a) for a in arguments]
    named = {
        key: _settled(frame, v) for key, v in options.items() if key not in ("out", "casting", "order", "copy", "subok")
    }
    if (found := _known(name, seen, named)) is not None:
        return found
    if name in _SPECIAL:
        return _SPECIAL[name](frame, seen, named)
    if name in _REDUCTIONS and seen and isinstance(seen[0], Counted | Masked):
        return reduce(frame, _RENAMED.get(name, name), seen[0], None)
    if name not in _NAMES_OF_STATIC:
        raise RefusedError(f"np.{name} is not covered")
    if name in _ELEMENTWISE and any(isinstance(a, Masked) for a in seen):
        mask = next(a.mask for a in seen if isinstance(a, Masked))
        made = _generic(name, [a.array if isinstance(a, Masked) else a for a in seen], named)
        assert isinstance(made, Array)
        return Masked(made, mask)
    if name in ("clip", "minimum", "maximum"):
        _note_constants(frame, seen)
    return _generic(name, seen, named)


def _note_constants(frame: Frame, values: list[Value]) -> None:
    from envwright.compiler.middle.attributes import flow

    for value in values:
        if isinstance(value, Static) and is_number(value.value):
            for number in np.ravel(value.value):
                flow(frame, float(number) if isinstance(number, np.floating) else number)


def _settled(frame: Frame, value: Value) -> Value:
    if isinstance(value, Unknown):
        return value
    value = frame.memory.deep(value)
    if isinstance(value, Picked):
        settled = tables.settle(frame.program, value)
        return tables.each(frame.program, settled) if isinstance(settled, Picked) else settled
    return value.value if isinstance(value, Maybe) else value


def _known(name: str, arguments: list[Value], options: Options) -> Value | None:
    """Everything is known: NumPy itself computes it."""
    try:
        given = [known(a) for a in arguments]
        named = {key: known(v) for key, v in options.items()}
    except RefusedError:
        return None
    function = getattr(np, name, None) or getattr(np.linalg, name, None)
    if function is None:
        raise RefusedError(f"np.{name} is not covered")
    try:
        return Static(function(*given, **named))
    except Exception as error:
        raise RefusedError(f"np.{name} fails: {error}") from None


# ---- the general case: the same function of jax.numpy ----


def _generic(name: str, arguments: list[Value], options: Options) -> Value:
    parts = [_argument(a) for a in arguments]
    named = {key: _argument(v) for key, v in options.items() if not (isinstance(v, Static) and v.value is None)}
    dtype_given = named.pop("dtype", None)
    probe_arguments = [p[1] for p in parts]
    try:
        with np.errstate(all="ignore"):
            function = getattr(np, name, None) or getattr(np.linalg, name)
            probed = function(*probe_arguments, **{k: v[1] for k, v in named.items()})
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(f"np.{name} does not fit what it is given: {error}") from None
    arrays = [p[2] for p in parts if p[2] is not None]
    flat = [a for group in arrays for a in group]
    dtype = _result_type(name, flat)
    if dtype_given is not None and isinstance(dtype_given[1], type | np.dtype | str):
        dtype = narrow(dtype_given[1])
    module = "jnp.linalg" if name == "norm" else "jnp"
    made = code.call(
        f"{module}.{_RENAMED.get(name, name)}", *(p[0] for p in parts), **{k: v[0] for k, v in named.items()}
    )
    if isinstance(probed, tuple | list):
        items = [Array(code.index(made, code.const(i)), Kind(dtype, np.shape(v))) for i, v in enumerate(probed)]
        return Items(tuple(items))
    result = Array(made, Kind(dtype, np.shape(probed)))
    if dtype_given is not None:
        return cast(result, dtype)
    return result


def _argument(value: Value) -> tuple[Code, Any, list[Array] | None]:
    """The code of an argument, something like it for NumPy, and the arrays in it."""
    if isinstance(value, Static):
        inner = value.value
        if isinstance(inner, np.ndarray) or (is_number(inner) and not isinstance(inner, bool)):
            array = as_array(value)
            return array.code, inner, [array]
        if isinstance(inner, type | np.dtype):
            return code.dotted(f"jnp.{jnp_name(narrow(inner))}"), inner, None
        if isinstance(inner, range):
            return code.const(list(inner)), list(inner), None
        return code.const(inner), inner, None
    if isinstance(value, Items):
        parts = [_argument(v) for v in value.items]
        arrays = [a for p in parts if p[2] is not None for a in p[2]]
        whole = all(a.kind.shape == () for a in arrays)
        if whole and arrays:
            array = stack(value)
            return array.code, np.zeros(array.kind.shape, array.kind.dtype), [array]
        return code.list_of(p[0] for p in parts), [p[1] for p in parts], arrays
    if isinstance(value, Counted | Masked):
        raise RefusedError("a list of changing length is given to a function of NumPy's that is not covered for it")
    array = as_array(value)
    return array.code, np.ones(array.kind.shape, array.kind.dtype), [array]


def _result_type(name: str, arrays: list[Array]) -> str:
    if name in _FLAGS:
        return BOOL
    if name in _PLACES:
        return INT
    kind, loose = Kind(BOOL), True
    for i, array in enumerate(arrays):
        if name == "where" and i == 0:
            continue
        if kind.dtype == BOOL and array.kind.is_bool:
            kind = Kind(BOOL)
        else:
            kind = Kind(promote(Kind(kind.dtype), Kind(array.kind.dtype), loose, array.weak))
        loose = loose and array.weak
    if name in _REAL or name == "norm":
        return kind.dtype if kind.is_float else FLOAT
    if name in ("sum", "prod", "cumsum", "cumprod", "add", "multiply", "subtract", "trace", "dot") and kind.is_bool:
        return INT
    return kind.dtype


def call_math(frame: Frame, name: str, arrays: list[Array]) -> Value:
    """`math.name(...)` of numbers of the game."""
    shape = np.broadcast_shapes(*(a.kind.shape for a in arrays))
    if shape == (1,):
        arrays = [
            Array(code.method(a.code, "reshape", code.const(())), Kind(a.kind.dtype)) if a.kind.shape else a
            for a in arrays
        ]
        shape = ()
    renamed = {
        "fabs": "abs",
        "pow": "power",
        "atan2": "arctan2",
        "asin": "arcsin",
        "acos": "arccos",
        "atan": "arctan",
        "dist": "",
    }.get(name, name)
    if name in ("floor", "ceil", "trunc"):
        return cast(Array(code.call(f"jnp.{name}", arrays[0].code), Kind(FLOAT, shape)), INT)
    if name == "pow":
        found = numbers(ast.Pow(), cast(arrays[0], FLOAT) if arrays[0].kind.is_whole else arrays[0], arrays[1])
        return Array(found.code, Kind(FLOAT, shape))
    if name in ("isnan", "isinf", "isfinite"):
        return Array(code.call(f"jnp.{name}", arrays[0].code), Kind(BOOL, shape))
    if name == "isclose":
        distance = code.call("jnp.abs", code.binary(arrays[0].code, ast.Sub(), arrays[1].code))
        larger = code.call("jnp.maximum", *(code.call("jnp.abs", a.code) for a in arrays[:2]))
        near = code.compare(distance, ast.LtE(), code.binary(code.const(1e-09), ast.Mult(), larger))
        return Array(near, Kind(BOOL, shape))
    if renamed not in _REAL and renamed not in ("abs", "copysign", "gcd", "fmod", "power", "hypot"):
        raise RefusedError(f"math.{name} is not covered")
    return Array(code.call(f"jnp.{renamed}", *(a.code for a in arrays)), Kind(FLOAT, shape))


# ---- what is not like jax.numpy's ----


def astype(value: Value, dtype: Value) -> Value:
    wanted = known(dtype)
    if isinstance(value, Masked):
        return Masked(cast(value.array, narrow(wanted)), value.mask)
    if isinstance(value, Counted):
        return Counted(cast(value.array, narrow(wanted)), value.count)
    if isinstance(value, Static):
        return Static(np.asarray(value.value).astype(wanted))
    array = as_array(value)
    if np.dtype(wanted).kind not in "biuf":
        raise RefusedError("numbers become texts")
    return cast(Array(array.code, array.kind, weak=array.weak), narrow(wanted))


def _array(frame: Frame, arguments: list[Value], options: Options) -> Value:
    """`np.array(...)`: a copy, perhaps in another type."""
    value = arguments[0]
    dtype = options.get("dtype", arguments[1] if len(arguments) > 1 else Static(None))
    if isinstance(value, Counted | Masked):
        full = counted(value)
        array = Array(full.array.code, full.array.kind)
        return Counted(array if known(dtype) is None else cast(array, narrow(known(dtype))), full.count)
    wanted = None if known(dtype) is None else narrow(known(dtype))
    if isinstance(value, Items):
        array = stack(value, wanted)
        return Array(array.code, array.kind)
    array = as_array(value)
    array = Array(array.code, array.kind, weak=array.weak)
    return array if wanted is None else cast(array, wanted)


def _full(frame: Frame, arguments: list[Value], options: Options) -> Value:
    shape = known(options.get("shape", arguments[0]))
    value = as_array(options.get("fill_value", arguments[1] if len(arguments) > 1 else Static(0)))
    dtype = options.get("dtype", arguments[2] if len(arguments) > 2 else Static(None))
    wanted = value.kind.dtype if known(dtype) is None else narrow(known(dtype))
    size = tuple(shape) if isinstance(shape, tuple | list) else (int(shape),)
    made = code.call("jnp.full", code.const(size), value.code, code.dotted(f"jnp.{jnp_name(wanted)}"))
    return Array(made, Kind(wanted, size))


def _like(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    def make(frame: Frame, arguments: list[Value], options: Options) -> Value:
        array = as_array(arguments[0])
        dtype = options.get("dtype", Static(None))
        wanted = array.kind.dtype if known(dtype) is None else narrow(known(dtype))
        plain = {"empty_like": "zeros_like"}.get(name, name).removesuffix("_like")
        shape = code.const(array.kind.shape if len(array.kind.shape) != 1 else array.kind.shape[0])
        fill = [as_array(arguments[1]).code] if name == "full_like" else []
        made = code.call(f"jnp.{plain}", shape, *fill, code.dotted(f"jnp.{jnp_name(wanted)}"))
        return Array(made, Kind(wanted, array.kind.shape))

    return make


def _where(frame: Frame, arguments: list[Value], options: Options) -> Value:
    """With one argument, the places where it holds; with three, a choice."""
    if len(arguments) == 3:
        return _generic("where", arguments, options)
    mask = as_array(arguments[0])
    if not mask.kind.is_bool:
        mask = Array(code.compare(mask.code, ast.NotEq(), code.const(0)), Kind(BOOL, mask.kind.shape))
    flat = int(np.prod(mask.kind.shape))
    if len(mask.kind.shape) == 1:
        places = Array(code.call("jnp.arange", code.const(flat)), Kind(INT, (flat,)))
        return Items((Masked(places, mask),))
    spread = code.method(mask.code, "ravel")
    grids = np.indices(mask.kind.shape).reshape(len(mask.kind.shape), -1)
    tables_ = [frame.program.constant(f"PLACES_{i}", grid) for i, grid in enumerate(grids)]
    kept = Array(spread, Kind(BOOL, (flat,)))
    return Items(tuple(Masked(Array(t, Kind(INT, (flat,))), kept) for t in tables_))


def _argwhere(frame: Frame, arguments: list[Value], options: Options) -> Value:
    found = _where(frame, arguments, options)
    assert isinstance(found, Items)
    parts = [m for m in found.items if isinstance(m, Masked)]
    made = code.call("jnp.stack", code.list_of(p.array.code for p in parts), axis=code.const(-1))
    length = parts[0].array.kind.shape[0]
    return Masked(Array(made, Kind(INT, (length, len(parts)))), parts[0].mask)


def _flatnonzero(frame: Frame, arguments: list[Value], options: Options) -> Value:
    array = as_array(arguments[0])
    flat = Array(code.method(array.code, "ravel"), Kind(array.kind.dtype, (int(np.prod(array.kind.shape)),)))
    found = _where(frame, [flat], {})
    assert isinstance(found, Items)
    return found.items[0]


_REDUCTIONS = {
    "sum",
    "prod",
    "min",
    "max",
    "amin",
    "amax",
    "any",
    "all",
    "mean",
    "count_nonzero",
    "argmax",
    "argmin",
    "size",
}


def reduce(frame: Frame, name: str, value: Value, axis: Any) -> Value:
    """A sum and the like over those elements that are there."""
    if isinstance(value, Array):
        return _generic(name, [value], {})
    mask = value.mask if isinstance(value, Masked) else in_use(value)  # pyright: ignore[reportArgumentType]
    array: Array = value.array  # pyright: ignore[reportAttributeAccessIssue]
    if name in ("any", "count_nonzero") or (name == "all"):
        flags = array.code if array.kind.is_bool else code.compare(array.code, ast.NotEq(), code.const(0))
        if name == "all":
            return Array(code.call("jnp.all", code.binary(flags, ast.BitOr(), code.negated(mask.code))), Kind(BOOL))
        held = code.both(flags, mask.code)
        return Array(code.call("jnp.any" if name == "any" else "jnp.sum", held), Kind(BOOL if name == "any" else INT))
    if name == "mean":
        total = as_array(reduce(frame, "sum", value, axis))
        count = code.call("jnp.sum", mask.code)
        return Array(code.binary(total.code, ast.Div(), count), Kind(FLOAT))
    array = cast(array, INT) if array.kind.is_bool else array
    fills: dict[str, Code] = {"sum": code.const(0), "prod": code.const(1)}
    low, high = _ends(array.kind)
    fills |= {"max": low, "argmax": low, "min": high, "argmin": high}
    held = code.call("jnp.where", mask.code, array.code, fills[name])
    dtype = INT if name.startswith("arg") else array.kind.dtype
    return Array(code.call(f"jnp.{name}", held), Kind(dtype))


def _ends(kind: Kind) -> tuple[Code, Code]:
    if kind.is_float:
        return code.negative(code.dotted("jnp.inf")), code.dotted("jnp.inf")
    info = np.iinfo(kind.dtype)
    return code.const(int(info.min) + (1 if info.min < 0 else 0)), code.const(int(info.max))


def _extreme(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    def find(frame: Frame, arguments: list[Value], options: Options) -> Value:
        value = arguments[0]
        if isinstance(value, Items) and len(value.items) == 1 and isinstance(value.items[0], Counted | Masked):
            value = value.items[0]
        if isinstance(value, Counted | Masked):
            return reduce(frame, name, value, None)
        return _generic(name, [value, *arguments[1:]], options)

    return find


def _append(frame: Frame, arguments: list[Value], options: Options) -> Value:
    first, second = (as_array(a) for a in arguments[:2])
    if first.kind.shape and second.kind.shape == ():
        second = Array(code.list_of([second.code]), Kind(second.kind.dtype, (1,)), weak=second.weak)
        made = code.call("jnp.append", first.code, second.code.elts[0])  # pyright: ignore[reportAttributeAccessIssue]
        dtype = (
            promote(first.kind, second.kind, first.weak, second.weak)
            if first.kind.dtype != second.kind.dtype
            else first.kind.dtype
        )
        return Array(made, Kind(dtype, (first.kind.shape[0] + 1,)))
    return _generic("append", arguments, options)


def _ravel_index(frame: Frame, arguments: list[Value], options: Options) -> Value:
    parts, shape = arguments[0], known(arguments[1])
    items = parts.items if isinstance(parts, Items) else None
    if items is None:
        array = as_array(parts)
        items = [Array(code.index(array.code, code.const(i)), Kind(INT)) for i in range(array.kind.shape[0])]
    made: Array = as_array(items[0])
    for part, size in zip(items[1:], shape[1:], strict=True):
        made = numbers(ast.Add(), numbers(ast.Mult(), made, as_array(Static(int(size)))), as_array(part))
    return made


def _unravel_index(frame: Frame, arguments: list[Value], options: Options) -> Value:
    place, shape = as_array(arguments[0]), known(arguments[1])
    parts: list[Value] = []
    for i, size in enumerate(shape):
        step = int(np.prod(shape[i + 1 :]))
        part = place if step == 1 else numbers(ast.FloorDiv(), place, as_array(Static(step)))
        parts.append(part if i == 0 else numbers(ast.Mod(), part, as_array(Static(int(size)))))
    return Items(tuple(parts))


def _isscalar(frame: Frame, arguments: list[Value], options: Options) -> Value:
    return Static(as_array(arguments[0]).kind.shape == ())


def _shape(frame: Frame, arguments: list[Value], options: Options) -> Value:
    return Static(as_array(arguments[0]).kind.shape)


def _argmax_of_flags(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    def find(frame: Frame, arguments: list[Value], options: Options) -> Value:
        if isinstance(arguments[0], Counted | Masked):
            return reduce(frame, name, arguments[0], None)
        return _generic(name, arguments, options)

    return find


def _over_counted(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    """Functions of each element, or of all before it: what lies behind the end does not matter."""

    def compute(frame: Frame, arguments: list[Value], options: Options) -> Value:
        value = arguments[0]
        if isinstance(value, Counted | Masked):
            full = counted(value)
            inner = _generic(name, [full.array, *arguments[1:]], options)
            assert isinstance(inner, Array)
            return Counted(inner, full.count)
        return _generic(name, arguments, options)

    return compute


def _stack(name: str) -> Callable[[Frame, list[Value], Options], Value]:
    def make(frame: Frame, arguments: list[Value], options: Options) -> Value:
        rows = arguments[0]
        if isinstance(rows, Items) and any(isinstance(row, Counted | Masked) for row in rows.items):
            if name == "concatenate":
                from envwright.compiler.ir.lists import concatenate

                made = rows.items[0]
                for row in rows.items[1:]:
                    made = concatenate(frame, made, row)
                return made
            return rows  # rows of one changing length: each for itself
        return _generic(name, arguments, options)

    return make


def _unique(frame: Frame, arguments: list[Value], options: Options) -> Value:
    raise RefusedError("np.unique gives as many as there are; that changes in the game")


def _norm(frame: Frame, arguments: list[Value], options: Options) -> Value:
    return _generic("norm", arguments, options)


def _delete(frame: Frame, arguments: list[Value], options: Options) -> Value:
    raise RefusedError("np.delete with a place of the game is not covered")


def _clip(frame: Frame, arguments: list[Value], options: Options) -> Value:
    low = options.pop("a_min", options.pop("min", arguments[1] if len(arguments) > 1 else Static(None)))
    high = options.pop("a_max", options.pop("max", arguments[2] if len(arguments) > 2 else Static(None)))
    _note_constants(frame, [low, high])
    return _generic("clip", [arguments[0], low, high], {})


_SPECIAL: dict[str, Callable[[Frame, list[Value], Options], Value]] = {
    "array": _array, "asarray": _array, "asanyarray": _array, "copy": _array, "full": _full, "where": _where,
    "zeros_like": _like("zeros_like"), "ones_like": _like("ones_like"), "empty_like": _like("empty_like"),
    "full_like": _like("full_like"), "argwhere": _argwhere, "flatnonzero": _flatnonzero, "nonzero": _where,
    "max": _extreme("max"), "min": _extreme("min"), "amax": _extreme("max"), "amin": _extreme("min"), "append": _append,
    "ravel_multi_index": _ravel_index, "unravel_index": _unravel_index, "isscalar": _isscalar, "shape": _shape,
    "argmax": _argmax_of_flags("argmax"), "argmin": _argmax_of_flags("argmin"), "cumsum": _over_counted("cumsum"),
    "stack": _stack("stack"),
    "vstack": _stack("vstack"), "concatenate": _stack("concatenate"), "unique": _unique,
    "norm": _norm, "delete": _delete, "clip": _clip,
}  # fmt: skip


def kinds_of(values: list[Value]) -> list[Kind]:
    return [kind_of(v.value) if isinstance(v, Static) else as_array(v).kind for v in values]
