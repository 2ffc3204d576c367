"""The other side of a box: answer messages until there are no more."""

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable
from typing import Any

from envwright.sandbox import wire


def serve(answer: Callable[[Any], Any], read_from: int, write_to: int) -> None:
    """Answer messages from one pipe into another, until the other side closes it or is gone."""
    _die_with_parent()
    with os.fdopen(read_from, "rb") as source, os.fdopen(write_to, "wb") as sink:

        def read(size: int) -> bytes:
            data = source.read(size)
            if len(data) < size:
                raise EOFError
            return data

        with contextlib.suppress(EOFError, BrokenPipeError):
            while True:
                sink.write(wire.pack(answer(wire.unpack(read))))
                sink.flush()


def _die_with_parent() -> None:
    """On Linux, ask to be killed when the parent is."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
