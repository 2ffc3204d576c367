"""Which rules are where, from the source alone."""

import pytest

from envwright.recipe.create.tags import TagError, function_sources, named_rules, tagged_lines, without

GAME = '''\
FULL = 8


class Game:
    def step(self, action):
        """One step."""
        if action == 0:
            self.load += 1  # rule 2.1
            # rules 2.2, 2.3
            self.load = min(
                self.load, FULL
            )
        return self.load > 3  # rule 3
'''


def test_a_comment_marks_the_statement_beside_or_below_it():
    assert tagged_lines(GAME, ("2.1", "2.2", "2.3", "3")) == {"2.1": (8,), "2.2": (10,), "2.3": (10,), "3": (13,)}


def test_statements_are_taken_out_but_not_what_returns_a_value():
    assert "pass" in without(GAME, (10,))
    assert "FULL\n" not in without(GAME, (10,))
    assert without(GAME, (13,)) == GAME
    compile(without(GAME, (8, 10)), "game.py", "exec")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("# rule 3", "# rule 4", "Line 13: there is no rule 4"),
        ("FULL = 8", "FULL = 8  # rule 3", "Line 1: '# rule 3' is not beside a statement inside of a method"),
        ("FULL = 8", "FULL = ", "Line 1: this is not Python"),
    ],
)
def test_a_mark_that_says_nothing_is_named(old: str, new: str, sentence: str):
    with pytest.raises(TagError, match=sentence):
        tagged_lines(GAME.replace(old, new), ("2.1", "2.2", "2.3", "3"))


TESTS = """\
from rulebook_tests import rules

UNTESTED = {"3": "it only names the parts"}


@rules("1", "2")
def test_one():
    assert True
"""


def test_tests_name_rules_and_those_that_cannot_be_shown():
    named = named_rules(TESTS, ("1", "2", "3"))
    assert named.tests == {"test_one": ("1", "2")}
    assert named.untested == {"3": "it only names the parts"}
    assert function_sources(TESTS)["test_one"].startswith('@rules("1", "2")\ndef test_one')


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('@rules("1", "2")\n', "", "test_one names no rule; write @rules"),
        ('@rules("1", "2")', '@rules("1", "9")', "test_one names rule 9, which there is not"),
        ('@rules("1", "2")', '@rules("1")', "No test names rule 2"),
        ('"3": "it only names the parts"', "", "No test names rule 3"),
        ('{"3": "it only names the parts"}', "3", "write UNTESTED as"),
        ("def test_one", "def check_one", "There is no test"),
        ("    assert True\n", "    assert True\n\n\ndef test_one():\n    pass\n", "there are two tests test_one"),
    ],
)
def test_tests_that_do_not_say_what_they_test_are_named(old: str, new: str, sentence: str):
    with pytest.raises(TagError, match=sentence):
        named_rules(TESTS.replace(old, new), ("1", "2", "3"))
