"""Objects that are made in the game: what they hold, their methods, and how they are made.

One is known by what it holds (`Keyed`), behind a reference that all its names share, until it gets into a list of the
state; from then on it is a number in a heap (`ir/heaps.py`).
"""

import dataclasses
import inspect
import types
from dataclasses import replace
from typing import Any

from envwright.compiler.ir import heaps
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.values import Array, Bound, Either, Keyed, Maybe, Method, Ref, Static, Value, as_array, told
from envwright.compiler.refusal import RefusedError


def seen(frame: Frame, base: Value) -> Value:
    """An object of the original's behind a name that was given to a new one, which has taken its place."""
    content = frame.memory.cells.get(base.cell) if isinstance(base, Ref) else None
    known = isinstance(content, Static) and not isinstance(content.value, list | dict | tuple)
    return content if known and isinstance(content, Static) else base


def class_of(frame: Frame, content: Value) -> Any:
    """The class of an object that is made in the game."""
    if isinstance(content, Keyed):
        return content.made
    heap = heaps.heap_of(frame.memory, content)
    return None if heap is None else heap.made


def is_one_of_two(frame: Frame, base: Value) -> bool:
    """Whether a name means one of two objects that have no numbers yet."""
    if isinstance(base, Either):
        return any(is_one_of_two(frame, side) or holds_object(frame, side) for side in (base.yes, base.no))
    return False


def holds_object(frame: Frame, base: Value) -> bool:
    content = frame.memory.cells.get(base.cell) if isinstance(base, Ref) else None
    return isinstance(content, Keyed) and bool(content.made)


def get(frame: Frame, base: Value, content: Value, name: str) -> Value:
    """`base.name`: what it holds, or what its class has."""
    if isinstance(content, Keyed) and name in content.items:
        return content.items[name]
    heap = heaps.heap_of(frame.memory, content)
    if heap is not None and name in heap.columns and heap.made is not dict:
        assert isinstance(content, Array)
        return heaps.get(frame.memory, content, name)
    made = class_of(frame, content)
    if issubclass(made, tuple) and heap is not None and name in ("_replace", "_asdict"):
        return Bound(heaps.opened(frame.memory, content), name)
    if made is dict:
        raise RefusedError(f"the method {name} of a dict in a list is not covered")
    return of_class(frame, made, base, name)


def of_class(frame: Frame, made: Any, base: Value, name: str) -> Value:
    """An attribute or method of a class, for an object of it."""
    raw = inspect.getattr_static(made, name, None)
    if isinstance(raw, property) and raw.fget is not None:
        return frame.program.call(frame, Static(raw.fget), [base], {}, None)
    if isinstance(raw, types.FunctionType) or raw is object.__init__:
        return Method(raw, base)
    if raw is None:
        raise RefusedError(f"an object of the class {made.__name__} has no attribute {name}")
    return Static(getattr(made, name))


def key_of(frame: Frame, heap: heaps.Heap, base: Value, where: tuple[Value, ...]) -> Value:
    """`thing[key]`, of a dict in a list."""
    key = where[0]
    if issubclass(heap.made, tuple):
        return read(frame.memory, heaps.opened(frame.memory, frame.memory.see(base)), where)
    if heap.made is not dict or len(where) != 1 or not isinstance(key, Static) or key.value not in heap.columns:
        raise RefusedError("an object in a list is indexed by what it was not seen to hold")
    return heaps.get(frame.memory, as_array(frame.memory.see(base)), key.value)


def store(frame: Frame, base: Value, name: str, value: Value) -> None:
    """`base.name = value`."""
    content = frame.memory.see(base)
    if isinstance(content, Maybe) and heaps.heap_of(frame.memory, content.value) is not None:
        base = content = content.value  # were it None, Python would stop here
    made = class_of(frame, content)
    if made is None or made is dict:
        raise RefusedError(f"an attribute of {told(content)} is set")
    raw = inspect.getattr_static(made, name, None)
    if isinstance(raw, property):
        if raw.fset is None:
            raise RefusedError(f"{name} is a property without a setter")
        frame.program.call(frame, Static(raw.fset), [base, value], {}, None)
        return
    if isinstance(content, Array):
        heaps.put(frame, content, name, value)
        return
    assert isinstance(content, Keyed)
    if not isinstance(base, Ref) or content.shared:
        raise RefusedError("an attribute is set of an object that may be one of two")
    frame.memory.cells[base.cell] = replace(content, items={**content.items, name: frame.memory.hold(value)})


def make(frame: Frame, made: Any, arguments: list[Value], options: dict[str, Value]) -> Value:
    """A new object, by the rules of its class."""
    own_start, name = made.__init__, made.__name__
    if dataclasses.is_dataclass(made) and _is_generated(made):
        ref = frame.memory.hold(Keyed(_fields(frame, made, arguments, options), made=made))
        if hasattr(made, "__post_init__"):
            frame.program.call(frame, Static(made.__post_init__), [ref], {}, None)  # pyright: ignore
        return ref
    if not isinstance(own_start, types.FunctionType):
        raise RefusedError(f"an object of the class {name} is made in the middle of the game")
    ref = frame.memory.hold(Keyed({}, made=made))
    frame.program.call(frame, Static(own_start), [ref, *arguments], options, None)
    return ref


def _is_generated(made: Any) -> bool:
    """Whether a dataclass has the start that Python writes for it."""
    return made.__dataclass_params__.init and "__init__" in vars(made)


def _fields(frame: Frame, made: Any, arguments: list[Value], options: dict[str, Value]) -> dict[Any, Value]:
    """What an object of a dataclass holds at first."""
    parts: dict[Any, Value] = {}
    given = list(arguments)
    for part in dataclasses.fields(made):
        if given and part.init and not part.kw_only:
            parts[part.name] = given.pop(0)
        elif part.name in options:
            parts[part.name] = options[part.name]
        elif part.default is not dataclasses.MISSING:
            parts[part.name] = Static(part.default)
        elif part.default_factory is not dataclasses.MISSING:
            parts[part.name] = frame.memory.hold(Static(part.default_factory()))
        elif part.init:
            raise RefusedError(f"{made.__name__} misses its field {part.name}")
    return {name: frame.memory.hold(value) for name, value in parts.items()}
