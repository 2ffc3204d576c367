"""Statements that cannot be translated: dropped if they provably change nothing, else refused. And bugs of the
compiler's own, which are reported as such."""

import importlib
import logging
import types

import pytest
from before_and_after import Refused
from small_games import assert_plays_the_same, game

from envwright.compiler.middle import builtin_calls
from envwright.compiler.middle.effects import is_output

ZLIB = "import zlib"  # compiled code, which cannot be read


@pytest.mark.parametrize("name", ["_showdown", "_logic", "information", "_printer", "renderer_step", "_warned"])
def test_a_method_that_writes_the_state_is_not_dropped_whatever_its_name_is(name: str) -> None:
    methods = f"def {name}(self):\n    self.pot += 1\n    zlib.crc32(b'x')"
    with pytest.raises(Refused, match=r"zlib.crc32 is compiled code"):
        game(f"self.n += 1\nself.{name}()", top=ZLIB, methods=methods, n="0", pot="1")


def test_a_function_that_changes_what_it_is_given_is_not_dropped() -> None:
    top = f"{ZLIB}\ndef show(cards):\n    cards[0] += 1\n    zlib.crc32(b'x')"
    with pytest.raises(Refused, match=r"zlib.crc32 is compiled code"):
        game("self.n += 1\nshow(self.cards)", top=top, n="0", cards="[1, self.np_random.integers(3)]")


def test_a_call_with_unknown_effects_is_not_dropped() -> None:
    with pytest.raises(Refused, match=r"zlib.crc32 is compiled code"):
        game("self.n += 1\nzlib.crc32(b'x')", top=ZLIB, n="0")


def test_arguments_that_change_the_state_are_not_dropped() -> None:
    methods = "def _log(self, what):\n    zlib.crc32(str(what).encode())"
    with pytest.raises(Refused, match=r"zlib.crc32 is compiled code"):
        game("self._log(self.queue.pop())\nself.queue.append(1)", top=ZLIB, methods=methods, queue="[1, 2]")


def test_what_provably_changes_nothing_is_dropped() -> None:
    methods = """
        def audit(self):
            lines = []
            total = 0
            for i in range(3):
                total += i
                lines.append(f"{self.n}: {total}")
            lines[0] = self._head
            self.written = len(lines)
            with open("log.txt", "a") as log:
                sys.stdout.write(", ".join(lines))
                print(*lines, sep="-")

        @property
        def _head(self):
            return str(self.n).rjust(3)
        """
    pair = game("self.n += 1\nif self.n < 0:\n    self.audit()", top="import sys", methods=methods, n="0")
    assert "audit" not in pair.text
    assert_plays_the_same(pair)


def test_what_a_call_writes_that_an_untranslated_statement_makes_is_unknown_afterwards() -> None:
    methods = "def _play(self):\n    self.pot += 1\n    return zlib.crc32(b'x')"
    with pytest.raises(Refused, match=r"zlib.crc32 is compiled code"):
        game("unused = self._play()\nself.n += 1", top=ZLIB, methods=methods, n="0", pot="0")
    quiet = "def _play(self):\n    return zlib.crc32(b'x')"
    assert "n" in game("unused = self._play()\nself.n += 1", top=ZLIB, methods=quiet, n="0").step


def test_printing_logging_and_libraries_that_draw_are_output_by_what_they_are() -> None:
    def show() -> None: ...

    show.__module__ = "pygame_game"
    assert not is_output(show)
    show.__module__ = "pygame.display"
    assert is_output(show)
    assert is_output(print)
    assert is_output(logging.getLogger("x").info)
    assert not is_output(types.SimpleNamespace(info=len).info)


def test_a_list_of_changing_length_is_printed() -> None:
    pair = game("self.hand.append(action)\nprint(*self.hand)\nself.hand.pop()", hand="[1]")
    assert "print" not in pair.text
    assert_plays_the_same(pair)


BUG = "This is a bug in envwright, not in your code: please report it"


def broken(*arguments: object) -> None:
    raise KeyError("node")


def test_an_exception_in_the_compiler_is_reported_as_a_bug_at_the_line_that_was_read(monkeypatch) -> None:
    monkeypatch.setitem(builtin_calls.BUILTINS, abs, broken)
    with pytest.raises(Refused) as refused:
        game("self.n += 1\nself.n = abs(self.n)", n="0")
    sentence = str(refused.value)
    assert BUG in sentence
    assert "failed with KeyError: 'node' (test_compiler_effects.py:" in sentence
    assert sentence.startswith("original_")
    assert " in Game.step: " in sentence


def test_an_exception_behind_the_last_line_is_reported_as_a_bug_as_well(monkeypatch) -> None:
    entry = importlib.import_module("envwright.compiler.translate")
    with monkeypatch.context() as patch:
        patch.setattr(entry, "write_step", broken)
        with pytest.raises(Refused, match=rf"in Game.step: .*{BUG}"):
            game("self.n += 1", n="0")
    monkeypatch.setattr(entry, "modules_of", broken)
    with pytest.raises(Refused, match=rf"^Game: .*{BUG}"):
        game("self.n += 1", n="0")


def test_what_the_original_itself_would_raise_is_no_bug_of_the_compiler(monkeypatch) -> None:
    with pytest.raises(Refused, match=r"sqrt fails: ") as refused:
        game("if action > 9:\n    self.n = math.sqrt(-1.0)\nself.n += 1", n="0")
    assert BUG not in str(refused.value)
