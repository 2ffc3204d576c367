"""What a player knows of the game by heart, as small tables: moves and species as packed words.

Estimates of damage are for players and observations only; the rules have the real formula. Everything here is NumPy,
made once from the extracted data.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon import tables
from envwright.envs.pokemon.state import BOOSTS, STATUSES

TYPES: tuple[str, ...] = tuple(tables.TYPES)  # the first is none
MOVE_NAMES: tuple[str, ...] = tuple(tables.MOVE_NAMES)
SPECIES_NAMES: tuple[str, ...] = tuple(tables.SPECIES_NAMES)
PHYSICAL = ("Normal", "Fighting", "Flying", "Ground", "Rock", "Bug", "Ghost", "Poison")
PHYSICAL_BITS = sum(1 << TYPES.index(name) for name in PHYSICAL)
MOST_HITS = {(2, 5): 3.0}  # the mean of two to five hits as generation 1 draws them
HIGH_CRITICAL = 1.85  # such a move is nearly always a critical hit, which nearly doubles the damage

# A move as a word: bits 0-3 its type, 4-12 its strength (power times hits), 13-20 its accuracy out of 255, then flags.
STRENGTH, HIT, FLAGS = 4, 13, 21
LEVEL, HALF, SLEEP, PARALYSE, HEAL, RAISE, EXPLODE, COUNTER, PREPARE = (1 << (FLAGS + i) for i in range(9))
SHOWN_FLAGS = {  # what it means that the foe has shown such a move
    "sleep": (SLEEP, "puts to sleep"),
    "paralyse": (PARALYSE, "paralyses"),
    "heal": (HEAL, "heals itself"),
    "raise": (RAISE, "raises its own stats"),
    "explode": (EXPLODE, "explodes"),
    "counter": (COUNTER, "counters"),
    "delay": (PREPARE, "takes two turns: Hyper Beam or Sky Attack"),
}

Array = NDArray[Any]


def column(name: str) -> Array:
    """A column of the table of moves."""
    return tables.MOVE_ROWS[name]


def _operation(*names: str) -> Array:
    return np.isin(column("operation"), [tables.operation(name) for name in names])


def _damage(name: str) -> Array:
    return column("damage") == tables.DAMAGES.index(name)


def _status(*ids: str) -> Array:
    return np.isin(column("status"), [STATUSES.index(id) for id in ids])


def _strength() -> Array:
    least, most = column("hits_least"), column("hits_most")
    hits = np.array([MOST_HITS.get((a, b), (a + b) / 2) for a, b in zip(least, most, strict=True)])
    often = np.where(column("crit_ratio") > 1, HIGH_CRITICAL, 1.0) * np.where(column("explodes") > 0, 2, 1)
    usual = _damage("formula") & ~np.isin(np.array(MOVE_NAMES), ["Fissure"])
    return np.where(usual, column("power") * hits * often, 0).round().astype(np.uint32)


def _move_words() -> Array:
    accuracy = np.where(column("accuracy") == 0, 255, column("accuracy")).astype(np.uint32)
    word = column("type").astype(np.uint32) | _strength() << STRENGTH | accuracy << HIT
    for flag, where in (
        (LEVEL, _damage("level")),
        (HALF, _damage("half")),
        (SLEEP, _status("slp")),
        (PARALYSE, _status("par")),
        (HEAL, _operation("recover", "rest")),
        (RAISE, (column("boost_by") > 0) & (column("on_self") > 0)),
        (EXPLODE, column("explodes") > 0),
        (COUNTER, _damage("counter")),
        (PREPARE, (column("recharges") > 0) | _operation("charge")),
    ):
        word |= np.where(where, np.uint32(flag), np.uint32(0))
    return np.where(np.arange(len(word)) == 0, 0, word).astype(np.uint32)


def _boost(stat: str) -> Array:
    which = BOOSTS.index(stat) + 1
    mine = np.where((column("boost_stat") == which) & (column("on_self") > 0), column("boost_by"), 0)
    return mine / 2


_sure = column("accuracy") == 0
_chance, _besides = column("secondary_chance") / 256, column("secondary_status")

# What a network is told of each of its moves, and of no other thing: name, meaning, a value a move.
TRAITS: dict[str, tuple[str, Array]] = {
    "power": ("base power / 150, at most 1", np.minimum(column("power") / 150, 1)),
    "accuracy": ("chance to hit; 1 also for what cannot miss", np.where(_sure, 1, column("accuracy") / 255)),
    "priority": ("1 moves first, -1 last", column("priority").astype(float)),
    "sleep": ("puts the foe to sleep", _status("slp")),
    "paralyse": ("paralyses", _status("par")),
    "poison": ("poisons", _status("psn")),
    "confuse": ("confuses", _operation("confuse")),
    "secondary_paralyse": ("chance to paralyse besides", _chance * (_besides == 5)),
    "secondary_freeze": ("chance to freeze besides", _chance * (_besides == 4)),
    "secondary_other": ("chance of another secondary effect", _chance * ~np.isin(_besides, [4, 5])),
    "recover": ("heals half of the HP", _operation("recover")),
    "rest": ("Rest", _operation("rest")),
    "drain": ("heals half of the damage", column("drain") > 0),
    "recoil": ("hurts its user", (column("recoil") > 0) | (column("crashes") > 0)),
    "raises_attack": ("stages of attack / 2", _boost("atk")),
    "raises_defence": ("stages of defence / 2", _boost("def")),
    "raises_speed": ("stages of speed / 2", _boost("spe")),
    "raises_special": ("stages of special / 2", _boost("spa")),
    "lowers": ("lowers a stat of the foe", (column("boost_by") < 0) & (column("on_self") == 0)),
    "substitute": ("Substitute", _operation("substitute")),
    "reflect": ("Reflect", _operation("reflect")),
    "explodes": ("its user faints", column("explodes") > 0),
    "delay": ("costs a second turn: Hyper Beam, Sky Attack", (column("recharges") > 0) | _operation("charge")),
    "counter": ("Counter", _damage("counter")),
    "copies": ("Mimic, Transform or Mirror Move", _operation("mimic", "transform", "mirror move")),
}  # fmt: skip

MOVE_WORDS: Array = _move_words()
MOVE_TRAITS: Array = np.where(
    np.arange(len(MOVE_NAMES))[:, None] == 0, 0, np.stack([value for _, value in TRAITS.values()], axis=1)
).astype(np.float32)
MAX_PP: Array = column("max_pp").astype(np.uint8)


def _species(name: str) -> Array:
    return tables.SPECIES_ROWS[name]


def _weaknesses() -> Array:
    """Two words a species: four bits an attacking type, n for a factor of 2 ** n / 8, 0 for none at all."""
    factor = np.array([1, 2, 0.5, 0])[tables.CHART]  # (attacking, defending)
    both = factor[:, _species("type")] * factor[:, _species("second_type")]  # (types, species)
    code = np.where(both == 0, 0, np.log2(np.maximum(both, 0.25) * 8)).astype(np.uint32)
    words = [sum(code[8 * half + i] << 4 * i for i in range(8)) for half in range(2)]
    return np.stack(words, axis=1).astype(np.uint32)


SPECIES_TYPES: Array = np.stack([_species("type"), _species("second_type")], axis=1).astype(np.uint8)
SPECIES_STATS: Array = np.stack([_species(name) for name in ("hp", "atk", "def", "spe", "spa")], axis=1).astype(
    np.float32
)
WEAKNESSES: Array = _weaknesses()
