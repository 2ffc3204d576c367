"""Every numbered rule of spec.md is exercised by a test, or listed here with the reason why not."""

import ast
import re
from pathlib import Path

from arranging import RULES, SPEC

NOT_EXERCISED: dict[str, str] = {}


def exercised() -> dict[str, set[str]]:
    """Rules by the tests that say that they exercise them."""
    found: dict[str, set[str]] = {}
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "exercises":
                        for rule in mark.args:
                            assert isinstance(rule, ast.Constant)
                            found.setdefault(str(rule.value), set()).add(f"{path.stem}.{node.name}")
    return found


def test_every_rule_is_exercised_or_listed() -> None:
    assert set(RULES) - set(exercised()) == set(NOT_EXERCISED)


def test_numbers_of_rules_are_unique_and_in_order() -> None:
    numbers = [tuple(map(int, rule[1:].split("."))) for rule in RULES]
    assert numbers == sorted(set(numbers))
    mentioned = set(re.findall(r"\bR\d+\.\d+\b", SPEC))
    assert mentioned <= set(RULES)
