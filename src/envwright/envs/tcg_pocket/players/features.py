"""What a learner is given of an observation: rows of a number for each action, then numbers of the table.

Card numbers say nothing to a network, so cards are described by what they are and do; that is also what lets a policy
play decks that it never saw. Everything is a function of what the player sees.
"""

from typing import Any

import numpy as np

from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    CARDS,
    ENERGIES,
    OVER,
    PLACES,
    POINTS_TO_WIN,
)
from envwright.envs.tcg_pocket.players import facts
from envwright.envs.tcg_pocket.players.facts import found
from envwright.envs.tcg_pocket.players.seeing import Seen, as_in_numpy
from envwright.envs.tcg_pocket.players.worth import worth

EFFECTS = {"heal": 5.0, "attach": 4.0, "switch": 3.0, "boost": 3.0, "draw": 3.0, "search": 1.0, "mix": 2.0,
           "to_hand": 1.0, "retreat_less": 2.0, "status": 3.0, "hit": 5.0, "lasting": 7.0}  # fmt: skip
OF_PLACE = ("there", "hp", "damage", "points", "energy", "ready", "soon", "promise", "lacks", "retreat", "active")
OF_CARD = ("basic", "evolution", "trainer", "strength")
OF_ATTACK = ("dealt", "knocks_out", "wins", "recoil")
PER_ACTION = ("worth", "poor", *OF_PLACE, *OF_CARD, *OF_ATTACK, "unit_gain", *EFFECTS)


@as_in_numpy
def features(obs: Any) -> Any:
    """(..., 62 * len(PER_ACTION) + table) of observations (..., 241)."""
    seen = Seen(obs)
    xp = seen.xp
    rows, table = _of_actions(seen), _of_table(seen)
    assert len(rows) == len(PER_ACTION)
    return xp.astype(xp.concatenate([*rows.values(), *table], axis=-1), xp.float32)


class _Row:
    """A number for each action, from its parts; 0 where nothing is said."""

    def __init__(self, seen: Seen) -> None:
        self.zero = lambda n: seen.xp.zeros_like(seen.real("my_cards")[..., :1]) + np.zeros(n, np.float32)
        self.xp = seen.xp

    def __call__(self, **parts: Any) -> Any:
        sizes = {"end": 1, "cards": CARDS, "energize": PLACES, "retreat": PLACES - 1, "ability": PLACES, "attack": 2,
                 "discard": PLACES, "own": PLACES, "opp": PLACES, "energy": ENERGIES, "copy": 2 * PLACES}  # fmt: skip
        assert sum(sizes.values()) == ACTIONS
        return self.xp.concatenate([parts.get(name, self.zero(n)) for name, n in sizes.items()], axis=-1)


def _of_actions(seen: Seen) -> dict[str, Any]:
    xp, row = seen.xp, _Row(seen)
    value = worth(seen)
    # On a scale on which an attack differs from passing as much as evolving from an attack.
    weighed = xp.sign(value) * xp.log1p(100 * xp.abs(xp.minimum(value, xp.full_like(value, 1100.0)))) / 5
    cards = seen.part("my_cards")
    kind = found(facts.KIND, cards)
    mine, theirs = _places(seen, 0), _places(seen, 1)
    rows = {"worth": weighed, "poor": seen.as_real(value < 0)}
    for name in OF_PLACE:
        own = mine[name]
        rows[name] = row(energize=own, retreat=own[..., 1:], ability=own, own=own, opp=theirs[name], discard=own)
    best = xp.max(found(facts.PRINTED, found(facts.ATTACKS_OF, cards)), axis=-1)
    rows["hp"] = rows["hp"] + row(cards=found(facts.HP, cards) / 100)
    rows["points"] = rows["points"] + row(cards=found(facts.POINTS, cards) / 2)
    rows |= {
        "basic": row(cards=seen.as_real(kind == facts.BASIC)),
        "evolution": row(cards=seen.as_real(kind == facts.EVOLUTION)),
        "trainer": row(cards=seen.as_real(kind == facts.SUPPORTER) + 0.5 * seen.as_real(kind == facts.ITEM)),
        "strength": row(cards=best / 100),
    }
    numbers, damage = seen.attacks[..., 0, 0, :], seen.damage_of[..., 0, 0, :]
    target, points = seen.hp_left[..., 1, :1], seen.points_for[..., 1, :1]
    out = damage >= target
    last = ~xp.any(seen.there[..., 1, 1:], axis=-1)[..., None] | (
        seen.part("points")[..., :1] + points >= POINTS_TO_WIN
    )
    rows |= {
        "dealt": row(attack=damage / 100),
        "knocks_out": row(attack=seen.as_real(out) * points / 2),
        "wins": row(attack=seen.as_real(out & last)),
        "recoil": row(attack=found(facts.RECOIL, numbers) / 50),
    }
    type = seen.part("zone_now")[..., 0] - 1
    gain = (seen.promise(seen.lacks_with(type)) - seen.promise(seen.lacks))[..., 0, :] / 50
    rows["unit_gain"] = row(energize=gain)
    for name, most in EFFECTS.items():
        of_cards, of_attacks = facts.EFFECT[name], facts.OF_ATTACK[name]
        rows[name] = (
            row(
                cards=found(of_cards, cards),
                ability=found(of_cards, seen.mons[..., 0, :]),
                attack=found(of_attacks, numbers),
                copy=_flat(found(of_attacks, seen.attacks[..., 1, :, :])),
            )
            / most
        )
    return {name: rows[name] for name in PER_ACTION}


def _flat(pairs: Any) -> Any:
    """(..., 4, 2) as (..., 8)."""
    return pairs.__array_namespace__().reshape(pairs, (*pairs.shape[:-2], -1))


def _places(seen: Seen, side: int) -> dict[str, Any]:
    """(4,) each, of a side."""
    xp, at = seen.xp, (..., side, slice(None))
    none = xp.full_like(seen.lacks, 4.0)
    lacks = xp.min(xp.where(seen.attacks > 0, seen.lacks, none), axis=-1)
    across = seen.hp_left[..., 1 - side, :1]
    first = seen.as_real(xp.asarray(np.arange(PLACES) == 0)) + xp.zeros_like(seen.hp_left[at])
    return {
        "there": seen.as_real(seen.there[at]),
        "hp": seen.hp_left[at] / 100,
        "damage": seen.real("damage")[at] / 100,
        "points": seen.points_for[at] / 2,
        "energy": xp.sum(seen.units, axis=-1)[at] / 4,
        "ready": xp.minimum(seen.ready[at] / 100, xp.full_like(across, 2.0)) + seen.as_real(seen.ready[at] >= across),
        "soon": xp.minimum(seen.soon[at] / 100, xp.full_like(across, 2.0)) + seen.as_real(seen.soon[at] >= across),
        "promise": seen.promise(seen.lacks)[at] / 100,
        "lacks": xp.minimum(lacks, xp.full_like(lacks, 4.0))[at] / 4,
        "retreat": found(facts.RETREAT, seen.mons)[at] / 4,
        "active": first,
    }


SCALES = {"turn": 30, "stage": 2, "points": 3, "deck_size": 20, "hand_size": 10, "boost": 30, "retreat_change": 2,
          "no_attack_left": 2, "no_retreat_left": 2, "prevent_left": 2, "needs_coin_left": 2, "dealt_less": 30,
          "taken_less": 30, "guard": 10, "lock_left": 2, "units": 4}  # fmt: skip
AS_THEY_ARE = ("my_turn", "i_am_first", "i_choose", "supporter_used", "retreat_used", "poisoned", "avenged")


def _of_table(seen: Seen) -> list[Any]:
    """Numbers of the table, each part with an axis."""
    xp = seen.xp

    def wide(name: str, scale: float = 1.0) -> Any:
        found = seen.real(name) / scale
        return found if found.ndim == seen.part("my_cards").ndim else found[..., None]

    parts = [wide(name, scale) for name, scale in SCALES.items()] + [wide(name) for name in AS_THEY_ARE]
    one_of = lambda number, n: seen.as_real(number[..., None] == xp.asarray(np.arange(n)))  # noqa: E731
    parts.append(one_of(seen.part("pending"), OVER + 1))
    parts += [seen.as_real(seen.part("condition") == which) for which in (1, 2)]
    parts += [seen.as_real(seen.part("zone_now") > 0)]
    for side in (0, 1):
        parts += [value for name, value in _places(seen, side).items() if name != "active"]
    held = found(facts.KIND, seen.hand)
    parts.append(xp.stack([xp.sum(seen.as_real(held == kind), axis=-1) / 5 for kind in range(1, 6)], axis=-1))
    left = seen.hp_left[..., 0, 0]
    danger, threat = seen.as_real(seen.threat >= left), seen.threat / 100
    knocks = seen.as_real(seen.ready[..., 0, 0] >= seen.hp_left[..., 1, 0])
    return [*parts, xp.stack([danger, threat, knocks], axis=-1)]
