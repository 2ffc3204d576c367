"""The state of MuJoCo, which is in its mjData, goes out and in bit for bit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import same
from envwright.references.protocol import Reference, Watchpoint
from envwright.references.self_check import check_reference

for package in ("mujoco", "imageio"):
    pytest.importorskip(package, reason=f"{package} is missing; pip install 'gymnasium[mujoco]'")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings to a file in the folder that it runs in."""
    monkeypatch.chdir(tmp_path)


def played(reference: Reference, steps: int) -> list[tuple[dict[str, Any], Any, Any]]:
    """Snapshots, the actions taken there, and what they led to."""
    rng, told = np.random.default_rng(0), []
    outcome = reference.reset(seed=3)
    while len(told) < steps and not outcome.terminated:
        before, action = reference.snapshot(), reference.sample_action(rng)
        outcome = reference.step(action)
        told.append((before, action, outcome))
    return told


# Ant and Humanoid are rewarded for moving on from positions that MuJoCo computed a step ago.
@pytest.mark.parametrize(
    ("id", "more"),
    [("InvertedPendulum-v5", set()), ("Ant-v5", {"xpos"}), ("Humanoid-v5", {"xipos"}), ("Reacher-v5", {"goal"})],
)
def test_every_step_of_an_episode_is_repeated_from_its_snapshot(id: str, more: set[str]) -> None:
    with gymnasium_reference(id) as reference:
        told = played(reference, 30)
        assert set(told[0][0]) == {"qpos", "qvel", "time", "warmstart", "ctrl", "elapsed_steps"} | more
        for before, action, outcome in reversed(told):
            reference.restore(before)
            assert same(tuple(reference.step(action)), tuple(outcome))
        assert check_reference(reference, 2).findings == ()


def test_the_rest_of_an_episode_follows_from_a_snapshot() -> None:
    with gymnasium_reference("HalfCheetah-v5") as reference:
        told = played(reference, 40)
        reference.restore(told[10][0])
        for before, action, outcome in told[10:]:
            assert same(reference.snapshot(), before)
            assert same(tuple(reference.step(action)), tuple(outcome))


def test_an_edited_state_is_stepped_from_and_its_phases_are_seen() -> None:
    with gymnasium_reference("InvertedPendulum-v5") as reference:
        reference.reset(seed=0)
        reference.restore({"qpos": np.array([0.0, 0.1]), "qvel": np.zeros(2)})
        points = [Watchpoint("pushed", "actuation"), Watchpoint("turned", "solve")]
        glimpses, outcome = reference.watch(points, np.array([1.0], np.float32))
        assert [glimpse.phase for glimpse in glimpses] == ["pushed", "turned"] * 2  # MuJoCo takes two steps
        assert glimpses[0].names["qfrc_actuator"][0] == 100.0  # the gear of the motor
        assert outcome.obs[2] * glimpses[1].names["qacc"][0] > 0


def test_the_options_of_its_model_can_be_set() -> None:
    with gymnasium_reference(
        "InvertedPendulum-v5", {"model.opt.tolerance": 0, "model.opt.gravity": [0, 0, -1]}
    ) as made:
        option = made.object.unwrapped.model.opt
        assert (option.tolerance, option.gravity.tolist()) == (0.0, [0.0, 0.0, -1.0])
        with made.setting({"model.opt.tolerance": 1.0}):
            assert option.tolerance == 1.0
        assert option.tolerance == 0.0
