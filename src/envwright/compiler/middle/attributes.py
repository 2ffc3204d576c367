"""Attributes: of the original's objects, which are state or configuration, and of values."""

import enum
import inspect
import random
import types
from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from envwright.compiler.ir import heaps, picking, tables
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import is_number
from envwright.compiler.ir.lists import counted, extent
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.values import (
    NONE,
    Array,
    Bound,
    Counted,
    Either,
    Gathered,
    Items,
    Keyed,
    Making,
    Masked,
    Maybe,
    Members,
    Picked,
    Ref,
    Rows,
    Shelf,
    Static,
    Tally,
    Unknown,
    Value,
    as_array,
    is_function,
    plain_enum,
    told,
)
from envwright.compiler.middle import growth, made_things
from envwright.compiler.middle.fitting import fit
from envwright.compiler.middle.parts import meant, under
from envwright.compiler.middle.state_parts import cases_of, content_of, in_each, store_parts, unlike
from envwright.compiler.refusal import RefusedError

RANDOM = (np.random.Generator, np.random.RandomState, random.Random)
PLAIN_WRAPPERS = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")


def lift(frame: Frame, value: Any, name: str = "") -> Value:
    """A value of the original's that is known; numbers of its configuration keep their names."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_ | enum.Enum)
    if number and name and (isinstance(value, float) or abs(value) not in (0, 1, 2)):
        return Static(value, frame.program.number(name, value))
    return Static(value)


def get(frame: Frame, base: Value, name: str) -> Value:
    """`base.name`."""
    base = meant(base)
    if isinstance(base, Either) and made_things.is_one_of_two(frame, base):
        return under(frame, base.when, *(partial(get, frame, side, name) for side in (base.yes, base.no)))
    if (cases := cases_of(frame, base)) is not None:
        return in_each(frame, cases, lambda option: get(frame, option, name))
    if not isinstance(base, Static):
        return _of_value(frame, base, name)
    plain = np.ndarray | np.generic | list | dict | set | frozenset | str | bytes | tuple | deque
    if (isinstance(base.value, plain) or type(base.value) in (int, float, bool)) and callable(
        getattr(base.value, name, None)
    ):
        return Bound(base, name)
    return of_object(frame, base.value, name)


def of_object(frame: Frame, owner: Any, name: str) -> Value:
    """An attribute of an object: of the state, or known."""
    owner = behind(owner)
    key = (id(_home(frame, owner, name)), name)
    if key in frame.program.ignored:
        frame.program.read.add(key)
        frame.writer.passing |= key in frame.program.passing
    if key in frame.memory.attributes:
        return frame.memory.attributes[key]
    if isinstance(owner, _Super | _SuperOfMade):
        return owner.get(frame, name)
    if isinstance(owner, RANDOM) or (
        isinstance(owner, types.ModuleType) and owner.__name__ in ("numpy.random", "random")
    ):
        return Bound(Static(owner), name)
    raw = inspect.getattr_static(owner, name, None)
    if isinstance(raw, property) and raw.fget is not None:
        if any(isinstance(v, RANDOM) for v in (getattr(owner, f"_{name}", None),)):
            return Static(getattr(owner, name))
        return frame.program.call(frame, Static(types.MethodType(raw.fget, owner)), [], {}, None)
    if key in frame.program.slots:
        raise RefusedError(f"{name} is read before a reset gives it a value")
    try:
        value = getattr(owner, name)
    except AttributeError:
        raise RefusedError(f"{type(owner).__name__} has no attribute {name}") from None
    if isinstance(owner, types.ModuleType) or isinstance(value, types.MethodType | types.FunctionType | type):
        return (
            Static(value)
            if not is_number(value) or (isinstance(owner, types.ModuleType) and owner.__name__ in ("numpy", "math"))
            else lift(frame, value, name)
        )
    if isinstance(value, enum.Enum):
        return Static(value)
    if isinstance(value, np.ndarray | list | dict | deque) and not isinstance(value, types.ModuleType):
        return _constant_cell(frame, owner, name, value)
    return lift(frame, value, name)


def _home(frame: Frame, owner: Any, name: str) -> Any:
    """Where an attribute of the state lies: in an object, or in its class, for all objects of it."""
    if name in getattr(owner, "__dict__", ()):
        return owner
    return next((cls for cls in type(owner).__mro__ if (id(cls), name) in frame.program.slots), owner)


def _constant_cell(frame: Frame, owner: Any, name: str, value: Any) -> Value:
    """A known list or array: the same cell each time, so that a change of it is seen."""
    cell = frame.program.cache.setdefault(("cell", id(value)), -1 - len(frame.program.cache))
    frame.program.cache["dict", cell] = id(value)
    frame.program.born[cell] = partial(content_of, value)
    if cell not in frame.memory.cells:
        frame.memory.cells[cell] = content_of(value, frame.memory)
    return Ref(cell)


def behind(owner: Any) -> Any:
    """Wrappers that only count steps and check calls are looked through."""
    while type(owner).__name__ in PLAIN_WRAPPERS and hasattr(owner, "env"):
        owner = owner.env
    return owner


def store(frame: Frame, base: Value, name: str, value: Value) -> None:
    """`base.name = value`."""
    base = made_things.seen(frame, base)
    if (cases := cases_of(frame, base)) is not None:
        in_each(frame, cases, lambda option: _stored(frame, option, name, value))
        return
    if not isinstance(base, Static):
        made_things.store(frame, base, name, value)
        return
    owner = behind(base.value)
    key = (id(owner), name)
    slot = frame.program.slots.get(key)
    if isinstance(value, Making):
        _make(frame, getattr(owner, name, None), value)
        return
    raw = inspect.getattr_static(type(owner), name, None)
    if isinstance(raw, property) and slot is None:
        if raw.fset is None:
            raise RefusedError(f"{name} is a property without a setter")
        frame.program.call(frame, Static(types.MethodType(raw.fset, owner)), [value], {}, None)
        return
    if slot is not None:
        value = heaps.opened(frame.memory, value)
        growth.note_new(frame, key, value)
        fitted = fit(frame, slot, value)
        if (slot.is_list or slot.form in ("rows", "flags", "letters", "keyed")) and isinstance(value, Ref):
            frame.memory.cells[value.cell] = fitted
            frame.memory.attributes[key] = value
            return
        if isinstance(fitted, Static) and is_number(fitted.value):
            flow(frame, fitted.value)
        frame.memory.attributes[key] = frame.memory.hold(fitted)
        return
    if store_parts(frame, getattr(owner, name, None), name, value):
        if isinstance(frame.memory.attributes.get(key), Unknown):  # what it was before does not matter any more
            del frame.memory.attributes[key]
        return
    differs = _differs(owner, name, value)
    if key not in frame.program.ignored and differs:
        frame.memory.attributes[key] = Unknown(frame.placed(RefusedError(
            f"{name} is written, but was never seen to change in the games played, so it is not in the contract"
        )))  # fmt: skip
        return
    if key in frame.program.ignored:
        frame.program.written |= {key} if differs else set()
        frame.memory.attributes[key] = frame.memory.hold(value)


def _stored(frame: Frame, base: Value, name: str, value: Value) -> Value:
    store(frame, base, name, value)
    return NONE


def _make(frame: Frame, live: Any, value: Making) -> None:
    """A new object takes the place of the one that is there: it is made anew, by its class's own rules."""
    if type(live) is not value.made:
        raise RefusedError(f"an object of the class {value.made.__name__} takes the place of another one's")
    start = types.MethodType(value.made.__init__, live)
    frame.program.call(frame, Static(start), list(value.arguments), value.options, None)


def flow(frame: Frame, value: Any) -> None:
    """Note that a constant becomes a value of the game."""
    if isinstance(value, float | np.floating):
        frame.program.flowing.add(float(value))


def _differs(owner: Any, name: str, value: Value) -> bool:
    """Whether what is stored may be something else than what the object has."""
    return not hasattr(owner, name) or unlike(getattr(owner, name), value)


# ---- attributes of values ----

_TURNED = {"T": np.transpose, "flat": np.ravel}  # of arrays: what is written to them is written to the array


def _of_value(frame: Frame, base: Value, name: str) -> Value:
    content = frame.memory.see(base)
    if isinstance(content, Maybe):
        return _of_value(frame, content.value, name)
    if heaps.heap_of(frame.memory, content) is not None:
        return made_things.get(frame, base, content, name)
    if isinstance(content, Picked) and all(_holds(option, name) for option in content.table.flat):
        table = tables.mapped(content.table, lambda option: plain_enum(getattr(option, name)))
        return tables.settle(frame.program, Picked(table, content.index, f"{content.name}_{name}"))
    if isinstance(content, Picked) and name in picking.METHODS:
        return Bound(base, name)
    if isinstance(content, Static) and not (name in _TURNED and isinstance(content.value, np.ndarray)):
        if isinstance(
            content.value, np.ndarray | np.generic | list | dict | set | str | bytes | tuple | deque
        ) and callable(getattr(content.value, name, None)):
            return Bound(base, name)
        return lift(frame, getattr(content.value, name))
    if name in ("shape", "size", "ndim") and isinstance(content, Counted | Masked):
        return extent(counted(content), name)
    if name == "shape":
        return Static(as_array(content).kind.shape)
    if name in ("size", "ndim"):
        shape = as_array(content).kind.shape
        return Static(int(np.prod(shape)) if name == "size" else len(shape))
    if name == "dtype":
        return Static(np.dtype(as_array(content).kind.dtype))
    if name in _TURNED:
        return frame.program.call(frame, Static(_TURNED[name]), [base], {}, None)
    if name in ("value", "real") and isinstance(content, Array):
        return replace(content, member=None)
    if isinstance(content, Array) and content.member is not None and hasattr(next(iter(content.member)), name):
        return _of_member(frame, content, content.member, name)
    if isinstance(content, Array) and name == "name":
        raise RefusedError("the name of something is asked for of which only the number is known")
    if isinstance(content, Items) and name in content.names:
        return content.items[content.names.index(name)]
    if made_things.class_of(frame, content) is not None:
        return made_things.get(frame, base, content, name)
    if isinstance(content, Array | Items | Counted | Masked | Keyed | Rows | Members | Gathered | Tally | Shelf):
        return Bound(base, name)
    raise RefusedError(f"{told(content)} has no attribute {name}")


def _of_member(frame: Frame, value: Array, enumeration: type[enum.Enum], name: str) -> Value:
    """An attribute or method of a member of an enumeration, where only the game knows which: those of all of them."""
    members = list(enumeration)
    held = [get(frame, Static(member), name) for member in members]
    if all(isinstance(one, Static) and not is_function(one) for one in held):
        table = {member.value: one.value for member, one in zip(members, held, strict=True)}  # pyright: ignore
        return tables.pick(frame.program, table, value, f"{enumeration.__name__}_{name}")
    if not all(is_function(one) for one in held):
        raise RefusedError(f"{name} of {enumeration.__name__} is not known before the game is played")
    places = {member.value: i for i, member in enumerate(members)}
    in_order = all(number == place for number, place in places.items())
    which = value if in_order else as_array(tables.pick(frame.program, places, value, enumeration.__name__))
    return tables.function_of(held, which.code)


class _Super:
    """`super()`: the methods of the classes after one in the order of an object's classes."""

    def __init__(self, owner: Any, after: type) -> None:
        self.owner, self.after = owner, after

    def get(self, frame: Frame, name: str) -> Value:
        order = type(self.owner).__mro__
        for cls in order[order.index(self.after) + 1 :]:
            if name in vars(cls):
                found = vars(cls)[name]
                if isinstance(found, types.FunctionType):
                    return Static(types.MethodType(found, self.owner))
                if isinstance(found, property) and found.fget is not None:
                    return frame.program.call(frame, Static(types.MethodType(found.fget, self.owner)), [], {}, None)
                if isinstance(found, staticmethod | classmethod):
                    return Static(found.__get__(self.owner, type(self.owner)))
                return of_object(frame, self.owner, name)
        raise RefusedError(f"super() has no {name}")


class _SuperOfMade:
    """`super()` in a method of an object that was made in the game."""

    def __init__(self, owner: Value, made: type, after: type) -> None:
        self.owner, self.made, self.after = owner, made, after

    def get(self, frame: Frame, name: str) -> Value:
        order = self.made.__mro__
        for cls in order[order.index(self.after) + 1 :]:
            if name in vars(cls):
                return made_things.of_class(frame, cls, self.owner, name)
        raise RefusedError(f"super() has no {name}")


def _holds(option: Any, name: str) -> bool:
    """Whether something known has an attribute that is not a method."""
    return hasattr(option, name) and not callable(getattr(option, name))


def superclass(frame: Frame, arguments: list[Value]) -> Value:
    owner = next((v for v in frame.memory.names.values()), None)
    if owner is not None and frame.owner is not None and not arguments:
        owner = made_things.seen(frame, owner)
        if (cls := made_things.class_of(frame, frame.memory.see(owner))) is not None:
            return Static(_SuperOfMade(owner, cls, frame.owner))
    if len(arguments) == 2:
        return Static(_Super(known(arguments[1]), known(arguments[0])))
    if not isinstance(owner, Static) or frame.owner is None:
        raise RefusedError("super() outside of a method")
    return Static(_Super(owner.value, frame.owner))
