"""Objects that are created at run time: their attributes, methods and construction.

Such an object is a record (`Keyed`) at an abstract location, until it is put into a list of the state; from then on it
is an index into an arena (`ir/object_arena.py`).
"""

import dataclasses
import inspect
import types
from dataclasses import replace
from typing import Any

from envwright.compiler.ir import object_arena
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.values import Value, as_array, described
from envwright.compiler.refusal import RefusedError


def seen(frame: CallFrame, base: Value) -> Value:
    """The object of the original that a new object has replaced."""
    content = frame.memory.locs.get(base.loc) if isinstance(base, ir.Ref) else None
    known = isinstance(content, ir.Static) and not isinstance(content.value, list | dict | tuple)
    return content if known and isinstance(content, ir.Static) else base


def class_of(frame: CallFrame, content: Value) -> Any:
    """The class of an object that is created at run time."""
    if isinstance(content, ir.Keyed):
        return content.made
    arena = object_arena.arena_of(frame.memory, content)
    return None if arena is None else arena.made


def is_one_of_two(frame: CallFrame, base: Value) -> bool:
    """Whether it may be one of two objects without an index."""
    if isinstance(base, ir.Either):
        return any(is_one_of_two(frame, side) or holds_object(frame, side) for side in (base.yes, base.no))
    return False


def holds_object(frame: CallFrame, base: Value) -> bool:
    content = frame.memory.locs.get(base.loc) if isinstance(base, ir.Ref) else None
    return isinstance(content, ir.Keyed) and bool(content.made)


def get(frame: CallFrame, base: Value, content: Value, name: str) -> Value:
    """`base.name`: an attribute of the object or of its class."""
    if isinstance(content, ir.Keyed) and name in content.items:
        return content.items[name]
    arena = object_arena.arena_of(frame.memory, content)
    if arena is not None and name in arena.columns and arena.made is not dict:
        assert isinstance(content, ir.Array)
        return object_arena.get(frame.memory, content, name)
    made = class_of(frame, content)
    if issubclass(made, tuple) and arena is not None and name in ("_replace", "_asdict"):
        return ir.BoundMethod(object_arena.opened(frame.memory, content), name)
    if made is dict:
        raise RefusedError(f"the method {name} of a dict in a list is not supported")
    return of_class(frame, made, base, name)


def of_class(frame: CallFrame, made: Any, base: Value, name: str) -> Value:
    """An attribute or method of the class."""
    raw = inspect.getattr_static(made, name, None)
    if isinstance(raw, property) and raw.fget is not None:
        return frame.program.call(frame, ir.Static(raw.fget), [base], {}, None)
    if isinstance(raw, types.FunctionType) or raw is object.__init__:
        return ir.Method(raw, base)
    if raw is None:
        raise RefusedError(f"an object of the class {made.__name__} has no attribute {name}")
    return ir.Static(getattr(made, name))


def key_of(frame: CallFrame, arena: object_arena.ObjectArena, base: Value, where: tuple[Value, ...]) -> Value:
    """`thing[key]`, of a dict in a list."""
    key = where[0]
    if issubclass(arena.made, tuple):
        return read(frame.memory, object_arena.opened(frame.memory, frame.memory.see(base)), where)
    if arena.made is not dict or len(where) != 1 or not isinstance(key, ir.Static) or key.value not in arena.columns:
        raise RefusedError("an object in a list is indexed by a key that it never had")
    return object_arena.get(frame.memory, as_array(frame.memory.see(base)), key.value)


def store(frame: CallFrame, base: Value, name: str, value: Value) -> None:
    """`base.name = value`."""
    content = frame.memory.see(base)
    if isinstance(content, ir.Maybe) and object_arena.arena_of(frame.memory, content.value) is not None:
        base = content = content.value  # were it None, Python would stop here
    made = class_of(frame, content)
    if made is None or made is dict:
        raise RefusedError(f"an attribute of {described(content)} is set")
    raw = inspect.getattr_static(made, name, None)
    if isinstance(raw, property):
        if raw.fset is None:
            raise RefusedError(f"{name} is a property without a setter")
        frame.program.call(frame, ir.Static(raw.fset), [base, value], {}, None)
        return
    if isinstance(content, ir.Array):
        object_arena.put(frame, content, name, value)
        return
    assert isinstance(content, ir.Keyed)
    if not isinstance(base, ir.Ref) or content.shared:
        raise RefusedError("an attribute of an object that may be one of two is set")
    frame.memory.locs[base.loc] = replace(content, items={**content.items, name: frame.memory.hold(value)})


def make(frame: CallFrame, made: Any, arguments: list[Value], options: dict[str, Value]) -> Value:
    """A new object."""
    own_start, name = made.__init__, made.__name__
    if dataclasses.is_dataclass(made) and _is_generated(made):
        ref = frame.memory.hold(ir.Keyed(_fields(frame, made, arguments, options), made=made))
        if hasattr(made, "__post_init__"):
            frame.program.call(frame, ir.Static(made.__post_init__), [ref], {}, None)  # pyright: ignore
        return ref
    if not isinstance(own_start, types.FunctionType):
        raise RefusedError(f"an object of the class {name} is created at run time")
    ref = frame.memory.hold(ir.Keyed({}, made=made))
    frame.program.call(frame, ir.Static(own_start), [ref, *arguments], options, None)
    return ref


def _is_generated(made: Any) -> bool:
    """Whether a dataclass has a generated `__init__`."""
    return made.__dataclass_params__.init and "__init__" in vars(made)


def _fields(frame: CallFrame, made: Any, arguments: list[Value], options: dict[str, Value]) -> dict[Any, Value]:
    """The initial fields of a dataclass object."""
    parts: dict[Any, Value] = {}
    given = list(arguments)
    for part in dataclasses.fields(made):
        if given and part.init and not part.kw_only:
            parts[part.name] = given.pop(0)
        elif part.name in options:
            parts[part.name] = options[part.name]
        elif part.default is not dataclasses.MISSING:
            parts[part.name] = ir.Static(part.default)
        elif part.default_factory is not dataclasses.MISSING:
            parts[part.name] = frame.memory.hold(ir.Static(part.default_factory()))
        elif part.init:
            raise RefusedError(f"{made.__name__} lacks its field {part.name}")
    return {name: frame.memory.hold(value) for name, value in parts.items()}
