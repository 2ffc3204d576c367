"""Messages to and from a process that is not trusted: JSON and raw arrays. Nothing received is ever executed.

8 bytes: length of the JSON    JSON, arrays in it being {"array": [index, dtype, shape]}    the arrays' bytes, in order
"""

import json
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGEST = 2**31  # bytes of a message; more is a fault
_ARRAY = "array"


class WireError(ValueError):
    """What came is not a message."""


def pack(message: Any) -> bytes:
    """A message of dicts with text keys, lists, numbers, texts, None and arrays as bytes."""
    arrays: list[NDArray[Any]] = []
    text = json.dumps(_out(message, arrays)).encode()
    return b"".join([struct.pack("<Q", len(text)), text, *(a.tobytes() for a in arrays)])


def unpack(read: Callable[[int], bytes]) -> Any:
    """The next message; `read(n)` gives exactly n bytes."""
    (length,) = struct.unpack("<Q", read(8))
    if length > LONGEST:
        raise WireError(f"a message of {length:,} bytes")
    try:
        message = json.loads(read(length))
    except ValueError as error:
        raise WireError("a message that is not JSON") from error
    return _in(message, read)


def _out(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        return {str(key): _out(item, arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_out(item, arrays) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        if array.dtype.kind not in "biuf":
            raise WireError(f"an array of {array.dtype}")
        arrays.append(array)
        return {_ARRAY: [len(arrays) - 1, array.dtype.str, list(np.shape(value))]}
    return value


def _in(value: Any, read: Callable[[int], bytes]) -> Any:
    """Arrays were numbered in the order in which they are met, so they are read in that order too."""
    if isinstance(value, dict):
        if set(value) == {_ARRAY}:
            return _array(value[_ARRAY], read)
        return {key: _in(item, read) for key, item in value.items()}
    if isinstance(value, list):
        return [_in(item, read) for item in value]
    return value


def _array(about: Any, read: Callable[[int], bytes]) -> NDArray[Any]:
    try:
        _, kind, shape = about
        dtype = np.dtype(kind)
        size = math.prod(shape) * dtype.itemsize
        if dtype.kind not in "biuf" or any(not isinstance(n, int) or n < 0 for n in shape) or size > LONGEST:
            raise WireError(f"an array of {dtype} with the shape {shape}")
    except (TypeError, ValueError) as error:
        raise WireError("an array that cannot be read") from error
    return np.frombuffer(read(size), dtype).reshape(shape).copy()
