"""What libraries of others have in common: asked for by id, made under JAX's own defaults, often not installed."""

import contextlib
import difflib
import importlib
import importlib.metadata
import io
import warnings
from collections.abc import Callable, Collection
from contextlib import ExitStack
from types import ModuleType
from typing import Any

import jax
import numpy as np

from envwright.core.errors import EnvwrightError, missing_extra
from envwright.core.spaces import Box


def package(module: str, extra: str) -> ModuleType:
    """An optional package, or one of its modules, imported without its own warnings and without our strictness."""
    try:
        with as_by_default(), contextlib.redirect_stdout(io.StringIO()):  # mujoco.mjx prints what it did not find
            return importlib.import_module(module)
    except ImportError as error:
        root = module.partition(".")[0]
        missing = (error.name or root).partition(".")[0]
        if missing not in (root, ""):  # it is there, but something that it needs is not
            raise EnvwrightError(f"The package '{root}' cannot be imported: {error}.") from error
        raise missing_extra(root, extra) from error


def made(library: str, id: str, known: Collection[str], make: Callable[[], Any]) -> Any:
    """What `make` makes; an unknown id or unfitting options are one sentence."""
    if id not in known:
        near = difflib.get_close_matches(id, known, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(sorted(known))}."
        raise EnvwrightError(f"{library} has no environment '{id}'; {hint}")
    try:
        with as_by_default():
            return make()
    except Exception as error:  # whatever a constructor of others raises: a wrong option, a failed download
        raise EnvwrightError(f"{library}'s {id} cannot be made: {type(error).__name__}: {error}") from error


def as_by_default() -> ExitStack:
    """JAX as its users find it, whatever this process has set; and no warnings about the innards of others."""
    stack = ExitStack()
    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore")
    stack.enter_context(jax.numpy_dtype_promotion("standard"))
    stack.enter_context(jax.numpy_rank_promotion("allow"))
    return stack


def source(distribution: str, **more: Any) -> dict[str, Any]:
    """Where a candidate comes from, for its provenance."""
    return {"package": distribution, "version": importlib.metadata.version(distribution), **more}


def box(low: Any, high: Any, shape: tuple[int, ...], dtype: Any) -> Box | None:
    """A box with these bounds; None if a matrix has a bound for each element, which ours cannot say."""
    bounds = []
    for bound in (np.asarray(low), np.asarray(high)):
        flat = np.unique(bound)
        if flat.size > 1 and len(shape) != 1:
            return None
        bounds.append(float(flat[0]) if flat.size == 1 else tuple(float(b) for b in bound))
    return Box(bounds[0], bounds[1], tuple(shape), np.dtype(dtype))
