"""A disk that is full, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """No file may grow beyond this size: what goes beyond is a real OSError, as on a full disk."""
    resource = pytest.importorskip("resource", reason="limits of processes are a thing of Unix")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
