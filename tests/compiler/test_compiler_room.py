"""Lists and sets that have too little room in the middle of a step, and enough at its end: the episode is cut off."""

import jax.numpy as jnp
import numpy as np
import pytest
from before_and_after import loosely
from small_games import Game, assert_plays_the_same, game

QUEUE = """
[state]
line = "pad(line, 4)"
line_count = "len(line)"
n = "n"

[chance]
"""
SET = """
[state]
seen = "flags(seen, (0,), (4,))"
seen_count = "len(seen)"
n = "n"

[chance]
"""
DRAWN = "[chance.start]\nvalue = \"draws('reset', 0)\"\n"
SHORTER = {
    "pop": "self.line.append(action)\nself.n = sum(self.line)\nself.line.pop(0)",
    "del": "self.line.append(action)\nself.n = sum(self.line)\ndel self.line[1]",
    "remove": "self.line.insert(0, action)\nself.n = sum(self.line)\nself.line.remove(action)",
    "clear": "self.line += [action]\nself.n = len(self.line) + sum(self.line)\nself.line.clear()",
    "another list": "self.line.append(action)\nself.n = sum(self.line)\nself.line = self.line[1:]",
    "what is left": "self.line.append(action)\nself.n = sum(self.line)\nself.line = [k for k in self.line if k > 3]",
    "a longer list": "self.line = self.line + [action]\nself.n = sum(self.line)\nself.line = self.line[1:]",
    "a loop": """
        self.line.append(action)
        self.n = sum(self.line)
        while len(self.line) > 2:
            self.line.pop()
        """,
    "in a loop": """
        for k in range(2):
            if k < action:
                self.line.append(k)
            self.n = sum(self.line)
            if self.line:
                self.line.pop(0)
        """,
    "one of two": """
        if action:
            self.line.append(action)
            self.n = sum(self.line)
            self.line.pop(0)
        else:
            self.n = 3
        """,
    "a function": "self.push(action)\nself.n = sum(self.line)\nself.take()",
    "one function": "self.push_and_take(action)",
}
METHODS = """
def push(self, k):
    '''One more.'''
    self.line.append(k)
    self.n = k

def take(self):
    '''One less.'''
    self.n += self.line[0]
    self.line.pop(0)

def push_and_take(self, k):
    '''One more and one less.'''
    self.line.append(k)
    self.n = sum(self.line)
    self.line.pop(0)
"""


def cut_off(pair: Game, action: int, **state: object) -> bool:
    made = pair.records.State(**{name: jnp.asarray(value) for name, value in state.items()})
    with loosely():
        return bool(pair.rules.apply(made, jnp.int32(action), None).truncated)


@pytest.mark.parametrize("step", SHORTER.values(), ids=SHORTER)
def test_a_list_that_had_too_little_room_ends_the_episode(step: str) -> None:
    pair = game(step, methods=METHODS, contract=QUEUE, line="[5, 6]", n="0")
    assert_plays_the_same(pair)
    assert cut_off(pair, 1, line=[5, 6, 7, 8], line_count=4, n=0)
    assert not cut_off(pair, 1, line=[5, 6, 7, 0], line_count=3, n=0)


def test_a_list_that_only_gets_shorter_is_not_watched() -> None:
    pair = game("self.n = self.line.pop() if self.line else action", contract=QUEUE, line="[5, 6]", n="0")
    assert_plays_the_same(pair)
    assert "outgrown" not in pair.text


def test_a_function_says_whether_a_list_had_too_little_room() -> None:
    pair = game(SHORTER["one function"], methods=METHODS, contract=QUEUE, line="[5, 6]", n="0")
    assert pair.step == "state, outgrown = push_and_take(state, action)"


def test_a_set_that_had_no_place_for_something_ends_the_episode() -> None:
    step = "self.seen.add(self.n)\nself.n = self.n if self.n in self.seen else 3\nself.seen.clear()"
    pair = game(step, contract=SET, seen="{2}", n="1")
    assert_plays_the_same(pair)
    none = np.zeros(4, bool)
    assert cut_off(pair, 0, seen=none, seen_count=0, n=7)
    assert not cut_off(pair, 0, seen=none, seen_count=0, n=3)


def test_an_episode_that_begins_with_too_little_room_is_cut_off_by_its_first_step() -> None:
    start = "for k in range(self.n):\n    self.line.append(k)\nwhile len(self.line) > 2:\n    self.line.pop(0)"
    step = "self.n = self.line.pop(0) if self.line else 0"
    pair = game(step, start=start, contract=QUEUE + DRAWN, line="[]", n="int(self.np_random.integers(0, 5))")
    for n, wanted in ((4, False), (5, True)):
        with loosely():
            _, state = pair.rules.start(pair.records.StartChance(value=jnp.int32(n)))
            assert bool(pair.rules.apply(state, jnp.int32(0), None).truncated) is wanted


def test_a_set_that_begins_with_too_much_is_cut_off_by_the_first_step() -> None:
    start = "self.seen.add(self.n)\nself.n = len(self.seen)\nself.seen.clear()"
    drawn = "int(self.np_random.integers(0, 4))"
    pair = game("self.n = action", start=start, contract=SET + DRAWN, seen="{1}", n=drawn)
    for n, wanted in ((3, False), (4, True)):
        with loosely():
            _, state = pair.rules.start(pair.records.StartChance(value=jnp.int32(n)))
            assert bool(pair.rules.apply(state, jnp.int32(0), None).truncated) is wanted
