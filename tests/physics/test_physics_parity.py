"""One step from arbitrary states, phase by phase, against MuJoCo with its solver's tolerance at 0."""

import importlib.util
from pathlib import Path
from types import ModuleType

import jax
import pytest

pytest.importorskip("mujoco")
pytest.importorskip("gymnasium")

PARITY = Path(__file__).parents[2] / "benchmarks" / "physics_parity.py"
BODIES = ("HalfCheetah-v5", "Walker2d-v5", "InvertedPendulum-v5", "InvertedDoublePendulum-v5")
ALLOWED = 1e-8  # relative; what 2,000 states need is 1e-11, from the conditioning of contacts deep in the floor


@pytest.fixture(scope="module")
def parity() -> ModuleType:
    spec = importlib.util.spec_from_file_location("physics_parity", PARITY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:.*settotalmass")
@pytest.mark.parametrize("id", BODIES)
def test_every_phase_and_the_state_after_a_step_are_mujocos(id: str, parity: ModuleType) -> None:
    with jax.enable_x64(True):
        found = parity.differences(id, 200, seed=3, dtype="float64", tight=True)
    assert {"xpos", "M", "qfrc_bias", "qacc_smooth", "limit_aref", "qacc", "qpos", "qvel"} <= set(found)
    assert ("contact_J" in found) == (id in ("HalfCheetah-v5", "Walker2d-v5"))
    apart = {name: values.max() for name, values in found.items() if values.max() > ALLOWED}
    assert apart == {}
