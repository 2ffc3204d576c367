"""Side-effect analysis: which attributes a call may write, found in the source of everything that it reaches.

It is needed for statements that the compiler cannot translate: a call whose result is unused may be dropped if it
writes nothing, and what else it writes is unknown afterwards.
"""

import ast
import builtins
import inspect
import io
import logging
import math
import random
import types
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.compiler.front.source import source_of
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.store import Attribute
from envwright.compiler.refusal import RefusedError

_OUTPUT = ("logging", "warnings", "gymnasium.logger", "gym.logger", "pygame", "matplotlib", "tqdm")  # libraries
_PURE = {
    abs, all, any, bool, bytes, callable, chr, dict, divmod, enumerate, filter, float, format, frozenset, getattr,
    hasattr, hash, hex, id, int, isinstance, issubclass, len, list, map, max, min, open, ord, pow, range, repr,
    reversed, round, set, slice, sorted, str, sum, tuple, type, zip,
}  # fmt: skip
_READING = {  # methods of Python's and NumPy's types that change nothing
    "all", "any", "astype", "capitalize", "center", "copy", "count", "decode", "encode", "endswith", "find", "flatten",
    "format", "get", "index", "isalpha", "isdigit", "item", "items", "join", "keys", "ljust", "lower", "max", "mean",
    "min", "most_common", "replace", "reshape", "rjust", "round", "split", "splitlines", "startswith", "strip", "sum",
    "title", "tolist", "upper", "values", "zfill",
}  # fmt: skip
_IN_PLACE = {"copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"}  # of NumPy's functions
_FRESH = (
    ast.Constant, ast.JoinedStr, ast.BinOp, ast.Compare, ast.UnaryOp, ast.List, ast.Dict, ast.Set, ast.ListComp,
    ast.DictComp, ast.SetComp,
)  # fmt: skip
_UNKNOWN = object()


def is_output(function: Any) -> bool:
    """Whether a function only logs, prints, warns or draws on a screen."""
    owner = getattr(function, "__self__", None)
    if function is print or isinstance(owner, logging.Logger | logging.LoggerAdapter):
        return True
    if isinstance(owner, io.TextIOBase):
        return function.__name__ in ("write", "writelines", "flush")
    homes = (getattr(function, "__module__", None), type(owner).__module__)
    return any(f"{home}.".startswith(f"{library}.") for home in homes for library in _OUTPUT)


@dataclass
class Effects:
    """What an expression may change."""

    writes: dict[Attribute, Any] = field(default_factory=dict)  # attributes, each with the object that has it
    complete: bool = True  # whether that is all


def effects_of(frame: CallFrame, node: ast.AST) -> Effects:
    """The effects of an expression or statement of a function that is being translated."""

    def find(name: str) -> Any:
        value = frame.memory.names.get(name)
        if value is None:
            return _global(name, frame.nonlocals, frame.globals)
        return value.value if isinstance(value, ir.Static) else _UNKNOWN

    analysis = _Analysis()
    analysis.visit(_Scope(find, frozenset()), [node])
    return analysis.found


def _global(name: str, *tables: Any) -> Any:
    return next((table[name] for table in (*tables, vars(builtins)) if name in table), _UNKNOWN)


@dataclass(frozen=True)
class _Scope:
    find: Callable[[str], Any]  # the object behind a name, if it is known
    fresh: frozenset[str]  # local names that only ever hold objects made in the function itself


@dataclass
class _Analysis:
    found: Effects = field(default_factory=Effects)
    seen: set[types.CodeType] = field(default_factory=set)

    def visit(self, scope: _Scope, nodes: Sequence[ast.AST]) -> None:
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            match node:
                case ast.Attribute(ctx=ast.Load()):
                    owner = self._object(scope, node.value)
                    raw = None if owner is _UNKNOWN else inspect.getattr_static(owner, node.attr, None)
                    if isinstance(raw, property) and raw.fget is not None:
                        self._call_python(raw.fget, owner)
                case ast.Attribute() | ast.Subscript(ctx=ast.Store() | ast.Del()):
                    self._write(scope, node)
                case ast.AugAssign(target=ast.Name(id=name)) if name not in scope.fresh:
                    self.found.complete = False  # it may be another name for a list of the state
                case ast.Call():
                    self._call(scope, node)
                case ast.Global() | ast.Nonlocal() | ast.Yield() | ast.YieldFrom() | ast.Await():
                    self.found.complete = False

    def _object(self, scope: _Scope, node: ast.expr) -> Any:
        """The object behind a name or a chain of attributes."""
        if isinstance(node, ast.Name):
            return scope.find(node.id)
        owner = self._object(scope, node.value) if isinstance(node, ast.Attribute) else _UNKNOWN
        if owner is _UNKNOWN or not isinstance(node, ast.Attribute):
            return _UNKNOWN
        if isinstance(inspect.getattr_static(owner, node.attr, None), property):
            return _UNKNOWN
        return getattr(owner, node.attr, _UNKNOWN)

    def _write(self, scope: _Scope, node: ast.expr) -> None:
        """A store, or an in-place mutation."""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in scope.fresh:
            return
        while isinstance(node, ast.Subscript):
            node = node.value
        owner = self._object(scope, node.value) if isinstance(node, ast.Attribute) else _UNKNOWN
        if owner is _UNKNOWN or not isinstance(node, ast.Attribute):
            self.found.complete = False
        else:
            self.found.writes[id(owner), node.attr] = owner

    def _call(self, scope: _Scope, node: ast.Call) -> None:
        function, method = self._object(scope, node.func), node.func
        if is_output(function):
            return
        python = inspect.unwrap(function) if isinstance(function, types.MethodType | types.FunctionType) else None
        home = getattr(function, "__module__", None) or ""
        if python is not None and home.partition(".")[0] != "numpy":
            self._call_python(python, getattr(function, "__self__", _UNKNOWN))
        elif _is_pure(function, home) and not any(keyword.arg == "out" for keyword in node.keywords):
            return
        elif isinstance(method, ast.Attribute) and not _draws(function):
            own = isinstance(method.value, ast.Name) and method.value.id in scope.fresh
            if not own and method.attr not in _READING:
                self._write(scope, method.value)
        else:
            self.found.complete = False

    def _call_python(self, function: Any, owner: Any) -> None:
        function = inspect.unwrap(getattr(function, "__func__", function))
        if not isinstance(function, types.FunctionType) or function.__code__ in self.seen:
            self.found.complete &= isinstance(function, types.FunctionType)
            return
        self.seen.add(function.__code__)
        try:
            node = source_of(function).node
        except RefusedError:
            self.found.complete = False
            return
        code = function.__code__
        own = dict.fromkeys((*code.co_varnames, *code.co_cellvars, *code.co_freevars), _UNKNOWN)
        if owner is not _UNKNOWN and code.co_argcount:
            own[code.co_varnames[0]] = owner
        body = node.body if isinstance(node.body, list) else [node.body]
        given = {argument.arg for argument in ast.walk(node) if isinstance(argument, ast.arg)}
        scope = _Scope(lambda name: _global(name, own, function.__globals__), _fresh(body) - given)
        self.visit(scope, body)


def _draws(function: Any) -> bool:
    owner = getattr(function, "__self__", function)
    module = owner.__name__ if isinstance(owner, types.ModuleType) else getattr(owner, "__module__", None) or ""
    generators = (np.random.Generator, np.random.RandomState, random.Random)
    return isinstance(owner, generators) or module.startswith(("numpy.random", "random"))


def _is_pure(function: Any, home: str) -> bool:
    try:
        if function in _PURE:
            return True
    except TypeError:  # not hashable
        return False
    if isinstance(function, type):
        return issubclass(function, BaseException | np.generic)
    by_numpy = isinstance(function, np.ufunc) or getattr(np, getattr(function, "__name__", ""), None) is function
    in_place = getattr(function, "__name__", "") in _IN_PLACE
    return home == math.__name__ or (by_numpy and not in_place)


def _fresh(body: Sequence[ast.AST]) -> frozenset[str]:
    """The names that only ever hold objects created in the function: mutations of these are not visible elsewhere."""
    nodes = [inner for outer in body for inner in ast.walk(outer)]
    stored = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    own: Counter[str] = Counter()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if isinstance(value, _FRESH):
                own[name] += 1
            case ast.AugAssign(target=ast.Name(id=name)):
                own[name] += 1
    return frozenset(name for name in own if own[name] == stored[name])
