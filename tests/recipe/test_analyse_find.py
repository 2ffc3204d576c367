"""From the name of a reference to its source, without running it."""

import sys
import types
from pathlib import Path

import pytest

from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.recipe.analyse.facts import AnalysisError
from envwright.recipe.analyse.find import analyse
from envwright.references.python_sources import NoSourceError

SOURCES = Path(__file__).parent / "sources"
ENV = "raise SystemExit\n\nclass Env:\n    def reset(self): self.x = 0\n    def step(self, a): self.x += a\n"


def test_a_class_by_its_file_relative_to_a_folder():
    by_file = analyse("keep/game.py:Keep", base=SOURCES)
    assert by_file == analyse(f"{SOURCES}/keep/game.py:Keep")
    assert by_file == analyse("keep:Keep", [SOURCES / "keep" / "game.py"])


def test_a_module_is_found_and_not_imported(tmp_path, monkeypatch):
    (tmp_path / "planet").mkdir()
    (tmp_path / "planet" / "__init__.py").write_text("raise SystemExit\n")
    (tmp_path / "planet" / "games.py").write_text(ENV)
    (tmp_path / "lonely_game.py").write_text(ENV)
    monkeypatch.syspath_prepend(tmp_path)
    assert [name for name, _ in analyse("planet.games:Env").state] == ["x"]
    assert analyse("planet.games:Env").sources[0].path == "planet/games.py"
    assert [name for name, _ in analyse("lonely_game:Env").state] == ["x"]
    assert "planet" not in sys.modules
    assert "lonely_game" not in sys.modules


def test_an_id_whose_module_registers_it(tmp_path, monkeypatch):
    gymnasium = pytest.importorskip("gymnasium")
    (tmp_path / "registering.py").write_text(
        "import gymnasium\ngymnasium.register('Found-v0', entry_point='found_game:Env')\n"
    )
    (tmp_path / "found_game.py").write_text(ENV)
    monkeypatch.syspath_prepend(tmp_path)
    try:
        assert [name for name, _ in analyse("gymnasium:registering:Found-v0").state] == ["x"]
    finally:
        gymnasium.registry.pop("Found-v0", None)


def test_other_languages_by_their_files():
    assert analyse("mine", [SOURCES / "mill.h"]).sources[0].language == "c"
    assert analyse("mine", [SOURCES / "tavern" / "tavern.ts"]).sources[0].language == "typescript"
    assert analyse("node:node_game/pig.js", base=SOURCES.parent.parent / "references").entries[0] == "pig.js:Pig.reset"


def test_entries_can_be_named():
    found = analyse("keep/beasts.py:Bat", entry=["move"], base=SOURCES)
    assert found.entries == ("keep/beasts.py:Bat.move",)
    assert {unit.qualified for unit in found.units} == {"Bat.move", "Beast.__init__"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gymnasium:Blackjak-v1", "Gymnasium has no environment 'Blackjak-v1'; did you mean Blackjack-v1"),
        ("gymnasium:no_such_module:X-v0", "The module 'no_such_module' cannot be imported"),
        ("minatar:pong", "MinAtar has no game 'pong'; it has asterix, breakout, freeway, seaquest, space_invaders."),
        ("no_such_module:Env", "There is no module 'no_such_module' here; install it, or go to the folder"),
        ("gymnasium.nothing:Env", "The package 'gymnasium' has no module 'gymnasium.nothing'."),
        ("nonsense", "There is no reference called nonsense; a reference is gymnasium:ID, minatar:GAME"),
        ("game.so:Env", "game.so is compiled (game.so), so there is no source to analyse; give its source files."),
        ("itertools:count", "itertools is compiled (built-in), so there is no source to analyse"),
        ("numpy.random._generator:Generator", "numpy.random._generator is compiled (_generator."),
        ("nothing.py:Env", "There is no file"),
        ("node:nothing.js", "There is no file"),
    ],
)
def test_a_reference_without_source_gets_a_sentence(name, said):
    with pytest.raises(EnvwrightError) as caught:
        analyse(name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_of_several_languages_get_a_sentence():
    with pytest.raises(AnalysisError, match=r"mill\.h, game\.py: give files of one language"):
        analyse("mine:Keep", [SOURCES / "mill.h", SOURCES / "keep" / "game.py"])
    with pytest.raises(AnalysisError, match=r"rules\.txt: give files of one language"):
        analyse("mine", [Path("rules.txt")])


def test_without_minatar_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'minatar'.*envwright\[reference\]"):
        analyse("minatar:breakout")


def test_an_id_of_gym_leads_to_its_class(monkeypatch):
    registration = types.ModuleType("gym.envs.registration")
    vars(registration)["registry"] = {"Old-v0": types.SimpleNamespace(entry_point="old.envs:OldEnv")}
    monkeypatch.setitem(sys.modules, registration.__name__, registration)
    with pytest.raises(NoSourceError, match=r"Old-v0 is an id of gym, .*; name its class instead: old.envs:OldEnv"):
        analyse("gymnasium:Old-v0")
