"""The plan as a file: written, edited by a person, read again, and checked."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from envwright.recipe.analyse.facts import Analysis
from envwright.recipe.analyse.python import analyse_python
from envwright.recipe.plan import ModulePlan, PlanError, PlannedModule, make_plan, read_plan, write_plan

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="module")
def keep() -> Analysis:
    return analyse_python(SOURCES / "keep" / "game.py", "Keep")


@pytest.fixture(scope="module")
def plan(keep) -> ModulePlan:
    return make_plan(keep, 8, 40)


@pytest.fixture(scope="module")
def text(plan) -> str:
    return write_plan(plan)


def part(text: str, function: str) -> str:
    """The line of a function's part."""
    return next(line for line in text.splitlines() if f'functions = ["{function}"' in line)


def moved(text: str, function: str, module: str) -> str:
    """A plan with a function in another module, as a person would edit it."""
    line = part(text, function)
    without = text.replace(f"{line}\n", "")
    head, name, tail = without.partition(f'name = "{module}"')
    return head + name + tail.replace("parts = [\n", f"parts = [\n{line}\n", 1)


def test_a_plan_is_the_same_after_writing_and_reading(plan, text, keep, tmp_path):
    assert len(plan.modules) >= 3
    assert read_plan(text) == plan
    assert read_plan(text, keep) == plan
    assert write_plan(read_plan(text)) == text
    (tmp_path / "plan.toml").write_text(text)
    assert read_plan(tmp_path / "plan.toml", keep) == plan


def test_odd_characters_survive(plan):
    odd = replace(plan, reason='a "quoted" \\ back\tslash \x7f ü', notes=("line\nbreak",))
    assert read_plan(write_plan(odd)) == odd


def test_it_says_what_it_is_about(text):
    assert text.startswith("# How the reference is cut into modules.")
    assert "keep/game.py:65 streak is written by Keep.step and not by a reset" in text
    assert "mood is only drawn on the screen" in text
    assert '"keep/game.py:62 self.luck.random"' in text


def test_moving_a_function_moves_what_follows_from_it(plan, text, keep):
    home = next(m.name for m in plan.modules if "keep/hands.py:shuffle" in m.functions)
    assert home != "rules"
    changed = moved(text, "shuffle", "rules").replace('suggestion = "jax"', 'suggestion = "rust"')
    with pytest.raises(PlanError, match=f"{home} calls functions of rules; put that into its needs"):
        read_plan(changed, keep)
    changed = moved(changed, "draw", "rules")
    again = read_plan(changed, keep)
    rules = again.modules[-1]
    assert {"keep/hands.py:draw", "keep/hands.py:shuffle"} <= set(rules.functions)
    assert "keep/hands.py:15 luck.shuffle" in rules.chance
    assert rules.lines == plan.modules[-1].lines + 5
    assert again.suggestion == "rust"


def test_modules_are_put_in_order_when_they_are_read(plan, text):
    head, *blocks = re.split(r"(?=^\[\[module\]\]$)", text, flags=re.M)
    last, sources = blocks[-1].split("[[source]]", 1)
    mixed = head + last + "".join(reversed(blocks[:-1])) + "[[source]]" + sources
    again = read_plan(mixed)
    assert again.modules[-1].name == "rules"
    assert {m.name for m in again.modules} == {m.name for m in plan.modules}
    for i, module in enumerate(again.modules):
        assert set(module.needs) <= {m.name for m in again.modules[:i]}


def said(changed: str, analysis: Analysis | None = None) -> str:
    with pytest.raises(PlanError) as caught:
        read_plan(changed, analysis)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_needs_that_make_no_sense(plan, text):
    first = plan.modules[0].name
    assert not plan.modules[0].needs
    ring = PlannedModule("a", plan.modules[0].parts, 1, ("b",)), PlannedModule("b", plan.modules[1].parts, 1, ("a",))
    circle = said(write_plan(replace(plan, modules=(*ring, replace(plan.modules[-1], needs=())))))
    assert circle == "The plan: a needs b needs a; no module can be the first, so join two of them."
    empty = text.replace("needs = []", 'needs = ["ruls"]', 1)
    assert said(empty) == f"The plan: {first} needs ruls, which is no module; did you mean rules?"
    assert "comes last; move what it calls" in said(text.replace("needs = []", 'needs = ["rules"]', 1))
    alone = said(text.replace("needs = []", f'needs = ["{first}"]', 1))
    assert alone == f"The plan: {first} needs {first}; no module can be the first, so join two of them."


def test_names_that_make_no_sense(plan, text):
    first, second = plan.modules[0].name, plan.modules[1].name
    twice = text.replace(f'name = "{second}"', f'name = "{first}"')
    assert f"there are two modules called {first}" in said(twice)
    assert "there is no module called rules" in said(text.replace('name = "rules"', 'name = "laws"'))
    assert "a module cannot be called 'two words'" in said(text.replace(f'name = "{first}"', 'name = "two words"'))
    assert "a module cannot be called 'class'" in said(text.replace(f'name = "{first}"', 'name = "class"'))


def test_lines_outside_of_the_file(text):
    line = part(text, "shuffle")
    assert "of lines 14-99 of keep/hands.py, which ends at 26" in said(
        text.replace(line, line.replace("last = 15", "last = 99"))
    )
    assert "of lines 0-15 of" in said(text.replace(line, line.replace("first = 14", "first = 0")))
    assert "of lines 20-15 of" in said(text.replace(line, line.replace("first = 14", "first = 20")))
    other = said(text.replace(line, line.replace("keep/hands.py", "keep/hand.py")))
    assert other.endswith("is of keep/hand.py, which is no source; did you mean keep/hands.py?")


def test_functions_in_no_module_or_in_two(plan, text, keep):
    line = part(text, "shuffle")
    missing = said(text.replace(f"{line}\n", ""), keep)
    assert missing.startswith("The plan: keep/hands.py:shuffle is in no module; put it into one of")
    twice = moved(text, "shuffle", "rules").replace(part(text, "draw"), f"{part(text, 'draw')}\n{line}")
    assert "keep/hands.py:shuffle is in " in said(twice)
    assert "take it out of one of them" in said(twice)
    unknown = said(text.replace('"shuffle"', '"shufle"'), keep)
    assert "which no reset or step reaches; did you mean keep/hands.py:shuffle?" in unknown


def test_functions_where_they_are_not(text, keep):
    line = part(text, "shuffle")
    wrong = said(text.replace(line, line.replace("first = 14", "first = 15")), keep)
    assert "has shuffle in lines 15-15 of keep/hands.py, but it is in lines 14-15." in wrong
    assert "without functions" in said(text.replace('functions = ["shuffle"]', "functions = []"))


def test_what_plays_belongs_into_rules(plan, text, keep):
    first = plan.modules[0].name
    assert f"keep/game.py:Keep.step is in {first}; what resets and steps" in said(moved(text, "Keep.step", first), keep)


def test_a_function_inside_of_another_stays_with_it(plan, text, keep):
    assert "keep/hands.py:total" not in plan.modules[-1].functions
    line = part(text, "total")
    without = text.replace(line, line.replace(', "total.worth"', ""))
    assert "keep/hands.py:total.worth is in no module" in said(without, keep)
    head, name, tail = without.partition('name = "rules"')
    inner = line.replace('"total", ', "")
    apart = head + name + tail.replace("parts = [\n", f"parts = [\n{inner}\n", 1)
    assert "total.worth is in rules, but it is a piece of keep/hands.py:total" in said(apart, keep)


def test_a_source_that_has_changed(text, keep):
    digest = keep.sources[0].sha256
    assert said(text.replace(digest, digest[::-1]), keep) == (
        "The plan: keep/beasts.py has changed since the plan was made; make it again."
    )


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("version = 1", "version = 2", "The plan is of version 2; this envwright reads version 1."),
        ("version = 1", "version = ", "The plan is not valid TOML"),
        ('suggestion = "jax"', 'suggestion = "cobol"', "suggestion is 'cobol'; it can be jax or rust."),
        ("[[module]]", "[[modul]]", "The plan: unknown key modul"),
        ("notes = [", "note = [", "The plan: unknown key note"),
        ("needs = []", "needs = 3", "needs is no list of texts"),
        ("why =", "way =", "unknown key way"),
        ("first = 14", 'first = "14"', "first is missing, or no whole number."),
        ("first = 14", "first = true", "first is missing, or no whole number."),
        ("reason =", "#", "reason is missing, or no text."),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(text, old, new, sentence):
    assert sentence in said(text.replace(old, new))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(PlanError, match=r"The plan .*plan\.toml cannot be read: No such file"):
        read_plan(tmp_path / "plan.toml")
