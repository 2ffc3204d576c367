"""Candidates by name, as they are written in a contract or on the command line."""

import importlib
import importlib.util
import itertools
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from envwright.candidates.brax_env import brax_candidate
from envwright.candidates.column_games import ColumnCandidate
from envwright.candidates.functional_env import FUNCTIONAL, functional_candidate
from envwright.candidates.gymnasium_env import gymnasium_candidate
from envwright.candidates.gymnax_env import gymnax_candidate
from envwright.candidates.jumanji_env import jumanji_candidate
from envwright.candidates.native import native_candidate
from envwright.candidates.pgx_env import pgx_candidate
from envwright.candidates.protocol import Candidate
from envwright.candidates.rust_crate import rust_candidate
from envwright.core import Env
from envwright.core.errors import EnvwrightError
from envwright.core.native import NativeEnv
from envwright.core.registry import make, spec
from envwright.core.timelimit import TimeLimit

_loads = itertools.count()


def find_candidate(name: str, options: dict[str, Any] | None = None, base: Path | None = None) -> Candidate:
    """The candidate called `name`; a path in it is relative to `base`.

    gymnax:CartPole-v1      pgx:minatar-breakout      jumanji:Game2048-v1      brax:inverted_pendulum
    gymnasium:CartPole-v1   gymnasium:phys2d/CartPole-v1, one of Gymnasium's own JAX ports
    rust:FOLDER             a crate that `envwright translate --target rust` made, built
    envwright:pong          pong, Pong-v0: registered with us
    my_env.py:MyEnv         my_package.my_env:MyEnv: a class in our interface; the option `max_episode_steps`
                            puts a time limit on it, as registering it would
    """
    options = options or {}
    kind, colon, rest = name.rpartition(":")
    if not colon:
        if Path(name).suffix == ".py":
            raise EnvwrightError(f"'{name}' names a file but no class; write it like '{name}:MyEnv'.")
        return _registered(name, **options)
    if kind == "rust":
        return rust_candidate((base or Path()) / rest, name, **options)
    if kind in _KINDS:
        return _KINDS[kind](rest, **options)
    if kind.endswith(".py"):
        path = (base or Path()) / Path(kind).expanduser()
        return _of_class(name, _file(path), rest, options)
    return _of_class(name, _module(kind, name), rest, options)


def _registered(id: str, **options: Any) -> Candidate:
    env, name = make(id, **options), f"envwright:{spec(id).id}"
    return ColumnCandidate(env, name) if isinstance(env, NativeEnv) else native_candidate(env, name=name)


def _gymnasium(id: str, **options: Any) -> Candidate:
    return functional_candidate(id, **options) if id in FUNCTIONAL else gymnasium_candidate(id, **options)


_KINDS: dict[str, Callable[..., Candidate]] = {
    "gymnax": gymnax_candidate,
    "pgx": pgx_candidate,
    "jumanji": jumanji_candidate,
    "brax": brax_candidate,
    "gymnasium": _gymnasium,
    "envwright": _registered,
}


# ---- classes in our interface ----


def _of_class(name: str, module: ModuleType, kind: str, options: dict[str, Any]) -> Candidate:
    found = vars(module).get(kind)
    if found is None:
        home = module.__name__
        envs = [other for other, value in vars(module).items() if _is_env(value) and value.__module__ == home]
        raise EnvwrightError(f"There is no class {kind} in {name.rpartition(':')[0]}; {_it_has(envs)}")
    if not _is_env(found):
        raise EnvwrightError(f"{name} is not an environment; derive the class from envwright.Env.")
    options = dict(options)
    limit = options.pop("max_episode_steps", None)
    try:
        env = found(**options)
    except Exception as error:  # whatever the author's constructor raises
        raise EnvwrightError(f"{name} cannot be made with {options}: {_where(error, module.__file__)}.") from error
    return native_candidate(env if limit is None else TimeLimit(env, limit), name=name)


def _is_env(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, Env)


def _it_has(envs: list[str]) -> str:
    return f"it has {', '.join(envs)}." if envs else "nor any other environment."


def _file(path: Path) -> ModuleType:
    """A Python file as a module with a name of its own; it is read anew each time, for it may have changed."""
    if not path.is_file():
        raise EnvwrightError(f"There is no file {path}; a candidate's path is relative to its contract.")
    name = f"envwright_candidate_{path.stem}_{next(_loads)}"
    place = importlib.util.spec_from_file_location(name, path)
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    sys.modules[name] = module  # dataclasses look their module up there
    try:
        place.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception):
            raise
        raise EnvwrightError(f"{path} cannot be read: {_where(error, str(path))}.") from error
    return module


def _module(name: str, whole: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise EnvwrightError(
                f"'{whole}' is of no known kind; write {', '.join(f'{kind}:ID' for kind in _KINDS)}, "
                "path/to/file.py:Class or module:Class."
            ) from error
        raise EnvwrightError(f"The module {name} cannot be imported: {_where(error, None)}.") from error


def _where(error: Exception, file: str | None) -> str:
    """What went wrong and where: in `file` if it passed through there, or else where it was raised."""
    what = f"{type(error).__name__}: {str(error).rstrip('.')}"
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if file and Path(frame.filename) == Path(file)]
    own = [frame for frame in frames if not frame.filename.startswith("<") and frame.filename != __file__]
    place = (inside or [frame for frame in own if "importlib" not in frame.filename] or [None])[-1]
    return f"{place.filename}:{place.lineno}: {what}" if place else what
