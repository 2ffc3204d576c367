"""What a user types to name an original: options, files, modules of the folder one is in."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.core.errors import EnvwrightError
from envwright.recipe.drafting.contract_file import contract_text
from envwright.recipe.drafting.tables import Draft
from envwright.recipe.naming import all_options, located, read_options, short_name, title_of, told
from envwright.recipe.new_project import begin
from envwright.recipe.project import load_project
from envwright.verifier import contract as contracts

GAME = """
    import gymnasium as gym
    from stride_beside import stride


    class MyGame(gym.Env):
        observation_space = gym.spaces.Discrete(100)
        action_space = gym.spaces.Discrete(2)

        def __init__(self, goal=9, words="none"):
            self.goal = goal

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.position = 0
            return self.position, {}

        def step(self, action):
            self.position += stride(action)
            return self.position % 100, 0.0, self.position > self.goal, False, {}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a game of somebody's own; one is in it."""
    (tmp_path / "my_game_file.py").write_text(textwrap.dedent(GAME))
    (tmp_path / "stride_beside.py").write_text("def stride(action):\n    return 1 + int(action)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    return tmp_path


def test_values_are_read_as_json_or_else_as_texts():
    texts = ["a=false", "b=8x8", "c=3", "d=0.5", 'e=["SF", "FG"]', 'f="7"', "g=", "h=NaN", "i=x=y"]
    read = {"a": False, "b": "8x8", "c": 3, "d": 0.5, "e": ["SF", "FG"], "f": "7", "g": "", "h": "NaN", "i": "x=y"}
    assert read_options(texts) == read


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("slippery", "'slippery' is not an option of an original; write it like --set is_slippery=false."),
        ("2=3", "'2=3' is not an option"),
    ],
)
def test_what_is_no_option_gets_a_sentence(text: str, sentence: str):
    with pytest.raises(EnvwrightError) as caught:
        read_options([text])
    assert sentence in str(caught.value)


def test_options_go_through_a_contract():
    options = read_options(["a=null", 'b={"c": [1, null], "d e": {}}', "f=[[0.5, true], []]", 'g="ä"'])
    assert options == {"a": None, "b": {"c": [1, None], "d e": {}}, "f": [[0.5, True], []], "g": "ä"}
    text = contract_text("game.py:Game", "fast.env:Game", Draft(options=options), None, [])
    assert contracts.read(text).reference_options == options


def test_other_options_give_another_name_in_any_order():
    reference = "gymnasium:FrozenLake-v1"
    one = short_name(reference, {"is_slippery": False, "map_name": "8x8"})
    assert one == short_name(reference, {"map_name": "8x8", "is_slippery": False})
    assert one == "frozen_lake_is_slippery_false_map_name_8x8"
    long = [short_name(reference, {"desc": [letter * 64]}) for letter in "SF"]
    assert len(set(long)) == 2
    assert all(name.isidentifier() and len(name) < 30 for name in long)
    assert short_name(reference, {}) == "frozen_lake"


def test_a_class_is_not_called_like_what_its_file_imports():
    assert [title_of(name) for name in ("cart_pole", "box", "env")] == ["CartPole", "BoxEnv", "EnvEnv"]


def test_minatar_is_told_to_forget_unless_the_user_says_otherwise():
    assert all_options("minatar:breakout", {"sticky_action_prob": 0.0}) == {"forgets": True, "sticky_action_prob": 0.0}
    assert all_options("minatar:breakout", {"forgets": False}) == {"forgets": False}
    assert all_options("gymnasium:Taxi-v4", {}) == {}


def test_a_file_is_found_from_the_project_and_told_without_its_folder(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert located("games/one.py:One", tmp_path / "games") == "one.py:One"
    assert located("games/one.py:One", tmp_path / "run") == f"{tmp_path}/games/one.py:One"
    assert told(f"{tmp_path}/games/one.py:One") == "one.py:One"
    for other in ("my_module:MyEnv", "gymnasium:Taxi-v4", "minatar:breakout", "walk.py:Walk"):
        assert located(other, tmp_path) == told(other) == other


@pytest.mark.parametrize("reference", ["my_game_file:MyGame", "my_game_file.py:MyGame"])
def test_a_game_of_this_folder_becomes_a_project_with_its_options(reference: str, home: Path, capsys):
    assert main(["init", reference, "--set", "goal=5", "--set", "words=a b"]) == 0, capsys.readouterr().err
    project = load_project(home / "my_game_goal_5_words_a_b")
    assert project.agent == ("builtin",)
    assert project.package == "fast_my_game_goal_5_words_a_b"
    contract = contracts.load(project.folder / "contract.toml")
    assert contract.reference_options == {"goal": 5, "words": "a b"}
    assert contract.state["position"].text == "position"


def test_a_name_of_ones_own_and_an_option_there_is_not(home: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["init", "my_game_file:MyGame", "--set", "goal=5", "--name", "sprint"]) == 0
    assert load_project(home / "sprint").title == "Sprint"
    assert main(["init", "my_game_file:MyGame", "--set", "gaol=5"]) == 2
    assert "unexpected keyword argument 'gaol'" in capsys.readouterr().err
    assert main(["init", "my_game_file:MyGame", "--name", "5"]) == 2
    assert "use letters, digits and _ only" in capsys.readouterr().err


def test_a_folder_that_was_begun_with_other_options_is_refused(home: Path):
    assert main(["init", "my_game_file:MyGame", "--set", "goal=5", "--out", "run"]) == 0
    for options in ({}, {"goal": 6}):
        with pytest.raises(EnvwrightError, match="run was begun with other options; go on with"):
            begin("my_game_file:MyGame", Path("run"), options=options)
    assert begin("my_game_file:MyGame", Path("run"), options={"goal": 5}).name == "my_game_goal_5"
    with pytest.raises(EnvwrightError, match=r"its options are in run/contract.toml, under \[reference_options\]"):
        begin("run", None, options={"goal": 5})


def test_the_installed_command_finds_a_module_of_this_folder(home: Path):
    """Without `python -m`, which would put the folder on the path by itself."""
    program = "import sys; sys.path = [p for p in sys.path if p]; from envwright.cli import main; sys.exit(main())"
    argv = [sys.executable, "-c", program, "init", "my_game_file:MyGame"]
    done = subprocess.run(argv, cwd=home, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (home / "my_game" / "envwright.toml").is_file()
