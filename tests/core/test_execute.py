"""Layout changes when and where values are computed, never which."""

import os
import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counting import same_bits

import envwright
from envwright.core import execute
from envwright.core.errors import BatchError
from envwright.core.rollout import LARGEST_TILE

FUSE = "xla_cpu_use_multi_output_fusion=true"


def run(code: str, **environ: str) -> list[str]:
    """The lines that `code` prints in a Python of its own."""
    own = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=own | environ, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


TUNE = """
    import os, envwright, jax
    envwright.tune_cpu({devices})
    print(os.environ.get("XLA_FLAGS"))
    print(jax.device_count(), int(jax.jit(lambda x: x + 1)(1)))
"""


def test_tune_cpu_makes_devices_and_turns_on_fusion() -> None:
    assert run(TUNE.format(devices=3)) == [f"--xla_backend_extra_options={FUSE}", "3 2"]


def test_tune_cpu_joins_the_options_that_are_there_and_keeps_other_flags() -> None:
    flags = "--xla_cpu_multi_thread_eigen=false --xla_backend_extra_options=xla_cpu_small_call_limit=7"
    lines = run(TUNE.format(devices=2), XLA_FLAGS=flags)
    options = f"--xla_backend_extra_options={FUSE},xla_cpu_small_call_limit=7"
    assert lines == [f"--xla_cpu_multi_thread_eigen=false {options}", "2 2"]


def test_tune_cpu_respects_a_choice_already_made() -> None:
    flags = "--xla_backend_extra_options=xla_cpu_use_multi_output_fusion=false"
    assert run(TUNE.format(devices=1), XLA_FLAGS=flags)[0] == flags


def test_tune_cpu_after_jax_started_and_twice_is_harmless() -> None:
    lines = run("""
        import envwright, jax
        print(jax.device_count())
        envwright.tune_cpu(3)
        envwright.tune_cpu(2)
        print(jax.device_count(), int(jax.jit(lambda x: x + 1)(1)))
    """)
    assert lines == ["1", "1 2"]


def loop(x: jax.Array, y: jax.Array) -> tuple[jax.Array, dict[str, jax.Array]]:
    def body(_: int, now: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        a, b = now
        return jnp.sin(a * b) + a / 3.0, jnp.where(a > b, b - a, a * a - b)

    a, b = jax.lax.fori_loop(0, 20, body, (x, y))
    return a, {"b": b, "sum": a + b}


def test_one_kernel_gives_the_same_bits_and_tree_as_plain_jit() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 1000)).astype(np.float32)
    assert same_bits(jax.jit(execute.one_kernel(loop))(x, y), jax.jit(loop)(x, y))
    assert same_bits(jax.jit(lambda y, x: execute.one_kernel(loop)(y=y, x=x))(y, x), jax.jit(loop)(x, y))


def test_one_kernel_plays_pong_bit_for_bit_as_plain_jit_does() -> None:
    env = envwright.make("Pong-v0", frameskip=4)
    keys = jax.random.split(envwright.key(0), 128)

    def play(keys: jax.Array) -> object:
        def body(carry: tuple[jax.Array, object], t: jax.Array) -> tuple[tuple[jax.Array, object], jax.Array]:
            obs, state = carry
            luck = jax.vmap(jax.random.fold_in, (0, None))(keys, t)
            action = (obs[:, 3] > obs[:, 1]).astype(jnp.int32) + 1
            step = jax.vmap(env.step)(luck, state, action)
            return (step.obs, step.state), step.reward

        return jax.lax.scan(body, jax.vmap(env.reset)(keys), jnp.arange(100))

    options = execute.compiler_options()
    assert same_bits(jax.jit(execute.one_kernel(play), compiler_options=options)(keys), jax.jit(play)(keys))


def test_one_kernel_takes_arrays_as_large_as_the_largest_tile_of_features() -> None:
    x = np.ones(LARGEST_TILE * 8, np.float32)
    assert jax.jit(execute.one_kernel(jnp.divide))(x, x).sum() == x.size


@pytest.mark.parametrize("devices", [1, 2, None])
def test_a_mesh_is_the_first_devices_in_a_row(devices: int | None) -> None:
    mesh = execute.mesh(devices)
    assert mesh.devices.tolist() == jax.devices()[:devices]
    assert mesh.axis_names == (execute.AXIS,)


def test_more_devices_than_there_are_raise_with_the_way_out() -> None:
    with pytest.raises(BatchError, match=r"JAX has 2 devices, not 9; on CPU call envwright\.tune_cpu\(9\) first\.$"):
        execute.mesh(9)


@pytest.mark.parametrize("devices", [0, -1])
def test_fewer_than_one_device_is_refused(devices: int) -> None:
    with pytest.raises(BatchError):
        execute.mesh(devices)


@pytest.mark.parametrize(("num_envs", "parts", "nearest"), [(7, 2, 8), (3, 4, 4), (10, 4, 8), (1, 8, 8)])
def test_a_batch_that_does_not_divide_is_told_the_nearest_that_does(num_envs: int, parts: int, nearest: int) -> None:
    with pytest.raises(
        BatchError, match=f"^{num_envs} environments do not divide over {parts} devices; take {nearest}.$"
    ):
        execute.check_divides(num_envs, parts, "devices")


def test_a_batch_that_divides_says_how_many_each_gets() -> None:
    assert execute.check_divides(12, 4, "devices") == 3
