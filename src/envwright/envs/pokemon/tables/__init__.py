"""Names, species, moves and types of generation 1 as Showdown has them, and how the rules look into them.

`gen1.json` is made by `extract.py`; its hash is pinned here, so that nobody edits it by hand. A move is a row of
numbers and operations; the rules look up all of it at once, in three words that hold the fields below at their places.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

GEN1 = Path(__file__).with_name("gen1.json")
SHA256 = "027875361d63b0a7a8f145e6d4c1e279de884cc6ece8986e46e12e287d26b923"
_text = GEN1.read_bytes()
if hashlib.sha256(_text).hexdigest() != SHA256:
    raise ImportError(f"{GEN1.name} is not what `python -m {__name__}.extract` made; restore it, or pin its new hash.")
_data = json.loads(_text)

PROVENANCE: dict[str, object] = _data["provenance"]
MOVES: list[str] = _data["moves"]  # ids; number 0 is none
MOVE_NAMES: list[str] = _data["move_names"]
SPECIES: list[str] = _data["species"]
SPECIES_NAMES: list[str] = _data["species_names"]
TYPES: list[str] = _data["types"]
OPERATIONS: list[str] = _data["operations"]
DAMAGES: list[str] = _data["damages"]
MOVE_ROWS = {name: np.asarray(values) for name, values in _data["move_rows"].items()}
SPECIES_ROWS = {name: np.asarray([0, *values]) for name, values in _data["species_rows"].items()}
CHART = np.asarray(_data["chart"])  # [attacking, defending]: NEUTRAL, STRONG, WEAK or NO_EFFECT
IMMUNE = np.asarray(_data["immune"], bool)  # [status, type]

NEUTRAL, STRONG, WEAK, NO_EFFECT = range(4)
STATUS_MOVE, PHYSICAL, SPECIAL_MOVE = range(3)
POOL = range(1, MOVES.index("struggle"))  # the moves of random battles, which custom teams may have

# How many bits each field of a move takes, word by word.
LAYOUT: tuple[dict[str, int], ...] = (
    {"power": 8, "accuracy": 8, "type": 4, "category": 2, "damage": 3, "crit_ratio": 2, "on_self": 1}
    | {"ignores_immunity": 1, "explodes": 1, "crashes": 1, "recharges": 1},
    {"recoil": 3, "drain": 2, "status": 3, "boost_stat": 3, "boost_by": 3, "secondary_chance": 7, "secondary_status": 3}
    | {"secondary_flinch": 1, "secondary_stat": 3, "secondary_by": 3},
    {"operation": 4, "pp": 6, "hits_least": 3, "hits_most": 3, "priority": 2, "keeps_last_damage": 1},
)
SIGNED = ("boost_by", "secondary_by", "priority")


def move(name: str) -> int:
    """The number of a move."""
    return MOVES.index(name)


def operation(name: str) -> int:
    """The number of an operation."""
    return OPERATIONS.index(name)


def _packed(fields: dict[str, int]) -> np.ndarray:
    words, at = np.zeros(len(MOVES), np.uint32), 0
    for name, bits in fields.items():
        values = MOVE_ROWS[name]
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if name in SIGNED else (0, (1 << bits) - 1)
        if values.min() < least or values.max() > most:
            raise ValueError(f"{name} does not fit {bits} bits: it goes from {values.min()} to {values.max()}.")
        words |= (values & (1 << bits) - 1).astype(np.uint32) << np.uint32(at)
        at += bits
    return words


WORDS = [_packed(fields) for fields in LAYOUT]
_CHART_WORDS = (CHART.astype(np.uint32) << (2 * np.arange(len(TYPES), dtype=np.uint32))).sum(axis=1, dtype=np.uint32)
# Types and the base stat of speed of a species, in one word.
_SPECIES_WORDS = (SPECIES_ROWS["type"] | SPECIES_ROWS["second_type"] << 4 | SPECIES_ROWS["spe"] << 8).astype(np.uint32)


class Row(dict[str, jax.Array]):
    """A move's fields by name, () int32 each."""

    def __getattr__(self, name: str) -> jax.Array:
        return self[name]


def row(number: jax.Array) -> Row:
    """The move of that number."""
    found = Row()
    for fields, words in zip(LAYOUT, WORDS, strict=True):
        word, at = jnp.asarray(words)[number], 0
        for name, bits in fields.items():
            if name in SIGNED:
                found[name] = (word << 32 - at - bits).astype(jnp.int32) >> 32 - bits
            else:
                found[name] = ((word >> at) & jnp.uint32((1 << bits) - 1)).astype(jnp.int32)
            at += bits
    return found


def matchups(attacking: jax.Array) -> jax.Array:
    """What a type does to all others, for `against`."""
    return jnp.asarray(_CHART_WORDS)[attacking]


def against(matchups: jax.Array, defending: jax.Array) -> jax.Array:
    """NEUTRAL, STRONG, WEAK or NO_EFFECT."""
    return ((matchups >> (2 * defending).astype(jnp.uint32)) & jnp.uint32(3)).astype(jnp.int32)


def species(number: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The two types of a species, and its base stat of speed."""
    word = jnp.asarray(_SPECIES_WORDS)[number].astype(jnp.int32)
    return word & 15, word >> 4 & 15, word >> 8


def among(number: jax.Array, members: Iterable[int]) -> jax.Array:
    """Whether a small number is one of those."""
    members = sorted(members)
    words = [sum(1 << m % 32 for m in members if m // 32 == w) for w in range(max(members) // 32 + 1)]
    found = jnp.zeros((), bool)
    for w, word in enumerate(words):
        if word:
            bit = (jnp.uint32(word) >> (number & 31).astype(jnp.uint32)) & jnp.uint32(1)
            found = found | ((number >> 5 == w) & (bit == 1))
    return found
