"""Attributes: of the original's objects, which are state or configuration, and of abstract values."""

import enum
import inspect
import random
import types
from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from envwright.compiler.ir import object_arena, table_functions, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import is_number
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import counted, extent
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array, described, is_function, plain_enum
from envwright.compiler.middle import allocated_objects, capacity_check
from envwright.compiler.middle.coercion import fit
from envwright.compiler.middle.nested_state import cases_of, content_of, in_each, store_parts, unlike
from envwright.compiler.middle.parts import under, unwrapped
from envwright.compiler.refusal import RefusedError

RANDOM = (np.random.Generator, np.random.RandomState, random.Random)
PLAIN_WRAPPERS = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")


def lift(frame: CallFrame, value: Any, name: str = "") -> Value:
    """A constant of the original; named numbers keep their names."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_ | enum.Enum)
    if number and name and (isinstance(value, float) or abs(value) not in (0, 1, 2)):
        return ir.Static(value, frame.program.number(name, value))
    return ir.Static(value)


def get(frame: CallFrame, base: Value, name: str) -> Value:
    """`base.name`."""
    base = unwrapped(base)
    if isinstance(base, ir.Either) and allocated_objects.is_one_of_two(frame, base):
        return under(frame, base.when, *(partial(get, frame, side, name) for side in (base.yes, base.no)))
    if (cases := cases_of(frame, base)) is not None:
        return in_each(frame, cases, lambda option: get(frame, option, name))
    if not isinstance(base, ir.Static):
        return _of_value(frame, base, name)
    plain = np.ndarray | np.generic | list | dict | set | frozenset | str | bytes | tuple | deque
    if (isinstance(base.value, plain) or type(base.value) in (int, float, bool)) and callable(
        getattr(base.value, name, None)
    ):
        return ir.BoundMethod(base, name)
    return of_object(frame, base.value, name)


def of_object(frame: CallFrame, owner: Any, name: str) -> Value:
    """An attribute of an object: state, or a constant."""
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
        return ir.BoundMethod(ir.Static(owner), name)
    raw = inspect.getattr_static(owner, name, None)
    if isinstance(raw, property) and raw.fget is not None:
        if any(isinstance(v, RANDOM) for v in (getattr(owner, f"_{name}", None),)):
            return ir.Static(getattr(owner, name))
        return frame.program.call(frame, ir.Static(types.MethodType(raw.fget, owner)), [], {}, None)
    if key in frame.program.slots:
        raise RefusedError(f"{name} is read before a reset assigns it")
    try:
        value = getattr(owner, name)
    except AttributeError:
        raise RefusedError(f"{type(owner).__name__} has no attribute {name}") from None
    if isinstance(owner, types.ModuleType) or isinstance(value, types.MethodType | types.FunctionType | type):
        return (
            ir.Static(value)
            if not is_number(value) or (isinstance(owner, types.ModuleType) and owner.__name__ in ("numpy", "math"))
            else lift(frame, value, name)
        )
    if isinstance(value, enum.Enum):
        return ir.Static(value)
    if isinstance(value, np.ndarray | list | dict | deque) and not isinstance(value, types.ModuleType):
        return _constant_loc(frame, value)
    return lift(frame, value, name)


def _home(frame: CallFrame, owner: Any, name: str) -> Any:
    """The object that holds an attribute of the state: the instance or its class."""
    if name in getattr(owner, "__dict__", ()):
        return owner
    return next((cls for cls in type(owner).__mro__ if (id(cls), name) in frame.program.slots), owner)


def _constant_loc(frame: CallFrame, value: Any) -> Value:
    """A constant list or array, at the same location each time, so that mutations are seen."""
    loc = frame.program.cache.setdefault(("cell", id(value)), -1 - len(frame.program.cache))
    frame.program.cache["dict", loc] = id(value)
    frame.program.born[loc] = partial(content_of, value)
    if loc not in frame.memory.locs:
        frame.memory.locs[loc] = content_of(value, frame.memory)
    return ir.Ref(loc)


def behind(owner: Any) -> Any:
    """The environment inside wrappers that only count steps and check calls."""
    while type(owner).__name__ in PLAIN_WRAPPERS and hasattr(owner, "env"):
        owner = owner.env
    return owner


def store(frame: CallFrame, base: Value, name: str, value: Value) -> None:
    """`base.name = value`."""
    base = allocated_objects.seen(frame, base)
    if (cases := cases_of(frame, base)) is not None:
        in_each(frame, cases, lambda option: _stored(frame, option, name, value))
        return
    if not isinstance(base, ir.Static):
        allocated_objects.store(frame, base, name, value)
        return
    owner = behind(base.value)
    key = (id(owner), name)
    slot = frame.program.slots.get(key)
    if isinstance(value, ir.PendingObject):
        _make(frame, getattr(owner, name, None), value)
        return
    raw = inspect.getattr_static(type(owner), name, None)
    if isinstance(raw, property) and slot is None:
        if raw.fset is None:
            raise RefusedError(f"{name} is a property without a setter")
        frame.program.call(frame, ir.Static(types.MethodType(raw.fset, owner)), [value], {}, None)
        return
    if slot is not None:
        value = object_arena.opened(frame.memory, value)
        capacity_check.note_new(frame, key, value)
        fitted = fit(frame, slot, value)
        if (slot.is_list or slot.form in ("rows", "flags", "letters", "keyed")) and isinstance(value, ir.Ref):
            frame.memory.locs[value.loc] = fitted
            frame.memory.attributes[key] = value
            return
        if isinstance(fitted, ir.Static) and is_number(fitted.value):
            flow(frame, fitted.value)
        frame.memory.attributes[key] = frame.memory.hold(fitted)
        return
    if store_parts(frame, getattr(owner, name, None), name, value):
        if isinstance(frame.memory.attributes.get(key), ir.Unknown):  # what it was before does not matter any more
            del frame.memory.attributes[key]
        return
    differs = _differs(owner, name, value)
    if key not in frame.program.ignored and differs:
        frame.memory.attributes[key] = ir.Unknown(frame.placed(RefusedError(
            f"{name} is written, but never changed in the recorded episodes, so it is not in the contract"
        )))  # fmt: skip
        return
    if key in frame.program.ignored:
        frame.program.written |= {key} if differs else set()
        frame.memory.attributes[key] = frame.memory.hold(value)


def _stored(frame: CallFrame, base: Value, name: str, value: Value) -> Value:
    store(frame, base, name, value)
    return ir.NONE


def _make(frame: CallFrame, live: Any, value: ir.PendingObject) -> None:
    """A new object replaces an existing one: its `__init__` runs on that."""
    if type(live) is not value.made:
        raise RefusedError(f"an object of the class {value.made.__name__} replaces an object of another class")
    start = types.MethodType(value.made.__init__, live)
    frame.program.call(frame, ir.Static(start), list(value.arguments), value.options, None)


def flow(frame: CallFrame, value: Any) -> None:
    """Note that a constant becomes a run-time value."""
    if isinstance(value, float | np.floating):
        frame.program.flowing.add(float(value))


def _differs(owner: Any, name: str, value: Value) -> bool:
    """Whether the stored value may differ from the live one."""
    return not hasattr(owner, name) or unlike(getattr(owner, name), value)


# ---- attributes of values ----

_TURNED = {"T": np.transpose, "flat": np.ravel}  # of arrays: what is written to them is written to the array


def _of_value(frame: CallFrame, base: Value, name: str) -> Value:
    content = frame.memory.see(base)
    if isinstance(content, ir.Maybe):
        return _of_value(frame, content.value, name)
    if object_arena.arena_of(frame.memory, content) is not None:
        return allocated_objects.get(frame, base, content, name)
    if isinstance(content, ir.Picked) and all(_holds(option, name) for option in content.table.flat):
        table = tables.mapped(content.table, lambda option: plain_enum(getattr(option, name)))
        return tables.settle(frame.program, ir.Picked(table, content.index, f"{content.name}_{name}"))
    if isinstance(content, ir.Picked) and name in table_functions.METHODS:
        return ir.BoundMethod(base, name)
    if isinstance(content, ir.Static) and not (name in _TURNED and isinstance(content.value, np.ndarray)):
        if isinstance(
            content.value, np.ndarray | np.generic | list | dict | set | str | bytes | tuple | deque
        ) and callable(getattr(content.value, name, None)):
            return ir.BoundMethod(base, name)
        return lift(frame, getattr(content.value, name))
    if name in ("shape", "size", "ndim") and isinstance(content, ir.Counted | ir.Masked):
        return extent(counted(content), name)
    if name == "shape":
        return ir.Static(as_array(content).kind.shape)
    if name in ("size", "ndim"):
        shape = as_array(content).kind.shape
        return ir.Static(int(np.prod(shape)) if name == "size" else len(shape))
    if name == "dtype":
        return ir.Static(np.dtype(as_array(content).kind.dtype))
    if name in _TURNED:
        return frame.program.call(frame, ir.Static(_TURNED[name]), [base], {}, None)
    if name in ("value", "real") and isinstance(content, ir.Array):
        return replace(content, member=None)
    if isinstance(content, ir.Array) and content.member is not None and hasattr(next(iter(content.member)), name):
        return _of_member(frame, content, content.member, name)
    if isinstance(content, ir.Array) and name == "name":
        raise RefusedError("`name` is read of a value of which only the number is known")
    if isinstance(content, ir.Items) and name in content.names:
        return content.items[content.names.index(name)]
    if allocated_objects.class_of(frame, content) is not None:
        return allocated_objects.get(frame, base, content, name)
    if isinstance(
        content,
        ir.Array
        | ir.Items
        | ir.Counted
        | ir.Masked
        | ir.Keyed
        | ir.Rows
        | ir.Members
        | ir.Gathered
        | ir.CounterDict
        | ir.FixedKeyDict,
    ):
        return ir.BoundMethod(base, name)
    raise RefusedError(f"{described(content)} has no attribute {name}")


def _of_member(frame: CallFrame, value: ir.Array, enumeration: type[enum.Enum], name: str) -> Value:
    """An attribute or method of an enum member that is known only at run time: selected from those of all members."""
    members = list(enumeration)
    held = [get(frame, ir.Static(member), name) for member in members]
    if all(isinstance(one, ir.Static) and not is_function(one) for one in held):
        table = {member.value: one.value for member, one in zip(members, held, strict=True)}  # pyright: ignore
        return tables.pick(frame.program, table, value, f"{enumeration.__name__}_{name}")
    if not all(is_function(one) for one in held):
        raise RefusedError(f"{name} of {enumeration.__name__} is not known at compile time")
    places = {member.value: i for i, member in enumerate(members)}
    in_order = all(number == place for number, place in places.items())
    which = value if in_order else as_array(tables.pick(frame.program, places, value, enumeration.__name__))
    return tables.function_of(held, which.code)


class _Super:
    """`super()`: the rest of the method resolution order."""

    def __init__(self, owner: Any, after: type) -> None:
        self.owner, self.after = owner, after

    def get(self, frame: CallFrame, name: str) -> Value:
        order = type(self.owner).__mro__
        for cls in order[order.index(self.after) + 1 :]:
            if name in vars(cls):
                found = vars(cls)[name]
                if isinstance(found, types.FunctionType):
                    return ir.Static(types.MethodType(found, self.owner))
                if isinstance(found, property) and found.fget is not None:
                    return frame.program.call(frame, ir.Static(types.MethodType(found.fget, self.owner)), [], {}, None)
                if isinstance(found, staticmethod | classmethod):
                    return ir.Static(found.__get__(self.owner, type(self.owner)))
                return of_object(frame, self.owner, name)
        raise RefusedError(f"super() has no {name}")


class _SuperOfMade:
    """`super()` in a method of an object that is created at run time."""

    def __init__(self, owner: Value, made: type, after: type) -> None:
        self.owner, self.made, self.after = owner, made, after

    def get(self, frame: CallFrame, name: str) -> Value:
        order = self.made.__mro__
        for cls in order[order.index(self.after) + 1 :]:
            if name in vars(cls):
                return allocated_objects.of_class(frame, cls, self.owner, name)
        raise RefusedError(f"super() has no {name}")


def _holds(option: Any, name: str) -> bool:
    """Whether a constant has an attribute that is not a method."""
    return hasattr(option, name) and not callable(getattr(option, name))


def superclass(frame: CallFrame, arguments: list[Value]) -> Value:
    owner = next((v for v in frame.memory.names.values()), None)
    if owner is not None and frame.owner is not None and not arguments:
        owner = allocated_objects.seen(frame, owner)
        if (cls := allocated_objects.class_of(frame, frame.memory.see(owner))) is not None:
            return ir.Static(_SuperOfMade(owner, cls, frame.owner))
    if len(arguments) == 2:
        return ir.Static(_Super(known(arguments[1]), known(arguments[0])))
    if not isinstance(owner, ir.Static) or frame.owner is None:
        raise RefusedError("super() outside of a method")
    return ir.Static(_Super(owner.value, frame.owner))
