"""Putting what `walk` froze back into an object.

Containers are made anew. Objects keep their identity where the same class is at the same path, because things that
no snapshot holds may refer to them and they may hold such things themselves.
"""

import difflib
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.references.python import kinds
from envwright.references.python.walk import Freezer, Place, WalkMemory, attributes, freeze_places, is_absent, is_state

_NOTHING: Any = object()


class _Thawer:
    def __init__(self, memory: WalkMemory, roots: Sequence[Any], places: Mapping[str, Place]) -> None:
        self.memory, self.roots, self.places = memory, roots, places
        self.built: dict[str, Any] = {"." * (index + 1): root for index, root in enumerate(roots)}
        self.used = {id(root) for root in roots}

    def build(self, plain: Any, path: str, live: Any) -> Any:
        """The value that was frozen as `plain`; `live` is what is at its place now."""
        kind = type(plain)
        if kind is tuple:
            return tuple([self.build(item, f"{path}[{i}]", _item(live, i)) for i, item in enumerate(plain)])
        if kind is np.ndarray:
            return self._note(path, plain.copy())
        if kind in (list, deque):
            made = self._note(path, [] if kind is list else deque(maxlen=plain.maxlen))
            made.extend([self.build(item, f"{path}[{i}]", _item(live, i)) for i, item in enumerate(plain)])
            return made
        if kind in (set, frozenset):
            return self._note(path, kind(plain))
        if kind is dict:
            return self._tagged(plain, path, live)
        return plain

    def _note(self, path: str, made: Any) -> Any:
        self.built[path] = made
        return made

    def _tagged(self, plain: dict[Any, Any], path: str, live: Any) -> Any:
        match plain:
            case {"__same__": target}:
                return self._find(target)
            case {"__class__": cls}:
                return self._object(plain, self.memory.classes.get(cls) or kinds.find_class(cls), path, live)
            case {"__enum__": cls, "value": value}:
                return (self.memory.classes.get(cls) or kinds.find_class(cls))(self.build(value, path, None))
            case {"__made__": cls, "of": arguments}:
                return kinds.find_class(cls)(*arguments)
            case {"__kept__": number}:
                return self.memory.kept[number]
            case {"__method__": name, "of": owner}:
                return getattr(self.build(owner, f"{path}.of", getattr(live, "__self__", None)), name)
            case {"__view__": owner, "offset": offset, "shape": shape, "strides": strides, "dtype": dtype}:
                return self._note(path, np.ndarray(shape, np.dtype(dtype), self._find(owner), offset, strides))
            case {"__objects__": shape, "items": items}:
                array = self._note(path, np.empty(shape, object))
                flat = list(live.flat) if isinstance(live, np.ndarray) else []
                for index, item in enumerate(items):
                    array.flat[index] = self.build(item, f"{path}.items[{index}]", _item(flat, index))
                return array
            case {"__set__": cls, "items": items}:
                members = self._note(path, set())
                members.update(self.build(item, f"{path}.items[{i}]", None) for i, item in enumerate(items))
                return members if cls == kinds.class_path(set) else self._note(path, frozenset(members))
            case {"__pairs__": pairs}:
                made = self._note(path, {})
                for i, (key, item) in enumerate(pairs):
                    key = self.build(key, f"{path}.key[{i}]", None)
                    made[key] = self.build(item, f"{path}.item[{i}]", _item(live, key))
                return made
        made = self._note(path, {})
        for key, item in plain.items():
            made[key] = self.build(item, f"{path}[{key!r}]", _item(live, key))
        return made

    def _find(self, path: str) -> Any:
        """What another part of the snapshot built, or, where the snapshot is in part, what is there now."""
        if path in self.built:
            return self.built[path]
        if path in self.memory.constant_at:
            return self.memory.constant_at[path]
        freezer = Freezer(WalkMemory(), self.roots)
        freeze_places(freezer, self.places)
        for place, _, value in freezer.seen.values():
            if place == path:
                return value
        raise EnvwrightError(f"The snapshot refers to `{path}`, which is neither in it nor in the environment now.")

    def _object(self, plain: dict[str, Any], cls: Any, path: str, live: Any) -> Any:
        parts = {name: value for name, value in plain.items() if not name.startswith("__")}
        if "__value__" in plain:
            made: Any = cls.__new__(cls, plain["__value__"])
        elif "__items__" in plain and issubclass(cls, tuple | frozenset):
            items = self.build(plain["__items__"], f"{path}.__items__", live)
            made = cast(Any, tuple if issubclass(cls, tuple) else frozenset).__new__(cls, items)
        else:
            usable = type(live) is cls and id(live) not in self.used and id(live) not in self.memory.constants
            made = live if usable else cls.__new__(cls)
            if not usable:
                for name, value in self.memory.left_out.get(cls, {}).items():
                    put(made, name, value)
        self._note(path, made)
        self.used.add(id(made))
        if "__data__" in plain:
            made.envwright_restore(self.build(plain["__data__"], f"{path}.__data__", None))
            return made
        if "__items__" in plain and not issubclass(cls, tuple | frozenset):
            live_items = list(made) if isinstance(made, list) else None
            _refill(made, self.build(plain["__items__"], f"{path}.__items__", live_items))
        if "__factory__" in plain:
            cast(Any, made).default_factory = self.build(plain["__factory__"], f"{path}.__factory__", None)
        for name, value in list(attributes(made)):
            if name not in parts and is_state(made, name, value):
                take_away(made, name)
        for name, value in parts.items():
            put(made, name, self.build(value, f"{path}.{name}", getattr(made, name, None)))
        return made


def _refill(made: Any, items: Any) -> None:
    """Give a list, dict, set or deque of a class of its own these items only, whatever its methods do."""
    if isinstance(made, deque):
        deque.__init__(made, items, items.maxlen)
    elif isinstance(made, list):
        list.__init__(made, items)
    elif isinstance(made, OrderedDict):  # it keeps its order apart from the dict in it
        OrderedDict.clear(made)
        OrderedDict.update(made, items)
    elif isinstance(made, dict):
        dict.clear(made)
        dict.update(made, items)
    else:
        set.clear(made)
        set.update(made, items)


def _item(live: Any, key: Any) -> Any:
    try:
        return live[key] if isinstance(live, list | tuple | dict | deque) else None
    except (IndexError, KeyError, TypeError):
        return None


def put(owner: Any, name: str, value: Any) -> None:
    """Set an attribute without asking the class, which may be frozen or have a property of that name."""
    if isinstance(owner, type):
        setattr(owner, name, value)
    elif name in kinds.slots_of(type(owner)):
        object.__setattr__(owner, name, value)
    else:
        owner.__dict__[name] = value


def take_away(owner: Any, name: str) -> None:
    """Delete an attribute, if it is there."""
    if name in kinds.slots_of(type(owner)):
        if hasattr(owner, name):
            object.__delattr__(owner, name)
    else:
        owner.__dict__.pop(name, None)


def thaw_places(
    frozen: Mapping[str, Any], places: Mapping[str, Place], roots: Sequence[Any], memory: WalkMemory
) -> None:
    """Put frozen values back to where they were, whole or in part."""
    if unknown := [name for name in frozen if name not in places]:
        close = difflib.get_close_matches(unknown[0], places, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"it has {', '.join(sorted(places)) or 'none'}."
        raise EnvwrightError(f"The state of {type(roots[0]).__name__} has no attribute `{unknown[0]}`; {hint}")
    thawer = _Thawer(memory, roots, places)
    made = {}
    for name, plain in frozen.items():
        owner, attribute = places[name]
        made[name] = _NOTHING if is_absent(plain) else thawer.build(plain, name, getattr(owner, attribute, None))
    for name, value in made.items():
        owner, attribute = places[name]
        if value is _NOTHING:
            take_away(owner, attribute)
        else:
            put(owner, attribute, value)


def thaw(value: Any, frozen: Mapping[str, Any], memory: WalkMemory | None = None) -> None:
    """Put what `freeze` gave back into the object, whole or in part."""
    names = dict.fromkeys([*frozen, *(name for name, _ in attributes(value))])
    thaw_places(frozen, {name: Place(value, name) for name in names}, [value], memory or WalkMemory())
