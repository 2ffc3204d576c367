"""Copying the state of an object into plain data by walking its attributes; `rebuild` goes the other way.

What plain data has no word for becomes a dict with one of these keys:

    __class__   an object; its attributes are the other keys   __same__   another path to what is at this path
    __enum__    a member of an enumeration                     __view__   an array in the memory of another
    __made__    an immutable value, made from arguments        __absent__ an attribute that is not there
    __pairs__, __set__, __objects__   a dict, set or array of things that are not plain
    __kept__    a function or other constant thing, kept by number in `WalkMemory`; __method__ is one bound to an object
"""

import contextlib
import functools
import types
from collections import defaultdict, deque
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from envwright.references.protocol import SnapshotError
from envwright.references.python import kinds

TAGS = frozenset({"__class__", "__same__", "__enum__", "__view__", "__made__", "__absent__", "__pairs__", "__set__"})
ABSENT = {"__absent__": True}
_WORK = 10_000  # to find out whether two arrays share memory
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)
_KEPT = (*kinds.FUNCTIONS, *kinds.RNGS, functools.partial, np.dtype)


class Place(NamedTuple):
    """Where a name of a snapshot lives."""

    owner: Any
    attribute: str


@dataclass
class WalkMemory:
    """What snapshots refer to instead of copying it."""

    kept: list[Any] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)  # id of a kept thing, or its code -> its number
    constants: dict[int, str] = field(default_factory=dict)  # id of a mutable part of a constant -> its path
    constant_at: dict[str, Any] = field(default_factory=dict)  # and back; this also keeps the ids from being reused
    classes: dict[str, type] = field(default_factory=dict)
    left_out: dict[type, dict[str, Any]] = field(default_factory=dict)  # for objects that have to be built anew

    def number(self, thing: Any) -> int:
        """The number under which a constant thing is kept."""
        key: Any = id(thing)
        if isinstance(thing, types.FunctionType) and not (thing.__closure__ or thing.__defaults__):
            key = thing.__code__  # a lambda made at every step is still the same function
        if key not in self.numbers:
            self.numbers[key] = len(self.kept)
            self.kept.append(thing)
        return self.numbers[key]


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """What is in an object's `__dict__` and slots."""
    yield from list(getattr(value, "__dict__", {}).items())
    for name in kinds.slots_of(type(value)):
        if hasattr(value, name):  # a slot may be empty
            yield name, getattr(value, name)


def class_attributes(cls: type) -> list[str]:
    """The names of a class that may be state or constants: data that can be copied, no methods and no properties."""
    found = []
    for name, value in vars(cls).items():
        private = name.startswith(("__", "_abc_")) or hasattr(type(value), "__get__")
        if private or isinstance(value, type) or name in _names_left_out(cls) or kinds.is_left_out(value):
            continue
        with contextlib.suppress(SnapshotError):
            Freezer(WalkMemory(), ()).freeze(value, name)
            found.append(name)
    return found


@functools.cache
def _names_left_out(cls: type) -> frozenset[str]:
    from_gymnasium = any(base.__module__.partition(".")[0] in kinds.GYMS for base in cls.__mro__)
    return kinds.NAMES_LEFT_OUT if from_gymnasium else frozenset()


def is_state(owner: Any, name: str, value: Any) -> bool:
    """Whether an attribute may be state; see `kinds` for what is not."""
    return name not in _names_left_out(type(owner)) and not kinds.is_left_out(value)


class Freezer:
    """One walk. With `shared`, what is reached twice is the same object in the result instead of `__same__`."""

    def __init__(self, memory: WalkMemory, roots: Sequence[Any], shared: bool = False) -> None:
        self.memory, self.shared = memory, shared
        self.owner = type(roots[0]).__name__ if roots else "the environment"
        self.seen: dict[int, tuple[str, Any, Any]] = {}  # id -> path, what it became, itself, so that the id stays
        self.owners: dict[int, list[tuple[str, np.ndarray]]] = {}  # arrays in each piece of memory that share nothing
        for index, root in enumerate(roots):
            path = "." * (index + 1)
            self.seen[id(root)] = path, {"__same__": path}, root

    def freeze(self, value: Any, path: str) -> Any:
        """`value` as plain data that shares nothing with it."""
        kind = type(value)
        if kind in kinds.ATOMS or isinstance(value, np.generic):
            return value
        if kind is tuple:
            return tuple([self.freeze(item, f"{path}[{index}]") for index, item in enumerate(value)])
        if (known := self.seen.get(id(value))) is not None:
            return known[1] if self.shared else {"__same__": known[0]}
        if not self.shared and (constant := self.memory.constants.get(id(value))) is not None:
            return {"__same__": constant}
        if kind is np.ndarray:
            return self._array(value, path)
        if kind is list:
            return self._fill_list(value, path, self._see(value, path, []))
        if kind is dict:
            return self._dict(value, path)
        if kind is deque:
            return self._fill_list(value, path, self._see(value, path, deque(maxlen=value.maxlen)))
        if kind in (set, frozenset):
            if kinds.is_atom(tuple(value)):
                return self._see(value, path, kind(value))
            members = self._see(value, path, {"__set__": kinds.class_path(kind), "items": []})
            self._fill_list(value, f"{path}.items", members["items"])
            return members
        return self._other(value, path)

    def _see(self, value: Any, path: str, frozen: Any) -> Any:
        """Note what `value` becomes before its parts are walked, which may lead back to it."""
        self.seen[id(value)] = path, frozen, value
        return frozen

    def _fill_list(self, value: Any, path: str, frozen: Any) -> Any:
        if kinds.ATOMS.issuperset(map(type, value)):
            frozen.extend(value)
        else:
            frozen.extend([self.freeze(item, f"{path}[{index}]") for index, item in enumerate(value)])
        return frozen

    def _dict(self, value: Any, path: str) -> dict[Any, Any]:
        frozen: dict[Any, Any] = self._see(value, path, {})
        if TAGS.isdisjoint(value) and all(map(kinds.is_atom, value)):
            for key, item in value.items():
                frozen[key] = self.freeze(item, f"{path}[{key!r}]")
        else:
            frozen["__pairs__"] = pairs = []
            for index, (key, item) in enumerate(value.items()):
                pairs.append([self.freeze(key, f"{path}.key[{index}]"), self.freeze(item, f"{path}.item[{index}]")])
        return frozen

    def _array(self, value: np.ndarray, path: str) -> Any:
        if value.dtype.hasobject:
            frozen = self._see(value, path, {"__objects__": list(value.shape), "items": []})
            self._fill_list(list(value.flat), f"{path}.items", frozen["items"])
            return frozen
        if not self.shared:
            root = value
            while isinstance(root.base, np.ndarray):
                root = root.base
            constant = self.memory.constants.get(id(root))
            first = (path, value) if constant is None else (constant, root)
            apart = self.owners.setdefault(id(root), [first])
            for owner, array in apart:
                if owner != path and _is_inside(value, array):
                    return self._see(value, path, _view(value, array, owner))
                if owner != path and _shares(value, array):
                    raise self._impossible(path, f"an array in the same memory as `{owner}`")
            apart += [(path, value)] if all(owner != path for owner, _ in apart) else []
        return self._see(value, path, value.copy())

    def _other(self, value: Any, path: str) -> Any:
        cls = type(value)
        if isinstance(value, Enum):
            self.memory.classes[kinds.class_path(cls)] = cls
            return {"__enum__": kinds.class_path(cls), "value": self.freeze(value.value, f"{path}.value")}
        if cls in kinds.REMADE:
            return {"__made__": kinds.class_path(cls), "of": kinds.REMADE[cls](value)}
        if isinstance(value, types.MethodType) and isinstance(value.__func__, types.FunctionType):
            owner = self.freeze(value.__self__, f"{path}.of")
            return {"__method__": value.__func__.__name__, "of": owner}
        if isinstance(value, _KEPT) or cls is object or kinds.is_left_out(value):
            return {"__kept__": self.memory.number(value), "what": f"{cls.__name__} {getattr(value, '__name__', '')}"}
        return self._object(value, path)

    def _object(self, value: Any, path: str) -> Any:
        cls = type(value)
        self.memory.classes[kinds.class_path(cls)] = cls
        frozen: dict[str, Any] = self._see(value, path, {"__class__": kinds.class_path(cls)})
        if isinstance(value, int | float | str | bytes | complex):
            frozen["__value__"] = _base(cls, kinds.ATOMS)(value)
        elif isinstance(value, _CONTAINERS):
            frozen["__items__"] = self.freeze(_base(cls, _CONTAINERS)(value), f"{path}.__items__")
            if isinstance(value, defaultdict):
                frozen["__factory__"] = self.freeze(value.default_factory, f"{path}.__factory__")
        elif hasattr(cls, "envwright_snapshot"):
            frozen["__data__"] = self.freeze(value.envwright_snapshot(), f"{path}.__data__")
            return frozen
        elif cls.__module__.partition(".")[0] in ("jax", "jaxlib"):
            raise SnapshotError(
                f"Attribute `{path}` of {self.owner} is of JAX ({cls.__qualname__}): it computes with JAX already, "
                "and envwright translates what computes with Python and NumPy."
            )
        elif not kinds.is_walkable(cls):
            raise self._impossible(path, f"a {cls.__module__}.{cls.__qualname__}")
        for name, item in attributes(value):
            if is_state(value, name, item):
                frozen[name] = self.freeze(item, f"{path}.{name}")
            else:
                self.memory.left_out.setdefault(cls, {})[name] = item
        return frozen

    def _impossible(self, path: str, what: str) -> SnapshotError:
        return SnapshotError(
            f"Attribute `{path}` of {self.owner} is {what}, which cannot be copied; give the class that holds it the "
            "methods envwright_snapshot(self), which returns its state as plain data, and envwright_restore(self, "
            "data), which takes it back; or register a StateAdapter for the environment (docs/verify.md)."
        )


def _base(cls: type, known: Container[type]) -> Any:
    return next(kind for kind in cls.__mro__ if kind in known)


def _bounds(array: np.ndarray) -> tuple[int, int]:
    """The first byte of an array's memory and the one after its last."""
    start = array.__array_interface__["data"][0]
    reach = [(length - 1) * stride for length, stride in zip(array.shape, array.strides, strict=True)]
    return start + sum(min(0, far) for far in reach), start + sum(max(0, far) for far in reach) + array.itemsize


def _is_inside(value: np.ndarray, array: np.ndarray) -> bool:
    """Whether `value` can be made again as a view of a copy of `array`."""
    (low, high), (start, end) = _bounds(value), _bounds(array)
    return array.flags.c_contiguous and start <= low and high <= end


def _shares(value: np.ndarray, array: np.ndarray) -> bool:
    """Whether two arrays have an element in common, as two columns of a table have not. If it is hard to tell, yes."""
    try:
        return np.shares_memory(value, array, max_work=_WORK)  # pyright: ignore[reportArgumentType] - of its stubs
    except np.exceptions.TooHardError:
        return True


def _view(value: np.ndarray, array: np.ndarray, owner: str) -> dict[str, Any]:
    offset = value.__array_interface__["data"][0] - array.__array_interface__["data"][0]
    shape, strides = list(value.shape), list(value.strides)
    return {"__view__": owner, "offset": offset, "shape": shape, "strides": strides, "dtype": value.dtype.str}


def is_absent(frozen: Any) -> bool:
    """Whether this stands for an attribute that is not there."""
    return type(frozen) is dict and frozen.keys() == ABSENT.keys()


def freeze_places(freezer: Freezer, places: Mapping[str, Place]) -> dict[str, Any]:
    """Each name with what is at its place now."""
    frozen = {}
    for name, (owner, attribute) in places.items():
        value = getattr(owner, "__dict__", {}).get(attribute, ABSENT)
        if value is ABSENT and attribute in kinds.slots_of(type(owner)):
            value = getattr(owner, attribute, ABSENT)
        if value is ABSENT:
            frozen[name] = dict(ABSENT)
        elif is_state(owner, attribute, value):
            frozen[name] = freezer.freeze(value, name)
    return frozen


def freeze(value: Any, names: Sequence[str] | None = None, memory: WalkMemory | None = None) -> dict[str, Any]:
    """The attributes of an object as plain data by name; all that may be state, unless `names` says which."""
    names = [name for name, _ in attributes(value)] if names is None else names
    places = {name: Place(value, name) for name in names}
    return freeze_places(Freezer(memory or WalkMemory(), [value]), places)


def copy_plain(value: Any) -> Any:
    """A copy of what the reference handed out, as plain data; what cannot be copied becomes the name of its type."""
    if kinds.is_atom(value):
        return value
    if type(value) is np.ndarray and not value.dtype.hasobject:
        return value.copy()
    try:
        return Freezer(WalkMemory(), (), shared=True).freeze(value, "value")
    except SnapshotError:
        if type(value) is dict:  # one bad entry of an info does not spoil the others
            return {key: copy_plain(item) for key, item in value.items()}
        return f"<{type(value).__name__}>"
