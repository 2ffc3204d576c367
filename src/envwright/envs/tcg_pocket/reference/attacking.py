"""Attacks (spec.md, section 5): declared, copied, aimed, carried out; each may stop to ask for a choice."""

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import ATTACH, COPY, COPY_OF, IN_ENDING, TARGET
from envwright.envs.tcg_pocket.reference import board, damage, met
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.coins import Doing, toss
from envwright.envs.tcg_pocket.reference.dice import coin
from envwright.envs.tcg_pocket.reference.operations import carry_out
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import TYPES, Attack


def declare(s: PocketState, index: int) -> None:
    """The player on turn attacks; whatever comes of it, the turn ends (R3.5)."""
    s.stage = IN_ENDING
    if s.needs_coin_left[s.player] and not coin(s.dice.smokescreen(), 0):
        return  # R5.2
    if board.effective(s, s.player, 0) != s.energy[s.player][0]:
        met.passive(board.team(s, s.player), "double_energy")
    attack = board.pokemon(s, s.player, 0).attacks[index]
    if attack.op("copy_attack") is None:
        aim(s, attack)
    elif copies(s, attack):
        met.operation("copy_attack")
        s.pending, s.attack = COPY, attack.number


def copies(s: PocketState, attack: Attack) -> dict[int, Attack]:
    """R5.3: the attacks that may be copied, by action."""
    op = attack.op("copy_attack")
    assert op is not None
    energy = board.effective(s, s.player, 0)
    return {
        COPY_OF + 2 * place + index: found
        for player, place in board.spots(s, s.player, op["source"])
        for index, found in enumerate(board.pokemon(s, player, place).attacks)
        if found.op("copy_attack") is None and (not op["require_energy"] or board.pays(energy, found.cost))
    }


def aim(s: PocketState, attack: Attack) -> None:
    """R5.4."""
    if damage.can_be_hit(s, s.player, attack):
        s.pending, s.attack = TARGET, attack.number
    else:
        carry_out_attack(s, attack, None)


def carry_out_attack(s: PocketState, attack: Attack, target: Spot | None) -> None:
    """R5.5."""
    doing = Doing(s.player, 0, attack, chosen=target)
    ops = toss(s, doing, attack.effect)
    met.attack(s, attack, ops)
    if any(op["op"] == "attack_fails" for op in ops):
        return  # R5.6
    damage.deal(s, doing, attack, ops)
    damage.counter_damage(s, doing)
    carry_out(s, doing, [op for op in ops if op["op"] not in damage.OPS])


def attachable(s: PocketState, attack: Attack) -> list[Spot]:
    """R5.14: the Pokemon that energy of an attack may go to."""
    op = attack.op("attach_energy_from_zone")
    assert op is not None
    return board.spots(s, s.player, op["target"])


def attach(s: PocketState, number: int, units: int, spot: Spot) -> None:
    """R5.14: one unit; the next one is asked for."""
    op = tables.attack(number).op("attach_energy_from_zone")
    assert op is not None
    s.energy[spot[0]][spot[1]][TYPES.index(op["type"])] += 1
    if units > 1:
        s.pending, s.attack, s.units = ATTACH, number, units - 1
