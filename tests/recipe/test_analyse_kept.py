"""Which attributes that a reset leaves as they were may be forgotten: never one that something comes of."""

import textwrap

import pytest

from envwright.recipe.analyse.facts import Analysis
from envwright.recipe.analyse.python import analyse_python

GAME = """
import gymnasium as gym
import numpy as np

{top}


class Game(gym.Env):
    def __init__(self):
        {init}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x = 0
        {reset}
        return self.x, {{}}

    def step(self, action):
        reward, done, info = 0.0, False, {{}}
        {step}
        return self.x, reward, done, False, info

    {rest}
"""


def analysed(
    tmp_path, step: str, *, init: str = "self.n = 0", reset: str = "", rest: str = "", top: str = ""
) -> Analysis:
    """A game that has `n` from the beginning, and whose reset sets nothing but `x`."""

    def put(text: str, depth: int) -> str:
        return textwrap.indent(textwrap.dedent(text).strip(), " " * depth).lstrip() or "pass"

    text = GAME.format(init=put(init, 8), reset=put(reset, 8), step=put(step, 8), rest=put(rest, 4), top=put(top, 0))
    (tmp_path / "game.py").write_text(text)
    return analyse_python(tmp_path / "game.py", "Game")


@pytest.mark.parametrize(
    "step",
    [
        "self.n = action\nself.x += self.n",
        "if action:\n    self.n = 1\nelse:\n    self.n = 2\nself.x += self.n",
        "if action == 3:\n    return self.x, -1.0, True, False, {}\nself.n = 2\nself.x += self.n",
        "self._count()\nif self.n > 3:\n    self.n *= 2\nreward = self.n",
        "self.n += 1\ninfo['n'] = self.n",
        "self.n += action\nself.m = self.n / 2\ninfo = {'n': self.n, 'm': self.m, 'x': self.x}\ninfo['more'] = self.n",
        "info = self._told()",
        "self.n = [action]\nfor i in range(3):\n    self.n.append(i)\nself.x += len(self.n)",
        "print(self.n)\nself.n = action",
        "self.n = action\nself.render()",
        "self.n = None\nif action:\n    self.n = 4\nif self.n is not None:\n    self.x = self.n",
        "match action:\n    case 0:\n        self.n = 1\n    case _:\n        self.n = 2\ninfo['n'] = self.n",
        "self.n, y = action, self.x\nself.x = self.n + y",
        "setattr(self, 'n', 3)\nself.x += getattr(self, 'n')",
    ],
)
def test_what_is_set_before_it_is_read_or_leads_to_info_alone_is_idle(tmp_path, step):
    rest = "def _count(self):\n    self.n = 0\n    for i in range(4):\n        self.n += i\n\n"
    rest += "def _told(self):\n    self.n += 1\n    return {'n': self.n}\n\ndef render(self):\n    print(self.n)"
    found = analysed(tmp_path, step, rest=rest)
    assert "n" in dict(found.idle)
    assert "n" in found.left
    assert "x" not in dict(found.idle)


@pytest.mark.parametrize(
    "step",
    [
        "self.x += self.n\nself.n = action",
        "if action == 3 and self.x > 1000:\n    reward = self.n\nself.n = action",  # on a rare branch only
        "if action:\n    self.n = 1\nself.x = self.n",  # not on every way
        "if self.n > 3:\n    done = True\nself.n += 1",
        "if self.n > 3:\n    self.x = 1\nself.n += 1",
        "if self.n > 3:\n    return 0, 0.0, False, False, {}\nself.x += 1\nself.n += 1",
        "for _ in range(self.n):\n    self.x += 1\nself.n += 1",
        "for i in range(9):\n    if i > self.n:\n        break\n    self.x += 1\nself.n += 1",
        "for i in range(action):\n    self.n = i\nself.x = self.n",  # there may be no turn at all
        "i = 0\nwhile i < self.n:\n    i += 1\nself.x = i\nself.n += 1",
        "self.n += 1\nself.x += self.np_random.integers(self.n)",
        "self.n += 1\nif self.n % 2:\n    self.np_random.random()",  # another game's luck
        "self.n += 1\nm = self.n\nk = [m]\nself.x = k[0]",
        "self.n += 1\nself.m = {'n': self.n}\nself.x = self.m['n']",
        "row = self.row\nrow[0] = self.n\nself.n += 1\nself.x = self.row[0]",  # by another name
        "self.m = self.row\nself.m[0] = self.n\nself.n += 1\nself.x = self.row[0]",
        "self.n += 1\nself.x = self._half(self.n)",
        "self.n += 1\nself.x = self._doubled",
        "self.x += getattr(self, 'n', 0)\nself.n = 1",
        "if not hasattr(self, 'n'):\n    self.x = 7\nself.n = 1",
        "try:\n    self.x = 10 / self.n\nexcept ZeroDivisionError:\n    self.x = 0\nself.n = action",
        "try:\n    y = self.n[0]\n    self.x = 1\nexcept TypeError:\n    pass\nself.n = action",
        "if self.n > 5:\n    raise ValueError\nself.n += 1",
        "assert self.n < 5\nself.n += 1",
        "self.x = 1 if self.n else 2\nself.n = action",
        "self.x = self.n and 3\nself.n = action",
        "self.x = [k for k in range(9) if k > self.n][0]\nself.n = action",
        "self.x = max([1, 2], key=lambda k: abs(k - self.n))\nself.n = action",
        "self.x = (lambda: self.n)()\nself.n = action",
        "match self.n:\n    case 1:\n        self.x = 1\nself.n = action",
        "self.x += Game.n\nself.n = action",
        "self.x += type(self).n\nself.n = action",
        "global SHARED\nself.x = SHARED\nSHARED = self.n\nself.n += 1",
        "BOX.append(self.n)\nself.x = BOX[-2]\nself.n += 1",
        "self.tool.push(self.n)\nself.x = self.tool.pull()\nself.n += 1",
        "self.x = help_out(self)\nself.n = action",
        "self.x = vars(self)['n']\nself.n = action",
        "self.x = getattr(self, 'nm'[:1])\nself.n = action",
        "def inner():\n    return self.n\nself.x = inner()\nself.n = action",
        "def inner():\n    return self.n\ncalls = [inner]\nself.n = action\nself.x = calls[0]()",
        "with open('x') as f:\n    self.x = self.n\nself.n = action",
        "self.x, self.n = self.n, action",
        "rows = self.rows.copy()\nrows[0][0] = self.n\nself.n += 1\nself.x = self.rows[0][0]",
        "found = (self.n for _ in range(3))\nself.n = action\nself.x = next(found)",
        "self.x = self.render()\nself.n = action",  # what is seen may be a picture
        "self.row = [self.tool.count(self.n)]\nself.n += 1",
        "self.x = f'{self.n}'\nself.n = action",
        "reward = sum(self.rows[0]) + self.n\nself.n = action",
        "np.copyto(self.row, self.n)\nself.x = self.row[0]\nself.n += 1",
        "self.n += 1\nself.rows[0].append(self.n)\nself.x = self.rows[0][-1]",
        "self.n += 1\nself.rows[0].append(self.n)\nfor row in self.rows:\n    self.x = row[0]",
    ],
)
def test_what_an_outcome_may_depend_on_is_never_idle(tmp_path, step):
    init = "self.n = 0\nself.row = [0]\nself.rows = [[0]]\nself.tool = Tool()"
    rest = "def _half(self, n):\n    return n // 2\n\n@property\ndef _doubled(self):\n    return 2 * self.n\n\n"
    rest += "def render(self):\n    return self.n"
    top = "SHARED = 0\nBOX = [0]\n\n\ndef help_out(game):\n    return game.n\n\n\nclass Tool:\n    kept = 0\n\n"
    top += "    def count(self, n):\n        return RANDOM.random(n)\n\n"
    top += "    def push(self, n):\n        self.kept = n\n\n    def pull(self):\n        return self.kept"
    found = analysed(tmp_path, step, init=init, rest=rest, top=top)
    assert "n" not in dict(found.idle)


@pytest.mark.parametrize(
    ("reset", "line"),
    [
        ("self.n += 1\nself.x = self.n % 2", 16),  # who begins
        ("if self.n > 3:\n    self.x = self.np_random.integers(9)\nself.n += 1", 15),
    ],
)
def test_it_is_known_which_line_reads_what_a_reset_keeps(tmp_path, reset, line):
    found = analysed(tmp_path, "self.x += 1", reset=reset)
    assert "n" in found.left
    assert dict(found.read_at)["n"] == f"game.py:{line}"


@pytest.mark.parametrize(
    "init",
    ["self.n = 0\nself.friend = Friend(self)", "self.rule = lambda: self.n", "self.rules = [self._rule]\nself.n = 0"],
    ids=["handed on", "in a lambda", "in a method that is kept"],
)
def test_nothing_is_idle_in_an_environment_that_others_know(tmp_path, init):
    top = "class Friend:\n    def __init__(self, game):\n        self.game = game"
    rest = "def _rule(self):\n    return self.n"
    assert analysed(tmp_path, "self.n = 1", init=init, top=top, rest=rest).idle == ()


def test_a_base_class_of_others_may_read_anything(tmp_path):
    found = analysed(tmp_path, "self.n = 1", top="import physics")
    assert dict(found.idle) == {"n": "every reset and step sets it before reading it"}
    text = (tmp_path / "game.py").read_text().replace("Game(gym.Env)", "Game(physics.World)")
    (tmp_path / "game.py").write_text(text)
    assert analyse_python(tmp_path / "game.py", "Game").idle == ()


def test_an_info_beside_a_pair_of_numbers_is_told_from_a_pair(tmp_path):
    found = analysed(tmp_path, "self.n += 1", reset="if seed:\n    return (self.x, self.n)")
    assert "n" not in dict(found.idle)
    assert "n" in dict(analysed(tmp_path, "self.n += 1", reset="if seed:\n    return self.x, {'n': self.n}").idle)


def test_two_attributes_that_are_one_list_since_the_reset(tmp_path):
    step = "self.x = self.row[0]\nself.view[0] = self.n\nself.n += 1"
    apart = analysed(tmp_path, step, reset="self.row = [0]\nself.view = [0]")
    assert {"n", "view"} <= dict(apart.idle).keys()
    assert "n" not in dict(analysed(tmp_path, step, reset="self.row = [0]\nself.view = self.row").idle)
