"""Where and how a batch runs: on which devices, and on CPU in how many kernels.

XLA compiles a loop for CPU into a sequence of small kernels, and calling them costs more than running them when an
environment's step is a hundred instructions. Three measures, each measured on Pong (docs/speed.md):

- `one_kernel` has a function compiled as a single kernel, so its loops carry no calls;
- `tune_cpu` asks XLA to compute several outputs in one pass over the batch, and makes one device of every core;
- `mesh` and `batch_sharding` spread a batch over the devices there are, with no communication between them.

All three change when and where values are computed, not which. Rules that guard their roundings (`core.numerics`) give
the same bits in every layout.
"""

import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax
import numpy as np
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import jaxpr_as_fun
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from envwright.core import kernels
from envwright.core.errors import BatchError
from envwright.core.jaxprs import operations

P = ParamSpec("P")
R = TypeVar("R")

AXIS = "envs"  # the name of the batch axis in every mesh
_FUSE_OUTPUTS = "xla_cpu_use_multi_output_fusion"
# In a kernel XLA says of some scatters that they are not implemented, dies of others, and does not find its sort.
_NOT_IN_A_KERNEL = ("scatter", "sort", "top_k")


class NotOneKernelError(Exception):
    """A function that cannot be compiled as a single kernel."""


def tune_cpu(devices: int | None = None) -> None:
    """Set JAX up for fast environments on CPU. Call it before JAX runs anything; later calls change nothing.

    Makes `devices` CPU devices (one a core unless told) and turns on multi-output fusion, an XLA option that is off by
    default. It is a process-wide choice, which is why importing envwright does not make it for you.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _FUSE_OUTPUTS not in flags:
        # Options behind the last `--xla_backend_extra_options` win, so join one that is there already.
        name = "--xla_backend_extra_options="
        ours = f"{_FUSE_OUTPUTS}=true"
        flags = flags.replace(name, f"{name}{ours},") if name in flags else f"{flags} {name}{ours}"
        os.environ["XLA_FLAGS"] = flags.strip()
    try:
        jax.config.update("jax_num_cpu_devices", devices or _cores())
    except RuntimeError:  # JAX has started; its devices are what they are
        return


def _cores() -> int:
    """How many cores this process may use; on systems that do not tell, how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def on_cpu() -> bool:
    """Whether JAX computes on the CPU by default."""
    return jax.default_backend() == "cpu"


def compiler_options() -> dict[str, Any]:
    """What to tell XLA when compiling a rollout: on CPU, to use the widest vectors there are."""
    return {"xla_cpu_prefer_vector_width": 512} if on_cpu() else {}


def one_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, compiled on CPU as one kernel instead of many; elsewhere, `function`.

    For loops over elementwise code such as most environments, on arrays of up to some thousand elements. Not for matrix
    products: inside a kernel XLA cannot call its fast library for them.
    """

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not on_cpu():
            return function(*args, **kwargs)
        with kernels.traced():
            jaxpr, shape = jax.make_jaxpr(function, return_shape=True)(*args, **kwargs)
        if refused := sorted(name for name in operations(jaxpr.jaxpr) if name.startswith(_NOT_IN_A_KERNEL)):
            raise NotOneKernelError(f"XLA cannot put {refused[0]} into one kernel.")
        # Trace first, mark after: the mark must sit on the one outer call, not on every operation inside.
        inner = jax.jit(lambda *leaves: jaxpr_as_fun(jaxpr)(*leaves))
        with set_xla_metadata(inlineable="false", xla_cpu_small_call="true"):
            leaves = inner(*jax.tree.leaves((args, kwargs)))
        return jax.tree.unflatten(jax.tree.structure(shape), leaves)

    return call


def first_possible(*ways: Callable[P, R]) -> Callable[P, R]:
    """The first of several ways to the same result that XLA can compile; that turns out at the first call."""
    left = list(ways)

    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        while True:
            try:
                return left[0](*args, **kwargs)
            except (NotOneKernelError, jax.errors.JaxRuntimeError) as error:
                if len(left) == 1 or not _is_impossible(error):
                    raise
                left.pop(0)

    return call


def _is_impossible(error: Exception) -> bool:
    # XLA spreads what is large over threads, also in a kernel, and then does not find the function that would do it.
    known = ("UNIMPLEMENTED", "Failed to materialize symbols")
    return isinstance(error, NotOneKernelError) or any(sign in str(error) for sign in known)


def mesh(devices: int | None = None) -> Mesh:
    """The first `devices` devices, or all, in a row along the batch axis."""
    available = jax.devices()
    if devices is not None and not 1 <= devices <= len(available):
        raise BatchError(
            f"JAX has {len(available)} devices, not {devices}; on CPU call envwright.tune_cpu({devices}) first."
        )
    return Mesh(np.asarray(available[:devices]), (AXIS,))


def check_divides(num_envs: int, parts: int, what: str) -> int:
    """How many environments each of `parts` gets; raises unless it is the same for all."""
    if num_envs < 1:
        raise BatchError(f"A batch needs at least one environment, but num_envs is {num_envs}.")
    if num_envs % parts:
        nearest = max(parts, round(num_envs / parts) * parts)
        raise BatchError(f"{num_envs} environments do not divide over {parts} {what}; take {nearest}.")
    return num_envs // parts


def batch_sharding(over: Mesh) -> NamedSharding:
    """A leading batch axis, spread over the mesh."""
    return NamedSharding(over, PartitionSpec(AXIS))
