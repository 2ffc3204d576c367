"""Putting recorded generators where a reference looks for random numbers, and taking them away again.

Names are replaced once, not at every step, because that is what costs; outside of a call of the reference what is put
there behaves like the original. Several references may be open at once: the last one to close restores everything.
"""

import functools
import random
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from envwright.references.python import draws
from envwright.references.python.kinds import GYMS, slots_of
from envwright.references.python.walk import attributes

_NUMPY_ALIASES = {"ranf": "random_sample", "sample": "random_sample"}
_STATE = ("seed", "get_state", "set_state", "getstate", "setstate")
_NUMPY, _PYTHON = np.random.RandomState, random.Random
_RNGS = (np.random.Generator, _NUMPY, _PYTHON)

_undo: list[tuple[Any, str, Any]] = []  # holder, name, what was there
_holders = 0
_loaded: frozenset[str] = frozenset()


def _shared_function(name: str, original: Callable[..., Any], method: str, attribute: str) -> Callable[..., Any]:
    unbound = getattr(_NUMPY if attribute == "numpy" else _PYTHON, method)

    @functools.wraps(original)
    def shared(*arguments: Any, **options: Any) -> Any:
        take = draws.take_open()
        if take is None:
            return original(*arguments, **options)
        own = getattr(take.shared, attribute)
        if name in _STATE:
            return unbound(own, *arguments, **options)
        return take.draw(name, unbound, (own, *arguments), options)

    return shared


def _default_rng(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def default_rng(*arguments: Any, **options: Any) -> Any:
        return draws.recorded_rng(original(*arguments, **options))

    return default_rng


@functools.cache
def _replacements() -> dict[int, tuple[Any, Any]]:
    """What stands for what, by the id of the original, which is kept, too. Made before anything is replaced."""
    pairs = [
        (np.random.Generator, draws.RecordedGenerator),
        (np.random.RandomState, draws.RecordedRandomState),
        (np.random.default_rng, _default_rng(np.random.default_rng)),
        (random.Random, draws.RecordedRandom),
        (random.SystemRandom, draws.recorded_class(random.SystemRandom)),
    ]
    for name in np.random.__all__:
        method = _NUMPY_ALIASES.get(name, name)
        function = getattr(np.random, name)
        if not isinstance(function, type) and hasattr(np.random.RandomState, method):
            pairs.append((function, _shared_function(name, function, method, "numpy")))
    for name in random.__all__:
        function = getattr(random, name)
        if not isinstance(function, type):
            pairs.append((function, _shared_function(name, function, name, "python")))
    return {id(original): (original, replacement) for original, replacement in pairs}


def open_patches(modules: Iterable[types.ModuleType], classes: Iterable[type]) -> None:
    """Replace the sources of chance in NumPy, in `random`, and in what the reference's own modules hold of them."""
    global _holders, _loaded
    table = _replacements()
    if _holders == 0:
        _loaded = frozenset(sys.modules)
    _holders += 1
    seeding = [found for name in GYMS if (found := sys.modules.get(f"{name}.utils.seeding")) is not None]
    for holder in [np.random, random, *seeding, *modules, *classes]:
        for name, value in list(vars(holder).items()):
            if id(value) in table:
                _replace(holder, name, table[id(value)][1])
            elif holder in (np.random, random):  # their own hidden generators are behind the functions
                continue
            elif isinstance(value, type) and issubclass(value, _RNGS) and not isinstance(value, draws.Recorded):
                _replace(holder, name, draws.recorded_class(value))
            elif isinstance(value, _RNGS) and not isinstance(type(value), draws.Recorded):
                _undo.append((value, "__class__", type(value)))
                _replace(holder, name, draws.recorded_rng(value))


def _replace(holder: Any, name: str, replacement: Any) -> None:
    _undo.append((holder, name, vars(holder)[name]))
    setattr(holder, name, replacement)


def close_patches() -> None:
    """Put everything back once nobody needs the replacements any more."""
    global _holders
    _holders -= 1
    if _holders:
        return
    while _undo:
        holder, name, original = _undo.pop()
        if getattr(holder, name) is not original:
            setattr(holder, name, original)
    originals = {id(replacement): original for original, replacement in _replacements().values()}
    for module in [sys.modules[name] for name in sys.modules.keys() - _loaded]:
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in originals:  # imported meanwhile, with `from random import randint`
                setattr(module, name, originals[id(value)])


def adopt(roots: Iterable[Any]) -> None:
    """Replace the generators that sit in attributes, however deep, by recorded ones in the same state."""
    known: dict[int, Any] = {}
    waiting, seen = list(roots), set[int]()
    while waiting:
        value: Any = waiting.pop()
        if id(value) in seen or isinstance(value, type | types.ModuleType | types.FunctionType):
            continue
        seen.add(id(value))
        if isinstance(value, list | tuple | dict):
            items = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        else:
            items = list(attributes(value))
        key: Any
        for key, item in items:
            if isinstance(item, _RNGS) and not isinstance(value, tuple):
                new = known.setdefault(id(item), draws.recorded_rng(item))
                if isinstance(value, list | dict):
                    value[key] = new
                else:
                    object.__setattr__(value, key, new)
            elif isinstance(item, list | tuple | dict) or hasattr(item, "__dict__") or slots_of(type(item)):
                waiting.append(item)
