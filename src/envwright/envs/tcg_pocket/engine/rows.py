"""Cards, attacks and effects as words of 32 bits that hold small fields; the rules look up a word at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.engine.encoding import FILTERS, PASSIVE, CannotEncodeError, Row, bare, encode, tens
from envwright.envs.tcg_pocket.tables import ATTACKS, CARDS, ENERGIES, TYPES, Card, Op

Layout = Mapping[str, int]  # bits of each field, from the lowest

BASIC, EVOLUTION, ITEM, SUPPORTER, FOSSIL = range(5)  # classes of cards in hand
NO_TYPE = 15  # of what has no type, or no weakness

# Of a card as a Pokemon in play.
POKEMON: Layout = {
    **{"hp": 5, "type": 4, "weakness": 4, "retreat": 3, "ex": 1, "fossil": 1},
    **{"activated": 1, "once": 1, "active_only": 1, "passive": 3, "less": 2, "counter": 2},
}
MORE: Layout = {"attack": 9, "attacks": 2, "effect": 8, "name": 8}
# Of a card in hand, deck and discard pile. `requires` has a bit for each of `REQUIRES` that Trainers have.
CARD: Layout = {"kind": 3, "evolves_from": 8, "requires": 16}
EFFECT: Sequence[Layout] = (
    {"coins": 3, "fails": 1, "per_head": 4, "per_count": 2, "bonus": 4, "bonus_if": 4, "extra_type": 3, "extra": 2}
    | {"bonus_per_count": 3, "count": 3, "boost_named": 1},
    {"count_filter": 5, "hit": 4, "hit_whom": 3, "recoil": 3, "recoil_tails": 1, "when": 2, "status": 2, "discard": 3}
    | {"discard_type": 3, "discard_n": 2, "revive": 1},
    {"heal": 4, "drain": 1, "heal_whom": 2, "lasting": 3, "lasting_amount": 2, "lock": 1, "attach": 3}
    | {"attach_type": 3, "attach_heads": 1, "attach_filter": 5, "switch": 2, "boost": 2},
    {"move": 2, "move_type": 3, "draw": 2, "draw_hand": 1, "draws": 2, "mix": 2, "reveal": 1, "look": 2, "sort_top": 1}
    | {"wanted": 5, "search": 1, "to_bench": 1, "discard_hand": 1, "into_deck": 1, "to_hand": 1, "retreat_less": 2},
    {"ask": 3, "ask_filter": 5, "ask_damaged": 1, "requires": 20},
)
ATTACK: Layout = {"damage": 5, "total": 3, "effect": 8, "copies": 2, "copies_paid": 1}


def _requires() -> list[Op]:
    """All conditions for playing cards and using abilities, those of Trainers first."""
    found: list[Op] = []
    trainers = [card.requires for card in CARDS if card]
    for conditions in [*trainers, *(card.ability.requires for card in CARDS if card and card.ability)]:
        found += [condition for condition in conditions if condition not in found]
    return found


REQUIRES = _requires()


def _bits(conditions: Sequence[Op]) -> int:
    return sum(1 << REQUIRES.index(condition) for condition in conditions)


def matches(card: Card, wanted: Mapping[str, Any]) -> bool:
    """A card against a filter: of fossils, without `kind`, as what they are in play."""
    return (
        ("kind" not in wanted or card.kind == wanted["kind"])
        and ("type" not in wanted or card.type == TYPES.index(wanted["type"]))
        and ("stage" not in wanted or (card.kind in ("pokemon", "fossil") and card.stage == wanted["stage"]))
        and ("names" not in wanted or card.name in wanted["names"])
    )


class _Effects:
    """Effects by number; 0 does nothing."""

    def __init__(self) -> None:
        self.rows: list[Row] = [{}]

    def number(self, ops: Sequence[Op], requires: Sequence[Op] = ()) -> int:
        row = {**encode(tuple(ops)), "requires": _bits(requires)}
        row = {name: value for name, value in row.items() if value}
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row)


_effects = _Effects()
_NAMES = ["", *sorted({card.evolves_from for card in CARDS if card and card.evolves_from})]


def _name(name: str) -> int:
    """The number of a name that something evolves from; 0 for all others."""
    return _NAMES.index(name) if name in _NAMES else 0


def _pokemon(card: Card) -> Row:
    ability = card.ability
    passive = ability is not None and ability.kind != "activated"
    op: Op = ability.effect[0] if ability is not None else {}
    name = op["op"] if passive else ""
    return {
        "hp": tens(card.hp),
        "type": card.type if card.type >= 0 else NO_TYPE,
        "weakness": card.weakness if card.weakness >= 0 else NO_TYPE,
        "retreat": card.retreat,
        "ex": card.ex,
        "fossil": card.kind == "fossil",
        "activated": ability is not None and not passive,
        "once": ability is not None and ability.once,
        "active_only": ability is not None and ability.active_only,
        "passive": PASSIVE.index(name),
        "less": tens(op["amount"]) if name == "reduce_damage_taken" else 0,
        "counter": tens(op["amount"]) if name == "damage_attacker" else 0,
    }


def _more(card: Card) -> Row:
    effect = 0
    if card.ability is not None and card.ability.kind == "activated":
        effect = _effects.number(card.ability.effect, card.ability.requires)
    elif card.kind in ("item", "supporter"):
        effect = _effects.number(card.effect)
    first = card.attacks[0].number if card.attacks else 0
    return {"attack": first, "attacks": len(card.attacks), "effect": effect, "name": _name(card.name)}


def _card(card: Card) -> Row:
    kind = {"item": ITEM, "supporter": SUPPORTER, "fossil": FOSSIL}.get(card.kind, EVOLUTION if card.stage else BASIC)
    return {"kind": kind, "evolves_from": _name(card.evolves_from), "requires": _bits(card.requires)}


def _attack(attack: tables.Attack) -> Row:
    op = attack.op("copy_attack")
    copies = 0 if op is None else ("active", "any").index(op["source"]["zone"]) + 1
    row = {"damage": tens(attack.damage), "total": attack.total, "effect": _effects.number(attack.effect)}
    return row | {"copies": copies, "copies_paid": int(op is not None and op["require_energy"])}


def _packed(layout: Layout, rows: Sequence[Row]) -> np.ndarray:
    if sum(layout.values()) > 32:
        raise CannotEncodeError(f"{sum(layout.values())} bits do not fit a word: {dict(layout)}")
    words = np.zeros(len(rows), np.uint32)
    for number, row in enumerate(rows):
        at = 0
        for name, bits in layout.items():
            value = int(row.get(name, 0))
            if not 0 <= value < 1 << bits:
                raise CannotEncodeError(f"{name} = {value} does not fit {bits} bits")
            words[number] |= np.uint32(value << at)
            at += bits
    return words


def _of_cards(of: Any) -> list[Row]:
    return [{}, *(of(card) for card in CARDS if card)]


POKEMON_WORDS = _packed(POKEMON, _of_cards(_pokemon))
MORE_WORDS = _packed(MORE, _of_cards(_more))
CARD_WORDS = _packed(CARD, _of_cards(_card))
FILTER_WORDS = np.array(
    [0, *(sum(matches(card, wanted) << n for n, wanted in enumerate(FILTERS)) for card in CARDS if card)], np.uint32
)
ATTACK_WORDS = _packed(ATTACK, [{}, *(_attack(attack) for attack in ATTACKS if attack)])
_COSTS = np.array([[0] * len(ENERGIES), *(attack.cost[: len(ENERGIES)] for attack in ATTACKS if attack)], np.uint32)
COST_WORDS = [(_COSTS[:, at : at + 4] << (8 * np.arange(4, dtype=np.uint32))).sum(1, dtype=np.uint32) for at in (0, 4)]
EFFECT_WORDS = [_packed(layout, _effects.rows) for layout in EFFECT]
if unknown := {name for row in _effects.rows for name in row} - {name for layout in EFFECT for name in layout}:
    raise CannotEncodeError(f"no bits for {sorted(unknown)}")


def _double() -> tuple[int, int]:
    """Which type counts as two, and on which Pokemon (R6.2)."""
    found = []
    for card in CARDS:
        for op in card.ability.effect if card and card.ability else ():
            if op["op"] == "double_energy":
                found.append((ENERGIES.index(op["type"]), FILTERS.index(bare(op["filter"]))))
    if len(set(found)) != 1 or found[0][0] != 0:
        raise CannotEncodeError("the type of energy that counts as two is the first one, and it is one")
    return found[0]


DOUBLED, DOUBLED_ON = _double()
# By card: the filter of the attackers that a Supporter's boost is for.
BOOST_FILTER = np.array(
    [0, *(next((FILTERS.index(bare(op.get("attacker", {}))) for op in card.effect if op["op"] == "boost_damage"), 0)
          for card in CARDS if card)], np.uint8)  # fmt: skip
REVIVED = FILTERS.index({"kind": "pokemon", "stage": 0})  # what returns from a discard pile


class Fields(dict[str, jax.Array]):
    """Fields by name, () int32 each."""

    def __getattr__(self, name: str) -> jax.Array:
        return self[name]


def unpacked(layout: Layout, word: jax.Array, into: Fields | None = None) -> Fields:
    """The fields of a word."""
    found, at = Fields() if into is None else into, 0
    for name, bits in layout.items():
        found[name] = ((word >> at) & jnp.uint32((1 << bits) - 1)).astype(jnp.int32)
        at += bits
    return found


def look_up(words: np.ndarray | jax.Array, number: jax.Array) -> jax.Array:
    """What is at these places, which are inside: unsigned, so that none counts from the end."""
    return jnp.asarray(words).at[number.astype(jnp.uint32)].get(mode="promise_in_bounds")


def effect(number: jax.Array) -> Fields:
    """The row of an effect."""
    row = Fields()
    for layout, words in zip(EFFECT, EFFECT_WORDS, strict=True):
        unpacked(layout, look_up(words, number), row)
    return row
