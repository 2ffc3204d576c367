"""The ablation: faults that are faults, an agent that only follows the verdict, and sums that add up."""

import textwrap

import pytest

from envwright.recipe.ablate.faults import faults, function_names, with_function
from envwright.recipe.ablate.table import ratio, summarise, text
from envwright.recipe.ablate.trial import AblationTrial, plant, suspects, try_arm
from envwright.recipe.events import Judged
from envwright.recipe.verifier import EPISODES, WHOLE

CARDS = textwrap.dedent('''
    """Cards."""

    def add(a, b):
        """Doc 1."""
        return a + b

    def less(a, b):
        return a < b

    def pick(c, a, b):
        return where(c, a, b)
''')
RULES = "def step(x):\n    return ~x & 3\n\ndef reset():\n    return 7\n"
FILES = {"cards.py": CARDS, "rules.py": RULES}
MODULES = {"cards": "cards.py", "rules": "rules.py"}


def test_every_fault_changes_one_function_and_says_how():
    found = [(f.function, f.what) for f in faults(CARDS)]
    assert found == [
        ("add", "+ becomes -"),
        ("less", "< becomes <="),
        ("pick", "both sides of where change places"),
    ]
    for fault in faults(CARDS):
        others = [name for name in function_names(CARDS) if name != fault.function]
        assert all(with_function(fault.source, CARDS, name) == fault.source for name in others)
        assert with_function(fault.source, CARDS, fault.function) == with_function(CARDS, CARDS, fault.function)


def test_faults_are_planted_in_different_functions_and_the_same_for_the_same_seed():
    broken, told = plant(FILES, list(FILES), 3, seed=4)
    assert len({line.split()[1] for line in told}) == 3
    assert plant(FILES, list(FILES), 3, seed=4) == (broken, told)
    assert any(plant(FILES, list(FILES), 3, seed)[1] != told for seed in range(5, 9))


def verifier(stage: str, files) -> Judged:
    """Judges by comparing with what is right; all levels name the function, episodes nobody."""
    wrong = [
        (path, name)
        for path in FILES
        for name in function_names(FILES[path])
        if with_function(files[path], FILES[path], name) != with_function(files[path], files[path], name)
    ]
    checks = [{"level": "L1", "name": f"function {name}", "status": "fail"} for _, name in wrong if stage == WHOLE]
    blamed = {"cards.py": "cards", "rules.py": "rules"}[wrong[0][0]] if wrong else ""
    return Judged("", stage, not wrong, tuple(checks), blamed, seconds=1.0)


@pytest.mark.parametrize("seed", range(5))
def test_with_all_levels_a_repair_a_fault_is_enough(seed: int):
    trial = try_arm(WHOLE, seed, verifier, FILES, MODULES, count=2, most=20)
    assert (trial.iterations, trial.green, trial.right) == (2, True, True)


def test_without_a_name_more_repairs_are_needed_but_all_is_found_in_the_end():
    trials = [try_arm(EPISODES, seed, verifier, FILES, MODULES, count=2, most=20) for seed in range(8)]
    assert all(trial.right for trial in trials)
    assert sum(trial.iterations for trial in trials) > 16


def test_an_agent_stops_at_its_limit():
    trial = try_arm(EPISODES, 1, lambda stage, files: Judged("", stage, False, (), ""), FILES, MODULES, 2, most=3)
    assert (trial.iterations, trial.green, trial.right) == (3, False, False)


def test_a_verdict_that_leads_nowhere_leaves_all_functions():
    everything = {("cards.py", "add"), ("rules.py", "step")}
    assert suspects(WHOLE, Judged("", WHOLE, False, (), "unknown"), MODULES, everything) == sorted(everything)
    assert suspects(WHOLE, Judged("", WHOLE, False, (), "rules"), MODULES, everything) == [("rules.py", "step")]
    assert suspects(EPISODES, Judged("", EPISODES, False, (), "rules"), MODULES, everything) == sorted(everything)


def test_who_ends_green_but_wrong_counts_with_all_repairs_and_is_told_apart():
    trials = [
        AblationTrial(WHOLE, 0, ("a",), 2, True, True, 1.0),
        AblationTrial(EPISODES, 0, ("a",), 1, True, False, 3.0),
        AblationTrial(WHOLE, 1, ("a",), 2, True, True, 1.0),
        AblationTrial(EPISODES, 1, ("a",), 4, True, True, 3.0),
    ]
    whole, episodes = summarise(trials, most=10)
    assert whole.repairs == (2.0, 2.0, 2.0)
    assert (episodes.repairs[0], episodes.deceived) == (7.0, 1)
    assert ratio(trials, 10)[0] == 14 / 4
    assert "episodes alone take 3.5" in text([whole, episodes], ratio(trials, 10))
