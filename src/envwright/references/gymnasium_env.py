"""Gymnasium environments as references, by id or by class."""

import difflib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError, MissingExtraError, missing_extra
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.mujoco_warnings import compiler_warnings_logged
from envwright.references.python import Driver, PythonReference
from envwright.references.python.making import alike, made_alike
from envwright.references.python.settings import assign

# Wrappers without state of their own, but for the step count, which follows `elapsed_steps`.
_PLAIN_WRAPPERS = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")


def gymnasium_reference(id: str, settings: Mapping[str, Any] | None = None, /, **options: Any) -> PythonReference:
    """The environment of a Gymnasium id, or of a class given as `module:Class` or `path/to/file.py:Class`."""
    try:
        import gymnasium  # noqa: F401
    except ImportError:
        raise missing_extra("gymnasium", "reference") from None
    made = unwatched_maker(id, settings or {}, options)
    sample = made_alike(made)
    driver = Driver(
        make=made,
        reset=_reset,
        step=_stepper(getattr(sample, "action_space", None)),
        sample_action=sampler_of(getattr(sample, "action_space", None)),
        parts=_parts,
        set_elapsed=_set_elapsed,
        close=lambda env: env.close() if hasattr(env, "close") else None,
        action_space=_space(getattr(sample, "action_space", None)),
        observation_space=_observation_space(getattr(sample, "observation_space", None)),
        observation_shape=_shape(getattr(sample, "observation_space", None)),
        max_episode_steps=_limit(sample),
        players=players_of(sample),
        legal=mask_of(sample),
        acting=_asked(sample, "acting") or (lambda env, info: None),
    )
    driver.close(sample)
    return PythonReference(id, driver)


def unwatched_maker(id: str, settings: Mapping[str, Any], options: Mapping[str, Any]) -> Callable[[], Any]:
    """What makes the environment itself, as it is."""
    import gymnasium as gym

    is_class = ":" in id and id not in gym.registry and not _is_registered(gym, id)
    make = _class_maker(id, dict(options)) if is_class else id_maker(gym, id, options)
    return lambda: set_up(make(), settings)


def set_up(env: Any, settings: Mapping[str, Any]) -> Any:
    """An environment with some of its attributes set, by their dotted names."""
    assign(_parts(env)[0], settings)
    return env


def players_of(env: Any) -> int:
    """As the environment itself says; an attribute of that name may be something else."""
    players = getattr(_parts(env)[0], "players", 1)
    return players if type(players) is int else 1


def mask_of(env: Any) -> Callable[[Any, dict[str, Any]], Any]:
    """Legal actions, by the method that sb3-contrib asks for, or else by what Gymnasium's environments have in info."""
    return _asked(env, "action_masks") or (lambda env, info: info.get("action_mask"))


def _asked(env: Any, method: str) -> Callable[[Any, dict[str, Any]], Any] | None:
    """A method of the outermost wrapper that has it, or else of the environment itself."""
    core, *wrappers = enumerate(_parts(env))
    found = [place for place, part in (*wrappers, core) if callable(getattr(part, method, None))]
    return (lambda env, info: getattr(_parts(env)[found[0]], method)()) if found else None


def _is_registered(gym: Any, id: str) -> bool:
    """Whether this is Gymnasium's own way, `module:Name-v0`, of asking for an import first."""
    module, _, name = id.partition(":")
    if name.isidentifier():
        return False
    try:
        with alike():
            importlib.import_module(module)
    except ImportError:
        return False
    return name in gym.registry


def id_maker(gym: Any, id: str, options: Mapping[str, Any]) -> Callable[[], Any]:
    """What makes the environment of an id of Gymnasium's registry."""
    if id.partition(":")[2] not in gym.registry and id not in gym.registry:
        close = difflib.get_close_matches(id, gym.registry, 3, 0.4)
        hint = f"did you mean {' or '.join(close)}?" if close else "for a class of your own, give file.py:Class."
        raise EnvwrightError(f"Gymnasium has no environment '{id}'; {hint}")

    def make() -> Any:
        try:
            entry = gym.spec(id).entry_point
            if isinstance(entry, str):
                importlib.import_module(entry.partition(":")[0])  # and so MuJoCo, if it is made with that
            with compiler_warnings_logged():
                return gym.make(id, disable_env_checker=True, **options)
        except gym.error.DependencyNotInstalled as error:
            raise MissingExtraError(f"{id} cannot be made here: {error}") from error

    return make


def _class_maker(id: str, options: dict[str, Any]) -> Callable[[], Any]:
    where, _, name = id.rpartition(":")
    with alike():
        module = _load_file(Path(where)) if where.endswith(".py") else _load_module(where)
    found = getattr(module, name, None)
    if not isinstance(found, type):
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise EnvwrightError(f"{where} has no class '{name}'; it has {', '.join(sorted(classes)) or 'none'}.")
    missing = [name for name in _required(found) if name not in options]
    if missing:
        example = " ".join(f"--set {name}=VALUE" for name in missing)
        raise EnvwrightError(f"{name} cannot be made without {', '.join(missing)}; give it with {example}.")
    return lambda: found(**options)


def _required(found: type) -> list[str]:
    """The options of a class that have no value of their own."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except ValueError:  # of a class in compiled code
        return []
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p.name for p in parameters if p.default is inspect.Parameter.empty and p.kind in named]


def _load_module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise EnvwrightError(f"The module '{name}' cannot be imported: {error}.") from error
    except Exception as error:
        raise EnvwrightError(f"The module '{name}' cannot be imported: {type(error).__name__}: {error}.") from error


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise EnvwrightError(f"There is no file {path}.")
    path = path.resolve()
    name = f"envwright_reference_{path.stem}"
    if getattr(known := sys.modules.get(name), "__file__", None) == str(path):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # it may import files beside it
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        raise EnvwrightError(f"{path} cannot be imported: {type(error).__name__}: {error}.") from error
    finally:
        sys.path.remove(str(path.parent))
    return module


def _reset(env: Any, seed: int | None) -> tuple[Any, dict[str, Any]]:
    result = env.reset(seed=seed) if "seed" in inspect.signature(env.reset).parameters else env.reset()
    pair = isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)
    return result if pair else (result, {})


def _stepper(space: Any) -> Callable[[Any, Any], tuple[Any, Any, Any, Any, dict[str, Any]]]:
    """A step with an action of the type that the space says, where it comes in a narrower one, as translations hold it:
    some originals look at it. One that comes in a wider type is meant so: what follows is to be computed in it."""
    if type(space).__name__ != "Box":
        return _step
    return lambda env, action: _step(env, _widened(action, space.dtype))


def _widened(action: Any, dtype: np.dtype) -> Any:
    if not isinstance(action, np.ndarray) or not np.can_cast(action.dtype, dtype):
        return action
    return action.astype(dtype)


def _step(env: Any, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
    if isinstance(action, np.ndarray) and action.dtype == np.float64:
        with _taking_wide_numbers(env):
            result = env.step(action)
    else:
        result = env.step(action)
    if len(result) == 4:  # the interface before Gymnasium
        obs, reward, done, info = result
        return obs, reward, done, False, info
    return result


@contextmanager
def _taking_wide_numbers(env: Any) -> Iterator[None]:
    """A verifier steps in float64, too, to tell rounding from mistakes. A Box of float32 says of the same numbers in
    float64 that they are not in it, and many environments assert that they are: for this step, it looks at the numbers
    alone."""
    found: list[Any] = [getattr(part, "action_space", None) for part in (env, *_parts(env))]
    spaces = {id(s): s for s in found if type(s).__name__ == "Box" and s.dtype == np.float32}
    for space in spaces.values():
        space.contains = partial(_contains, space.contains)
    try:
        yield
    finally:
        for space in spaces.values():
            del space.contains


def _contains(contains: Callable[[Any], bool], value: Any) -> bool:
    wide = isinstance(value, np.ndarray) and value.dtype == np.float64
    return contains(value.astype(np.float32) if wide else value)


def _parts(env: Any) -> list[Any]:
    """The environment itself first, then wrappers that may hold state."""
    parts = []
    while env is not getattr(env, "unwrapped", env):
        if type(env).__name__ not in _PLAIN_WRAPPERS:
            parts.append(env)
        env = env.env
    return [env, *parts]


def _set_elapsed(env: Any, steps: int) -> None:
    while env is not getattr(env, "unwrapped", env):
        if type(env).__name__ == "TimeLimit":
            env._elapsed_steps = steps
        env = env.env


def _limit(env: Any) -> int | None:
    while env is not getattr(env, "unwrapped", env):
        if type(env).__name__ == "TimeLimit":
            return env._max_episode_steps
        env = env.env
    return None


def _space(space: Any) -> Space | None:
    match type(space).__name__:
        case "Discrete" if space.start == 0 and space.n <= 2**16:
            return Discrete(int(space.n))
        case "Box":
            low, high = _bound(space.low), _bound(space.high)
            return Box(low, high, tuple(space.shape), space.dtype) if low is not None and high is not None else None
        case "MultiDiscrete":  # whole numbers are a box of them
            start = np.asarray(getattr(space, "start", np.zeros_like(space.nvec)))
            low, high = _bound(start), _bound(start + space.nvec - 1)
            return Box(low, high, tuple(space.shape), space.dtype) if low is not None and high is not None else None
        case "MultiBinary":
            return Box(0.0, 1.0, tuple(space.shape), space.dtype)
    return None


def _observation_space(space: Any) -> Space | None:
    """The same; and several whole numbers, which are observed as an array of them."""
    if type(space).__name__ == "Tuple" and all(type(part).__name__ == "Discrete" for part in space.spaces):
        low = tuple(float(part.start) for part in space.spaces)
        high = tuple(float(part.start + part.n - 1) for part in space.spaces)
        return Box(low, high, (len(low),), np.dtype(np.int64))
    return _space(space)


def _bound(values: np.ndarray) -> float | tuple[float, ...] | None:
    """One number if all are the same, one each for a vector; a core Box knows no others."""
    if values.size and (values == values.flat[0]).all():
        return float(values.flat[0])
    return tuple(map(float, values)) if values.ndim == 1 else None


def _shape(space: Any) -> tuple[int, ...] | None:
    kind = type(space).__name__
    if kind in ("Box", "Discrete", "MultiDiscrete", "MultiBinary"):
        return tuple(space.shape)
    if kind == "Tuple" and all(type(part).__name__ == "Discrete" for part in space.spaces):
        return (len(space.spaces),)
    return None


def sampler_of(space: Any) -> Callable[[np.random.Generator], Any]:
    match type(space).__name__:
        case "Discrete":
            return lambda rng: int(space.start) + int(rng.integers(int(space.n)))
        case "Box":
            return lambda rng: _sample_box(space, rng)
        case "NoneType":
            raise EnvwrightError("The environment has no action_space, so there is no way to draw actions for it.")

    def sample(rng: np.random.Generator) -> Any:
        space.seed(int(rng.integers(2**31)))
        return space.sample()

    return sample


def _sample_box(space: Any, rng: np.random.Generator) -> np.ndarray:
    """Uniform between finite bounds, normal where there are none, and a normal's distance from a single one."""
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    below, above = np.isfinite(low), np.isfinite(high)
    uniform, normal = rng.random(space.shape), rng.standard_normal(space.shape)
    both = np.where(below & above, low, 0) + uniform * np.where(below & above, high - low, 0)
    one = np.where(below, np.where(below, low, 0) + abs(normal), np.where(above, high, 0) - abs(normal))
    value = np.where(below & above, both, np.where(below | above, one, normal))
    if space.dtype.kind in "iu":
        value = np.where(below & above, np.floor(low + uniform * (high - low + 1)), np.round(value))
    return value.astype(space.dtype)
