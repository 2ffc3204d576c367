"""Learning curves of both sides: is one side easier to learn on than the other?

Runs differ from seed to seed, so the margin is that noise: one standard deviation between seeds, though never less than
what games are allowed. A few seeds can show a gross difference and no more; the power says so.
"""

import numpy as np
from numpy.typing import NDArray

from envwright.verifier.transfer.equivalence import Equivalence, unpaired

Curve = NDArray[np.float64]  # (updates, seeds)
TAIL = 10  # the last tenth of a run
STRICT = 20  # intervals at 1 - 0.05 / 20 and wider: two or three seeds are too few to cry wolf at 95 %


def compare(there: Curve, here: Curve, least: float) -> dict[str, Equivalence]:
    """The end of the curves, and the area under them, over seeds."""
    found: dict[str, Equivalence] = {}
    for name, summary in (("last tenth", end), ("whole run", area)):
        theirs, ours = summary(there), summary(here)
        between = float(np.sqrt((theirs.var(ddof=1) + ours.var(ddof=1)) / 2))
        found[name] = unpaired(theirs, ours, max(least, between), STRICT)
    return found


def end(curve: Curve) -> Curve:
    """The mean return over the last tenth of each run."""
    return filled(curve)[-max(1, len(curve) // TAIL) :].mean(axis=0)


def area(curve: Curve) -> Curve:
    """The mean return over each whole run, which is the area under it as a height."""
    return filled(curve).mean(axis=0)


def filled(curve: Curve) -> Curve:
    """Updates in which no episode ended take the value before them, or, at the beginning, the first there is."""
    curve = np.array(curve, np.float64)
    for seed in curve.T:  # views
        known = np.flatnonzero(np.isfinite(seed))
        if len(known):
            seed[:] = seed[known[np.maximum(np.searchsorted(known, np.arange(len(seed)), side="right") - 1, 0)]]
        else:
            seed[:] = 0.0  # nobody finished an episode: nothing was seen of either side
    return curve
