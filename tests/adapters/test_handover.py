"""Arrays for NumPy and PyTorch: shared where they can be, right everywhere."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.adapters.handover import to_numpy, to_torch
from envwright.core import execute
from envwright.core.errors import MissingExtraError


def on_one_device(values: Any) -> jax.Array:
    return jax.device_put(jnp.asarray(values), jax.devices()[0])


def sharded(values: Any) -> jax.Array:
    return jax.device_put(jnp.asarray(values), execute.batch_sharding(execute.mesh(2)))


def test_numpy_shares_the_memory_of_an_array_on_one_cpu_device() -> None:
    array = on_one_device(np.arange(64, dtype=np.float32))
    view = to_numpy(array)
    assert view.ctypes.data == array.unsafe_buffer_pointer()
    assert not view.flags.writeable
    np.testing.assert_array_equal(view, np.arange(64))


@pytest.mark.parametrize(
    "values", [np.arange(6, dtype=np.float32), np.arange(6) % 2 == 0, np.arange(6, dtype=np.int32)]
)
@pytest.mark.parametrize("place", [on_one_device, sharded, np.asarray])
def test_numpy_takes_any_dtype_and_placement(values: Any, place: Any) -> None:
    np.testing.assert_array_equal(to_numpy(place(values)), values, strict=True)


def test_torch_shares_the_memory_of_an_array_on_one_cpu_device() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'envwright[sb3]'")
    array = on_one_device(np.arange(64, dtype=np.float32))
    tensor = to_torch(array)
    assert tensor.data_ptr() == array.unsafe_buffer_pointer()
    del array
    assert tensor.tolist() == list(range(64))


@pytest.mark.parametrize(
    "values", [np.arange(6, dtype=np.float32), np.arange(6) % 2 == 0, np.arange(6, dtype=np.int32)]
)
@pytest.mark.parametrize("place", [on_one_device, sharded, np.asarray])
def test_torch_takes_any_dtype_and_placement(values: Any, place: Any) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'envwright[sb3]'")
    np.testing.assert_array_equal(to_torch(place(values)).numpy(), values, strict=True)


def test_a_missing_torch_is_named_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs the package 'torch'.*pip install 'envwright\[sb3\]'"):
        to_torch(on_one_device([1.0]))
