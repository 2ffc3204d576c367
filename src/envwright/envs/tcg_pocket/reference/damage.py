"""Damage of an attack (spec.md, section 6), all at one moment, from the state before it."""

from collections import Counter
from collections.abc import Sequence

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.reference import board, met
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.coins import Doing, count, holds
from envwright.envs.tcg_pocket.reference.dice import choose
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import Attack, Op

WEAKNESS = 20
OPS = ("damage_bonus", "damage_per_head", "damage_per_count", "damage_bonus_per_count", "damage_pokemon", "self_damage")


def base_damage(s: PocketState, doing: Doing, attack: Attack, ops: Sequence[Op]) -> int:
    """R5.8: the printed number, replaced or added to."""
    base = attack.damage
    for op in ops:
        if op["op"] == "damage_per_head":
            base = op["amount"] * doing.heads
        elif op["op"] == "damage_per_count":
            base = op["amount"] * count(s, doing, op["count"])
    for op in ops:
        if op["op"] == "damage_bonus" and ("if" not in op or holds(s, doing, op["if"])):
            base += op["amount"]
        elif op["op"] == "damage_bonus_per_count":
            base += op["amount"] * count(s, doing, op["count"])
    return base


def deal(s: PocketState, doing: Doing, attack: Attack, ops: Sequence[Op]) -> None:
    """R6.8: damage to everybody at once; `doing.dealt` is that to the opponent's Active."""
    defending = doing.opponent, 0
    hits: Counter[Spot] = Counter({defending: base_damage(s, doing, attack, ops)})
    plain = 0
    for op in ops:
        if op["op"] == "damage_pokemon":
            for spot in targets(s, doing, op):
                hits[spot] += op["amount"]
        elif op["op"] == "self_damage":
            plain += op["amount"]
    final = {spot: final_damage(s, doing, spot, amount) for spot, amount in hits.items() if amount}
    for (player, place), amount in final.items():
        s.damage[player][place] += amount
    s.damage[doing.player][0] += plain
    doing.dealt = final.get(defending, 0)


def targets(s: PocketState, doing: Doing, op: Op) -> list[Spot]:
    """R6.7: who is hit, once for each hit."""
    found, pick = board.spots(s, doing.player, op["target"]), op["target"]["pick"]
    if pick == "choose":
        return [doing.chosen] if doing.chosen is not None else []
    if pick == "random":
        words = s.dice.targets()
        return [found[choose(words[hit], len(found))] for hit in range(op["times"])]
    return found


def final_damage(s: PocketState, doing: Doing, spot: Spot, amount: int) -> int:
    """R6.4 and R6.7: what an attack's hit of this amount comes to."""
    player, place = spot
    if spot == (doing.opponent, 0):
        if s.prevent_left[player]:
            return 0
        amount += boost(s, doing.player)
    amount -= s.dealt_less[doing.player]
    if amount <= 0:
        return 0
    if spot == (doing.opponent, 0) and weak(s, doing):
        amount += WEAKNESS
    if player == doing.opponent:
        amount -= reductions(s, player, place)
    return max(0, amount)


def boost(s: PocketState, player: int) -> int:
    """R6.5."""
    if s.boost and s.boost_by:
        op = next(op for op in tables.card(s.boost_by).effect if op["op"] == "boost_damage")
        if not board.matches(s, player, 0, op["attacker"]):
            return 0
    return s.boost


def weak(s: PocketState, doing: Doing) -> bool:
    return board.pokemon(s, doing.opponent, 0).weakness == board.pokemon(s, doing.player, 0).type


def reductions(s: PocketState, player: int, place: int) -> int:
    """R6.6."""
    card = board.pokemon(s, player, place)
    own = 0
    if card.ability is not None and card.has("reduce_damage_taken"):
        own = sum(op["amount"] for op in card.ability.effect)
        met.passive([card], "reduce_damage_taken")
    return own + (s.taken_less[player] if place == 0 else 0) + s.guard[player]


def counter_damage(s: PocketState, doing: Doing) -> None:
    """R6.9."""
    card = board.pokemon(s, doing.opponent, 0)
    if doing.dealt > 0 and card.ability is not None and board.active_has(s, doing.opponent, "damage_attacker"):
        s.damage[doing.player][0] += sum(op["amount"] for op in card.ability.effect)
        met.passive([card], "damage_attacker")


def can_be_hit(s: PocketState, player: int, attack: Attack) -> list[Spot]:
    """R5.4: whom the player may choose for an attack; nobody, if it has nothing to choose."""
    op = attack.op("damage_pokemon")
    if op is None or op["target"]["pick"] != "choose":
        return []
    return board.spots(s, player, op["target"])
