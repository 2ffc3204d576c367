"""Strict numerics for every test: no silent promotion of dtypes or ranks, warnings are errors, two CPU devices."""

import pytest

import envwright
from envwright.core.errors import MissingExtraError, ReferenceUnavailableError

envwright.tune_cpu(devices=2)

import jax  # noqa: E402

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")


@pytest.fixture(scope="session")
def pong_library() -> None:
    """PufferLib's Pong, compiled; tests that ask for it are skipped, with the reason, where it cannot be had."""
    from envwright.envs.pong.reference import library

    try:
        library()
    except (ReferenceUnavailableError, MissingExtraError) as error:
        pytest.skip(str(error))
