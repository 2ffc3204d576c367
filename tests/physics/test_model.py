"""Models: read from MuJoCo, kept as files, and refused where planar physics does not know an element."""

from pathlib import Path

import pytest

import envwright.envs
from envwright.physics.model import load_model, save_model

BODIES = {
    "HalfCheetah-v5": "half_cheetah",
    "Walker2d-v5": "walker2d",
    "InvertedPendulum-v5": "inverted_pendulum",
    "InvertedDoublePendulum-v5": "inverted_double_pendulum",
}
FOLDER = Path(envwright.envs.__file__).parent
CAPSULE = '<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.05" {}/>'
HINGE = '<joint name="hip" type="hinge" axis="0 1 0"/>'
FLOOR = '<geom type="plane" size="5 5 1"/>'


@pytest.mark.parametrize("folder", BODIES.values())
def test_a_model_is_the_same_after_it_was_written_and_read(folder: str, tmp_path: Path) -> None:
    model = load_model(FOLDER / folder / "model.json")
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json") == model


def test_joints_know_their_ancestors_nearest_first() -> None:
    cheetah = load_model(FOLDER / "half_cheetah" / "model.json")
    names = [joint.name for joint in cheetah.joints]
    assert [names[i] for i in cheetah.ancestors(names.index("ffoot"))] == ["fshin", "fthigh", "rooty", "rootz", "rootx"]


@pytest.mark.filterwarnings("ignore:.*settotalmass")
@pytest.mark.parametrize("id", BODIES)
def test_the_committed_models_are_those_that_mujoco_compiles(id: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    gymnasium = pytest.importorskip("gymnasium")
    from envwright.physics.extract import read_model

    if mujoco.__version__ != "4.0.0":
        pytest.skip("the models were compiled by MuJoCo 4.0.0")
    env = gymnasium.make(id).unwrapped
    assert read_model(env.model, id, env.frame_skip) == load_model(FOLDER / BODIES[id] / "model.json")


def in_the_world(inside: str, outside: str = "") -> str:
    return f"<mujoco><worldbody>{inside}</worldbody>{outside}</mujoco>"


OTHER_BODY = f'<body name="other" pos="0 0 2">{HINGE.replace("hip", "knee")}{CAPSULE.format("")}</body>'
REFUSED = {
    "free joint": (f'<body><freejoint name="root"/>{CAPSULE.format("")}</body>', "", "The joint 'root', a free joint,"),
    "hinge out of the plane": (
        f'<body><joint name="yaw" axis="0 0 1"/>{CAPSULE.format("")}</body>',
        "",
        "The joint 'yaw', whose axis is [0.0, 0.0, 1.0],",
    ),
    "capsule against capsule": (
        f"<body>{HINGE}{CAPSULE.format(chr(110) + 'ame=' + chr(34) + 'thigh' + chr(34))}"
        f'<body pos="0.3 0 0"><joint axis="0 1 0"/>{CAPSULE.format("")}'
        f'<body pos="0.3 0 0"><joint axis="0 1 0"/>{CAPSULE.format("")}</body></body></body>',
        "",
        "The capsule 'thigh' against a capsule",
    ),
    "second tree": (
        f"<body>{HINGE}{CAPSULE.format('contype=' + chr(34) + '0' + chr(34))}</body>{OTHER_BODY}",
        "",
        "A second tree of bodies, at 'other',",
    ),
    "tendon": (
        f"<body>{HINGE}{CAPSULE.format('')}</body>",
        '<tendon><fixed><joint joint="hip" coef="1"/></fixed></tendon>',
        "A tendon",
    ),
    "servo": (
        f"<body>{HINGE}{CAPSULE.format('')}</body>",
        '<actuator><position name="servo" joint="hip" kp="3"/></actuator>',
        "The actuator 'servo', which is not a plain motor at a joint,",
    ),
    "box on the floor": (
        f'{FLOOR}<body pos="0 0 1">{HINGE}<geom type="box" size="0.1 0.1 0.1"/></body>',
        "",
        "A plane against a box",
    ),
    "elliptic cones": (
        f"<body>{HINGE}{CAPSULE.format('')}</body>",
        '<option cone="elliptic"/>',
        "An elliptic friction cone",
    ),
    "mesh": (
        f'<body>{HINGE}{CAPSULE.format("")}<geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body>',
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>',
        "A mesh",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_model_outside_the_family_is_refused_with_its_element(case: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    from envwright.physics.extract import read_model
    from envwright.physics.family import UnsupportedModelError

    inside, outside, element = REFUSED[case]
    model = mujoco.MjModel.from_xml_string(in_the_world(inside, outside))
    with pytest.raises(UnsupportedModelError) as caught:
        read_model(model, case, 1)
    said = str(caught.value)
    assert said.startswith(f"{element} is outside of planar physics; supported is one tree of bodies")
    assert "\n" not in said


def test_a_body_with_a_sphere_and_no_friction_is_in_the_family() -> None:
    mujoco = pytest.importorskip("mujoco")
    from envwright.physics.extract import read_model

    inside = (
        '<geom type="plane" size="5 5 1" pos="0 0 -0.5" condim="1"/>'
        '<body><joint type="slide" axis="0 0 1"/><geom type="sphere" size="0.1" condim="1"/></body>'
    )
    model = read_model(mujoco.MjModel.from_xml_string(in_the_world(inside)), "ball", 1)
    assert model.floor == -0.5
    assert [(sphere.radius, sphere.friction) for sphere in model.spheres] == [(0.1, 0.0)]
