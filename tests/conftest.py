"""Strict numerics for every test: no silent promotion of dtypes or ranks, warnings are errors, two CPU devices.

What XLA has compiled once in a run is not compiled again, in no process of it: that is most of the time of the tests.
"""

import os
import tempfile

import pytest
from hypothesis import settings

import envwright
from envwright.core.errors import MissingExtraError, ReferenceUnavailableError

envwright.tune_cpu(devices=2)
settings.register_profile("any machine", deadline=None)  # no test depends on how fast it runs
settings.load_profile("any machine")

import jax  # noqa: E402

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")

_compiled = tempfile.TemporaryDirectory(prefix="envwright-compiled-")
for _name, _value in (("compilation_cache_dir", _compiled.name), ("persistent_cache_min_compile_time_secs", 0.1)):
    jax.config.update(f"jax_{_name}", _value)
    os.environ[f"JAX_{_name.upper()}"] = str(_value)  # for processes that a test starts


@pytest.fixture(scope="session")
def pong_library() -> None:
    """PufferLib's Pong, compiled; tests that ask for it are skipped, with the reason, where it cannot be had."""
    from envwright.envs.pong.reference import library

    try:
        library()
    except (ReferenceUnavailableError, MissingExtraError) as error:
        pytest.skip(str(error))
