"""Calls: of Python functions, which are outlined or inlined, and of everything else."""

import ast
import dataclasses
import enum
import inspect
import threading
import types
from collections import Counter, deque
from functools import partial
from typing import Any

import numpy as np

from envwright.compiler.ir import spaces, tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.counter_dict import counter_of
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import items_of
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array, is_function
from envwright.compiler.middle import allocated_objects
from envwright.compiler.middle.builtin_calls import BUILTINS
from envwright.compiler.middle.effects import is_output
from envwright.compiler.middle.emitting import emit_function
from envwright.compiler.middle.generators import check_alone, is_taken
from envwright.compiler.middle.inlining import Callee, callee_of, read_inline
from envwright.compiler.middle.methods import call_method
from envwright.compiler.middle.numpy_calls import call_numpy
from envwright.compiler.middle.numpy_special import astype
from envwright.compiler.middle.parts import under
from envwright.compiler.middle.recursion_analysis import without_recursion
from envwright.compiler.middle.slices import slice_object
from envwright.compiler.refusal import RefusedError

MOST_CALLS, DEEPEST = 256, 24  # of a function that calls itself


def call(
    frame: CallFrame,
    function: Value,
    arguments: list[Value],
    options: dict[str, Value],
    node: ast.AST | None,
    hints: tuple[str, ...] = (),
) -> Value:
    """`function(*arguments, **options)`."""
    function = (
        function
        if isinstance(function, ir.Closure | ir.BoundMethod | ir.FunctionChoice | ir.Method)
        else frame.memory.see(function)
    )
    if isinstance(function, ir.Picked):
        function = _one_of(function)
    if isinstance(function, ir.FunctionChoice):
        yes, no = (partial(call, frame, one, arguments, options, node, hints) for one in (function.yes, function.no))
        return under(frame, function.when, yes, no)
    if isinstance(function, ir.Method):
        if function.function is object.__init__:
            return ir.NONE
        return _own(frame, function.function, [function.owner, *arguments], options, hints, node)
    if isinstance(function, ir.BoundMethod):
        return call_method(frame, function, arguments, options)
    if isinstance(function, ir.Closure):
        return read_inline(frame, without_recursion(frame, _closure(function), None, arguments), arguments, options)
    if not isinstance(function, ir.Static):
        raise RefusedError("the callee is not known at compile time")
    found = function.value
    if (special := _builtin(found)) is not None:
        return special(frame, arguments, options)
    if isinstance(found, types.FunctionType | types.MethodType):
        return _own(frame, found, arguments, options, hints, node)
    if isinstance(found, type):
        return _class(frame, found, arguments, options, node is not None and node is frame.direct)
    raise RefusedError(_why_not(found))


def _one_of(picked: ir.Picked) -> Value:
    """A function that is picked from a table at run time."""
    options = [ir.Static(option) for option in picked.table.flat]
    if picked.table.ndim != 1 or not all(is_function(option) for option in options):
        raise RefusedError("the callee is not known at compile time")
    return tables.function_of(options, picked.index[0])


def _builtin(found: Any) -> Any:
    try:
        if found in BUILTINS:
            return BUILTINS[found]
    except TypeError:  # not hashable, so none of them
        return None
    module = getattr(found, "__module__", "") or ""
    name = getattr(found, "__name__", "")
    if isinstance(found, np.ufunc) or (
        module.partition(".")[0] == "numpy" and not isinstance(found, type) and hasattr(np, name)
    ):
        return lambda frame, arguments, options: call_numpy(frame, name, arguments, options)
    if module.startswith("numpy.linalg") or getattr(np.linalg, name, None) is found:
        return lambda frame, arguments, options: call_numpy(frame, name, arguments, options)
    if is_output(found):
        return lambda frame, arguments, options: ir.NONE
    return None


def _own(
    frame: CallFrame,
    found: Any,
    arguments: list[Value],
    options: dict[str, Value],
    hints: tuple[str, ...],
    node: ast.AST | None,
) -> Value:
    """A Python function of the original, or of a library."""
    function = inspect.unwrap(found)
    given = list(arguments)
    if isinstance(found, types.MethodType):
        given = [ir.Static(found.__self__), *given]
        function = inspect.unwrap(found.__func__)
    if not isinstance(function, types.FunctionType):
        raise RefusedError(_why_not(function))
    if (space := spaces.asks(found)) is not None:
        return spaces.holds(space, frame.memory.deep(given[1]))
    if _is_base_reset(function):
        return ir.Items((ir.NONE, ir.Static({})))
    generator = is_taken(frame, function, node)
    callee = without_recursion(frame, callee_of(function), function, given)
    if function.__code__ in frame.calling and not _ends(frame, function, given[1:] if found is not function else given):
        raise RefusedError(f"{function.__qualname__} is recursive, which is not supported")
    if generator:
        before = frame.memory.copy()
        found = read_inline(frame, callee, given, options)
        check_alone(function.__qualname__, before, frame.memory)
        return found
    return emit_function(frame, callee, given, options, hints)


def _ends(frame: CallFrame, function: types.FunctionType, given: list[Value]) -> bool:
    """Whether recursion may end by constant arguments; the number of calls is limited."""
    values = (v.value if isinstance(v, ir.Static) else v for v in given)
    if not any(isinstance(v, int | tuple | list | str | ir.Items) for v in values):
        return False
    key = ("recursion", function.__code__)
    frame.program.cache[key] = calls = frame.program.cache.get(key, 0) + 1
    return calls <= MOST_CALLS and frame.calling.count(function.__code__) <= DEEPEST


def _is_base_reset(function: types.FunctionType) -> bool:
    """Gymnasium's `Env.reset`, which only seeds."""
    return function.__module__ in ("gymnasium.core", "gym.core") and function.__name__ == "reset"


def _closure(closure: ir.Closure) -> Callee:
    node, frame = closure.node, closure.frame
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    qualified = f"{frame.qualified}.{name}"
    return Callee(
        node, frame.file, name, qualified, frame.globals, frame.nonlocals, {}, frame.owner, {}, frame, closure
    )


def _class(frame: CallFrame, found: type, arguments: list[Value], options: dict[str, Value], lazily: bool) -> Value:
    """The call of a class: a NumPy type, an enum, a named tuple, a dataclass, ..."""
    if issubclass(found, np.generic):
        return astype(frame.memory.deep(arguments[0]), ir.Static(found)) if arguments else ir.Static(found())
    if issubclass(found, enum.Enum) and arguments:
        value = frame.memory.deep(arguments[0])
        if isinstance(value, ir.Static):
            return ir.Static(fold(found.__name__, found, value.value))
        return dataclasses.replace(as_array(value), member=found)
    if issubclass(found, tuple) and hasattr(found, "_fields"):
        named: Any = found
        rest = named._fields[len(arguments) :]
        given_parts = (options.get(f, ir.Static(named._field_defaults.get(f))) for f in rest)
        return ir.Items((*arguments, *given_parts), names=named._fields)
    if dataclasses.is_dataclass(found):
        return allocated_objects.make(frame, found, arguments, options)
    if issubclass(found, deque):
        given_items = items_of(frame.memory, arguments[0]) if arguments else []
        limit = known(options.get("maxlen", arguments[1] if len(arguments) > 1 else ir.NONE))
        return ir.Items(tuple(given_items)[-limit:] if limit else tuple(given_items), True, limit)
    if found is slice:
        return slice_object(frame, arguments)
    if issubclass(found, threading.Thread):
        raise RefusedError("it starts a thread, which a compiled environment cannot do")
    if issubclass(found, BaseException):
        return ir.NONE
    try:
        given = [known(frame.memory.deep(a)) for a in arguments]
        named_values = {k: known(frame.memory.deep(v)) for k, v in options.items()}
    except RefusedError:
        if found is Counter and len(arguments) == 1 and not options:
            return counter_of(frame, arguments[0])
        return _object(frame, found, arguments, options, lazily)
    home = found.__module__
    if home in ("builtins", "collections", "fractions", "decimal") or home.startswith(spaces.MODULES):
        return ir.Static(fold(found.__name__, found, *given, **named_values))
    return _object(frame, found, arguments, options, lazily)


def _object(frame: CallFrame, found: type, arguments: list[Value], options: dict[str, Value], lazily: bool) -> Value:
    """A new object; one that replaces another is pending until it does."""
    if lazily and isinstance(vars(found).get("__init__"), types.FunctionType):
        return ir.PendingObject(found, tuple(arguments), options)
    return allocated_objects.make(frame, found, arguments, options)


def _why_not(found: Any) -> str:
    name = getattr(found, "__qualname__", None) or getattr(found, "__name__", None) or type(found).__name__
    module = getattr(found, "__module__", "") or type(found).__module__
    if module in ("_thread", "threading") or isinstance(getattr(found, "__self__", None), threading.Thread):
        return "it starts a thread, which a compiled environment cannot do"
    if module in ("io", "_io", "posix", "os", "pathlib", "shutil"):
        return f"{name} works on files, which a compiled environment cannot"
    if isinstance(found, types.BuiltinFunctionType | types.BuiltinMethodType) or type(found).__name__ in (
        "cython_function_or_method",
        "method_descriptor",
        "fused_cython_function",
    ):
        return f"{module}.{name} is compiled code (a C extension), which cannot be read"
    if callable(found):
        return f"{module}.{name} is not a function whose source is Python"
    return f"{name} is called, but is not a function"
