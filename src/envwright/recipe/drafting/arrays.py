"""Parts of a reference's state that become one array each: lists of numbers, boards of texts, dicts by numbers."""

from collections import deque
from typing import Any

import numpy as np

from envwright.verifier.codecs import Codec, KeyedDict, Letters
from envwright.verifier.expression import box

MOST_LETTERS = 64  # texts that one part of the state may hold
MOST_KEYS = 4096  # of a dict


def in_letters(inner: Codec, values: list[Any]) -> Codec | None:
    """Lists or arrays of texts, or None, that always have the same shape: as numbers in the alphabet of those seen."""
    arrays = [_objects(v) for v in values]
    if len({a.shape for a in arrays}) != 1 or not arrays[0].size:
        return None
    return lettered(inner, [text for a in arrays for text in a.flat])


def lettered(inner: Codec, held: list[Any]) -> Codec | None:
    """In order, so that of two texts the one that comes first has the smaller number."""
    if not all(isinstance(text, str | None) for text in held) or all(text is None for text in held):
        return None
    seen = {None if text is None else str(text) for text in held}
    alphabet = [*([None] if None in seen else []), *sorted(text for text in seen if text is not None)]
    return Letters(inner, alphabet) if len(alphabet) <= MOST_LETTERS else None


def _objects(value: Any) -> np.ndarray[Any, Any]:
    try:
        return np.array(value.tolist() if isinstance(value, np.ndarray) else value, dtype=object)
    except ValueError:  # lists of several lengths
        return np.empty(0, object)


def by_number(path: Codec, dicts: list[dict[Any, Any]]) -> Codec | None:
    """A dict by whole numbers, or tuples of them, whose keys and their order are always the same, and whose values have
    one shape: an array of its values."""
    keys = list(dicts[0])
    rows = [key if isinstance(key, tuple) else (key,) for key in keys]
    in_whole_numbers = all(type(n) is int for row in rows for n in row)
    alike = len({(type(key), len(row)) for key, row in zip(keys, rows, strict=True)}) == 1
    if not (in_whole_numbers and alike and rows[0]) or len(keys) > MOST_KEYS or any(list(d) != keys for d in dicts):
        return None
    held = [value for d in dicts for value in d.values()]
    low, high = (tuple(int(n) for n in f(np.array(rows), axis=0)) for f in (np.min, np.max))
    shape = tuple(b - a + 1 for a, b in zip(low, high, strict=True))
    full = len(keys) == np.prod(shape, dtype=float) and box(low, shape) == keys
    whole = KeyedDict(path, low, shape) if full else KeyedDict(path, keys)
    if len({type(value) if not is_number(value) or np.ndim(value) else int for value in held}) == 1:
        shapes = {shape_of(value) for value in held}
        if len(shapes) == 1 and None not in shapes:
            return whole
    if all(isinstance(value, str | None) for value in held):
        return lettered(whole, held)
    sequences = len({type(value) for value in held}) == 1 and isinstance(held[0], list | tuple | np.ndarray)
    return in_letters(whole, held) if sequences else None


def is_number(value: Any) -> bool:
    """A number, or an array of them."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return isinstance(value, bool | int | float | np.bool_ | np.number)


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of numbers in lists as an array, if they are one."""
    if is_number(value):
        return np.shape(value)
    if not isinstance(value, list | tuple | deque):
        return None
    try:
        made = np.asarray(value)
    except ValueError:  # lists of several lengths
        return None
    return made.shape if made.size and made.dtype.kind in "biuf" else None
