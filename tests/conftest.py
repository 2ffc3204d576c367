"""Strict numerics for every test: no silent promotion of dtypes or ranks, warnings are errors, two CPU devices.

Compiling is most of the time of the tests, so all processes of a run share what XLA has compiled: the workers of
pytest-xdist and the programs that tests start inherit one folder through JAX's own variable. The folder is new in each
run and removed after it, unless JAX_COMPILATION_CACHE_DIR names one to keep. JAX looks an entry up by the program,
its options and flags, and the versions of jax and jaxlib, so that code that has changed is compiled again.
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

if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
    _compiled = tempfile.TemporaryDirectory(prefix="envwright-compiled-", ignore_cleanup_errors=True)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = _compiled.name
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0.1"
jax.config.update("jax_compilation_cache_dir", os.environ["JAX_COMPILATION_CACHE_DIR"])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


@pytest.fixture(scope="session")
def pong_library() -> None:
    """PufferLib's Pong, compiled; tests that ask for it are skipped, with the reason, where it cannot be had."""
    from envwright.envs.pong.reference import library

    try:
        library()
    except (ReferenceUnavailableError, MissingExtraError) as error:
        pytest.skip(str(error))
