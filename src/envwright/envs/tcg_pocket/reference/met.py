"""What of the rules was used, counted for tables of coverage (docs/verify.md). Nothing here is state of a game.

card         put down, evolved or played, by id
attack       carried out, copied ones too
ability      activated ones that were used, others that did something
operation    of an attack, Trainer or ability, in the branch of its coins that came
pair         an operation, and an effect that was on either side then
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import ASLEEP, PARALYZED
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import Attack, Card, Op

MET: dict[str, Counter[str]] = {kind: Counter() for kind in ("card", "attack", "ability", "operation", "pair")}

OF_ACTIVE = ("poisoned", "no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left")
OF_ACTIVE += ("dealt_less", "taken_less", "guard", "lock_left", "avenged")
OF_TURN = ("boost", "retreat_change", "supporter_used", "retreat_used")


def card(number: int) -> None:
    MET["card"][card_name(tables.card(number))] += 1


def ability(card: Card) -> None:
    MET["ability"][ability_name(card)] += 1


def operation(name: str) -> None:
    MET["operation"][name] += 1


def passive(cards: Iterable[Card], name: str) -> None:
    """An ability that nobody uses, of one of these cards, has made a difference."""
    for card in cards:
        if card.has(name):
            ability(card)
            operation(name)


def attack(s: PocketState, attack: Attack, ops: Iterable[Op]) -> None:
    """An attack is carried out, with these of its operations."""
    MET["attack"][attack_name(attack)] += 1
    effect(s, attack.effect, ops)


def effect(s: PocketState, printed: Sequence[Op], ops: Iterable[Op]) -> None:
    """Operations are carried out: those of the coins that came, and the coins themselves."""
    names = [op["op"] for op in ops] + [op["op"] for op in printed if op["op"] == "coin_flips"]
    MET["operation"].update(names)
    now = active_effects(s)
    MET["pair"].update(f"{name}, {what}" for name in names for what in now)


def active_effects(s: PocketState) -> list[str]:
    """What is on either side: `mine` is the player's whose turn it is."""
    found = [name for name in OF_TURN if getattr(s, name)]
    for whose, player in (("mine", s.player), ("theirs", 1 - s.player)):
        found += [f"{whose} {name}" for name in OF_ACTIVE if getattr(s, name)[player]]
        if s.condition[player] in (ASLEEP, PARALYZED):
            found.append(f"{whose} {'asleep' if s.condition[player] == ASLEEP else 'paralyzed'}")
    return found


# ---- names, and what there is to be met ----


def card_name(card: Card) -> str:
    return f"{card.id} {card.name}"


def attack_name(attack: Attack) -> str:
    return f"{card_name(tables.card(attack.card))}: {attack.name}"


def ability_name(card: Card) -> str:
    return f"{card_name(card)}: {card.ability.name}" if card.ability else ""


def possible() -> dict[str, list[str]]:
    """Everything that can be met, pairs apart."""
    cards = [card for card in tables.CARDS if card]
    effects = [attack.effect for card in cards for attack in card.attacks]
    effects += [card.ability.effect for card in cards if card.ability] + [card.effect for card in cards]
    return {
        "card": [card_name(card) for card in cards],
        "attack": [attack_name(attack) for card in cards for attack in card.attacks if not attack.op("copy_attack")],
        "ability": [ability_name(card) for card in cards if card.ability],
        "operation": sorted({op["op"] for effect in effects for op in tables.walk(effect)}),
    }
