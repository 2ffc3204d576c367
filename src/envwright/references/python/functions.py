"""Finding the functions of a reference by name, calling them, and collecting what they are called with."""

import difflib
import importlib
import inspect
import json
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.references.plain import to_json
from envwright.references.python.kinds import GYMS, RNGS
from envwright.references.python.own_modules import classes_of, file_of, modules_of
from envwright.references.python.walk import copy_plain

_FRAME = tuple(f"{name}.{part}" for name in GYMS for part in ("spaces", "envs.reg"))
_NOT_RULES = {"reset", "step", "render", "close", "_render", "_render_gui", "_render_text"}
_CAP = 2000  # calls kept of one function


def home_modules(roots: Sequence[Any]) -> list[types.ModuleType]:
    """The modules that define the reference's classes."""
    names = dict.fromkeys(cls.__module__ for cls in classes_of(roots))
    return [sys.modules[name] for name in names if not name.startswith(_FRAME)]


def find_function(roots: Sequence[Any], name: str) -> Callable[..., Any]:
    """A method of the objects, a function of their modules, or what a dotted path leads to."""
    for root in roots:
        if callable(method := getattr(root, name, None)):
            return method
    for module in home_modules(roots):
        if callable(function := getattr(module, name, None)):
            return function
    module, _, function = name.rpartition(".")
    if module:
        try:
            if callable(found := getattr(importlib.import_module(module), function, None)):
                return found
        except ImportError:
            pass
    raise _unknown(name, [code.co_name for code in codes(roots)])


def _unknown(name: str, known: Sequence[str]) -> EnvwrightError:
    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]!r}?" if close else "one inside of another function cannot be reached."
    return EnvwrightError(f"The reference has no method or function {name!r} that can be called; {hint}")


def codes(roots: Sequence[Any]) -> Iterator[types.CodeType]:
    """The code of every function of the reference's modules: first of those with its classes, then of the others."""
    homes = home_modules(roots)
    others = [module for module in modules_of(classes_of(roots)) if module not in homes]
    for module in [*homes, *others]:
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                for member in vars(value).values():
                    yield from _code(member, module)
            else:
                yield from _code(value, module)


def _code(value: Any, module: types.ModuleType) -> Iterator[types.CodeType]:
    value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    value = inspect.unwrap(value) if callable(value) else value
    if isinstance(value, types.FunctionType) and value.__code__.co_filename == file_of(module.__name__):
        waiting = [value.__code__]
        while waiting:
            code = waiting.pop()
            yield code
            waiting += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]


def codes_named(roots: Sequence[Any], name: str) -> list[types.CodeType]:
    """The code of the functions of that name, `step` or `CartPoleEnv.step`, in the first module that has any."""
    found: list[types.CodeType] = []
    known = set()
    for code in codes(roots):
        known.add(code.co_name)
        same_file = not found or found[0].co_filename == code.co_filename
        # A file that is loaded twice has equal code twice, and would be watched twice.
        if name in (code.co_name, code.co_qualname) and same_file and code not in found:
            found.append(code)
    if not found:
        raise _unknown(name, sorted(known))
    return found


def names(roots: Sequence[Any]) -> list[str]:
    """The functions beside the classes of the reference that can be found by name; not what draws or closes it."""
    files = {file_of(module.__name__) for module in home_modules(roots)}
    own = dict.fromkeys(code.co_name for code in codes(roots) if code.co_filename in files)
    return [name for name in own if not name.startswith(("__", "<")) and name not in _NOT_RULES]


def record_calls(
    roots: Sequence[Any], functions: Sequence[str], play: Callable[[], None]
) -> dict[str, list[dict[str, Any]]]:
    """The distinct arguments by name that each function is called with while `play` runs; `self` is left out."""
    wanted = {code: name for name in functions for code in codes_named(roots, name)}
    calls: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in functions}

    def profile(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call" and (name := wanted.get(frame.f_code)) is not None and len(calls[name]) < _CAP:
            arguments = copy_arguments(frame)
            calls[name].setdefault(json.dumps(to_json(arguments)), arguments)
            if all(len(found) == _CAP for found in calls.values()):
                sys.setprofile(before)  # looking on slows everything down

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        play()
    finally:
        sys.setprofile(before)
    return {name: list(found.values()) for name, found in calls.items()}


def copy_arguments(frame: types.FrameType) -> dict[str, Any]:
    """The arguments of the function that a frame is at the beginning of."""
    code = frame.f_code
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
    return copy_locals({name: frame.f_locals[name] for name in names if name in frame.f_locals})


def copy_locals(values: dict[str, Any]) -> dict[str, Any]:
    """Copies of local names, without the object itself and its generators."""
    return {
        name: copy_plain(value)
        for name, value in values.items()
        if name not in ("self", "cls", "__class__") and not isinstance(value, RNGS)
    }
