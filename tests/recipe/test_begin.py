"""Originals that cannot be the law: said in one sentence before anything is paid."""

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.recipe import open_run
from envwright.recipe.new_project import begin, init_project
from envwright.recipe.plan import read_plan
from envwright.recipe.project import load_project
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.verifier import contract as contracts

GAME = """
    import itertools
    import gymnasium as gym

    clock = itertools.count()


    class Game(gym.Env):
        observation_space = gym.spaces.Discrete(100)
        action_space = gym.spaces.Discrete(2)

        def __init__(self):
            self.best = 0
            self.log = []

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.position = 0
            return self.position, {{}}

        def step(self, action):
            {step}
            return self.position % 100, 0.0, self.position > 9, False, {{}}
"""


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("self.position += 1 + next(clock) % 3", "is not deterministic given its tape"),
        ("self.position += 1 + self.best % 2; self.best += 1", "keeps best over a reset, and game.py:22 reads it"),
        ("self.position += 1; raise OSError('no display')", "no display"),
        ("self.position += 1; self.log.append(action)", "a log has to be cleared in reset"),
    ],
    ids=["not reproducible", "survives", "raises", "grows"],
)
def test_an_original_that_cannot_be_the_law_is_refused(
    step: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "game.py"
    file.write_text(textwrap.dedent(GAME).format(step=step))
    assert main(["init", f"{file}:Game", "--out", str(tmp_path / "project")]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "project" / "envwright.toml").exists()


@pytest.mark.parametrize(
    "drawn", ["gym.Env.np_random.fget(self).random()", "np.random.rand()", "__import__('random').Random().random()"]
)
def test_what_is_drawn_when_an_object_is_made_is_the_same_in_all_of_them(drawn: str, tmp_path: Path):
    file = tmp_path / "game.py"
    text = textwrap.dedent(GAME).format(step="self.position += 1 + (self.best > 0.5)")
    file.write_text("import numpy as np\n" + text.replace("self.best = 0", f"self.best = {drawn}"))
    assert main(["init", f"{file}:Game", "--out", str(tmp_path / "project")]) == 0
    made = contracts.load(tmp_path / "project" / "contract.toml").made
    assert made == {"best": "drawn when the original is made: here it always is what the seed 0 gives"}
    objects = [gymnasium_reference(f"{file}:Game") for _ in range(2)]
    assert objects[0].object.best == objects[1].object.best


def test_what_no_seed_decides_when_an_object_is_made_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "game.py"
    text = textwrap.dedent(GAME).format(step="self.position += self.best")
    file.write_text(text.replace("self.best = 0", "self.best = __import__('time').perf_counter_ns()"))
    assert main(["init", f"{file}:Game", "--out", str(tmp_path / "project")]) == 2
    assert "decides best when it is made, and not by a seed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("self.best = action; self.position += self.best", "every reset and step sets it before reading it"),
        (
            "self.best += 1; self.position += 1; return 0, 0.0, self.position > 9, False, {{'best': self.best}}",
            "it leads to nothing, or to info alone",
        ),
        ("self.best += 1; self.position += 1", "it leads to nothing, or to info alone"),
        ("self.late = action; self.position += self.late", "every reset and step sets it before reading it"),
    ],
    ids=["set first", "counted for info", "counted for nobody", "made in a step"],
)
def test_what_a_reset_leaves_as_it_was_is_left_out_if_nothing_comes_of_it(
    step: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "game.py"
    file.write_text(textwrap.dedent(GAME).format(step=step.format()))
    assert main(["init", f"{file}:Game", "--out", str(tmp_path / "project")]) == 0, capsys.readouterr().err
    found = contracts.load(tmp_path / "project" / "contract.toml")
    assert [*found.ignored.values()] == [said]
    assert [*found.state] == ["position"]


def test_an_original_that_is_compiled_has_no_source_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    library = tmp_path / "game.cpython-311-x86_64-linux-gnu.so"
    library.write_bytes(b"")
    assert main(["init", f"{library}:Game", "--out", str(tmp_path / "project")]) == 2
    assert "game.cpython" in capsys.readouterr().err


def test_what_a_new_project_was_made_of_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "game.py"
    file.write_text(textwrap.dedent(GAME).format(step="self.position += 1"))
    project = begin(f"{file}:Game", tmp_path / "run")
    monkeypatch.setattr(open_run, "analyse", None)  # which would fail if it were called
    monkeypatch.setattr(contracts, "load", None)
    documents = open_run.read_documents(replace(project, budget=1))
    assert documents.contract.text == (tmp_path / "run" / "contract.toml").read_text()
    assert documents.plan == read_plan(tmp_path / "run" / "plan.toml", documents.analysis)


def test_the_sources_of_an_original_stay_with_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "game.py").write_text(textwrap.dedent(GAME).format(step="self.position += 1"))
    monkeypatch.chdir(tmp_path)
    made = init_project("game.py:Game", Path("project"), sources=[Path("game.py")], entries=["reset", "step"])
    monkeypatch.chdir("/")
    project = load_project(tmp_path / "project")
    assert project.entries == ("reset", "step")
    assert made.documents is not None
    assert open_run.read_documents(project).plan == made.documents.plan
