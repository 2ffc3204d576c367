"""State that Python cannot walk is seen, kept and put back by an adapter, beside what is walked."""

from pathlib import Path

import numpy as np
import pytest
from loading import play, replays

from envwright.core.errors import DuplicateEnvError, EnvwrightError
from envwright.references import state_adapter
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import same
from envwright.references.protocol import Watchpoint
from envwright.references.python import PythonReference
from envwright.references.self_check import check_reference

OUTSIDE = Path(__file__).parent / "outside.py"


def outside(name: str) -> PythonReference:
    return gymnasium_reference(f"{OUTSIDE}:{name}")


@pytest.mark.parametrize("name", ["Outside", "Nearer"])
def test_state_inside_and_outside_of_python_is_one(name: str) -> None:
    with outside(name) as reference:
        told = play(reference, 25)
        assert set(told[0][2]) == {"turns", "OutsideState.turns", "position", "elapsed_steps"}
        assert reference.look()["stride"] == 2.0  # constant, so seen but not kept
        assert check_reference(reference).findings == ()
        action, outcome, _ = told[5]
        reference.restore(told[4][2])
        assert same(reference.snapshot(), told[4][2])
        assert same(tuple(reference.step(action)), tuple(outcome))
        assert replays(reference, play(reference, 25))


def test_what_is_kept_is_a_copy_and_may_be_edited_in_part() -> None:
    with outside("Outside") as reference:
        reference.reset(seed=1)
        before = reference.snapshot()
        reference.step(1)
        assert before["position"] == reference.look()["position"] - 2.0
        reference.restore({"position": np.array([40.0])})
        assert reference.step(1).obs == 42.0
        assert reference.look()["turns"] == 2  # was not put back
        reference.restore({"stride": 5.0})
        assert reference.step(0).obs == 37.0
        assert reference.snapshot()["stride"] == 5.0
        with pytest.raises(EnvwrightError, match="no attribute `stridde`; did you mean `stride`"):
            reference.restore({"stridde": 1.0})


def test_phases_of_an_adapter_are_seen_beside_those_of_python() -> None:
    points = [Watchpoint("begun", "step", 'there["turns"] = f"{self.turns}"'), Watchpoint("gone", "walk")]
    with outside("Outside") as reference:
        reference.reset(seed=0)
        glimpses, outcome = reference.watch(points, 1)
        seen = {glimpse.phase: glimpse.names for glimpse in glimpses}
        assert seen["gone"] == {"walked": 2.0}
        assert seen["begun"]["OutsideState.turns"] == "none"
        assert seen["begun"]["position"] == outcome.obs


def test_an_adapter_that_cannot_be_used_is_named() -> None:
    with pytest.raises(EnvwrightError, match=r"state of Listed came as a list.* must return a dict of names"):
        outside("Listed")
    with outside("Standing") as reference:
        reference.reset(seed=0)
        with pytest.raises(EnvwrightError, match="took 0 steps in watch, instead of one"):
            reference.watch([Watchpoint("gone", "walk")], 1)


def test_a_class_has_one_adapter() -> None:
    with outside("Outside") as reference:
        cls = type(reference.object)
    adapter = state_adapter.find_adapter(reference.object)
    assert adapter is not None
    with pytest.raises(DuplicateEnvError, match="Outside has a state adapter already, OutsideState"):
        state_adapter.register_state(cls, adapter)


def test_other_packages_bring_adapters_by_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = OUTSIDE.read_text()
    (tmp_path / "far_game.py").write_text(whole[: whole.index("register_state(Outside")])
    (tmp_path / "far_states.py").write_text("from far_game import OutsideState\nSTATE = OutsideState()\nWRONG = 3\n")
    folder = tmp_path / "far-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: far\nVersion: 1.0\n")
    points = ["far_game.Outside = far_states:STATE", "far_game.Listed = far_states:WRONG"]
    (folder / "entry_points.txt").write_text("\n".join(["[envwright.states]", *points]))
    monkeypatch.syspath_prepend(tmp_path)
    with gymnasium_reference("far_game:Nearer") as reference:
        reference.reset(seed=0)
        assert "position" in reference.snapshot()
    with pytest.raises(EnvwrightError, match="far_states:WRONG should be an instance of a StateAdapter, but is 3"):
        gymnasium_reference("far_game:Listed")
