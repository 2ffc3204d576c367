"""Luck: where the original draws, the translation reads a piece of luck that was drawn before.

The contract says under which function, and perhaps method, the outcomes of the original are kept. Draws are counted as
the program is read; where one is made only sometimes, the count is a number of the game.
"""

import ast
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from envwright.compiler import code
from envwright.compiler.code import Code
from envwright.compiler.frame import Frame
from envwright.compiler.kinds import INT, Kind, is_number, narrow
from envwright.compiler.lists import counted
from envwright.compiler.memory import known
from envwright.compiler.refusal import Refused
from envwright.compiler.values import (
    Array,
    Counted,
    Items,
    Masked,
    Static,
    Unknown,
    Value,
    as_array,
    cast,
)

LARGE = 2**31 - 1


class Piece(NamedTuple):
    """A field of StartChance or StepChance."""

    name: str
    kind: Kind  # of one draw
    room: int | None  # None: a single draw, not an array of them
    picks: bool = False  # it holds indices, not what lies there


class Drawn(NamedTuple):
    """How a draw is made."""

    sample: Code  # with `key` in it, and `shape` where it draws several
    place: int | None  # which of the field; None: any


def read_luck(expressions: Mapping[str, str], kinds: Mapping[str, tuple[tuple[int, ...], str]]) -> dict[tuple[str, str], Piece]:
    """The pieces of luck by function and method; the method is empty if it does not matter."""
    pieces: dict[tuple[str, str], Piece] = {}
    for field, text in expressions.items():
        if field not in kinds:
            continue
        shape, dtype = kinds[field]
        node = ast.parse(text, mode="eval").body
        room = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pad":
            room, node, shape = int(ast.literal_eval(node.args[1])), node.args[0], shape[1:]
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("draws", "picks")):
            raise Refused(f"the line {text!r} of the contract is not one that the rules know")
        function, _, method = str(ast.literal_eval(node.args[0])).partition(".")
        pieces[function, method] = Piece(field, Kind(narrow(dtype), shape), room, node.func.id == "picks")
    return pieces


def draw(frame: Frame, method: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    """What a call of a random generator gives."""
    if method in ("seed", "bit_generator", "spawn"):
        return Static(None)
    when = "start" if frame.writer.start else "step"
    table = frame.program.luck[when]
    plain = method.removesuffix("_closed")
    piece = table.get((frame.function, plain)) or table.get((frame.function, ""))
    arguments = [frame.memory.deep(a) if not isinstance(a, Unknown) else a for a in arguments]
    options = {k: frame.memory.deep(v) if not isinstance(v, Unknown) else v for k, v in options.items()}
    if piece is None:
        raise Refused(f"{frame.function} draws with {method}, which the contract does not name")
    value, place = _next(frame, piece)
    sample, result = _METHODS[method](frame, value, arguments, options) if method in _METHODS else _unknown(method)
    frame.writer.collected.append((piece.name, Drawn(sample, place)))
    return result


def _unknown(method: str) -> Any:
    raise Refused(f"luck drawn with {method} is not covered")


def _next(frame: Frame, piece: Piece) -> tuple[Array, int | None]:
    """The next outcome of a piece of luck, and its place if it is known."""
    base = base_of(frame, piece.name)
    cursor = frame.memory.cursors.get(piece.name, Static(0))
    if piece.room is None:
        if not (isinstance(cursor, Static) and cursor.value == 0):
            raise Refused(f"{piece.name} is drawn more than once; give it room in the contract")
        frame.memory.cursors[piece.name] = Static(1)
        return Array(base, piece.kind), 0
    if isinstance(cursor, Static):
        if cursor.value >= piece.room:
            raise Refused(f"{piece.name} is drawn more than {piece.room} times; give it more room in the contract")
        frame.memory.cursors[piece.name] = Static(cursor.value + 1)
        return Array(code.index(base, code.const(cursor.value)), piece.kind), cursor.value
    here = as_array(cursor)
    later = code.binary(here.code, ast.Add(), code.const(1))
    frame.memory.cursors[piece.name] = Array(later, Kind(INT))
    return Array(code.index(base, here.code), piece.kind), None


def base_of(frame: Frame, field: str) -> Code:
    """Where a function has a piece of luck: the two that begin and step the game have all, the others what they are given."""
    if frame.writer.top:
        return code.attribute(code.name("chance"), field)
    if field not in frame.writer.luck:
        frame.writer.luck[field] = frame.writer.fresh(f"{field}_luck")
    return code.name(frame.writer.luck[field])


# ---- methods ----


def _argument(arguments: list[Value], options: dict[str, Value], place: int, name: str, default: Any) -> Value:
    if len(arguments) > place:
        return arguments[place]
    return options.get(name, Static(default))


def _key() -> Code:
    return code.name("key")


def _shape(value: Value) -> Code:
    found = known(value)
    if found is None:
        return code.const(())
    return code.const(tuple(found) if isinstance(found, tuple | list) else (int(found),))


def _random(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    size = _argument(arguments, options, 0, "size", None)
    return code.call("jax.random.uniform", _key(), _shape(size)), value


def _rand(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    shape = tuple(int(known(a)) for a in arguments)
    return code.call("jax.random.uniform", _key(), code.const(shape)), value


def _integers(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    low = _argument(arguments, options, 0, "low", 0)
    high = _argument(arguments, options, 1, "high", None)
    size = _argument(arguments, options, 2, "size", None)
    closed = isinstance(e := options.get("endpoint"), Static) and bool(e.value)
    return _whole(value, low, high, size, closed)


def _whole(value: Array, low: Value, high: Value, size: Value, closed: bool) -> tuple[Code, Value]:
    if isinstance(high, Static) and high.value is None:
        low, high = Static(0), low
    value = cast(value, INT)
    shape = _shape(size)
    if isinstance(low, Static) and isinstance(high, Static) and is_number(low.value):
        top = np.asarray(high.value) + int(closed)
        bounds = [code.const(np.asarray(b)) if np.ndim(b) == 0 else as_array(Static(np.asarray(b))).code for b in (low.value, top)]
        if np.ndim(top) and known(size) is None:
            shape = code.const(np.shape(top))
        return code.call("jax.random.randint", _key(), shape, *bounds), value
    # The bounds are numbers of the game: any large number will do, taken modulo how many there are. What the original drew
    # is in bounds already.
    first, last = as_array(low), as_array(high)
    many = code.binary(last.code, ast.Sub(), first.code) if not _is_zero(first.code) else last.code
    if closed:
        many = code.binary(many, ast.Add(), code.const(1))
    from_low = value.code if _is_zero(first.code) else code.binary(value.code, ast.Sub(), first.code)
    result = code.binary(from_low, ast.Mod(), code.call("jnp.maximum", many, code.const(1)))
    if not _is_zero(first.code):
        result = code.binary(first.code, ast.Add(), result)
    return code.call("jax.random.randint", _key(), shape, code.const(0), code.const(LARGE)), Array(result, value.kind)


def _is_zero(value: Code) -> bool:
    return isinstance(value, ast.Constant) and value.value == 0


def _randrange(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    if len(arguments) > 2:
        raise Refused("randrange with a step is not covered")
    return _whole(value, arguments[0], arguments[1] if len(arguments) > 1 else Static(None), Static(None), False)


def _randint_python(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    return _whole(value, arguments[0], arguments[1], Static(None), True)


def _uniform(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    low = _fixed(_argument(arguments, options, 0, "low", 0.0))
    high = _fixed(_argument(arguments, options, 1, "high", 1.0))
    size = known(_argument(arguments, options, 2, "size", None))
    shape = np.broadcast_shapes(np.shape(low), np.shape(high)) if size is None else _size(size)
    bounds = {"minval": _bound(low), "maxval": _bound(high)}
    return code.call("jax.random.uniform", _key(), code.const(shape), **bounds), value


def _size(size: Any) -> tuple[int, ...]:
    return tuple(int(s) for s in size) if isinstance(size, tuple | list) else (int(size),)


def _fixed(value: Value) -> Any:
    try:
        return np.asarray(known(value), float)
    except Refused:
        raise Refused("luck is drawn within bounds that change in the game") from None


def _bound(value: Any) -> Code:
    return as_array(Static(np.asarray(value, np.float32) if np.ndim(value) else float(value))).code


def _normal(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    mean = _fixed(_argument(arguments, options, 0, "loc", 0.0))
    deviation = _fixed(_argument(arguments, options, 1, "scale", 1.0))
    size = known(_argument(arguments, options, 2, "size", None))
    shape = np.broadcast_shapes(np.shape(mean), np.shape(deviation)) if size is None else _size(size)
    made = code.call("jax.random.normal", _key(), code.const(shape))
    if np.any(deviation != 1):
        made = code.binary(made, ast.Mult(), _bound(deviation))
    if np.any(mean != 0):
        made = code.binary(made, ast.Add(), _bound(mean))
    return made, value


def _standard_normal(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    size = known(_argument(arguments, options, 0, "size", None))
    return code.call("jax.random.normal", _key(), code.const(() if size is None else _size(size))), value


def _choice(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    options = dict(options)
    weights = options.pop("p", None) or (arguments[3] if len(arguments) > 3 else None)
    again = options.pop("replace", None) or (arguments[2] if len(arguments) > 2 else Static(True))
    size = known(_argument(arguments, options, 1, "size", None))
    population = _argument(arguments, options, 0, "a", None)
    shape = code.const(() if size is None else _size(size))
    extra: dict[str, Code] = {}
    if weights is not None and not (isinstance(weights, Static) and weights.value is None):
        extra["p"] = as_array(Static(np.asarray(_fixed(weights), np.float32))).code
    if not known(again):
        extra["replace"] = code.const(False)
    try:
        fixed = known(population)
    except Refused:
        return _choice_of_changing(value, population, bool(extra) or size is not None)
    if isinstance(fixed, int | np.integer):
        return code.call("jax.random.choice", _key(), code.const(int(fixed)), shape, **extra), cast(value, INT)
    table = np.asarray(fixed)
    if table.dtype.kind not in "biuf":
        raise Refused("it draws what is not a number")
    return code.call("jax.random.choice", _key(), as_array(Static(table)).code, shape, **extra), value


def _choice_of_changing(value: Array, population: Value, more: bool) -> tuple[Code, Value]:
    """From a list of the game: the piece of luck is an index, any large number modulo how many there are."""
    if more:
        raise Refused("several or weighted choices from a list that changes are not covered")
    sample = code.call("jax.random.randint", _key(), code.const(()), code.const(0), code.const(LARGE))
    value = cast(value, INT)
    if isinstance(population, Counted | Masked):
        chosen = counted(population)
        many = code.call("jnp.maximum", chosen.count.code, code.const(1))
        where = code.binary(value.code, ast.Mod(), many)
        inner = Kind(chosen.array.kind.dtype, chosen.array.kind.shape[1:])
        return sample, Array(code.index(chosen.array.code, where), inner, listed=bool(inner.shape))
    array = as_array(population)
    if array.kind.shape == ():  # choice(n)
        return sample, Array(code.binary(value.code, ast.Mod(), code.call("jnp.maximum", array.code, code.const(1))), Kind(INT))
    where = code.binary(value.code, ast.Mod(), code.const(array.kind.shape[0]))
    return sample, Array(code.index(array.code, where), Kind(array.kind.dtype, array.kind.shape[1:]))


def _permutation(frame: Frame, value: Array, arguments: list[Value], options: dict[str, Value]) -> tuple[Code, Value]:
    fixed = known(arguments[0]) if not isinstance(arguments[0], Items) else known(arguments[0])
    population = code.const(int(fixed)) if isinstance(fixed, int | np.integer) else as_array(Static(np.asarray(fixed))).code
    return code.call("jax.random.permutation", _key(), population), value


_METHODS: Any = {
    "random": _random, "random_sample": _random, "rand": _rand, "integers": _integers, "randint": _integers,
    "uniform": _uniform, "normal": _normal, "gauss": _normal, "standard_normal": _standard_normal,
    "randint_closed": _randint_python, "choice": _choice, "permutation": _permutation, "shuffle": _permutation, "randrange": _randrange,
}  # fmt: skip
