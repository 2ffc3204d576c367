"""Abstract values: constants, or the code that computes a value at run time.

Static        known at compile time: configuration, tables, functions, objects of the original
Array         a number or an array of numbers, computed at run time
Items         a tuple or list of fixed length, of any values
Counted       a variable-length list: an array of some capacity, and a count
Rows          a list of fixed length, of None or rows of numbers
Masked        the elements of an array that a mask selects
Picked        one of several constants, by a run-time index
Maybe         None, or a value
Keyed         a dict with known keys, or an object by its attributes
FixedKeyDict  a dict with fixed integer keys, or tuples of them: an array of its values
Members       a set: a membership flag for each element of its domain, and a count
Gathered      a set of some values, any of which may be equal
CounterDict   a dict of counts that is not changed any more
Ref           a reference to a mutable list or array at an abstract location
IndexView     a part of such a list or array
PermutedView  a view of all of an array in another order or shape
Either        one of two references, by a condition
Unknown       poison: a value that cannot be computed; an error where it is read
"""

import ast
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.avals import FLOAT, INT, Aval, aval_of, check_alike, is_number, joined, weak
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.constants import checked_aval, constant_code, plain_enum, short
from envwright.compiler.ir.dtypes import dtype_code, is_exact, jnp_name
from envwright.compiler.refusal import RefusedError


@dataclass(frozen=True, eq=False)
class Static:
    value: Any
    written: Code | None = None  # how it is written, if not as itself: a named constant, or a sum of them


@dataclass(frozen=True, eq=False)
class Array:
    code: Code
    kind: Aval
    listed: bool = False  # it stands for a list or tuple, which compares and adds as one
    tupled: bool = False  # it stands for a tuple, which as an index is one for each axis
    weak: bool = False  # a Python number
    shared: bool = False  # in the original it is a part of another array; it must not be written to
    natural: bool = False  # it is known not to be negative
    most: int | None = None  # it is known not to be more
    rising: tuple[Code, Code] | None = None  # which of a table, in order, are above a number: the two
    member: type[Enum] | None = None  # the enumeration of whose members it is the value
    sliced: bool = False  # as an index, the places of a slice, whose part is still the same memory


@dataclass(frozen=True, eq=False)
class Items:
    items: tuple["Value", ...]
    is_list: bool = False
    longest: int | None = None  # of a deque that has a maxlen
    names: tuple[str, ...] = ()  # of a named tuple


@dataclass(frozen=True, eq=False)
class Counted:
    array: Array  # with capacity for as many as there can be
    count: Array
    longest: int | None = None  # of a deque that has a maxlen
    missing: tuple[int, Code] | None = None  # it holds the same as often as another list lacks to a length: its count
    clean: bool = False  # behind its end are zeros, as the state has it
    roomy: int = 0  # it has capacity for so many more in every iteration of the loop around
    guessed: bool = False  # that capacity is a guess (ir/overflow.py)

    @property
    def room(self) -> int:
        return self.array.kind.shape[0]


@dataclass(frozen=True, eq=False)
class Rows:
    """A list of fixed length whose items are None or rows of numbers."""

    array: Array  # a row each; anything where there is None
    present: Array

    @property
    def length(self) -> int:
        return self.array.kind.shape[0]


@dataclass(frozen=True, eq=False)
class Masked:
    array: Array
    mask: Array
    flat: bool = False  # of an array with more axes than one
    shared: bool = False  # in the original it is a part of another array; it must not be written to
    unordered: bool = False  # a set, in which nothing has a place
    roomy: int = 0  # of a set: it has capacity for so many more in every iteration of the loop around
    guessed: bool = False  # that capacity is a guess (ir/overflow.py)


@dataclass(frozen=True, eq=False)
class Picked:
    table: np.ndarray  # of objects, an axis for each index
    index: tuple[Code, ...]
    name: str  # for the constants that are made of it


@dataclass(frozen=True, eq=False)
class Maybe:
    present: Array
    value: "Value"


@dataclass(frozen=True, eq=False)
class Keyed:
    items: dict[Any, "Value"]
    made: Any = None  # of an object that was made at run time, by attribute: its class
    shared: bool = False  # it may be one of two objects; it must not be written to


@dataclass(frozen=True, eq=False)
class FixedKeyDict:
    """A dict with fixed integer keys, or tuples of them."""

    array: Array  # of its values, in the order of the keys; if those fill a box, with an axis for each of their parts
    keys: tuple[Any, ...]
    first: tuple[int, ...] = ()  # of a box: what the first place of each axis stands for
    tupled: bool = False  # its values are tuples

    @property
    def axes(self) -> int:
        """The number of axes for the keys."""
        return len(self.first) or 1


@dataclass(frozen=True, eq=False)
class Members:
    """A set of integers, of tuples of them, or of strings."""

    array: Array  # of flags, an axis for each part of a tuple
    count: Array
    first: tuple[int, ...]  # what the first place of each axis stands for
    texts: tuple[str, ...] = ()  # what the places stand for, if these are strings

    @property
    def places(self) -> list[Any]:
        """The domain of the set, in order."""
        if self.texts:
            return list(self.texts)
        found = (np.argwhere(np.ones(self.array.kind.shape, bool)) + self.first).tolist()
        return [tuple(place) for place in found] if len(self.first) > 1 else [place[0] for place in found]


@dataclass(frozen=True, eq=False)
class Gathered:
    items: tuple["Value", ...]


@dataclass(frozen=True, eq=False)
class CounterDict:
    listed: Counted  # what was counted


@dataclass(frozen=True)
class Ref:
    loc: int


@dataclass(frozen=True, eq=False)
class IndexView:
    ref: "Place"
    where: tuple["Value", ...]


@dataclass(frozen=True, eq=False)
class PermutedView:
    """`x.T`, `x.reshape(-1)` and the like: writes go to x."""

    ref: "Place"
    turn: Callable[["Array"], "Array"]
    back: Callable[["Array"], "Array"]
    probe: Callable[[np.ndarray], np.ndarray]  # the same, by NumPy


@dataclass(frozen=True, eq=False)
class Either:
    """One of two references: writes go to the selected one."""

    when: Array
    yes: "Place"
    no: "Place"
    join: Callable[[Array, "Value", "Value"], "Value"]


@dataclass(frozen=True, eq=False)
class Span:
    """A slice with run-time bounds."""

    low: Array
    high: Array | None  # None: to the end
    length: int | None = None  # if it is always as long


@dataclass(frozen=True, eq=False)
class Unknown:
    why: RefusedError


@dataclass(frozen=True, eq=False)
class Closure:
    """A lambda or inner function, with the names around it."""

    node: ast.Lambda | ast.FunctionDef
    frame: Any  # where it was made


@dataclass(frozen=True, eq=False)
class FunctionChoice:
    """One of two functions."""

    when: Array
    yes: "Value"
    no: "Value"


@dataclass(frozen=True, eq=False)
class PendingObject:
    """A constructor call whose object replaces one of the original; it runs when the attribute is assigned."""

    made: type
    arguments: tuple["Value", ...]
    options: dict[str, "Value"]


@dataclass(frozen=True, eq=False)
class Method:
    """A Python function bound to an object that was created at run time."""

    function: Any
    owner: "Value"


@dataclass(frozen=True, eq=False)
class BoundMethod:
    """A built-in method of an abstract value: `out.append`."""

    base: "Value"
    name: str


Place = Ref | IndexView | PermutedView | Either  # names of what may be changed in place
PLACES = (Ref, IndexView, PermutedView, Either)
Value = (
    Static | Array | Items | Counted | Rows | Masked | Picked | Maybe | Keyed | Place | Span | Unknown | Closure
    | BoundMethod | PendingObject | Method | FunctionChoice | Members | Gathered | CounterDict | FixedKeyDict
)  # fmt: skip
MUTABLE = (Items, Counted, Rows, Keyed, Members, Gathered, FixedKeyDict)
NONE = Static(None)


def is_function(value: Value) -> bool:
    if isinstance(value, Static):
        return callable(value.value) and (not isinstance(value.value, type) or value.value in (bool, int, float))
    return isinstance(value, Closure | BoundMethod | FunctionChoice | Method)


def is_none(value: Value) -> bool:
    return isinstance(value, Static) and value.value is None


def number(value: Value) -> bool:
    """Whether it is a number or array, constant or not."""
    return isinstance(value, Array) or (isinstance(value, Static) and is_number(value.value))


def as_array(value: Value) -> Array:
    """A number or array as code."""
    if isinstance(value, Array):
        return value
    if isinstance(value, Static):
        inner = plain_enum(value.value)
        if is_number(inner):
            whole = np.ndim(inner) == 0 and isinstance(inner, int | np.integer)
            natural, most = whole and inner >= 0, int(inner) if whole else None
            written = value.written or constant_code(inner)
            member = type(value.value) if inner is not value.value else None
            return Array(
                written, checked_aval(inner), weak=weak(inner), natural=bool(natural), most=most, member=member
            )
        if isinstance(inner, list | tuple | deque) and is_number(array := np.asarray(inner)):
            return Array(constant_code(array), aval_of(array), listed=True)
        raise RefusedError(f"{short(inner)} is not a number")
    if isinstance(value, Items):
        return stack(value)
    if isinstance(value, Maybe):
        return as_array(value.value)
    if isinstance(value, Unknown):
        raise value.why
    raise RefusedError(f"{described(value)} is not a number or an array")


def cast(value: Array, dtype: str) -> Array:
    """A number in another dtype."""
    if value.kind.dtype == dtype and not value.weak:
        return value
    literal = isinstance(value.code, ast.Constant | ast.UnaryOp) and value.kind.shape == () and value.weak
    if literal and (dtype != FLOAT or is_exact(value.code)):
        written = code.call(f"jnp.{jnp_name(dtype)}", value.code)
    elif value.weak and not code.names_arrays(value.code):
        written = code.call("jnp.asarray", value.code, dtype_code(dtype))
    elif value.kind.dtype == dtype:
        return Array(value.code, value.kind, value.listed)
    else:
        written = code.method(value.code, "astype", dtype_code(dtype))
    return Array(written, Aval(dtype, value.kind.shape, value.kind.of), value.listed)


def stack(value: Items, dtype: str | None = None) -> Array:
    """A list of numbers as an array."""
    parts = [as_array(v) for v in value.items]
    if not parts:
        none = code.call("jnp.zeros", code.const(0), dtype_code(dtype or INT))
        return Array(none, Aval(dtype or INT, (0,)))
    shapes = {p.kind.shape for p in parts}
    if len(shapes) > 1:
        raise RefusedError("a list of arrays of different shapes is not an array")
    check_alike([p.kind for p in parts])
    target = dtype or common(parts)
    items = code.list_of(_raw(v) for v in value.items)
    made = code.call("jnp.array", items, dtype_code(target))
    kinds = {p.kind.of for p in parts}
    kind = Aval(target, (len(parts), *parts[0].kind.shape), kinds.pop() if len(kinds) == 1 else 0)
    return Array(made, kind, listed=True, tupled=not value.is_list)


def _raw(value: Value) -> Code:
    """An element of a list that becomes an array: inner lists stay lists."""
    if isinstance(value, Items):
        return code.list_of(_raw(v) for v in value.items)
    return as_array(value).code


def common(parts: Sequence[Array]) -> str:
    """The dtype that holds all."""
    first = parts[0]
    kind, loose = first.kind, first.weak
    for part in parts[1:]:
        kind = Aval(joined(Aval(kind.dtype), Aval(part.kind.dtype), loose, part.weak).dtype)
        loose = loose and part.weak
    return kind.dtype


def described(value: Value) -> str:
    """A value as messages name it."""
    match value:
        case Static():
            return short(value.value)
        case Array():
            return f"a {value.kind.dtype}" + (f" array of shape {value.kind.shape}" if value.kind.shape else "")
        case Items():
            return "a list" if value.is_list else "a tuple"
        case Counted() | Masked():
            return "a variable-length list"
        case Picked():
            return "one of several constants"
        case Maybe():
            return "something that may be None"
        case Keyed() | CounterDict() | FixedKeyDict():
            return "a dict"
        case Members() | Gathered():
            return "a set"
        case Unknown():
            return "an unknown value"
    return "a function"
