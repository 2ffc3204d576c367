"""Games that begin anew where they end, for candidates whose own `play` only goes on to the end of a game."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns


def play_on_stepwise(
    candidate: Candidate, state: Columns, actions: NDArray[Any], chance: Columns, start: Columns
) -> Columns:
    """`Candidate.play_on`, a step at a time. What is reported of ended games is not known here."""
    outcomes: list[Columns] = []
    for step, chosen in enumerate(actions):
        outcome = candidate.step(state, chosen, {name: column[step] for name, column in chance.items()})
        ended = np.flatnonzero(outcome["terminated"] | outcome["truncated"])
        if len(ended):
            fresh = candidate.start({name: column[step, ended] for name, column in start.items()}, len(ended))
            outcome = {name: np.array(column) for name, column in outcome.items()}
            for name, column in fresh.items():
                outcome[name][ended] = column
        state = {name.removeprefix("state."): c for name, c in outcome.items() if name.startswith("state.")}
        outcomes.append(outcome)
    return {name: np.stack([outcome[name] for outcome in outcomes]) for name in outcomes[0]}
