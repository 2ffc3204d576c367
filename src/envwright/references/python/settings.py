"""Attributes of an original that are set from outside, by their dotted names: `model.opt.tolerance`."""

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError


def assign(thing: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Set each attribute, and return what was there before."""
    before = {name: _get(thing, name) for name in settings}  # all exist before any is set
    for name, value in settings.items():
        home, _, last = name.rpartition(".")
        setattr(_get(thing, home) if home else thing, last, _like(before[name], value, name))
    return before


@contextmanager
def assigned(thing: Any, settings: Mapping[str, Any]) -> Iterator[None]:
    """For a while."""
    before = assign(thing, settings)
    try:
        yield
    finally:
        assign(thing, before)


def _get(thing: Any, name: str) -> Any:
    """What a dotted name leads to; a copy of an array, which may be a view of what is set."""
    at = thing
    for part in name.split("."):
        known = [known for known in dir(at) if not known.startswith("_")]
        if part not in known and not hasattr(at, part):
            close = difflib.get_close_matches(part, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"a {type(at).__name__} has {', '.join(known[:12])}."
            raise EnvwrightError(f"The setting {name}: {type(thing).__name__} has no such attribute; {hint}")
        at = getattr(at, part)
    return at.copy() if isinstance(at, np.ndarray) else at


def _like(before: Any, value: Any, name: str) -> Any:
    """A value in the type of the one that it replaces."""
    if isinstance(before, np.ndarray):
        found = np.asarray(value, before.dtype)
        if found.shape != before.shape:
            raise EnvwrightError(f"The setting {name} is an array of the shape {before.shape}, not {found.shape}.")
        return found
    number = isinstance(before, int | float) and isinstance(value, int | float)
    return type(before)(value) if number and type(before)(value) == value else value
