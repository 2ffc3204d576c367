"""The rules of an environment that was made from documents: where each stands, and whether anything exercises it."""

from collections.abc import Sequence

from envwright.recipe.create.artefacts import artefacts
from envwright.recipe.create.judging import SPECIFICATION
from envwright.recipe.create.rule_coverage import exercised, why_not
from envwright.recipe.create.specification import Specification, parse_specification
from envwright.recipe.events import Event, RuleRow, RulesCovered
from envwright.recipe.summary import last
from envwright.report.html import Child, Html, section, table, tag


def specification_of(events: Sequence[Event]) -> Specification | None:
    """The specification that holds, if this run has one."""
    text = artefacts(events).files.get(SPECIFICATION)
    return None if text is None else parse_specification(text)


def rules(spec: Specification, events: Sequence[Event]) -> Html:
    """The rules, the questions, and the rules that were not exercised."""
    covered = last(events, RulesCovered)
    found = {row.rule: row for row in covered.rows} if covered else {}
    rows: list[Sequence[Child]] = [
        [rule.number, rule.text, ", ".join(rule.sources), rule.confidence, *_exercised(found.get(rule.number))]
        for rule in spec.rules
    ]
    head = ["rule", "what it says", "source", "confidence", "tests", "games that reach it"]
    return section(
        "rules", "What the rules are", tag("p", spec.summary), _intro(covered),
        table(head, rows, numbers=(4, 5)), _missing(covered), _questions(spec),
    )  # fmt: skip


def _intro(covered: RulesCovered | None) -> Html:
    if covered is None:
        return tag("p", "Which rules are exercised is counted when reference and tests agree.")
    whole = sum(exercised(row) for row in covered.rows)
    return tag(
        "p",
        f"{whole} of {len(covered.rows)} rules are exercised both by tests and in {covered.episodes:,} games of random "
        f"play ({covered.steps:,} steps). Who wrote the tests was given the specification, not the game; "
        "noticed means that one of them fails when the lines of the rule are taken out of it. Whether the "
        "rules are what the documents mean, nobody has verified: read them.",
    )


def _exercised(row: RuleRow | None) -> list[Child]:
    if row is None:
        return ["", ""]
    tests = f"{len(row.tests)}{', noticed' if row.noticed else ''}"
    return [tests, f"{row.episodes:,}" if row.tagged else "no line"]


def _missing(covered: RulesCovered | None) -> list[Child]:
    said = [f"{row.rule}: {why_not(row)}" for row in covered.rows if why_not(row)] if covered else []
    return [tag("h3", "Rules that were not exercised"), tag("ul", [tag("li", one) for one in said])] if said else []


def _questions(spec: Specification) -> list[Child]:
    rows: list[Sequence[Child]] = [
        [
            q.number,
            q.text,
            ", ".join(q.rules),
            ", ".join(q.sources),
            "; ".join(o for o in q.options if o != q.default),
            q.default,
        ]
        for q in spec.questions
    ]
    if not rows:
        return []
    head = ["question", "what is open", "rules", "source", "could also be", "decided"]
    return [tag("h3", "What the documents leave open"), table(head, rows)]
