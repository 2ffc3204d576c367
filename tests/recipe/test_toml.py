"""TOML that is written is read again as it was, whatever is in it."""

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from envwright.recipe.drafting.contract_file import contract_text
from envwright.recipe.drafting.tables import Draft
from envwright.recipe.project import Project, load_project, project_text
from envwright.recipe.toml import commented, dumps, inline
from envwright.verifier import contract as contracts
from envwright.verifier.codecs import Enumerated

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"', "\\", "'''", '"""', "a\nb", "\r\n", "\x7f", "\x00", "ü 漢", "# no comment", "[x]", "C:\\games\\new.py"]
)
keys = texts.filter(bool)
scalars = texts | st.integers(-(2**62), 2**62) | st.booleans() | st.floats(allow_nan=False)
values = st.recursive(
    scalars | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(keys, scalars | st.lists(scalars, max_size=3) | st.dictionaries(keys, scalars, max_size=3)))
def test_tables_survive(table):
    assert tomllib.loads(dumps(table)) == table


@given(scalars | st.lists(scalars) | st.fixed_dictionaries({"file": texts, "functions": st.lists(texts)}))
def test_a_value_on_one_line_survives(value):
    line = inline(value)
    assert "\n" not in line
    assert tomllib.loads(f"value = {line}")["value"] == value


@given(texts)
def test_a_comment_stays_one(text):
    assert tomllib.loads(commented([text, "more"]) + "a = 1") == {"a": 1}


@given(
    st.dictionaries(keys, values.filter(lambda value: value != {"none": True}), max_size=3), keys, st.lists(texts),
    st.dictionaries(keys.filter(str.strip), keys.filter(str.strip), max_size=2),
)  # fmt: skip
def test_a_contract_keeps_what_it_was_drafted_with(options, reference, problems, reasons):
    draft = Draft(state={"mode": Enumerated(("mode",), ("a'\"b", "\\"))}, problems=problems, options=options)
    draft.ignored, draft.rounded = reasons, ["state.mode"]
    text = contract_text(f"m:{reference}", "fast_game.env:Game", draft, None, [("rules", "f", ["a['\\\\']"])])
    read = contracts.read(text)
    assert read.reference == f"m:{reference}"
    assert read.reference_options == options
    assert set(read.ignored.values()) == set(reasons.values())
    assert read.state["mode"].codec == draft.state["mode"]
    assert read.tolerances[0].columns == ("state.mode",)
    assert read.functions[0].arguments[0].text == "a['\\\\']"


def test_a_project_keeps_its_notes_and_paths(tmp_path: Path):
    project = Project(
        tmp_path, "game", "Game", 'C:\\games\\my "game".py:Game', notes='say "hi"\nand \\ more """',
        sources=("a\\b.c",), entries=("step",),
    )  # fmt: skip
    (tmp_path / "envwright.toml").write_text(project_text(project))
    assert load_project(tmp_path) == project
