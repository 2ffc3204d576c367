"""Speed of both sides: who is timed, by whom, and what is said of it. No test asks how fast anything is."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import stroll

from envwright.core.errors import EnvwrightError
from envwright.core.layouts import PLAIN, SHARDED
from envwright.recipe import speed as measuring
from envwright.recipe.briefing import Briefing
from envwright.recipe.speed import MeasureError, measure
from envwright.recipe.versions import write_files
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.python.draws import Recorded
from envwright.sandbox.process import Limits, Sandbox
from envwright.verifier.host import Apart, Here
from envwright.verifier.interface import Interface

REFERENCE = f"{Path(stroll.__file__).resolve()}:Stroll"


def candidate(folder: Path, **changed: str) -> Path:
    write_files(folder, {**stroll.files(), **{f"fast_stroll/{name}.py": text for name, text in changed.items()}})
    return folder


@pytest.mark.slow
def test_both_sides_are_timed_by_turns(tmp_path: Path) -> None:
    host = Apart(partial(gymnasium_reference, REFERENCE))
    found = measure(host, stroll.BRIEF, candidate(tmp_path / "fast"), num_envs=510, rounds=3, turn=0.05)
    facts = found.facts
    assert (len(facts["reference_rates"]), len(facts["candidate_rates"])) == (3, 3)
    assert facts["num_envs"] % facts["devices"] == 0
    assert 510 <= facts["num_envs"] < 510 + facts["devices"]
    assert facts["layout"] == SHARDED
    assert facts["reference_runs"] == "1 environment in 1 process, as its users run it"
    assert min(found.reference, found.candidate, facts["compile_seconds"]) > 0
    assert found.ratio[1] <= found.ratio[0] <= found.ratio[2]
    assert json.loads(json.dumps(facts)) == facts  # it goes into the journal
    left = {str(path.relative_to(tmp_path / "fast")) for path in (tmp_path / "fast").rglob("*") if path.is_file()}
    assert left == set(stroll.files())  # nothing was added to what users get
    shown = host.run(_state_after_reset)  # the host begins anew
    host.close()
    assert shown == 1


def _state_after_reset(reference, beat) -> int:
    beat()
    return reference.reset(seed=0).obs.size


def test_the_original_is_timed_as_its_users_run_it() -> None:
    host = Here(gymnasium_reference(REFERENCE))
    try:
        assert host.run(measuring._prepare)
        timed = measuring._prepared[0]
        assert isinstance(timed, measuring._Plain)
        assert not isinstance(type(_made(timed).np_random), Recorded)  # nobody watches its luck
        host.run(measuring._play, 200)
    finally:
        host.close()


def test_the_original_plays_as_many_steps_as_it_is_told_and_begins_anew_where_it_ended() -> None:
    host = Here(gymnasium_reference(REFERENCE))
    try:
        host.run(measuring._prepare)
        timed = measuring._prepared[0]
        assert isinstance(timed, measuring._Plain)
        made, count = _made(timed), {"step": 0, "reset": 0}
        timed.step, timed.reset = (_counted(getattr(made, name), name, count) for name in ("step", "reset"))
        host.run(measuring._play, 300)
        assert count["step"] == 300
        assert count["reset"] > 5
    finally:
        host.close()


def _made(timed: measuring._Plain) -> Any:
    """The environment whose own step is called."""
    return timed.step.__self__  # pyright: ignore[reportFunctionMemberAccess]


def _counted(function, name: str, count: dict[str, int]):
    def counted(*arguments):
        count[name] += 1
        return function(*arguments)

    return counted


def test_a_target_without_a_worker_says_so(tmp_path: Path) -> None:
    class Other:
        NAME = "cobol"

        def workers(self, interface: Interface) -> dict[str, list[str]]:
            return {}

    brief = Briefing("stroll.py:Stroll", stroll.INTERFACE, Other(), [])  # pyright: ignore[reportArgumentType]
    host = Here(gymnasium_reference(REFERENCE))
    with pytest.raises(MeasureError, match="There is no way to run the translation"):
        measure(host, brief, tmp_path)


@pytest.mark.slow
def test_a_translation_that_raises_is_one_sentence_with_the_place(tmp_path: Path) -> None:
    broken = stroll.RULES.replace("    after = State(", '    raise RuntimeError("no way")\n    after = State(')
    host = Here(gymnasium_reference(REFERENCE))
    with pytest.raises(
        EnvwrightError, match=r"cannot be timed \(plain\): fast_stroll/rules\.py:\d+: RuntimeError: no way"
    ):
        measure(host, stroll.BRIEF, candidate(tmp_path, rules=broken), num_envs=64)


@pytest.mark.slow
def test_a_worker_says_what_it_runs_on(tmp_path: Path) -> None:
    argv = stroll.BRIEF.target.workers(stroll.BRIEF.interface)[PLAIN]
    box = Sandbox(argv, candidate(tmp_path), Limits())
    try:
        assert box.ask({"load": True})["value"]["devices"] == 1
        assert box.ask({"build": [64, 4]}) == {"value": None}
        assert box.ask({"go": 3}) == {"value": None}
    finally:
        box.close()
