"""L4 inside the recipe: the verdict of another process becomes the verifier's checks."""

from pathlib import Path

import pytest

from envwright.recipe.new_project import begin
from envwright.recipe.open_run import find_agents, open_run
from envwright.recipe.recorded import load_recording

WALK = Path(__file__).parent / "walk"


@pytest.mark.slow
def test_policies_that_learned_on_either_side_are_compared(tmp_path: Path):
    project = begin(str(WALK), tmp_path / "walk")
    contract = project.folder / "contract.toml"
    terms = "\n[transfer]\nmargin = 0.5\nreason = 'small games'\nseeds = 2\ngames = 60\nsteps = 20_000\n"
    contract.write_text(contract.read_text() + terms)
    agents, secret = find_agents(project)
    answers = load_recording(WALK)["answers"]
    with open_run(project, agents, secret=secret) as (run, brief):
        right = {**brief.scaffold, **answers["repair-moves-1"]["files"], **answers["repair-rules-2"]["files"]}
        judged = run.verifier.judge("transfer", right, brief.names)
    assert judged.passed, judged.counterexample
    assert {check["level"] for check in judged.checks} == {"L4"}
    assert any("equal step for step" in check["detail"] for check in judged.checks)


@pytest.mark.slow
def test_a_verification_that_cannot_be_made_says_why(tmp_path: Path):
    project = begin(str(WALK), tmp_path / "walk")
    agents, secret = find_agents(project)
    with open_run(project, agents, secret=secret) as (run, brief):
        judged = run.verifier.judge("transfer", {"README": "nothing"}, brief.names)
    assert not judged.passed
    assert "could not be made: envwright: " in judged.counterexample
