"""Abstract values of arrays: dtype, shape, and what the numbers encode."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from envwright.compiler.refusal import RefusedError

BOOL, INT, FLOAT = "bool", "int32", "float32"
NARROW = {"float64": FLOAT, "int64": INT, "uint64": "uint32", "float16": "float16", "longdouble": FLOAT}


Alphabet = tuple[str | None, ...]  # strings, each of which has a number


class Aval(NamedTuple):
    """Dtype, shape, and what the numbers encode."""

    dtype: str
    shape: tuple[int, ...] = ()
    of: int | Alphabet = 0  # what the numbers encode: objects of an arena, or strings of an alphabet

    def shaped(self, *shape: int) -> "Aval":
        """The same in another shape."""
        return self._replace(shape=shape)

    @property
    def letters(self) -> Alphabet | None:
        """The strings that the numbers encode, if they do."""
        return self.of if isinstance(self.of, tuple) else None

    @property
    def is_object(self) -> bool:
        """Whether the numbers encode objects."""
        return isinstance(self.of, int) and self.of != 0

    @property
    def is_bool(self) -> bool:
        return self.dtype == BOOL

    @property
    def is_float(self) -> bool:
        return self.dtype.startswith("float")

    @property
    def is_whole(self) -> bool:
        return not self.is_bool and not self.is_float


def narrow(dtype: Any) -> str:
    """The 32-bit dtype that stands for a NumPy dtype."""
    name = np.dtype(dtype).name
    return NARROW.get(name, name)


def aval_of(value: Any) -> Aval:
    """The aval of a number or an array."""
    array = np.asarray(value)
    return Aval(narrow(array.dtype), array.shape)


def is_number(value: Any) -> bool:
    """A number or an array of numbers, as Python or NumPy has them."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return isinstance(value, bool | int | float | np.bool_ | np.number)


def weak(value: Any) -> bool:
    """Whether a number is weakly typed, as Python's own are."""
    return isinstance(value, bool | int | float) and not isinstance(value, np.generic)


def promote(a: Aval, b: Aval, a_weak: bool = False, b_weak: bool = False) -> str:
    """The dtype of a sum; weakly typed numbers give way."""
    if a.dtype == b.dtype:
        return INT if a.is_bool else a.dtype
    ranks = [_rank(a), _rank(b)]
    if ranks[0] != ranks[1]:
        strong, other, other_weak = (a, b, b_weak) if ranks[0] > ranks[1] else (b, a, a_weak)
        if strong.is_float and other.is_whole and not other_weak and strong.dtype == "float16":
            return FLOAT
        return strong.dtype
    if a_weak != b_weak:
        return b.dtype if a_weak else a.dtype
    return narrow(np.promote_types(a.dtype, b.dtype))


def _rank(kind: Aval) -> int:
    return 0 if kind.is_bool else 1 if kind.is_whole else 2


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of arrays that are combined element by element."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise RefusedError(f"arrays of the shapes {', '.join(map(str, shapes))} cannot be broadcast together") from None


def check_alike(kinds: Sequence[Aval]) -> None:
    """Refuse to mix numbers that encode strings with others."""
    if len({kind.of for kind in kinds}) > 1 and any(kind.letters for kind in kinds):
        raise RefusedError("strings are mixed with numbers, or with strings of another alphabet")


def joined(a: Aval, b: Aval, a_weak: bool = False, b_weak: bool = False) -> Aval:
    """The aval of a value that is the one or the other."""
    check_alike([a, b])
    dtype = a.dtype if a.dtype == b.dtype else promote(a, b, a_weak, b_weak)
    return Aval(dtype, broadcast(a.shape, b.shape), a.of if a.of == b.of else 0)
