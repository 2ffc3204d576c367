"""The training examples run, learn something, and compute nothing infinite."""

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, **kwargs: Any) -> dict[str, Any]:
    """Run the `main` of an example, with JAX as lenient as it is outside of tests."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        spec.loader.exec_module(module)
        return module.main(**kwargs)


def check(result: dict[str, Any]) -> None:
    before, after = jax.tree.leaves(result["params_before"]), jax.tree.leaves(result["params_after"])
    assert all(np.isfinite(leaf).all() for leaf in after)
    assert any((np.asarray(a) != np.asarray(b)).any() for a, b in zip(before, after, strict=True))
    assert np.isfinite(result.get("losses", [])).all()


def test_rejax_ppo() -> None:
    pytest.importorskip("rejax", reason="rejax is not installed: pip install 'envwright[bench]'")
    result = run("rejax_ppo", steps=512, num_envs=8)
    check(result)
    assert -21 <= result["before"] <= 25


def test_cleanrl_ppo() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'envwright[gymnasium]'")
    result = run("cleanrl_ppo", steps=1024, num_envs=8)
    check(result)
    assert len(result["losses"]) == 2 * 4 * 8


def test_sb3_ppo() -> None:
    pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed: pip install 'envwright[sb3]'")
    check(run("sb3_ppo", steps=128, num_envs=4, num_steps=16, judge_steps=20))


def test_train_with_brax() -> None:
    pytest.importorskip("brax", reason="Brax is not installed: pip install 'envwright[brax]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Brax warns of itself
        result = run("train_with_brax", id="Pong-v0", steps=1, num_envs=8, episode=20, continuous=True)
    check(result)
    assert len(result["losses"]) == 4
