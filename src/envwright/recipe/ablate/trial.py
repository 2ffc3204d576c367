"""One trial: faults in a translation that was right, and an agent that repairs only what the verdict names.

The agent knows the right version, so that nothing but the verdict decides how long it takes: it puts one function right
at a time, chosen at random among those that the verdict leads to.

    full ladder     the function that fails alone, or else the functions of the module that is blamed
    episodes only   a step and a field, but nobody is named: any function
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from envwright.recipe.ablate.faults import Fault, faults, function_names, with_function
from envwright.recipe.events import Judged
from envwright.recipe.verifier import EPISODES, WHOLE

ARMS = (WHOLE, EPISODES)
Place = tuple[str, str]  # file, function
Judge = Callable[[str, Mapping[str, str]], Judged]


@dataclass(frozen=True)
class AblationTrial:
    """How one of them went."""

    arm: str
    seed: int
    faults: tuple[str, ...]
    iterations: int
    green: bool  # by the arm's own judgement
    right: bool  # by the whole ladder's
    seconds: float  # of judging


def plant(files: Mapping[str, str], written: Sequence[str], count: int, seed: int) -> tuple[dict[str, str], list[str]]:
    """The files with `count` faults, each in a function of its own; the same for the same seed."""
    rng = random.Random(seed)
    broken, told = dict(files), []
    places: set[Place] = set()
    choices: list[tuple[str, Fault]] = [(path, fault) for path in written for fault in faults(files[path])]
    rng.shuffle(choices)
    for path, fault in choices:
        if len(told) == count:
            break
        if (path, fault.function) not in places:
            places.add((path, fault.function))
            broken[path] = with_function(broken[path], fault.source, fault.function)
            told.append(f"{path}:{fault.line} {fault.function}: {fault.what}")
    return broken, told


def try_arm(
    arm: str, seed: int, judge: Judge, files: Mapping[str, str], modules: Mapping[str, str], count: int, most: int
) -> AblationTrial:
    """Repair until the arm's judgement is green, or `most` repairs were made. `modules` are the files by module."""
    rng = random.Random(seed + 1)
    broken, told = plant(files, list(modules.values()), count, seed)
    untried = {(path, name) for path in modules.values() for name in function_names(files[path])}
    judged, seconds, iterations = judge(arm, broken), 0.0, 0
    seconds += judged.seconds
    while not judged.passed and iterations < most and untried:
        path, name = rng.choice(suspects(arm, judged, modules, untried))
        untried.discard((path, name))
        broken[path] = with_function(broken[path], files[path], name)
        iterations += 1
        judged = judge(arm, broken)
        seconds += judged.seconds
    right = judged.passed and (arm == WHOLE or judge(WHOLE, broken).passed)
    return AblationTrial(arm, seed, tuple(told), iterations, judged.passed, right, round(seconds, 3))


def suspects(arm: str, judged: Judged, modules: Mapping[str, str], untried: set[Place]) -> list[Place]:
    """The functions that a verdict leads to, of those not put right yet; all of them, if it leads nowhere."""
    if arm == WHOLE and judged.blamed in modules:
        path = modules[judged.blamed]
        alone = [c["name"].removeprefix("function ") for c in judged.checks if _failed_alone(c)]
        named = [(path, name) for name in alone if (path, name) in untried]
        inside = named or [place for place in untried if place[0] == path]
        if inside:
            return sorted(inside)
    return sorted(untried)


def _failed_alone(check: Mapping[str, object]) -> bool:
    return check["status"] == "fail" and str(check["name"]).startswith("function ")
