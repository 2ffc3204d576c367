"""Runs that cannot go on: they say why, and what there is to go on from."""


import pytest
from tiny import register_tiny

from envwright.train import run as runs

register_tiny()


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every chunk, whatever the clock says."""
    monkeypatch.setattr(runs, "SAVE_EVERY", -1.0)
    monkeypatch.setattr(runs, "SAVE_SHARE", float("inf"))
