"""The format of a specification: whatever is wrong with one is said in a sentence that names the part."""

import pytest
from ferry import DOCUMENTS, SPEC, changed

from envwright.recipe.create.documents import read_rulebook
from envwright.recipe.create.specification import SpecificationError, read_specification
from envwright.recipe.create.telling import told_specification


def test_the_recorded_specification_is_one():
    spec = read_specification(SPEC, read_rulebook(DOCUMENTS))
    assert spec.numbers[0] == "1.1"
    assert len(spec.rules) == 20
    assert next(q for q in spec.questions if q.number == "Q1").rules == ("5.3",)


def test_authors_are_told_rules_decisions_and_draws_but_no_places():
    told = told_specification(read_specification(SPEC, read_rulebook(DOCUMENTS)))
    assert "- **2.3** When the last plank is lost" in told
    assert "Decided: nothing is paid, the load is lost" in told
    assert "1. integers(1, 7): The die." in told
    assert "rules.md" not in told


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('number = "2.2"', 'number = "2.1"', "Two rules have the number 2.1; give one of them another number."),
        ('number = "Q2"', 'number = "Q1"', "Two questions have the number Q1"),
        (
            'sources = ["rules.md:19", ',
            'sources = ["rules.md:190", ',
            "Rule 2.4: 'rules.md:190': rules.md has no line 190",
        ),
        ('sources = ["rules.md:19", ', 'sources = ["page.md:19", ', "Rule 2.4: 'page.md:19' is in no document"),
        (
            'quote = "loading takes no time"',
            'quote = "loading takes an hour"',
            "Rule 2.6 quotes 'loading takes an hour'",
        ),
        ('default = "the heap never runs out"\n', "", "The question Q3 has no default"),
        ('default = "the heap never runs out"', 'default = "yes"', "In question Q3, default is 'yes'; it is one of"),
        ('rules = ["5.3"]', 'rules = ["5.9"]', "Question Q1 is about rule 5.9, which there is not"),
        ('confidence = "low"', 'confidence = "sure"', "In rule 5.3, confidence is 'sure'"),
        ('"hours"]', '"time"]', "The observation holds time, which is no part of the state"),
        ('name = "load"', 'name = "the load"', "the name becomes an attribute"),
        ('name = "load"', 'name = "planks"', "Two parts of the state are called planks"),
        ("low = 1\nhigh = 7", "low = 7\nhigh = 7", "integers(7, 7) has no value"),
        ('title = "Night Ferry"', "title = Night Ferry", "The specification is not valid TOML"),
        ('title = "Night Ferry"', 'titel = "Night Ferry"', "unknown key titel; did you mean title?"),
        ('actions = ["load one more crate", "cast off", "row", "drift"]', 'actions = ["row"]', "There is one action"),
    ],
)
def test_what_is_wrong_with_a_specification_is_named(old: str, new: str, sentence: str):
    with pytest.raises(SpecificationError) as raised:
        read_specification(changed(SPEC, old, new), read_rulebook(DOCUMENTS))
    assert sentence in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_a_quote_may_run_over_lines_and_marks():
    spec = changed(SPEC, "Who has no strength left cannot row.", "who has no strength left, cannot row")
    assert read_specification(spec, read_rulebook(DOCUMENTS))
