"""The random numbers of one step on both sides, for whoever reads a divergence."""

from typing import Any

import numpy as np

from envwright.candidates.protocol import Candidate
from envwright.references.protocol import Draw
from envwright.verifier.record import Transitions
from envwright.verifier.rows import part, take

Drawn = list[list[Any]]  # the place in the code, and the number; of the reference also what it asked for


def of_both(candidate: Candidate, done: Transitions, row: int) -> dict[str, Drawn]:
    """What the reference drew in this step, and what the candidate makes of the chance that it was given: the numbers
    that it names itself, or, if it names none, that chance leaf by leaf."""
    theirs = [_shown(draw) for draw in done.cases[row].tape or ()]
    if not candidate.takes_chance:
        return {"reference": theirs} if theirs else {}
    chance = take(part(done.after, "chance."), [row])
    if not theirs and not chance:
        return {}
    named = candidate.draws(take(part(done.before, "state."), [row]), done.after["action"][[row]], chance)
    ours = [[place.partition(" #")[0], value[0].item()] for place, value in named.items() if not np.ma.is_masked(value)]
    if not named:
        ours = [[name, np.ma.asarray(value[0]).tolist()] for name, value in chance.items()]
    return {"reference": theirs, "candidate": ours}


def _shown(draw: Draw) -> list[Any]:
    value = draw.value.tolist() if isinstance(draw.value, np.generic | np.ndarray) else draw.value
    return [draw.site, draw.method, value]
