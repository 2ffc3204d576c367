"""What a player knows of every card and attack before a game: tables by number, of which row 0 is nobody.

All are NumPy; `found` looks into them with whichever library the numbers are of.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from envwright.envs.tcg_pocket.engine import encoding
from envwright.envs.tcg_pocket.engine.encoding import FILTERS, Row, encode
from envwright.envs.tcg_pocket.engine.rows import matches
from envwright.envs.tcg_pocket.tables import ATTACKS, CARDS, ENERGIES, FOSSIL_HP, Attack, Card

BASIC, EVOLUTION, ITEM, SUPPORTER, FOSSIL = range(1, 6)  # kinds; 0 is nobody's
KINDS = {"item": ITEM, "supporter": SUPPORTER, "fossil": FOSSIL}
COLORLESS = len(ENERGIES)
HALF, UNTIL_TAILS, PER_ENERGY = 0.5, 1.0, 1.0  # heads expected: of a coin, until tails, with two units of energy
CHANCES = {encoding.ALWAYS: 1.0, encoding.HEADS: 0.5, encoding.ALL_HEADS: 0.25, encoding.TAILS: 0.5}
# What of an effect's row a player weighs as it stands there; the fields of `engine.encoding`.
WEIGHED = (
    *("heal", "heal_whom", "attach", "attach_heads", "switch", "boost", "move", "draw", "draw_hand", "draws", "mix"),
    *("reveal", "look", "sort_top", "search", "to_bench", "discard_hand", "into_deck", "to_hand", "retreat_less"),
    *("status", "lasting", "lock", "drain", "revive", "hit", "hit_whom", "discard", "discard_n", "ask"),
    *("count", "bonus_if", "extra_type", "extra"),
)
_NAMES = sorted({card.name for card in CARDS if card})


def found(table: np.ndarray, number: Any) -> Any:
    """What a table has at these numbers."""
    xp = number.__array_namespace__()
    return xp.asarray(table)[number]


def _of_cards(of: Callable[[Card], Any], dtype: type = np.float32) -> np.ndarray:
    first = next(card for card in CARDS if card)
    return np.array([np.zeros_like(of(first)), *(of(card) for card in CARDS if card)], dtype)


def _of_attacks(of: Callable[[Attack], Any], dtype: type = np.float32) -> np.ndarray:
    first = next(attack for attack in ATTACKS if attack)
    return np.array([np.zeros_like(of(first)), *(of(attack) for attack in ATTACKS if attack)], dtype)


def _number_of(name: str) -> int:
    """A name as a number from 1; 0 is none."""
    return _NAMES.index(name) + 1 if name in _NAMES else 0


def _card_effect(card: Card) -> Row:
    """The effect of a Trainer or of an activated ability."""
    ability = card.ability
    if ability is not None and ability.kind == "activated":
        return encode(ability.effect)
    return encode(card.effect) if card.kind in ("item", "supporter") else {}


def _passive(name: str, amount: str = "") -> np.ndarray:
    """Whether, or how much of it, a card has a passive ability."""

    def of(card: Card) -> float:
        if not card.has(name) or card.ability is None:
            return 0.0
        return float(card.ability.effect[0][amount]) if amount else 1.0

    return _of_cards(of)


# ---- cards ----

KIND = _of_cards(lambda card: KINDS.get(card.kind, EVOLUTION if card.stage else BASIC), np.int32)
HP = _of_cards(lambda card: card.hp)
STAGE = _of_cards(lambda card: card.stage)
TYPE = _of_cards(lambda card: card.type, np.int32)
WEAKNESS = _of_cards(lambda card: card.weakness, np.int32)
TYPE[0], WEAKNESS[0] = -2, -3  # nobody's fits nothing
RETREAT = _of_cards(lambda card: card.retreat)
POINTS = _of_cards(lambda card: 2 if card.ex else card.hp > 0)
NAME = _of_cards(lambda card: _number_of(card.name), np.int32)
EVOLVES_FROM = _of_cards(lambda card: _number_of(card.evolves_from), np.int32)
EVOLVES_FROM[0] = -1
ACTIVATED = _of_cards(lambda card: card.ability is not None and card.ability.kind == "activated")
ATTACKS_OF = _of_cards(lambda card: ([attack.number for attack in card.attacks] + [0, 0])[:2], np.int32)
DOUBLES, LESS, COUNTER = (
    _passive("double_energy"),
    _passive("reduce_damage_taken", "amount"),
    _passive("damage_attacker", "amount"),
)
FITS = _of_cards(lambda card: sum(matches(card, wanted) << n for n, wanted in enumerate(FILTERS)), np.int64)
EFFECT = {name: _of_cards(lambda card, name=name: _card_effect(card).get(name, 0)) for name in WEIGHED}
ATTACH_TYPE = _of_cards(lambda card: _card_effect(card).get("attach_type", 0), np.int32)
BOOST_FILTER = _of_cards(
    lambda card: next((encoding.filter_number(op, "attacker") for op in card.effect if op["op"] == "boost_damage"), 0),
    np.int32,
)

# ---- attacks ----


def _heads(row: Row) -> float:
    """Heads that are to be expected."""
    coins = row.get("coins", 0)
    return {encoding.TOSS_UNTIL: UNTIL_TAILS, encoding.TOSS_PER_ENERGY: PER_ENERGY}.get(coins, HALF * coins)


def _works(row: Row) -> float:
    """How often an attack does not fail."""
    return HALF if row.get("fails") else 1.0


def _printed(attack: Attack) -> float:
    """Damage to be expected of what does not depend on the table."""
    row = encode(attack.effect)
    base = 10.0 * row["per_head"] * _heads(row) if row.get("per_head") else float(attack.damage)
    base = 0.0 if row.get("per_count") else base
    return _works(row) * (base + 10.0 * row.get("bonus", 0) * CHANCES.get(row.get("bonus_if", 0), 0.0))


def _recoil(attack: Attack) -> float:
    row = encode(attack.effect)
    return 10.0 * row.get("recoil", 0) * (HALF if row.get("recoil_tails") else 1.0)


def _of_row(name: str, factor: float = 1.0) -> np.ndarray:
    return _of_attacks(lambda attack: factor * encode(attack.effect).get(name, 0))


COST = _of_attacks(lambda attack: attack.cost[:COLORLESS])
TOTAL = _of_attacks(lambda attack: attack.total)
PRINTED, RECOIL = _of_attacks(_printed), _of_attacks(_recoil)
WORKS = _of_attacks(lambda attack: CHANCES[encode(attack.effect).get("when", 0)] * _works(encode(attack.effect)))
PER_COUNT = _of_row("per_count", 10.0) + _of_row("bonus_per_count", 10.0)
BONUS = np.where(_of_row("bonus_if") > encoding.TAILS, _of_row("bonus", 10.0), 0).astype(np.float32)
COPIES = _of_attacks(lambda attack: attack.op("copy_attack") is not None)
OF_ATTACK = {name: _of_row(name) for name in WEIGHED}
COUNT_FILTER = _of_row("count_filter").astype(np.int32)
ATTACK_ATTACH_TYPE = _of_row("attach_type").astype(np.int32)
EXTRA_TYPE = _of_row("extra_type").astype(np.int32)

assert HP[KIND == FOSSIL].max() == FOSSIL_HP
