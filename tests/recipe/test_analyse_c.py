"""C, read and not compiled."""

import sys
from pathlib import Path

import pytest

from envwright.core.errors import MissingExtraError
from envwright.recipe.analyse import trees
from envwright.recipe.analyse.c import analyse_c
from envwright.recipe.analyse.facts import ALLOCATES, ENTRY, SETS_UP, Analysis, AnalysisError

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="module")
def mill() -> Analysis:
    return analyse_c([SOURCES / "mill.h"])


def analysed(tmp_path: Path, body: str, head: str = "") -> Analysis:
    text = f"{head}\ntypedef struct {{ int x; int* cells; }} Env;\nvoid c_step(Env* env) {{\n{body}\n}}\n"
    (tmp_path / "env.c").write_text(text)
    return analyse_c([tmp_path / "env.c"])


def test_functions_of_the_file_and_of_what_it_includes_are_reached(mill):
    assert {unit.id for unit in mill.units} == {
        "mill.h:fill",
        "mill.h:turn",
        "mill.h:observe",
        "mill.h:prepare",
        "mill.h:mill_reset",
        "mill.h:weigh",
        "mill.h:mill_step",
        "mill_luck.h:xorshift",
        "mill_luck.h:luck_below",
    }
    assert mill.left_out == ("mill.h:c_render",)
    assert {s.path: s.imports for s in mill.sources} == {"mill.h": ("mill_luck.h",), "mill_luck.h": ()}


def test_entries_are_those_that_speak_of_a_reset_or_a_step(mill):
    assert mill.entries == ("mill.h:mill_reset", "mill.h:mill_step")
    assert ENTRY in mill.unit["mill.h:mill_step"].flags
    assert analyse_c([SOURCES / "mill.h"], ["observe"]).entries == ("mill.h:observe",)


def test_what_gives_members_their_first_values_sets_up(mill):
    prepare = mill.unit["mill.h:prepare"]
    assert prepare.flags == (ALLOCATES, SETS_UP)
    assert prepare.writes == ("observations", "seed")
    assert (prepare.first, prepare.last) == (56, 61)  # with the comment of two lines


def test_members_are_known_by_the_struct_they_are_of(mill):
    state = {name: [id.partition(":")[2] for id in ids] for name, ids in mill.state}
    assert state["Wheel.worn"] == ["turn", "mill_reset"]  # through a pointer; as a piece of a whole
    assert state["cells"] == ["mill_reset", "mill_step"]  # by a function that it is handed to
    assert state["counts"] == ["mill_reset", "mill_step"]  # by memset
    assert state["observations"] == ["observe"]  # by another name
    assert state["seed"] == ["mill_step"]  # its address is handed on, twice
    assert state["mill.visits"] == ["mill_step"]  # a variable of the file
    assert state["mill_step.calls"] == ["mill_step"]  # a static inside of a function
    assert mill.drawn == ("shown",)


def test_luck_is_found_in_functions_macros_and_generators(mill):
    assert [(s.file, s.line, s.what) for s in mill.chance] == [("mill.h", 90, "COIN"), ("mill_luck.h", 9, "xorshift")]


def test_hazards_are_named(mill):
    said = {h.sentence for h in mill.hazards}
    assert "weigh calls itself, directly or through others." in said
    assert "mill_step.calls is written by mill_step and not by a reset, so it survives an episode." in said
    assert "best is written by mill_step and not by a reset, so it survives an episode." in said
    assert any(s.startswith("mill_step draws from a generator that the whole program shares") for s in said)
    assert not any("day is written" in s for s in said)


def test_sizes_are_worked_out_with_macros_and_enums(mill):
    sizes = {m.name: m.count for m in mill.memory}
    assert sizes == {"cells": 32, "counts": 8, "spare": 2, "RATES": 3, "observations": 4}


def test_what_functions_use_of_their_files_is_known(mill):
    names = {d.name for d in mill.definitions}
    assert {"WIDTH", "CELLS", "COIN", "Kind", "Wheel", "Mill", "Sack", "RATES", "visits"} <= names
    assert "UNUSED" not in names


def test_loops_and_arms_are_counted(mill):
    step = mill.unit["mill.h:mill_step"]
    assert (step.loops, step.arms) == (("do",), 3)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("env->x = time(0);", "c_step reads the clock."),
        ("FILE* f = fopen(name, mode);", "c_step reads or writes files."),
        ("env->cells = malloc(4);", "c_step allocates or frees memory."),
        ("pthread_create(0);", "c_step uses threads."),
        ("DrawRectangle(1);", "c_step calls DrawRectangle, which needs a display or draws."),
        ("env->act(env);", "c_step calls env->act through a pointer, which was not followed."),
        ("srand(3);", "c_step seeds the generator that the whole program shares."),
        ("x = = 3;", "Line 4 could not be understood, so what is there was not looked at."),
    ],
)
def test_each_kind_of_hazard_is_named(tmp_path, body, said):
    assert said in [hazard.sentence for hazard in analysed(tmp_path, body).hazards]


def test_a_plain_step_has_no_hazards(tmp_path):
    assert not analysed(tmp_path, "env->x += env->cells[2] > 3 ? 1 : 0;").hazards


def test_an_element_that_is_put_is_not_read(tmp_path):
    step = analysed(tmp_path, "env->cells[env->x] = 1;").unit["env.c:c_step"]
    assert (step.reads, step.writes) == (("x",), ("cells",))


def test_sources_without_an_entry_get_a_sentence(tmp_path):
    (tmp_path / "env.c").write_text("void play(void) {}\n")
    with pytest.raises(AnalysisError, match=r"env\.c has no function whose name speaks of a reset or a step; name the"):
        analyse_c([tmp_path / "env.c"])
    with pytest.raises(AnalysisError, match=r"env\.c has no function go; name the entries, of play\."):
        analyse_c([tmp_path / "env.c"], ["go"])


def test_without_tree_sitter_the_extra_is_named(monkeypatch):
    trees._parser.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_c", None)
    with pytest.raises(MissingExtraError, match=r"'tree-sitter-c'.*envwright\[analyse\]"):
        analyse_c([SOURCES / "mill.h"])
    trees._parser.cache_clear()
