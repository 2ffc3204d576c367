"""Whether what is traced becomes part of one kernel (`execute.one_kernel`), in which loops of many turns are cheap."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_inside: ContextVar[bool] = ContextVar("inside a kernel", default=False)


@contextmanager
def traced() -> Iterator[None]:
    """What is traced here becomes part of one kernel."""
    token = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(token)


def is_traced() -> bool:
    """Whether what is traced now becomes part of one kernel."""
    return _inside.get()
