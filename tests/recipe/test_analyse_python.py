"""Python, read and not run: what a reset and a step reach, change and draw, and what is said of hazards."""

from pathlib import Path

import pytest

from envwright.recipe.analyse.facts import Analysis, AnalysisError
from envwright.recipe.analyse.python import analyse_python

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="module")
def keep() -> Analysis:
    return analyse_python(SOURCES / "keep" / "game.py", "Keep")


def written(analysis: Analysis) -> dict[str, list[str]]:
    return {name: [id.partition(":")[2] for id in ids] for name, ids in analysis.state}


def analysed(tmp_path: Path, body: str, head: str = "") -> Analysis:
    """An environment whose step is `body`."""
    indented = "\n".join(f"        {line}" for line in body.splitlines())
    reset = "    def reset(self, seed=None):\n        self.x = 0\n"
    (tmp_path / "env.py").write_text(f"{head}\n\nclass Env:\n{reset}\n    def step(self, action):\n{indented}\n")
    return analyse_python(tmp_path / "env.py", "Env")


def sentences(analysis: Analysis) -> str:
    return "\n".join(hazard.sentence for hazard in analysis.hazards)


def test_everything_that_can_be_called_is_found_and_nothing_else(keep):
    assert {unit.id for unit in keep.units} == {
        "keep/beasts.py:Beast.__init__",
        "keep/beasts.py:Beast.act",
        "keep/beasts.py:Beast.move",
        "keep/beasts.py:Bat.move",
        "keep/game.py:Board.reset",
        "keep/game.py:Keep.__init__",
        "keep/game.py:Keep._measure",
        "keep/game.py:Keep.reset",
        "keep/game.py:Keep.step",
        "keep/game.py:Keep.score",
        "keep/game.py:Keep._each",
        "keep/game.py:Keep._fight",
        "keep/hands.py:draw",
        "keep/hands.py:shuffle",
        "keep/hands.py:total",
        "keep/hands.py:total.worth",
        "keep/tables.py:damage_table",
    }


def test_calls_go_through_classes_properties_and_values(keep):
    calls = {unit.qualified: {call.partition(":")[2] for call in unit.calls} for unit in keep.units}
    assert "Board.reset" in calls["Keep.reset"]  # super
    assert "Keep.score" in calls["Keep.step"]  # a property
    assert "Keep._fight" in calls["Keep.step"]  # handed over, not called
    assert calls["Beast.act"] == {"Beast.move", "Bat.move"}  # whatever the object is
    assert calls["total"] == {"total.worth"}
    assert calls["Keep._fight"] == {"damage_table"}  # through a constant that it makes


def test_what_draws_or_closes_is_left_out(keep):
    assert set(keep.left_out) == {
        "keep/game.py:Board.render",
        "keep/game.py:Board._picture",
        "keep/game.py:Keep.close",
    }
    assert keep.drawn == ("mood",)


def test_what_changes_is_known_with_who_changes_it(keep):
    assert written(keep) == {
        "Beast.health": ["Beast.__init__", "Keep._fight"],
        "Beast.room": ["Beast.__init__", "Beast.move", "Bat.move"],
        "beasts": ["Keep.reset"],
        "hand": ["Keep.reset", "Keep.step"],
        "luck": ["Board.reset"],
        "mood": ["Keep.reset", "Keep.step"],
        "pile": ["Keep.reset", "Keep.step"],  # by functions that it is handed to
        "room": ["Keep.reset", "Keep.step"],
        "seen": ["Board.reset", "Keep.step"],  # by another name
        "streak": ["Keep.step"],
        "turn": ["Board.reset", "Keep.step"],
    }


def test_luck_has_its_places(keep):
    assert [(site.file, site.line, site.what) for site in keep.chance] == [
        ("keep/beasts.py", 26, "luck.integers"),
        ("keep/game.py", 62, "self.luck.random"),
        ("keep/hands.py", 15, "luck.shuffle"),
    ]


def test_what_survives_a_reset_is_said(keep):
    assert [(h.line, h.sentence) for h in keep.hazards] == [
        (65, "streak is written by Keep.step and not by a reset, so it survives an episode.")
    ]


def test_lines_are_counted_without_comments_and_docstrings(keep):
    reset = keep.unit["keep/game.py:Keep.reset"]
    assert (reset.first, reset.last, reset.code_lines) == (44, 52, 8)  # the comment above belongs to it
    draw = keep.unit["keep/hands.py:draw"]
    assert (draw.last - draw.first + 1, draw.code_lines) == (4, 3)


def test_what_functions_use_of_their_files_is_known(keep):
    uses = {unit.qualified: set(unit.uses) for unit in keep.units}
    assert {"keep/game.py:WAYS", "keep/tables.py:WAYS"} <= uses["Keep.step"]
    assert "keep/tables.py:LIMIT" in uses["total.worth"]
    assert "keep/game.py:START" in uses["Keep.reset"]
    ways = next(d for d in keep.definitions if d.id == "keep/tables.py:WAYS")
    assert ways.spans == ((5, 5), (6, 7))  # the loop that fills it belongs to it
    assert "keep/tables.py:ROOMS" in ways.uses
    assert not any(d.name == "UNUSED" for d in keep.definitions)


def test_files_know_what_they_import(keep):
    imports = {source.path: source.imports for source in keep.sources}
    assert imports["keep/game.py"] == ("keep/beasts.py", "keep/hands.py", "keep/tables.py")
    assert imports["keep/hands.py"] == ("keep/tables.py",)
    assert keep.outside == ("numpy",)


def test_sizes_are_worked_out(keep):
    assert [(m.name, m.count) for m in keep.memory] == [("seen", 24)]


def test_the_same_class_through_its_package_is_the_same(keep):
    assert analyse_python(SOURCES / "keep" / "__init__.py", "Keep") == keep


def test_the_source_is_never_run(tmp_path):
    found = analysed(tmp_path, "self.x += 1", head="raise SystemExit('imported')")
    assert written(found) == {"x": ["Env.reset", "Env.step"]}


@pytest.mark.parametrize(
    ("head", "body", "said"),
    [
        ("import random", "self.x = random.random()", "Env.step draws from a generator that the whole program shares"),
        ("import numpy as np", "self.x = np.random.rand()", "Env.step draws from a generator that the whole"),
        ("from random import choice", "self.x = choice([1])", "Env.step draws from a generator that the whole"),
        ("import numpy as np", "self.x = np.random.default_rng()", "Env.step makes a generator without a seed"),
        ("import numpy as np\nrng = np.random.default_rng()", "self.x = rng.random()", "rng makes a generator without"),
        ("import os", "self.x = os.urandom(1)", "Env.step draws random numbers that cannot be seeded"),
        ("", "self.x = open('a').read()", "Env.step reads or writes files"),
        ("import socket", "socket.create_connection(('', 1))", "Env.step uses the network"),
        ("import threading", "threading.Thread().start()", "Env.step uses threads or processes"),
        ("import time", "self.x = time.time()", "Env.step reads the clock"),
        ("import pygame", "pygame.display.flip()", "Env.step uses pygame, which needs a display or draws"),
        ("", "self.x = eval('1')", "Env.step finds code by name at run time"),
        ("", "self.x = getattr(self, action)()", "Env.step finds attributes by name at run time"),
        ("import scipy", "self.x = scipy.stats", "The package scipy is called, and there is a C extension inside."),
        ("import unheard_of as u", "self.x = u.f()", "The package unheard_of is called, and its source was not looked"),
        ("def f(n):\n    return f(n - 1)", "self.x = f(3)", "f calls itself, directly or through others."),
    ],
)
def test_hazards_are_named(tmp_path, head, body, said):
    assert said in sentences(analysed(tmp_path, body, head))


def test_a_plain_environment_has_no_hazards(tmp_path):
    body = "rng = np.random.default_rng(action)\nself.x = math.sqrt(rng.random()) + dict(a=1)['a']"
    found = analysed(tmp_path, body, "import math\nimport numpy as np")
    assert sentences(found) == ""
    assert [site.what for site in found.chance] == ["rng.random"]


@pytest.mark.parametrize(
    "body",
    [
        "self.x.append(1)",
        "self.x[0] = 1",
        "self.x[0][1] += 1",
        "del self.x[0]",
        "y = self.x\ny[0] = 1",
        "for part in self.x:\n    part[0] = 1",
        "for i, part in enumerate(self.x):\n    part.pop()",
        "setattr(self, 'x', 1)",
        "self.x, y = 1, 2",
        "[self.x for self.x in range(3)]",
        "change(self.x)",
        "change(cells=self.x)",
        "pass_on(self.x)",
        "self.put(self.x)",
        "np.copyto(self.x, 1)",
        "random.shuffle(self.x)",
        "if (y := self.x):\n    pass\nself.x |= 1",
        "def inner():\n    self.x = 1\ninner()",
    ],
)
def test_every_way_to_change_an_attribute_is_seen(tmp_path, body):
    head = """
import random
import numpy as np

def change(cells):
    cells[0] = 1

def pass_on(things):
    change(things)

class Base:
    def put(self, where):
        where.add(1)
"""
    text = f"{head}\n\nclass Env(Base):\n    def step(self, action):\n"
    (tmp_path / "env.py").write_text(text + "\n".join(f"        {line}" for line in body.splitlines()) + "\n")
    assert "x" in dict(analyse_python(tmp_path / "env.py", "Env").state)


def test_what_is_only_read_is_no_state(tmp_path):
    found = analysed(tmp_path, "y = self.limit\ny += 1\nz = [self.cells[0]]\nz.append(1)\nself.x = y")
    assert [name for name, _ in found.state] == ["x"]
    assert {"limit", "cells"} <= set(found.unit["env.py:Env.step"].reads)


@pytest.mark.parametrize(
    ("body", "read"),
    [
        ("self.log.append(action)\nself.log.extend([self.y])", False),
        ("self.log.append(self.log[-1])", True),
        ("last = self.log.append(action)\nself.log.pop()", True),  # whether it can depends on what it holds
        ("self.log.append(action)\nself.x = len(self.log)", True),
        ("log = self.log\nlog.append(action)\nself.x = log[0]", True),
    ],
)
def test_what_is_only_written_to_is_not_read(tmp_path, body, read):
    found = analysed(tmp_path, f"{body}\nself.y = action").unit["env.py:Env.step"]
    assert ("log" in found.reads, "log" in found.writes) == (read, True)


def test_a_count_that_goes_on_survives_and_what_is_only_put_does_not(tmp_path):
    said = sentences(analysed(tmp_path, "self.games += 1\nself.last = action\nself.row[0] = action"))
    assert said == "games is written by Env.step and not by a reset, so it survives an episode."


def test_variables_of_a_file_are_state_only_if_they_are_written(tmp_path):
    found = analysed(tmp_path, "global COUNT\nCOUNT = COUNT + 1\nCACHE[0] = LIMIT", "COUNT, LIMIT = 0, 3\nCACHE = {}")
    assert [name for name, _ in found.state] == ["env.CACHE", "env.COUNT", "x"]
    assert not any("LIMIT" in read for unit in found.units for read in unit.reads)


def test_what_is_bound_under_a_condition_is_known_and_a_lambda_is_no_block(tmp_path):
    head = "if True:\n    grow = lambda n: n + 1\ntry:\n    import fast\nexcept ImportError:\n    fast = lambda: 0"
    found = analysed(tmp_path, "self.x = grow(self.x) if fast is None else 0", head)
    assert [name for name, _ in found.state] == ["x"]


def test_methods_that_a_library_calls_back_are_reached(tmp_path):
    head = "import physics\n\nclass Contact(physics.Listener):\n    def begin(self, a):\n        self.touched = a"
    found = analysed(tmp_path, "self.x = Contact()", head)
    assert "Contact.begin" in {unit.qualified for unit in found.units}


def test_a_method_of_an_unknown_object_is_looked_for_by_its_name(tmp_path):
    head = "class Foe:\n    def hit_back(self):\n        self.anger = 1\n\ndef make():\n    return [Foe()][0]"
    found = analysed(tmp_path, "self.x = make()\nself.x.hit_back()", head)
    assert "Foe.anger" in dict(found.state)


def test_wide_choices_and_loops_are_counted(tmp_path):
    choice = (
        "if action == 0:\n    pass\n"
        + "".join(f"elif action == {i}:\n    pass\n" for i in range(1, 5))
        + "else:\n    pass"
    )
    found = analysed(tmp_path, f"{choice}\nwhile self.x:\n    for i in range(3):\n        pass\n[i for i in range(3)]")
    step = found.unit["env.py:Env.step"]
    assert (step.arms, step.loops) == (6, ("while", "for", "comprehension"))


def test_an_interpreter_s_long_choice_is_read_to_its_end(tmp_path):
    arms = "".join(f"elif action == {i}:\n    self.x = {i}\n" for i in range(1, 600))
    found = analysed(tmp_path, f"if action == 0:\n    pass\n{arms}else:\n    self.last = 1")
    step = found.unit["env.py:Env.step"]
    assert (step.arms, step.writes) == (601, ("last", "x"))


def test_beside_a_lone_file_in_a_folder_of_libraries_nothing_is_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    (tmp_path / "other.py").write_text("def f():\n    pass\n")
    found = analysed(tmp_path, "other.f()", "import other")
    assert [source.path for source in found.sources] == ["env.py"]


def test_what_a_wrapper_of_gymnasium_calls_is_read(tmp_path):
    file = tmp_path / "env.py"
    file.write_text(
        "import gymnasium as gym\n\n\nclass Env(gym.RewardWrapper):\n"
        "    def reward(self, reward):\n        self.sum += reward\n        return self.sum\n"
    )
    found = analyse_python(file, "Env")
    assert [unit.name for unit in found.units] == ["reward"]
    assert [name for name, _ in found.state] == ["sum"]


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("class Envy:\n    pass\n", "Env", "env.py has no class Env; did you mean Envy?"),
        ("x = 1\n", "Env", "env.py has no class Env; it has none."),
        ("class Env:\n    def play(self): pass\n", "Env", "Env has no method reset; name the methods that play it, of"),
        ("from elsewhere import Env\n", "Env", "env.py takes Env from elsewhere.Env, which is not in the package;"),
        ("class Env(:\n", "Env", "is not Python (line 1)"),
    ],
)  # fmt: skip
def test_bad_sources_get_a_sentence(tmp_path, text, name, said):
    (tmp_path / "env.py").write_text(text)
    with pytest.raises(AnalysisError) as caught:
        analyse_python(tmp_path / "env.py", name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_gets_a_sentence(tmp_path):
    with pytest.raises(AnalysisError, match=r"There is no file .*nothing\.py"):
        analyse_python(tmp_path / "nothing.py", "Env")
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    with pytest.raises(AnalysisError, match="is not text in UTF-8"):
        analyse_python(tmp_path / "latin.py", "Env")


def test_a_changed_source_is_not_taken_for_the_analysed_one(tmp_path):
    found = analysed(tmp_path, "self.x = 1")
    assert "self.x = 1" in found.text("env.py")
    (tmp_path / "env.py").write_text("# other\n")
    with pytest.raises(AnalysisError, match="has changed since it was analysed"):
        found.text("env.py")
