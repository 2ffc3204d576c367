"""The references that tests play."""

from pathlib import Path
from typing import Any

import numpy as np

from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import same
from envwright.references.protocol import Outcome, Reference
from envwright.references.python import PythonReference

HAZARDS = Path(__file__).parent / "hazards.py"


def hazard(name: str) -> PythonReference:
    """One of the environments in hazards.py."""
    return gymnasium_reference(f"{HAZARDS}:{name}")


def play(reference: Reference, steps: int, seed: int = 0) -> list[tuple[Any, Outcome, dict[str, Any]]]:
    """Random actions with what they led to, begun by a reset; goes on over the ends of episodes."""
    rng = np.random.default_rng(seed)
    told: list[tuple[Any, Outcome, dict[str, Any]]] = [(None, reference.reset(seed), reference.snapshot())]
    while len(told) < steps:
        if told[-1][1].terminated or told[-1][1].truncated:
            told.append((None, reference.reset(), reference.snapshot()))
            continue
        action = reference.sample_action(rng)
        told.append((action, reference.step(action), reference.snapshot()))
    return told


def replays(reference: Reference, told: list[tuple[Any, Outcome, dict[str, Any]]], seed: int = 0) -> bool:
    """Whether the tape of a stretch of play, begun again with its seed, leads to the same outcomes and states."""
    for index, (action, outcome, snapshot) in enumerate(told):
        if action is None:
            again = reference.reset(seed if index == 0 else None, outcome.draws)
        else:
            again = reference.step(action, outcome.draws)
        if not (same(tuple(again), tuple(outcome)) and same(reference.snapshot(), snapshot)):
            return False
    return True
