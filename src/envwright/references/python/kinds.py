"""What the values found in an environment are to a snapshot: copied, left out, or impossible."""

import copyreg
import random
import sys
import types
from decimal import Decimal
from typing import Any

import numpy as np

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented)})
RNGS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodWrapperType, np.ufunc, type, types.ModuleType)

GYMS = ("gymnasium", "gym")  # and the library that it comes from, which many packages still use

# Attributes of a Gymnasium environment that say how it was made or seeded, not what its state is.
NAMES_LEFT_OUT = frozenset(
    {"metadata", "_metadata", "render_mode", "spec", "_spec", "_cached_spec", "_saved_kwargs"}
    | {"action_space", "observation_space", "_action_space", "_observation_space", "_np_random", "_np_random_seed"}
)
_DRAWING = ("pygame", "matplotlib", "PIL", "pyglet")

# Immutable values that are made again from a few arguments.
REMADE = {
    range: lambda value: [value.start, value.stop, value.step],
    slice: lambda value: [value.start, value.stop, value.step],
    Decimal: lambda value: [str(value)],
    bytearray: lambda value: [bytes(value)],
}


def is_atom(value: Any) -> bool:
    """Whether `value` is immutable plain data; the tuples of such data are, too."""
    kind = type(value)
    if kind is tuple:
        return all(map(is_atom, value))
    return kind in ATOMS or isinstance(value, np.generic)


def is_left_out(value: Any) -> bool:
    """Whether `value` as an attribute is no state: chance, Gymnasium's spaces and specs, and means of drawing."""
    if isinstance(value, RNGS):
        return True
    root = type(value).__module__.partition(".")[0]
    if root in GYMS:
        spaces, registration = sys.modules.get(f"{root}.spaces"), sys.modules.get(f"{root}.envs.registration")
        return isinstance(value, (spaces.Space if spaces else (), registration.EnvSpec if registration else ()))
    return root in _DRAWING


def slots_of(cls: type) -> list[str]:
    """The names of all slots of a class, its bases' included, as `getattr` wants them."""
    return copyreg._slotnames(cls)  # type: ignore[attr-defined]


def is_walkable(cls: type) -> bool:
    """Whether all that an object of this class holds is in its `__dict__` and slots; pickle decides the same way."""
    pointers = len(slots_of(cls)) + (cls.__weakrefoffset__ > 0) + (cls.__dictoffset__ > 0)
    size = object.__basicsize__ + pointers * np.dtype(np.intp).itemsize
    return cls is not object and not cls.__itemsize__ and cls.__basicsize__ <= size


def class_path(cls: type) -> str:
    """The name under which `find_class` finds the class again."""
    return f"{cls.__module__}:{cls.__qualname__}"


def find_class(path: str) -> Any:
    """The class of a path."""
    module, _, names = path.partition(":")
    found: Any = sys.modules[module]
    for name in names.split("."):
        found = getattr(found, name)
    return found
