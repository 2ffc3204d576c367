"""What generated code may do, and what the verifier says of it: a sentence, a module to blame, and the run goes on."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from envwright.recipe.new_project import begin
from envwright.recipe.open_run import find_agents, open_run
from envwright.recipe.recorded import load_recording
from envwright.recipe.verifier import Verifier, VerifierError
from envwright.sandbox.process import Limits
from envwright.verifier import contract as contracts

WALK = Path(__file__).parent / "walk"
MODULES = ("moves", "rules")
MOVES, RULES = "fast_walk/moves.py", "fast_walk/rules.py"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Verifier, dict[str, str]]]:
    """A verifier for the walk, and the files of a translation that is right."""
    project = begin(str(WALK), tmp_path_factory.mktemp("bad") / "walk")
    agents, secret = find_agents(project)
    answers = load_recording(WALK)["answers"]
    with open_run(project, agents, secret=secret) as (run, brief):
        right = {**brief.scaffold, **answers["repair-moves-1"]["files"], **answers["repair-rules-2"]["files"]}
        run.verifier.limits = Limits(seconds=12, memory=2 * 2**30, output=200_000)
        yield run.verifier, right


@pytest.mark.parametrize(
    ("path", "old", "new", "blamed", "sentence"),
    [
        (
            MOVES,
            "import jax\n",
            "import jax\nHere is the translation you asked for:\n",
            "moves",
            r"moves\.py.*SyntaxError",
        ),
        (MOVES, "FAR = 5", "FAR = nothing", "moves", r"moves\.py.*NameError: name 'nothing' is not defined"),
        (MOVES, "FAR = 5", "FAR = 5\nwhile True: pass", "rules", "gave no answer within 12 s and was stopped"),
        (
            MOVES,
            "FAR = 5",
            "FAR = 5\nhog = [bytearray(2**28) for _ in range(40)]",
            "rules",
            "GiB of memory and was stopped",
        ),
        (
            MOVES,
            "FAR = 5",
            "FAR = 5\nfor _ in range(10**9): print('x' * 999)",
            "rules",
            "printed more than 200,000 bytes",
        ),
        (MOVES, "FAR = 5", "FAR = 5\nimport os\nos._exit(7)", "rules", r"process died \(exit code 7\)"),
        (MOVES, "FAR = 5", "FAR = 5\nimport os\nos.kill(os.getpid(), 11)", "rules", "killed by SIGSEGV"),
        (
            MOVES,
            "return jnp.where(x < low",
            "return 1 / 0 + jnp.where(x < low",
            "moves",
            r"moves\.py:\d+: ZeroDivisionError",
        ),
        (MOVES, "def worth", "def value", "moves", r"moves\.py|worth"),
    ],
    ids=["prose", "import", "endless", "memory", "flood", "exit", "segfault", "raises", "missing"],
)
def test_code_that_cannot_be_judged_is_a_verdict(opened, path, old, new, blamed, sentence):
    verifier, right = opened
    judged = verifier.judge("module moves", {**right, path: right[path].replace(old, new)}, MODULES)
    assert not judged.passed
    assert re.search(sentence, judged.counterexample), judged.counterexample
    assert judged.blamed in (blamed, "moves")


def test_after_all_that_the_court_judges_on(opened):
    verifier, right = opened
    assert verifier.judge("module moves", right, MODULES).passed


def test_a_whole_with_code_that_does_not_load_fails_with_its_place(opened):
    verifier, right = opened
    judged = verifier.judge("whole", {**right, RULES: right[RULES].replace("def draw(", "def drew(")}, MODULES)
    assert not judged.passed
    assert judged.blamed == "rules"


def test_state_that_changes_its_kind_is_named(opened):
    verifier, right = opened
    wrong = right[RULES].replace("steps=state.steps + 1", "steps=state.steps + 1.0")
    judged = verifier.judge("whole", {**right, RULES: wrong}, MODULES)
    assert not judged.passed
    assert "state.steps: expected int32, got float32" in judged.counterexample
    assert "a step changes the type of this field" in judged.counterexample


def test_a_contract_that_does_not_fit_is_not_put_on_the_candidate(opened):
    verifier, right = opened
    text = (WALK / "contract.toml").read_text().replace('steps = "steps"', 'paces = "steps"')
    other = replace(verifier, contract=contracts.read(text))
    with pytest.raises(VerifierError, match=r"No translation could be right: .*Correct contract\.toml"):
        other.judge("whole", right, MODULES)


def test_a_reference_that_cannot_be_judged_by_is_not_put_on_the_candidate(opened):
    verifier, right = opened
    text = (WALK / "contract.toml").read_text().replace("step = \"draws('step', 0)\"", "step = \"draws('step', 0)[1]\"")
    other = replace(verifier, contract=contracts.read(text, WALK / "contract.toml"), folder=verifier.folder / "other")
    with pytest.raises(VerifierError, match=r"The candidate cannot be judged: .*\[chance\.step\] step"):
        other.judge("whole", right, MODULES)
