"""Strict numerics for every test: no silent promotion of dtypes or ranks, warnings are errors, two CPU devices."""

import envwright

envwright.tune_cpu(devices=2)

import jax  # noqa: E402

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_numpy_rank_promotion", "raise")
