"""Random draws: where the original draws, the translation reads a chance field that was drawn before.

The contract says under which function, and perhaps method, draws are recorded. Draws are counted while the program is
read; after a conditional draw, the count is a run-time value.
"""

import ast
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from envwright.compiler.front.chance import Piece
from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import INT, Aval, is_number
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.dtypes import dtype_code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.store import DRAWN, known
from envwright.compiler.ir.tables import pick
from envwright.compiler.ir.values import Value, as_array, cast
from envwright.compiler.middle.distributions import DISTRIBUTIONS, argument, key, number, size_of
from envwright.compiler.refusal import RefusedError


class DrawSite(NamedTuple):
    """How a draw is made."""

    sample: Code  # with `key` in it
    place: int | None  # which of the field; None: any
    late: bool = False  # it depends on what happens before it in the same step


def draw(frame: CallFrame, method: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    """The result of a method of a random generator."""
    if method in ("seed", "bit_generator", "spawn"):
        return ir.Static(None)
    when = frame.writer.when
    table = frame.program.chance[when]
    plain = method.removesuffix("_python")
    lines = range(frame.call.lineno, (frame.call.end_lineno or frame.call.lineno) + 1) if frame.call else ()
    kinds = [plain, "", *(f":{line}" for line in lines)]
    piece = next((table[frame.function, kind] for kind in kinds if (frame.function, kind) in table), None)
    arguments = [frame.memory.deep(a) if not isinstance(a, ir.Unknown) else a for a in arguments]
    options = {k: frame.memory.deep(v) if not isinstance(v, ir.Unknown) else v for k, v in options.items()}
    if piece is None:
        raise RefusedError(f"{frame.function} draws with {method}, which the contract does not name")
    if method not in _METHODS:
        raise RefusedError(f"random draws with {method} are not supported")
    if frame.writer.drawing and piece.name not in frame.writer.early:
        return _sample(frame, piece, method, arguments, options)
    value, place = _next(frame, piece)
    sample, result = _outcome(frame, piece, method, value, arguments, options)
    frame.writer.collected.append((piece.name, DrawSite(sample, place, code.names_arrays(_without_key(sample)))))
    return result


def _without_key(sample: Code) -> Code:
    """The arguments of a draw but for the key."""
    return code.tuple_of(node for node in ast.walk(sample) if isinstance(node, ast.Name) and node.id != "key")


def _sample(frame: CallFrame, piece: Piece, method: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    """Draw in place: the parameters are run-time values."""
    if len(frame.writer.blocks) > 1:
        raise RefusedError("a random draw whose range depends on the state is made in a loop")
    count = frame.writer.drawn = frame.writer.drawn + 1
    sample, _ = _outcome(frame, piece, method, ir.Array(code.const(0), piece.kind), arguments, options)
    keyed = code.substituted(sample, {"key": code.index(code.name("keys"), code.const(count - 1))})
    value = ir.Array(code.name(frame.bind(piece.name, typed(keyed, piece.kind, [code.text(sample)]))), piece.kind)
    key = (DRAWN, piece.name)
    cursor = frame.memory.cursors.get(piece.name, ir.Static(0))
    if piece.room is None:
        frame.memory.attributes[key] = value
    elif isinstance(cursor, ir.Static):
        items = list(frame.memory.attributes[key].items)  # pyright: ignore[reportAttributeAccessIssue]
        items[cursor.value] = value
        frame.memory.attributes[key] = ir.Items(tuple(items))
        frame.memory.cursors[piece.name] = ir.Static(cursor.value + 1)
    else:
        raise RefusedError("a random draw whose range depends on the state follows a conditional draw")
    return _outcome(frame, piece, method, value, arguments, options)[1]


def _outcome(
    frame: CallFrame, piece: Piece, method: str, value: ir.Array, arguments: list[Value], options: dict[str, Value]
) -> tuple[Code, Value]:
    """The sampling code, and the result, given the chance field: the value itself, or its index in a list."""
    if piece.picks and method in ("shuffle", "sample_python"):
        return _by_places(value, arguments, options)
    if not piece.picks or method != "choice":
        return _METHODS[method](value, arguments, options)
    try:
        fixed = known(argument(arguments, options, 0, "a", None))
    except RefusedError:
        return _METHODS[method](value, arguments, options)
    if is_number(fixed) or not len(fixed):  # choice(n): a number is its own place
        return _METHODS[method](value, arguments, options)
    given = [ir.Static(len(fixed)), *arguments[1:]]
    sample, place = _METHODS[method](value, given, {k: v for k, v in options.items() if k != "a"})
    found = pick(frame.program, fixed, replace(as_array(place), natural=True), piece.name)
    tuples = isinstance(found, ir.Array) and found.kind.shape and all(type(one) is tuple for one in fixed)
    return sample, replace(found, listed=True, tupled=True) if tuples and isinstance(found, ir.Array) else found


def typed(made: Code, kind: Aval, samples: Sequence[str]) -> Code:
    """Sampling code in the dtype of its chance field."""
    own = ("randint", "random_order") if kind.dtype == INT else ("uniform", "normal") if kind.is_float else ()
    if all(any(name in sample for name in own) for sample in samples):
        return made
    return code.method(made, "astype", dtype_code(kind.dtype))


def _next(frame: CallFrame, piece: Piece) -> tuple[ir.Array, int | None]:
    """The next value of a chance field, and its index if that is constant."""
    base = chance_source(frame, piece.name)
    cursor = frame.memory.cursors.get(piece.name, ir.Static(0))
    note_draws(frame, piece.name, 1)
    if piece.room is None:
        if not (isinstance(cursor, ir.Static) and cursor.value == 0):
            raise RefusedError(f"{piece.name} is drawn more than once; give it room in the contract")
        frame.memory.cursors[piece.name] = ir.Static(1)
        return ir.Array(base, piece.kind), 0
    if isinstance(cursor, ir.Static):
        if cursor.value >= piece.room:
            raise RefusedError(f"{piece.name} is drawn more than {piece.room} times; raise its room in the contract")
        frame.memory.cursors[piece.name] = ir.Static(cursor.value + 1)
        return ir.Array(code.index(base, code.const(cursor.value)), piece.kind), cursor.value
    here = as_array(cursor)
    later = code.binary(here.code, ast.Add(), code.const(1))
    frame.memory.cursors[piece.name] = ir.Array(later, Aval(INT))
    return ir.Array(code.index(base, here.code), piece.kind), None


def note_draws(frame: CallFrame, field: str, count: int) -> None:
    """Count draws, for an upper bound; in a loop there is none."""
    in_a_loop = len(frame.writer.blocks) > 1
    frame.writer.most[field] = frame.writer.most.get(field, 0) + (math.inf if in_a_loop else count)


def chance_source(frame: CallFrame, field: str) -> Code:
    """The code of a chance field: `start` and `apply` have all, other functions get parameters."""
    if field in frame.writer.early:
        return code.name(frame.writer.early[field])
    if frame.writer.top:
        return code.attribute(code.name("chance"), field)
    if field not in frame.writer.chance:
        frame.writer.chance[field] = frame.writer.fresh(f"{field}_luck")
    return code.name(frame.writer.chance[field])


# ---- methods ----


def _shape(value: Value) -> Code:
    found = known(value)
    if found is None:
        return code.const(())
    return code.const(tuple(found) if isinstance(found, tuple | list) else (int(found),))


def _random(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    size = argument(arguments, options, 0, "size", None)
    return code.call("jax.random.uniform", key(), _shape(size)), value


def _rand(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    shape = tuple(int(known(a)) for a in arguments)
    return code.call("jax.random.uniform", key(), code.const(shape)), value


def _integers(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    low = argument(arguments, options, 0, "low", 0)
    high = argument(arguments, options, 1, "high", None)
    size = argument(arguments, options, 2, "size", None)
    closed = isinstance(e := options.get("endpoint"), ir.Static) and bool(e.value)
    return _whole(value, low, high, size, closed)


def _whole(value: ir.Array, low: Value, high: Value, size: Value, closed: bool) -> tuple[Code, Value]:
    if isinstance(high, ir.Static) and high.value is None:
        low, high = ir.Static(0), low
    most = int(np.max(high.value)) - int(not closed) if isinstance(high, ir.Static) else None
    value = replace(cast(value, INT), natural=as_array(low).natural, most=most)
    shape = _shape(size)
    if isinstance(low, ir.Static) and isinstance(high, ir.Static) and is_number(low.value):
        top = np.asarray(high.value) + int(closed)
        bounds = [
            code.const(np.asarray(b)) if np.ndim(b) == 0 else as_array(ir.Static(np.asarray(b))).code
            for b in (low.value, top)
        ]
        if np.ndim(top) and known(size) is None:
            shape = code.const(np.shape(top))
        return code.call("jax.random.randint", key(), shape, *bounds), value
    first, last = as_array(low), as_array(high)
    top = code.binary(last.code, ast.Add(), code.const(1)) if closed else last.code
    above = code.binary(first.code, ast.Add(), code.const(1)) if not code.is_zero(first.code) else code.const(1)
    return code.call("jax.random.randint", key(), shape, first.code, code.call("jnp.maximum", top, above)), value


def _randrange(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    if len(arguments) > 2:
        raise RefusedError("randrange with a step is not supported")
    return _whole(value, arguments[0], arguments[1] if len(arguments) > 1 else ir.Static(None), ir.Static(None), False)


def _randint_python(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    return _whole(value, arguments[0], arguments[1], ir.Static(None), True)


def _choice(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    options = dict(options)
    weights = options.pop("p", None) or (arguments[3] if len(arguments) > 3 else None)
    again = options.pop("replace", None) or (arguments[2] if len(arguments) > 2 else ir.Static(True))
    size = known(argument(arguments, options, 1, "size", None))
    population = argument(arguments, options, 0, "a", None)
    shape = code.const(() if size is None else size_of(size))
    extra: dict[str, Code] = {}
    if weights is not None and not (isinstance(weights, ir.Static) and weights.value is None):
        extra["p"] = number(weights).code
    if not known(again):
        extra["replace"] = code.const(False)
    try:
        fixed = known(population)
    except RefusedError:
        return _choice_of_changing(value, population, extra, size)
    if isinstance(fixed, int | np.integer):
        value = cast(value, INT)
    table = np.arange(int(fixed)) if isinstance(fixed, int | np.integer) else np.asarray(fixed)
    if list(extra) == ["replace"] and isinstance(size, int | np.integer) and table.dtype.kind in "biuf":
        return _in_order(table, int(size)), value
    if isinstance(fixed, int | np.integer):
        return code.call("jax.random.choice", key(), code.const(int(fixed)), shape, **extra), value
    if table.dtype.kind not in "biuf":
        raise RefusedError("it draws something that is not a number")
    return code.call("jax.random.choice", key(), as_array(ir.Static(table)).code, shape, **extra), value


def _choice_of_changing(value: ir.Array, population: Value, extra: dict[str, Code], size: Any) -> tuple[Code, Value]:
    """From a run-time list: the chance field holds an index, or, of several choices, the values."""
    if "p" in extra:
        raise RefusedError("weighted choices from a variable list are not supported")
    if size is not None:
        listed = counted(population).array if isinstance(population, ir.Counted | ir.Masked) else as_array(population)
        value = cast(value, listed.kind.dtype)
        return _several_of_changing(population, size_of(size), "replace" not in extra), value
    value = cast(value, INT)
    if isinstance(population, ir.Counted | ir.Masked):
        chosen = counted(population)
        inner = chosen.array.kind.shaped(*chosen.array.kind.shape[1:])
        found = ir.Array(code.index(chosen.array.code, value.code), inner, listed=bool(inner.shape))
        return _place(chosen.count.code), found
    array = as_array(population)
    if array.kind.shape == ():  # choice(n)
        return _place(array.code), value
    found = ir.Array(code.index(array.code, value.code), array.kind.shaped(*array.kind.shape[1:]))
    return _place(code.const(array.kind.shape[0])), found


def _several_of_changing(population: Value, size: tuple[int, ...], again: bool) -> Code:
    """Several elements of a run-time list, or numbers below a run-time bound; `again`: with replacement."""
    listed = isinstance(population, ir.Counted | ir.Masked)
    array = counted(population).array if listed else as_array(population)
    count, room = array, array.most
    if listed:
        count, room = counted(population).count, array.kind.shape[0]
    elif array.kind.shape:
        count, room = as_array(ir.Static(array.kind.shape[0])), array.kind.shape[0]
    places = _place(count.code, size)
    if not again:
        if room is None or len(size) != 1:
            raise RefusedError("sampling without replacement from a run-time number of items is not supported")
        order = code.call("random_order", key(), code.const(room))  # of those in use, then
        unused = code.compare(order, ast.GtE(), count.code)
        places = code.index(order, code.index(code.call("jnp.argsort", unused), code.span(None, code.const(size[0]))))
    return code.index(array.code, places) if listed or array.kind.shape else places


def _place(count: Code, size: tuple[int, ...] = ()) -> Code:
    top = count if isinstance(count, ast.Constant) else code.call("jnp.maximum", count, code.const(1))
    return code.call("jax.random.randint", key(), code.const(size), code.const(0), top)


def _permutation(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    if isinstance(content := arguments[0], ir.Counted):
        return _of_known_length(content, value.kind.shape[0]), value
    fixed = _lettered(value, np.asarray(known(content)))
    return _in_order(fixed if fixed.ndim else np.arange(int(fixed))), value


def _by_places(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    """Objects that are shuffled or sampled: the chance field holds their indices."""
    content = arguments[0]
    if not isinstance(content, ir.Counted):
        raise RefusedError("objects are shuffled before they are in a list of the state")
    match content.count.code:
        case ast.Constant(value=int(count)):
            order = code.call("random_order", key(), code.const(count))
        case _:
            raise RefusedError("a variable-length list is shuffled")
    if value.kind.shape != (count,):
        order = code.index(order, ast.Slice(None, code.const(value.kind.shape[0])))
    found = ir.Array(
        code.index(content.array.code, value.code), content.array.kind.shaped(*value.kind.shape), listed=True
    )
    return order, counted(found)


def _of_known_length(content: ir.Counted, length: int) -> Code:
    """A permutation of a list, if it always has the recorded length."""
    match content.count.code:
        case ast.Constant(value=count) if count == length:
            return code.index(content.array.code, code.call("random_order", key(), code.const(length)))
    raise RefusedError("a variable-length list is shuffled")


def _lettered(value: ir.Array, population: np.ndarray) -> np.ndarray:
    """Strings that are drawn from, encoded."""
    if population.dtype.kind != "U" or not value.kind.letters:
        return population
    return np.array([value.kind.letters.index(text) for text in population.flat]).reshape(population.shape)


def _in_order(population: Any, many: int | None = None) -> Code:
    """A random permutation; or its first elements."""
    order = code.call("random_order", key(), code.const(len(population)))
    if many is not None:
        order = code.index(order, ast.Slice(None, code.const(many)))
    if population.dtype.kind in "iu" and np.array_equal(population, np.arange(len(population))):
        return order
    return code.index(as_array(ir.Static(population)).code, order)


def _several(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    """`random.sample` of a constant population."""
    many = known(argument(arguments, options, 1, "k", None))
    return _in_order(_population(value, arguments, options), int(many)), replace(value, listed=True)


def _choices(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    """`random.choices` of a constant population."""
    weights = argument(arguments, options, 1, "weights", None)
    if "cum_weights" in options:
        raise RefusedError("choices with cum_weights are not supported")
    table = as_array(ir.Static(_population(value, arguments, options)))
    extra: dict[str, Code] = {}
    if not (isinstance(weights, ir.Static) and weights.value is None):
        each = number(weights).code
        extra["p"] = code.binary(each, ast.Div(), code.call("jnp.sum", each))
    many = int(known(options.get("k", ir.Static(1))))
    return code.call("jax.random.choice", key(), table.code, code.const((many,)), **extra), replace(value, listed=True)


def _population(value: ir.Array, arguments: list[Value], options: dict[str, Value]) -> np.ndarray:
    """A constant population of numbers, rows of numbers, or strings."""
    try:
        table = _lettered(value, np.asarray(known(argument(arguments, options, 0, "population", None))))
    except RefusedError:
        raise RefusedError("several choices from a variable list are not supported") from None
    if table.dtype.kind not in "biuf" or not table.ndim:
        raise RefusedError("it draws something that is not a number")
    return table


_METHODS: Any = {
    **DISTRIBUTIONS,
    "random": _random, "random_sample": _random, "ranf": _random, "sample": _random, "rand": _rand,
    "integers": _integers, "randint": _integers, "randint_python": _randint_python, "randrange": _randrange,
    "choice": _choice, "permutation": _permutation, "shuffle": _permutation, "sample_python": _several,
    "choices": _choices,
}  # fmt: skip
OF_PYTHON = {name.removesuffix("_python") for name in _METHODS if name.endswith("_python")}  # others than NumPy's
