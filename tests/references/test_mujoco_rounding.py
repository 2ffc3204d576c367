"""MuJoCo's sensitivity to rounding: its model, moved by last bits, and put back bit for bit."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.references.gymnasium_env import gymnasium_reference

mujoco: Any = pytest.importorskip("mujoco", reason="mujoco is missing; pip install 'gymnasium[mujoco]'")
pytest.importorskip("imageio", reason="imageio is missing; pip install 'gymnasium[mujoco]'")

from envwright.references.mujoco_rounding import moved_model, reaches  # noqa: E402

# An arm of two links, of 8 m and 1 m; the second ends in a ball of 0.5 m.
ARM = """
<mujoco><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body pos="0 0 0.5"><joint axis="0 1 0"/><geom type="sphere" size="0.1"/>
    <body pos="8 0 0"><joint axis="0 1 0"/><geom type="sphere" size="0.5" pos="1 0 0"/></body>
  </body>
</worldbody></mujoco>
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file in the folder that it runs in."""
    monkeypatch.chdir(tmp_path)


def arm() -> Any:
    return mujoco.MjModel.from_xml_string(ARM)


def at_rest(model: Any) -> Any:
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data


def numbers(model: Any) -> dict[str, np.ndarray]:
    owners = {"": model, "opt.": model.opt}
    found = {at + name: getattr(owner, name) for at, owner in owners.items() for name in dir(owner)}
    kinds = float, np.ndarray
    found = {n: np.array(v) for n, v in found.items() if isinstance(v, kinds) and "__" not in n}
    return {name: value for name, value in found.items() if value.dtype == np.float64}


def bits(model: Any) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in numbers(model).items()}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_model_is_put_back_bit_for_bit(dtype: str) -> None:
    model = arm()
    before = bits(model)
    for seed in range(3):
        with moved_model(model, at_rest(model), seed, dtype):
            assert bits(model) != before
        assert bits(model) == before
    with suppress(ZeroDivisionError), moved_model(model, at_rest(model), 0, dtype):
        _ = 1 / 0
    assert bits(model) == before


def test_every_number_is_moved_by_a_unit_but_zero_and_where_solvers_stop() -> None:
    model = arm()
    before = numbers(model)
    with moved_model(model, at_rest(model), 0, "float32"):
        after = numbers(model)
    lengths = {"body_pos", "body_ipos", "jnt_pos", "geom_pos", "site_pos", "body_inertia"}
    for name, value in before.items():
        if name.endswith("tolerance") or name.startswith("stat"):
            assert np.array_equal(after[name], value)
        elif name not in lengths:
            units = np.where(value == 0, 0.0, np.spacing(np.abs(value).astype(np.float32)))
            assert np.allclose(np.abs(after[name] - value), units, rtol=1e-6, atol=0), name


def test_lengths_are_rounded_where_they_are_summed_and_inertia_where_it_is_added_up() -> None:
    model = arm()
    reach = 0.5 + 8 + 1 + 0.5
    assert reaches(model)[1:].tolist() == [reach, reach]
    assert reaches(model)[0] < reach  # the floor is no part of the arm
    inertia = model.body_inertia.copy()
    with moved_model(model, at_rest(model), 0, "float32"):
        assert abs(model.body_pos[2, 0] - 8) == np.spacing(np.float32(reach))
        assert model.body_pos[2, 1] == 0
        units = np.spacing((model.body_mass * reach**2).astype(np.float32))
        assert np.allclose(np.abs(model.body_inertia - inertia)[1:], units[1:, None], rtol=1e-6, atol=0)


def test_lengths_are_moved_by_a_unit_of_where_the_body_is_in_the_world() -> None:
    """MuJoCo adds them to that place in float64."""
    model = mujoco.MjModel.from_xml_string(
        ARM.replace('<joint axis="0 1 0"/>', '<joint type="slide" axis="1 0 0"/>', 1)
    )
    data = mujoco.MjData(model)
    for away, dtype, unit in [
        (0.0, "float64", np.spacing(10.0)),
        (1e6, "float64", np.spacing(1e6)),
        (1e6, "float32", np.spacing(np.float32(10))),  # which is more than the unit of float64 there
    ]:
        with moved_model(model, data, 0, dtype) as move:
            data.qpos[0] = away
            mujoco.mj_forward(model, data)
            move()
            assert abs(model.body_pos[2, 0] - 8) == unit
            assert abs(model.jnt_pos[1, 0]) == np.spacing(away + 8)  # 0, but added to where the body is
            assert model.jnt_pos[1, 1] == 0  # in the plane


def test_steps_move_with_the_precision_and_the_seed() -> None:
    with gymnasium_reference("InvertedDoublePendulum-v5") as reference:
        reference.reset(seed=0)
        start = reference.snapshot()

        def stepped(*how: Any) -> np.ndarray:
            reference.restore(start)
            if not how:
                return np.asarray(reference.step(np.array([0.3], np.float32)).obs)
            way = reference.rounding(*how)
            assert way is not None
            with way:
                return np.asarray(reference.step(np.array([0.3], np.float32)).obs)

        usual = stepped()
        single, double = (
            [np.abs(stepped(seed, dtype) - usual).max() for seed in range(4)] for dtype in ("float32", "float64")
        )
        assert np.array_equal(stepped(), usual)
        assert 1e-9 < max(single) < 1e-5
        assert 1e-18 < max(double) < 1e-13
        assert len(set(single)) > 1


def test_a_velocity_far_from_the_origin_is_as_uncertain_as_the_positions_it_is_the_difference_of() -> None:
    with gymnasium_reference("HalfCheetah-v5") as reference:
        reference.reset(seed=0)
        start = reference.snapshot()
        start["qpos"] = start["qpos"] - np.eye(9)[0] * 1000.0  # where a unit of a position is 1.1e-13 m
        seen = []
        for seed in range(8):
            reference.restore(start)
            way = reference.rounding(seed, "float64")
            assert way is not None
            with way:
                seen.append(reference.step(np.zeros(6, np.float32)).info["x_velocity"])
        assert 1e-12 < np.ptp(seen) < 5e-11  # five substeps in 0.05 s
