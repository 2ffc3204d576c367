"""Plain data, and the few things JSON does not have; the other half is host/wire.js.

Numbers that JavaScript holds as integers arrive as int, all others as float; typed arrays arrive as NumPy arrays. What
JSON lacks is translated where it is only looked at: undefined is None, a Map a dict, a Set a list, a BigInt an int. In
a snapshot, and on a tape, these stay as marked dicts, {"$": "map", ...}, so that what is put back is what was there.
"""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError

_MARK = "$"
_TYPED = {  # JavaScript's typed arrays, as they lie in memory
    "Float32Array": np.dtype("<f4"),
    "Float64Array": np.dtype("<f8"),
    "Int8Array": np.dtype("i1"),
    "Int16Array": np.dtype("<i2"),
    "Int32Array": np.dtype("<i4"),
    "Uint8Array": np.dtype("u1"),
    "Uint16Array": np.dtype("<u2"),
    "Uint32Array": np.dtype("<u4"),
}
_TYPED_NAME = {dtype: name for name, dtype in _TYPED.items()}


def encode(value: Any) -> Any:
    """`value` for the wire."""
    match value:
        case np.ndarray():
            name = _TYPED_NAME.get(value.dtype)
            if name is None or value.ndim != 1:
                return encode(value.tolist())
            return {_MARK: "array", "kind": name, "bytes": base64.b64encode(value.tobytes()).decode()}
        case np.generic():
            return encode(value.item())
        case Mapping():
            return {str(key): encode(item) for key, item in value.items()}
        case list() | tuple():
            return [encode(item) for item in value]
        case float() if not np.isfinite(value):
            return {_MARK: "number", "value": {np.inf: "Infinity", -np.inf: "-Infinity"}.get(value, "NaN")}
        case None | bool() | int() | float() | str():
            return value
    if hasattr(value, "__array__"):  # a jax.Array, say
        return encode(np.asarray(value))
    raise EnvwrightError(f"A {type(value).__name__} cannot be handed to a game in JavaScript; give it plain data.")


def exact(wire: Any) -> Any:
    """What JSON lacks stays marked, apart from numbers and arrays."""
    match wire:
        case list():
            return [exact(item) for item in wire]
        case {"$": "number", "value": str(value)}:
            return float(value.replace("Infinity", "inf"))
        case {"$": "array", "kind": kind, "bytes": data}:
            return np.frombuffer(base64.b64decode(data), _TYPED[kind]).copy()
        case dict():
            return {key: exact(item) for key, item in wire.items()}
    return wire


def plain(wire: Any) -> Any:
    """What JSON lacks becomes what Python has for it."""
    match wire:
        case list():
            return [plain(item) for item in wire]
        case {"$": "undefined"}:
            return None
        case {"$": "bigint", "value": value}:
            return int(value)
        case {"$": "set", "values": values}:
            return plain(values)
        case {"$": "map" | "object", "entries": entries}:
            return {plain(key): plain(item) for key, item in entries}
        case {"$": _}:
            return exact(wire)
        case dict():
            return {key: plain(item) for key, item in wire.items()}
    return wire
