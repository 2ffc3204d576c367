"""Projects: what their file may say, and what is said about what it may not."""

from dataclasses import replace
from pathlib import Path

import pytest

from envwright.agents.protocol import DOLLAR
from envwright.core.errors import EnvwrightError
from envwright.recipe.new_project import begin, short_name
from envwright.recipe.project import Project, load_project, project_text, read_project
from envwright.recipe.prompting import PromptError, fill, prompts_hash, template

LEAST = {"version": 1, "name": "game", "title": "Game", "reference": "m:Game"}


def test_a_new_projects_file_is_read_back(tmp_path: Path):
    project = Project(tmp_path, "game", "Game", "m:Game", "rust", ("builtin", "claude"), 5 * DOLLAR, sources=("a.c",))
    (tmp_path / "envwright.toml").write_text(project_text(project))
    assert load_project(tmp_path) == replace(project, agent=("builtin", "claude"))


def test_settings_reach_where_they_belong(tmp_path: Path):
    table = {**LEAST, "agents": {"claude": {"model": "m"}}, "rules": {"repairs": 3}, "limits": {"seconds": 9.0}}
    project = read_project(table, tmp_path)
    assert (project.rules.repairs, project.limits.seconds, project.package) == (3, 9.0, "fast_game")
    assert project.agents["claude"] == {"model": "m"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 2}, "is of version 2; this envwright reads version 1"),
        ({"name": ""}, "name is missing"),
        ({"name": "my game"}, "use letters, digits and _ only"),
        ({"target": "cuda"}, "there is no target cuda; there are jax and rust"),
        ({"budget": -1}, "budget is an amount of dollars, but is -1"),
        ({"agnet": "claude"}, "unknown key agnet; did you mean agent?"),
        ({"agent": ""}, "An agent is a name"),
        ({"rules": {"repair": 3}}, "unknown key repair; did you mean repairs?"),
    ],
)
def test_what_a_project_may_not_say_is_one_sentence(tmp_path: Path, change, sentence):
    with pytest.raises(EnvwrightError, match=sentence.replace("?", r"\?")):
        read_project({**LEAST, **change}, tmp_path)


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("gymnasium:CartPole-v1", "cart_pole"),
        ("minatar:breakout", "breakout"),
        ("gymnasium:phys2d/CartPole-v1", "cart_pole"),
        ("my_module:MyEnv", "my_env"),
        ("some/file.py:Game2048", "game2048"),
    ],
)
def test_a_reference_has_a_short_name(reference, name):
    assert short_name(reference) == name


def test_a_folder_that_is_no_run_is_never_deleted(tmp_path: Path):
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(EnvwrightError, match="is not a run of envwright's, so it is not deleted"):
        begin("gymnasium:CartPole-v1", tmp_path, fresh=True)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_folder_about_another_reference_is_refused(tmp_path: Path):
    (tmp_path / "envwright.toml").write_text(project_text(Project(tmp_path, "game", "Game", "m:Game")))
    with pytest.raises(EnvwrightError, match="is about m:Game; choose another folder"):
        begin("gymnasium:CartPole-v1", tmp_path)
    with pytest.raises(EnvwrightError, match="translates to jax; choose another folder"):
        begin("m:Game", tmp_path, target="rust")


def test_templates_of_the_project_go_before_ours(tmp_path: Path):
    assert "{{source}}" in template("translate", tmp_path)
    before = prompts_hash(tmp_path)
    (tmp_path / "translate.md").write_text("Do {{module}}.")
    assert template("translate", tmp_path) == "Do {{module}}."
    assert prompts_hash(tmp_path) != before


def test_slots_are_filled_once_and_unknown_ones_are_named():
    assert fill("a {{x}} b", {"x": "{{y}}"}) == "a {{y}} b\n"
    with pytest.raises(PromptError, match=r"asks for {{z}}, which there is not; there are x"):
        fill("{{z}}", {"x": ""})
    with pytest.raises(PromptError, match="There is no template nothing"):
        template("nothing")
