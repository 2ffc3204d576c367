"""What the tests of runs share."""

from collections.abc import Iterator

import pytest

from envwright.training import run as runs


@pytest.fixture(scope="module")
def eager() -> Iterator[None]:
    """A checkpoint after every chunk, whatever the clock says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "SAVE_EVERY", -1.0)
        patch.setattr(runs, "SAVE_SHARE", float("inf"))
        yield
