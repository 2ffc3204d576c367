"""Marks in C text: where they are put, and which lines are refused."""

import pytest

from envwright.core.errors import EnvwrightError
from envwright.references.c_source import mark, marked_copy
from envwright.references.protocol import Watchpoint

TEXT = """\
#define TWICE(x) do { x; x; } while (0)
// int commented(int x) { return x; }
int twice(int x) {
    x += 1; // a brace } in a comment
    /* x += 2; */
    if (x > 3) {
        x += 1; // a brace } in a comment
    } else {
        char c = '}';
        x -= c;
    }
    if (x)
        return f(x,
            2);
    return x;
}

int other(void) { return 0; }
"""


def marked(*points: Watchpoint) -> list[str]:
    return mark(TEXT, points, "game.h").splitlines()


def at(line: str, occurrence: int = 1, function: str = "twice") -> Watchpoint:
    return Watchpoint("phase", function, line, occurrence)


def test_a_mark_stands_before_its_line_and_no_line_changes_its_number():
    lines = marked(at("if (x > 3) {"), at("x += 1; // a brace } in a comment", 2))
    assert lines[5] == "    ENVWRIGHT_GLIMPSE(0); if (x > 3) {"
    assert lines[6] == "        ENVWRIGHT_GLIMPSE(1); x += 1; // a brace } in a comment"
    assert len(lines) == len(TEXT.splitlines())


def test_two_marks_at_one_line_come_in_their_order():
    assert "ENVWRIGHT_GLIMPSE(0); ENVWRIGHT_GLIMPSE(1); return x;" in marked(at("return x;"), at("return x;"))[14]


def test_the_end_of_a_block_can_be_marked():
    assert marked(at("} else {"))[7] == "    ENVWRIGHT_GLIMPSE(0); } else {"


def test_without_a_line_the_return_is_marked_at_the_top_of_the_function():
    assert marked(at(""))[2] == "int twice(int x) { ENVWRIGHT_AT_RETURN(0);"
    assert marked(at("", function="other"))[17] == "int other(void) { ENVWRIGHT_AT_RETURN(0); return 0; }"


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        (at("x += 3;"), r"game.h has no line 'x \+= 3;' in twice; the closest is 'x "),
        (at("return x;", 2), r"no line number 2 'return x;' in twice; there are 1 of them"),
        (at("/* x += 2; */"), r"no line '/\* x \+= 2; \*/' in twice"),
        (at("x", function="twicy"), r"no function twicy; the closest is 'twice'"),
        (at("x", function="commented"), r"no function commented"),
        (at("return f(x,"), r"no statement may stand before game.h:13"),
        (at("2);"), r"no statement may stand before game.h:14"),
    ],
)
def test_a_line_that_is_not_there_or_cannot_be_marked_is_refused_with_a_way_out(point, sentence):
    with pytest.raises(EnvwrightError, match=sentence):
        marked(point)


def test_copies_are_kept_in_the_cache_one_for_each_set_of_marks(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "game.h").write_text(TEXT)
    one, other = (marked_copy(tmp_path / "game.h", [point]) for point in (at("return x;"), at("")))
    assert one != other
    assert one == marked_copy(tmp_path / "game.h", [at("return x;")])
    assert "ENVWRIGHT_GLIMPSE(0); return x;" in (one / "game.h").read_text()
    assert (tmp_path / "game.h").read_text() == TEXT
