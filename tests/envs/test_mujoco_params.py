"""The params of the four bodies are the constants of the references, by the contracts' own expressions."""

from pathlib import Path

import numpy as np
import pytest

import envwright
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.verifier import pairs
from envwright.verifier.session import gather

pytest.importorskip("mujoco", reason="mujoco is missing; pip install 'gymnasium[mujoco]'")
pytest.importorskip("imageio", reason="imageio is missing; pip install 'gymnasium[mujoco]'")


@pytest.mark.parametrize("id", ["HalfCheetah-v5", "Walker2d-v5", "InvertedPendulum-v5", "InvertedDoublePendulum-v5"])
def test_params_are_read_from_the_reference(id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings to a file in the folder that it runs in
    with gymnasium_reference(id) as reference:
        names = gather(reference, lambda: None)["names"]
    ours = envwright.make(id).default_params.inner
    expressions = pairs.find_contract([id]).params
    assert expressions
    for name, expression in expressions.items():
        assert np.float32(expression(names)) == np.float32(getattr(ours, name))


def test_ranges_in_tuples_are_numbers_that_rules_may_compare_with() -> None:
    with gymnasium_reference("Walker2d-v5") as reference:
        numbers = gather(reference, lambda: None)["numbers"]
    assert {0.8, 2.0, -1.0, 1.0} <= set(numbers)
