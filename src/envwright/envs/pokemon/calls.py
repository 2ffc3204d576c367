"""What Showdown's functions are called with alone, in verification: showdown/calls.js calls them."""

from typing import Any

import numpy as np

from envwright.envs.pokemon import tables

_OUR_OWN = {tables.move(name) for name in ("recharge", "nomove", "fissure")}  # not what Showdown's data say they are
FORMULA = [n for n in range(1, len(tables.MOVES)) if tables.MOVE_ROWS["damage"][n] == 1 and n not in _OUR_OWN]
_LIMITS = (1, 2, 255, 256, 999)  # of stats, at which the formula changes


def damages(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    """Calls of `getDamage`: attackers, defenders and moves of all kinds, stats up to their limits."""
    seeds = rng.integers(2**32, size=(count, 2)).tolist()
    return [
        {"attacker": _one(rng), "defender": _one(rng), "move": int(rng.choice(FORMULA)), "seed": seed} for seed in seeds
    ]


def _one(rng: np.random.Generator) -> dict[str, Any]:
    species = int(rng.integers(1, len(tables.SPECIES)))
    types = [int(tables.SPECIES_ROWS[name][species]) for name in ("type", "second_type")]
    base, modified = (rng.choice([*_LIMITS, *rng.integers(1, 1000, 15)], 4).tolist() for _ in range(2))
    level, reflect = int(rng.integers(1, 101)), int(rng.random() < 0.3)
    return {"species": species, "level": level, "types": types, "base": base, "modified": modified, "reflect": reflect}
