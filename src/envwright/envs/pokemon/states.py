"""Battles that are possible, for single steps: recorded ones, with what play changes changed further.

The verifier cannot put a battle together from parts that were recorded apart: HP go with who has fainted, moves with
PP, what is active with whose it is. So a recorded battle is taken, and of what may be anything, some is made anything
else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from envwright.envs.pokemon import tables
from envwright.envs.pokemon.state import (
    ACCURACY,
    ASLEEP,
    FROZEN,
    HEALTHY,
    PARALYSED,
    SLOTS,
    STATS,
    SWITCH,
)

Battle = dict[str, Any]
SKY_ATTACK, HYPER_BEAM = tables.move("skyattack"), tables.move("hyperbeam")
_OF_POOL = np.array([*tables.POOL, tables.move("struggle")], np.uint8)
_MOST_SLEEP, _MOST_CONFUSION = 7, 5
_EXTREMES = (1, 2, 255, 256, 257, 511, 512, 999)
_LAST_TURNS = (100, 499, 998, 999, 1000)


def possible(rng: np.random.Generator, recorded: Sequence[Mapping[str, Any]]) -> Battle:
    """A recorded battle with some things changed."""
    battle = {name: np.array(value) for name, value in recorded[int(rng.integers(len(recorded)))].items()}
    changes = rng.random(len(_CHANGES)) < rng.choice([0.1, 0.3, 0.6])
    for change, happens in zip(_CHANGES, changes, strict=True):
        if happens:
            change(battle, rng)
    battle["seed"] = rng.integers(2**32, size=2, dtype=np.uint32)
    return battle


def _standing(battle: Battle, side: int) -> int | None:
    """The active member of a side; none, if it has fainted."""
    member = int(battle["order"][side, 0])
    return member if battle["hp"][side, member] > 0 else None


def _hp(battle: Battle, rng: np.random.Generator) -> None:
    """Who stands keeps standing, with any HP; often few, or so many that Recover fails."""
    for place in zip(*np.nonzero(battle["hp"]), strict=True):
        most = int(battle["stats"][(*place, 0)])
        some = (int(rng.integers(1, most + 1)), 1, most, most // 4, most - 255, most - 511, int(rng.integers(1, 20)))
        battle["hp"][place] = np.clip(some[int(rng.integers(len(some)))], 1, most)


def _pp(battle: Battle, rng: np.random.Generator) -> None:
    """Moves run out; those of the active member are its own unless Mimic or Transform gave them."""
    few = rng.integers(0, 3, battle["pp"].shape)
    change = rng.random(battle["pp"].shape) < 0.5
    battle["pp"] = np.where(change & (battle["moves"] > 0), few, battle["pp"]).astype(np.uint8)
    for side in (0, 1):
        member = int(battle["order"][side, 0])
        if battle["transformed"][side]:
            less = rng.integers(0, 6, SLOTS) * (battle["active_moves"][side] > 0)
            battle["active_pp"][side] = less
        else:
            battle["active_pp"][side] = battle["pp"][side, member]


def _status(battle: Battle, rng: np.random.Generator) -> None:
    """Any status on anyone; who is asleep has turns left, and may have fallen asleep by itself."""
    for side, member in zip(*np.nonzero(battle["hp"]), strict=True):
        if rng.random() < 0.5:
            status = int(rng.integers(HEALTHY, PARALYSED + 1))
            battle["status"][side, member] = status
            battle["sleep"][side, member] = rng.integers(1, _MOST_SLEEP + 1) if status == ASLEEP else 0
            battle["rested"][side, member] = status == ASLEEP and rng.random() < 0.5
            if status in (ASLEEP, FROZEN) and battle["order"][side, 0] == member:
                battle["last_move"][side] = 0


def _stats(battle: Battle, rng: np.random.Generator) -> None:
    """Boosts, and modified stats that play may have led to by itself, up to their limits."""
    for side in (0, 1):
        if _standing(battle, side) is None:
            continue
        battle["boosts"][side] = rng.integers(-6, 7, battle["boosts"].shape[1])
        for i in range(len(STATS) - 1):
            if rng.random() < 0.5:
                extreme = rng.choice(_EXTREMES) if rng.random() < 0.5 else rng.integers(1, 1000)
                battle["modified"][side, i] = extreme


def _accuracy(battle: Battle, rng: np.random.Generator) -> None:
    for side in (0, 1):
        if _standing(battle, side) is not None:
            battle["boosts"][side, ACCURACY:] = rng.choice([-6, -3, 0, 3, 6], 2)


def _tie(battle: Battle, rng: np.random.Generator) -> None:
    """Both are equally fast, or were when it was last looked at."""
    del rng
    if _standing(battle, 0) is not None and _standing(battle, 1) is not None:
        battle["modified"][1, 2], battle["speed"][1] = battle["modified"][0, 2], battle["speed"][0]


def _volatiles(battle: Battle, rng: np.random.Generator) -> None:
    """Substitutes, confusion, Reflect, flinching."""
    for side in (0, 1):
        member = _standing(battle, side)
        if member is None:
            continue
        most = min(255, int(battle["stats"][side, member, 0]) // 4 + 1)
        battle["substitute"][side] = rng.integers(1, most + 1) if rng.random() < 0.5 else 0
        battle["confusion"][side] = rng.integers(1, _MOST_CONFUSION + 1) if rng.random() < 0.5 else 0
        battle["reflect"][side] = rng.random() < 0.5
        battle["substitute_broke"][side, member] = rng.random() < 0.3


def _locked(battle: Battle, rng: np.random.Generator) -> None:
    """Who has just used Hyper Beam recharges, and who has begun Sky Attack goes on with it."""
    for side in (0, 1):
        member = _standing(battle, side)
        if member is None:
            continue
        slots = {int(move): slot for slot, move in enumerate(battle["active_moves"][side])}
        for name, move in (("recharging", HYPER_BEAM), ("charging", SKY_ATTACK)):
            if move in slots and rng.random() < 0.5:
                battle["recharging"][side] = battle["charging"][side] = False
                battle[name][side] = True
                for field in ("selected", "selected_for_foe", "used", "used_for_foe"):
                    battle[field][side] = move
                battle["selected_slot"][side] = slots[move]


def _last(battle: Battle, rng: np.random.Generator) -> None:
    """What was used and done last, which Counter and Mirror Move look at."""
    battle["last_damage"] = np.int32(rng.choice([0, 1, int(rng.integers(1, 700))]))
    for name in ("last_move", "used", "used_for_foe"):
        for side in (0, 1):
            if rng.random() < 0.5 and _standing(battle, side) is not None:
                battle[name][side] = rng.choice(_OF_POOL)


def _turn(battle: Battle, rng: np.random.Generator) -> None:
    if rng.random() < 0.3:
        battle["turn"] = np.int16(rng.choice(_LAST_TURNS))


def _alone(battle: Battle, rng: np.random.Generator) -> None:
    """Only those who stand are left of one side, so that the next to faint loses."""
    side = int(rng.integers(2))
    if _standing(battle, side) is not None and not (battle["request"] == SWITCH).any():
        member = int(battle["order"][side, 0])
        others = np.arange(battle["hp"].shape[1]) != member
        for name in ("hp", "status", "sleep", "rested"):
            battle[name][side, others] = 0


_CHANGES: tuple[Callable[[Battle, np.random.Generator], None], ...] = (
    _hp, _pp, _status, _stats, _accuracy, _tie, _volatiles, _locked, _last, _turn, _alone,
)  # fmt: skip
