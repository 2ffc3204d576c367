"""Plain data, to JSON and back without losing a bit, and where two pieces of it differ.

Plain are None, bool, int, float, complex, str, bytes, NumPy arrays and scalars, and lists, tuples, dicts, sets and
deques of these. JSON knows fewer kinds, so the others become dicts with the key "$", which names the kind.
"""

import ast
import itertools
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError

_KIND = "$"
_SEQUENCES = {tuple: "tuple", set: "set", frozenset: "frozenset"}
_BUILDERS = {name: kind for kind, name in _SEQUENCES.items()}


def to_json(value: Any) -> Any:
    """`value` in the words of JSON."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if np.isfinite(value) else {_KIND: "float", "bits": _bits(value)}
    if kind is complex:
        return {_KIND: "complex", "bits": [_bits(value.real), _bits(value.imag)]}
    if kind is bytes:
        return {_KIND: "bytes", "hex": value.hex()}
    if kind is list:
        return [to_json(item) for item in value]
    if kind in _SEQUENCES:
        # A set has no order, but the same set should give the same text.
        items = sorted(value, key=repr) if kind is not tuple else value
        return {_KIND: _SEQUENCES[kind], "items": [to_json(item) for item in items]}
    if kind is deque:
        return {_KIND: "deque", "items": [to_json(item) for item in value], "maxlen": value.maxlen}
    if kind is dict:
        if _KIND not in value and all(type(key) is str for key in value):
            return {key: to_json(item) for key, item in value.items()}
        return {_KIND: "dict", "items": [[to_json(key), to_json(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        return _array_to_json(value)
    raise EnvwrightError(f"{kind.__module__}.{kind.__qualname__} is not plain data, so it cannot be written to JSON.")


def from_json(value: Any) -> Any:
    """What `to_json` was given."""
    if type(value) is list:
        return [from_json(item) for item in value]
    if type(value) is not dict:
        return value
    match value.get(_KIND):
        case None:
            return {key: from_json(item) for key, item in value.items()}
        case "float":
            return _from_bits(value["bits"])
        case "complex":
            return complex(*map(_from_bits, value["bits"]))
        case "bytes":
            return bytes.fromhex(value["hex"])
        case "deque":
            return deque(map(from_json, value["items"]), value["maxlen"])
        case "dict":
            return {from_json(key): from_json(item) for key, item in value["items"]}
        case "array" | "scalar":
            return _array_from_json(value)
        case kind if kind in _BUILDERS:
            return _BUILDERS[kind](map(from_json, value["items"]))
        case kind:
            raise EnvwrightError(f"No plain data is of the kind {kind!r}; this JSON was not written by envwright.")


def _bits(number: float) -> str:
    return struct.pack(">d", number).hex()


def _from_bits(bits: str) -> float:
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def _array_to_json(value: np.ndarray | np.generic) -> dict[str, Any]:
    described: dict[str, Any] = {_KIND: "array", "shape": list(value.shape)}
    if isinstance(value, np.generic):
        described = {_KIND: "scalar"}
    described["dtype"] = value.dtype.str if value.dtype.names is None else repr(value.dtype.descr)
    # Numbers are kept legible where that is exact.
    if value.dtype.kind in "biu" or (value.dtype.kind == "f" and value.itemsize <= 8 and np.isfinite(value).all()):
        return described | {"values": value.tolist()}
    return described | {"hex": value.tobytes().hex()}


def _array_from_json(value: dict[str, Any]) -> Any:
    text = value["dtype"]
    dtype = np.dtype(ast.literal_eval(text) if text.startswith("[") else text)
    shape = tuple(value.get("shape", ()))
    if "values" in value:
        array = np.array(value["values"], dtype).reshape(shape)
    else:
        array = np.frombuffer(bytes.fromhex(value["hex"]), dtype).reshape(shape).copy()
    return array if value[_KIND] == "array" else array[()]


def differences(a: Any, b: Any, limit: int = 8) -> list[str]:
    """The first places, like `state[2]` or `deck.cards[0]`, where two pieces of plain data are not the same bits."""
    return list(itertools.islice(_differences(a, b, ""), limit))


def same(a: Any, b: Any) -> bool:
    """Whether two pieces of plain data agree in every bit, type and dtype."""
    return next(_differences(a, b, ""), None) is None


def _differences(a: Any, b: Any, path: str) -> Iterator[str]:
    kind = type(a)
    if kind is not type(b):
        yield path
    elif kind is float:
        if (a != b or a == 0.0) and _bits(a) != _bits(b):  # NaN differs from itself, and 0.0 equals -0.0
            yield path
    elif kind is complex:
        if _bits(a.real) + _bits(a.imag) != _bits(b.real) + _bits(b.imag):
            yield path
    elif kind is dict:
        yield from _dict_differences(a, b, path)
    elif kind in (list, tuple, deque):
        for index, (left, right) in enumerate(zip(a, b, strict=False)):
            yield from _differences(left, right, f"{path}[{index}]")
        if len(a) != len(b):
            yield f"{path}[{min(len(a), len(b))}]"
    elif isinstance(a, np.ndarray | np.generic):
        yield from _array_differences(a, b, path)
    elif a != b:
        yield path


def _dict_differences(a: dict[Any, Any], b: dict[Any, Any], path: str) -> Iterator[str]:
    # The whole of a snapshot, and an object within it, have names; other dicts have keys.
    named = path == "" or "__class__" in a
    for key in a if a.keys() == b.keys() else list(dict.fromkeys([*a, *b])):
        place = f"{path}.{key}".lstrip(".") if named and type(key) is str else f"{path}[{key!r}]"
        if key not in a or key not in b:
            yield place
        else:
            yield from _differences(a[key], b[key], place)


def _array_differences(a: Any, b: Any, path: str) -> Iterator[str]:
    if a.dtype != b.dtype or a.shape != b.shape:
        yield path
    elif a.tobytes() != b.tobytes():
        if a.shape == ():
            yield path
            return
        width = a.dtype.itemsize
        rows = (np.frombuffer(x.tobytes(), np.uint8).reshape(-1, width) for x in (a, b))
        first = int(np.argmax((next(rows) != next(rows)).any(axis=1)))
        yield f"{path}[{','.join(str(int(i)) for i in np.unravel_index(first, a.shape))}]"
