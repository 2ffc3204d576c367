"""Methods of lists, arrays, dicts and random generators."""

import random
import types
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code, counter_dict, object_arena, table_functions
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import FLOAT, INT
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.operators import contains
from envwright.compiler.ir.set_algebra import is_set
from envwright.compiler.ir.store import known
from envwright.compiler.ir.strings import into
from envwright.compiler.ir.values import Value, as_array, cast, described
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle import draws, numpy_calls, numpy_special
from envwright.compiler.middle.array_views import rearranged
from envwright.compiler.middle.dict_methods import call_dict
from envwright.compiler.middle.fixed_key_dict_methods import call_fixed_key_dict
from envwright.compiler.middle.list_methods import LISTS, sort
from envwright.compiler.middle.nested_state import stay_in_place
from envwright.compiler.middle.parts import copied, under
from envwright.compiler.middle.set_methods import SETS, algebra
from envwright.compiler.refusal import RefusedError

_MAKE_ARRAYS = {
    "sum", "prod", "mean", "min", "max", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "round", "clip", "dot",
    "ravel", "flatten", "reshape", "transpose", "std", "var", "repeat", "squeeze", "swapaxes", "argsort", "nonzero",
    "trace", "diagonal", "take",
}  # fmt: skip

_CHANGES = {
    "append", "pop", "remove", "clear", "extend", "insert", "sort", "reverse", "fill", "update", "add", "discard",
    "popleft", "appendleft", "setdefault", "popitem", "difference_update", "intersection_update",
    "symmetric_difference_update",
}  # fmt: skip


def call_method(frame: CallFrame, bound: ir.BoundMethod, arguments: list[Value], options: dict[str, Value]) -> Value:
    """`base.name(...)`."""
    base, name = bound.base, bound.name
    if isinstance(base, ir.Static) and _is_rng(base.value):
        return _draw(frame, base.value, name, arguments, options)
    if name in LISTS and name not in ("index", "count"):
        stay_in_place(frame, base)
    if isinstance(base, ir.Either) and (name in LISTS or name in _CHANGES):
        sides = (
            (lambda: call_method(frame, ir.BoundMethod(base.yes, name), arguments, options)),
            (lambda: call_method(frame, ir.BoundMethod(base.no, name), arguments, options)),
        )
        return under(frame, base.when, *sides)
    content = frame.memory.see(base)
    if name in ("reshape", "transpose") and len(arguments) > 1:
        arguments = [ir.Static(tuple(known(frame.memory.deep(a)) for a in arguments))]
    if isinstance(content, ir.Static) and (view := rearranged(frame, name, [base, *arguments], options)):
        return view
    if isinstance(content, ir.Static) and _can_be_known(frame, content, name, arguments, options):
        return _known(frame, content, name, arguments, options)
    if isinstance(content, ir.Picked) and name in table_functions.METHODS and not options:
        given = [content, *(frame.memory.deep(a) for a in arguments)]
        call = lambda one, *rest: getattr(one, name)(*rest)  # noqa: E731
        if (made := table_functions.applied(frame.program, call, given, name)) is not None:
            return made
    if name == "__contains__" and len(arguments) == 1:
        return contains(frame, content, frame.memory.deep(arguments[0]))
    if isinstance(content, ir.CounterDict):
        return counter_dict.ask(frame, content, name, arguments)
    if isinstance(content, ir.FixedKeyDict):
        return call_fixed_key_dict(frame, base, content, name, arguments)
    if isinstance(content, ir.Members) and name in SETS:
        return SETS[name](frame, base, content, arguments)
    if is_set(content) and (made := algebra(frame, base, content, name, arguments)) is not None:
        return made
    if isinstance(content, ir.Keyed) or (isinstance(content, ir.Static) and isinstance(content.value, dict)):
        return call_dict(frame, base, content, name, arguments)
    if name in LISTS and not (isinstance(content, ir.Array) and not content.listed):
        return LISTS[name](frame, base, content, arguments, options)
    if name == "copy":
        return copied(frame, base)
    if isinstance(content, ir.Items) and name == "_replace":
        changed = (options.get(n, v) for n, v in zip(content.names, content.items, strict=True))
        return replace(content, items=tuple(changed))
    if isinstance(content, ir.Items) and name == "_asdict":
        return ir.Keyed(dict(zip(content.names, content.items, strict=True)))
    if (
        isinstance(content, ir.Items)
        and len(content.items) == 1
        and isinstance(content.items[0], ir.Counted | ir.Masked)
    ):
        content = counted(content.items[0])  # an array of one row of changing length
        if name in ("reshape", "ravel", "flatten", "squeeze"):
            return content
    if name == "item" and isinstance(content, ir.Counted):
        return read(frame.memory, content, (ir.Static(0),))
    if name == "tolist":
        array = as_array(content) if not isinstance(content, ir.Counted) else content
        return replace(_as_python(array), listed=True) if isinstance(array, ir.Array) else array
    if name == "item":
        return _as_python(_item(as_array(content), arguments))
    if name == "astype":
        return numpy_special.astype(content, arguments[0] if arguments else options["dtype"])
    if name == "fill":
        array = as_array(content)
        value = into(array.kind.letters, arguments[0]) if array.kind.letters else as_array(arguments[0])
        set_content(frame, base, _filled(array, value))
        return ir.Static(None)
    if name == "sort":
        return sort(frame, base, content, arguments, options)
    if name == "flatten":
        base = frame.memory.deep(base)  # a copy
    if name in _MAKE_ARRAYS:
        return numpy_calls.call_numpy(frame, {"flatten": "ravel"}.get(name, name), [base, *arguments], options)
    raise RefusedError(f"the method {name} of {described(content)} is not supported")


def _is_rng(value: Any) -> bool:
    kinds = (np.random.Generator, np.random.RandomState, random.Random)
    return isinstance(value, kinds) or (
        isinstance(value, types.ModuleType) and value.__name__ in ("numpy.random", "random")
    )


def _draw(frame: CallFrame, source: Any, name: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    python = isinstance(source, random.Random) or (isinstance(source, types.ModuleType) and source.__name__ == "random")
    if name in ("shuffle", "sample") and arguments:
        arguments = [object_arena.number_all(frame, arguments[0]), *arguments[1:]]
    value = draws.draw(frame, f"{name}_python" if python and name in draws.OF_PYTHON else name, arguments, options)
    if name == "shuffle":
        stay_in_place(frame, arguments[0])
        before = frame.memory.see(arguments[0])
        if isinstance(before, ir.Counted):
            value = value if isinstance(value, ir.Counted) else replace(as_array(value), listed=before.array.listed)
            value = counted(value, before.room)
        set_content(frame, arguments[0], value)
        return ir.Static(None)
    return value


def _can_be_known(
    frame: CallFrame, content: ir.Static, name: str, arguments: list[Value], options: dict[str, Value]
) -> bool:
    if name in _CHANGES | {"copy"} and not isinstance(content.value, str):
        return name == "copy" and not isinstance(content.value, list | dict | np.ndarray | deque)
    try:
        for value in (*arguments, *options.values()):
            known(frame.memory.deep(value))
    except RefusedError:
        return False
    return True


def _known(frame: CallFrame, content: ir.Static, name: str, arguments: list[Value], options: dict[str, Value]) -> Value:
    given = [known(frame.memory.deep(a)) for a in arguments]
    named = {key: known(frame.memory.deep(v)) for key, v in options.items()}
    return ir.Static(fold(name, getattr(content.value, name), *given, **named))


def _as_python(array: ir.Array) -> ir.Array:
    """Numbers as Python has them, which do not overflow as those of a small type do."""
    if array.kind.of or array.kind.is_bool:
        return array
    return cast(array, FLOAT if array.kind.is_float else INT)


def _item(array: ir.Array, arguments: list[Value]) -> ir.Array:
    if arguments:
        return read_flat(array, arguments)
    if array.kind.shape == ():
        return array
    if int(np.prod(array.kind.shape)) != 1:
        raise RefusedError("item() of an array with several elements")
    return ir.Array(code.method(array.code, "reshape", code.const(())), array.kind.shaped())


def read_flat(array: ir.Array, arguments: list[Value]) -> ir.Array:
    where = as_array(arguments[0])
    flat = code.method(array.code, "ravel") if len(array.kind.shape) > 1 else array.code
    return ir.Array(code.index(flat, where.code), array.kind.shaped())


def _filled(array: ir.Array, value: ir.Array) -> ir.Array:
    return ir.Array(code.call("jnp.full_like", array.code, value.code), array.kind)
