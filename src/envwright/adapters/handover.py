"""Arrays for other libraries, without a copy where memory can be shared."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core.errors import EnvwrightError, missing_extra

OUTPUTS = ("numpy", "jax", "torch")


def to_numpy(array: Any) -> Any:
    """The array for NumPy: a read-only view of a JAX array on one CPU device, a read-only copy of any other."""
    return np.asarray(array)


def to_torch(array: Any) -> Any:
    """The array for PyTorch, in host memory: it shares the memory of a JAX array on one CPU device, else it is a copy.

    JAX believes its arrays never change, and PyTorch cannot be told: never write into a tensor that shares memory.
    Booleans and arrays spread over devices are copied.
    """
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError:
        raise missing_extra("torch", "sb3") from None
    if isinstance(array, jax.Array) and array.dtype != bool and _on_one_cpu(array):
        return torch.from_dlpack(array)
    return torch.from_numpy(np.array(array))


def to(output: str, array: Any) -> Any:
    """The array for the library that `output` names: "numpy", "jax" or "torch"."""
    if output == "jax":
        return jnp.asarray(array)
    return to_numpy(array) if output == "numpy" else to_torch(array)


def check_output(output: str) -> str:
    """`output`, if arrays can be handed over to it."""
    if output not in OUTPUTS:
        raise EnvwrightError(f"Arrays cannot be handed over to '{output}'; choose one of {', '.join(OUTPUTS)}.")
    return output


def _on_one_cpu(array: jax.Array) -> bool:
    devices = array.devices()
    return len(devices) == 1 and next(iter(devices)).platform == "cpu"
