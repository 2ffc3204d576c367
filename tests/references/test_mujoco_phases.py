"""What is seen of MuJoCo's steps: every phase of every one of them, in slots that do not depend on what is active."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import same
from envwright.references.protocol import Glimpse, Watchpoint
from envwright.references.python import PythonReference

for package in ("mujoco", "imageio"):
    pytest.importorskip(package, reason=f"{package} is missing; pip install 'envwright[mujoco]'")

from envwright.references.mujoco_phases import before_integration, mujoco  # noqa: E402
from envwright.references.mujoco_state import MujocoState  # noqa: E402

POINTS = [Watchpoint(phase, phase) for phase in MujocoState.phases]
IN_THE_FLOOR = np.array([0.0, -1.0, 3.0, 1.2, 1.0, 0.9, -1.5, -1.5, -0.6])
STEPS = {"HalfCheetah-v5": 5, "Walker2d-v5": 4, "InvertedPendulum-v5": 2, "InvertedDoublePendulum-v5": 5, "Ant-v5": 5}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file in the folder that it runs in."""
    monkeypatch.chdir(tmp_path)


def in_the_floor(reference: PythonReference) -> None:
    """A cheetah on its back, turning, all of its joints beyond a limit."""
    reference.reset(seed=0)
    reference.restore({"qpos": IN_THE_FLOOR, "qvel": np.linspace(-8.0, 8.0, 9)})


def of(glimpses: Sequence[Glimpse], phase: str) -> list[Any]:
    return [glimpse.names for glimpse in glimpses if glimpse.phase == phase]


@pytest.mark.parametrize("id", STEPS)
def test_a_step_that_is_watched_gives_the_same_bits(id: str) -> None:
    with gymnasium_reference(id) as reference:
        rng = np.random.default_rng(0)
        reference.reset(seed=3)
        for _ in range(12):
            before, action = reference.snapshot(), reference.sample_action(rng)
            glimpses, watched = reference.watch(POINTS, action)
            then = reference.snapshot()
            assert [glimpse.phase for glimpse in glimpses] == list(MujocoState.phases) * STEPS[id]
            reference.restore(before)
            assert same(tuple(reference.step(action)), tuple(watched))
            assert same(reference.snapshot(), then)
            assert same(of(glimpses, "integrate")[-1]["qpos"], then["qpos"])


def test_every_phase_is_of_its_own_substep() -> None:
    with gymnasium_reference("HalfCheetah-v5") as reference:
        in_the_floor(reference)
        glimpses, _ = reference.watch(POINTS, np.full(6, 0.5, np.float32))
        model, data = reference.object.unwrapped.model, mujoco.MjData(reference.object.unwrapped.model)
        starts = [{"qpos": IN_THE_FLOOR}, *of(glimpses, "integrate")]
        for turn, start in enumerate(starts[:-1]):
            data.qpos[:] = start["qpos"]
            mujoco.mj_kinematics(model, data)
            assert same(of(glimpses, "kinematics")[turn]["xpos"], data.xpos.copy())
        assert len({names["qacc"].tobytes() for names in of(glimpses, "solve")}) == 5


def test_rows_in_their_slots_are_all_that_the_solver_sees() -> None:
    """Forces in slots, through the Jacobian in slots, add up to the force that MuJoCo applies."""
    with gymnasium_reference("HalfCheetah-v5") as reference:
        in_the_floor(reference)
        glimpses, _ = reference.watch(POINTS, np.zeros(6, np.float32))
        model = reference.object.unwrapped.model
        phases = ("contacts", "constraints", "solve", "mass", "smooth")
        active = [names["contact_active"].sum() for names in of(glimpses, "contacts")]
        assert active[0] > 4
        assert active[-1] == 0  # the floor has thrown it out
        for contacts, rows, solved, mass, smooth in zip(*(of(glimpses, phase) for phase in phases), strict=True):
            assert contacts["contacts_left_out"] == 0
            applied = np.einsum("skv,sk->v", rows["contact_J"], solved["contact_force"])
            applied[model.jnt_dofadr] += (rows["limit_J"] * solved["limit_force"]).sum(axis=1)
            np.testing.assert_allclose(applied, solved["qfrc_constraint"], rtol=1e-12, atol=1e-10)
            total = smooth["qfrc_smooth"] + solved["qfrc_constraint"]
            np.testing.assert_allclose(mass["M"] @ solved["qacc"], total, rtol=1e-6, atol=1e-6)
            idle = ~contacts["contact_active"]
            assert not rows["contact_D"][idle].any()
            assert (rows["contact_D"][~idle] > 0).all()


def test_limits_are_told_apart_by_their_side() -> None:
    with gymnasium_reference("HalfCheetah-v5") as reference:
        in_the_floor(reference)
        seen = of(reference.watch(POINTS, np.zeros(6, np.float32))[0], "constraints")[0]
        qpos, limits = IN_THE_FLOOR[3:], reference.object.unwrapped.model.jnt_range[3:]
        assert seen["limit_active"][3:].tolist() == [[False, True]] * 3 + [[True, False]] * 3
        assert same(seen["limit_pos"][3:6, 1], limits[:3, 1] - qpos[:3])
        assert same(seen["limit_pos"][6:, 0], qpos[3:] - limits[3:, 0])
        assert seen["limit_J"][3:].tolist() == [[0.0, -1.0]] * 3 + [[1.0, 0.0]] * 3


CAPSULE = """<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1"/>
<body name="body" pos="0 0 0"><freejoint/><geom type="capsule" size="0.05 0.25" {more}/></body>{others}
</worldbody></mujoco>"""


def contacts(xml: str, qpos: Sequence[float]) -> tuple[Any, Any, Any]:
    """What is seen of the contacts of a model in a position."""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    seen = {glimpse.phase: glimpse.names for glimpse in before_integration(model, data)}
    return data, seen["contacts"], seen["constraints"]


@pytest.mark.parametrize(("turned", "upper"), [((1.0, 0.0, 0.0, 0.0), 0), ((0.0, 1.0, 0.0, 0.0), 1)])
def test_the_ends_of_a_capsule_keep_their_slots_however_deep_it_is(turned: Sequence[float], upper: int) -> None:
    """Upright and all in the floor, the contact of the lower end is nearer to the upper end than to its own."""
    _, seen, _ = contacts(CAPSULE.format(more="", others=""), [0.0, 0.0, 0.28, *turned])
    assert np.flatnonzero(seen["contact_active"]).tolist() == [3 - upper]
    _, seen, _ = contacts(CAPSULE.format(more="", others=""), [0.0, 0.0, -0.35, *turned])
    assert np.flatnonzero(seen["contact_active"]).tolist() == [2, 3]
    np.testing.assert_allclose(seen["contact_dist"][2 + upper], -0.15, atol=1e-12)
    np.testing.assert_allclose(seen["contact_dist"][3 - upper], -0.65, atol=1e-12)


def test_contacts_of_other_kinds_take_what_is_free_and_the_rest_is_counted() -> None:
    box = '<body pos="3 0 0.5"><joint type="slide" axis="0 0 1"/><geom type="box" size="0.1 0.1 0.1"/></body>'
    data, seen, rows = contacts(CAPSULE.format(more='condim="6"', others=box), [0, 0, 0.04, 1, 0, 1, 0, -0.45])
    assert data.ncon == 4 + 2  # corners of the box, ends of the capsule
    assert seen["contact_active"].tolist() == [False, False, True, True, True, True]
    assert seen["contacts_left_out"] == 2
    assert rows["contact_D"].shape == (6, 10)  # edges of the pyramid of the widest condim
    assert (rows["contact_D"] > 0).sum(axis=1).tolist() == [0, 0, 10, 10, 4, 4]


def test_a_sparse_jacobian_is_seen_like_a_dense_one() -> None:
    sparse = CAPSULE.replace("<worldbody>", '<option jacobian="{}"/><worldbody>', 1)
    seen = [contacts(sparse.format(kind, more="", others=""), [0, 0, 0.04, 1, 0, 1, 0])[2] for kind in _JACOBIANS]
    assert seen[0]["contact_J"].any()
    assert same(seen[0], seen[1])


_JACOBIANS = ("sparse", "dense")
