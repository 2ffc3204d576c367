"""Which rules were exercised: by tests that name them, and by rollouts that come to their lines.

That a test names a rule is its author's word; so the lines of the rule are taken out, and one of its tests has to fail.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from envwright.recipe.create.specification import Rule, Specification
from envwright.recipe.create.tags import NamedTests
from envwright.recipe.create.trials import Rollouts
from envwright.recipe.events import RuleRow, RulesCovered

TOGETHER = 2  # runs of tests at a time


def cover(
    version: str,
    spec: Specification,
    named: NamedTests,
    lines: Mapping[str, Sequence[int]],
    rollouts: Rollouts,
    is_noticed: Callable[[Sequence[int], Sequence[str]], bool | None],
) -> RulesCovered:
    """A row a rule, in the order of the specification, when all tests pass. `is_noticed` says whether one of some tests
    fails without some lines; None, if these cannot be taken out."""

    def row(rule: Rule) -> RuleRow:
        places = lines.get(rule.number, ())
        tests = tuple(test for test, numbers in named.tests.items() if rule.number in numbers)
        return RuleRow(
            rule=rule.number,
            tests=tests,
            noticed=is_noticed(places, tests) if tests and places else None,
            tagged=bool(places),
            episodes=max((rollouts.lines.get(line, 0) for line in places), default=0),
            untested=named.untested.get(rule.number, ""),
        )

    with ThreadPoolExecutor(TOGETHER) as pool:
        rows = tuple(pool.map(row, spec.rules))
    return RulesCovered(version, rows, rollouts.episodes, rollouts.steps)


def exercised(row: RuleRow) -> bool:
    """By tests that would notice, as far as this can be tried, and by rollouts."""
    return bool(row.tests) and row.noticed is not False and row.episodes > 0


def why_not(row: RuleRow) -> str:
    """What is missing, as a sentence; empty if nothing is."""
    missing = []
    if not row.tests:
        missing.append(f"no test shows it ({row.untested.rstrip('.')})" if row.untested else "no test shows it")
    if not row.tagged:
        missing.append("no line of the reference is marked with it")
    elif not row.episodes:
        missing.append("no rollout reached it")
    if row.noticed is False:
        missing.append("its tests pass without its lines, too")
    return f"{'; '.join(missing)}." if missing else ""


def told_coverage(covered: RulesCovered) -> str:
    """For a terminal: what all rules come to, and those that were not exercised."""
    rows = covered.rows
    whole = sum(exercised(row) for row in rows)
    said = [f"{whole} of {len(rows)} rules exercised by tests and in {covered.episodes} games of random play"]
    return "\n".join([*said, *(f"  rule {row.rule}: {why_not(row)}" for row in rows if why_not(row))])
