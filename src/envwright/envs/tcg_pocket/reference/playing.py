"""Playing cards, attaching energy, retreating, abilities: the main phase (spec.md, section 4)."""

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import (
    ABILITY,
    ENERGIES,
    EVOLVE,
    IN_DISCARD,
    IN_PLAY,
    RETREAT,
    TRAINER,
)
from envwright.envs.tcg_pocket.reference import board, cards, met
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.choices import choice_of
from envwright.envs.tcg_pocket.reference.coins import Doing, toss
from envwright.envs.tcg_pocket.reference.operations import carry_out
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import Card, Ops

FIRST_EVOLUTION = 3  # neither player's first turn


# ---- what may be done ----


def playable(s: PocketState, k: int) -> bool:
    """R4.1 to R4.7: whether card k may be played in the main phase."""
    player = s.player
    if not is_first_copy(s, player, k):
        return False
    card = tables.card(s.cards[player][k])
    if card.kind == "pokemon":
        return bool(board.free_bench(s, player)) if card.basic else bool(evolvable(s, card))
    if card.kind == "supporter" and (s.supporter_used or locked(s, player)):
        return False
    if card.kind == "supporter" and s.turn == 1 and not s.flags.first_turn_supporter:
        return False
    return board.required(s, player, card.requires)


def is_first_copy(s: PocketState, player: int, k: int) -> bool:
    """R4.1."""
    copies = [other for other in board.hand(s, player) if s.cards[player][other] == s.cards[player][k]]
    return bool(copies) and copies[0] == k


def evolvable(s: PocketState, card: Card) -> list[int]:
    """R4.3, R4.4: the own places that a card can evolve."""
    if s.turn < FIRST_EVOLUTION:
        return []
    fixed = board.any_has(s, 1 - s.player, "no_evolve_active")
    if fixed and board.pokemon(s, s.player, 0).name == card.evolves_from:
        met.passive(board.team(s, 1 - s.player), "no_evolve_active")
    return [
        place
        for place in board.occupied(s, s.player)
        if board.pokemon(s, s.player, place).name == card.evolves_from
        and not s.new[s.player][place]
        and not (place == 0 and fixed)
    ]


def locked(s: PocketState, player: int) -> bool:
    """R4.6."""
    if board.active_has(s, 1 - player, "lock_supporters"):
        met.passive([board.pokemon(s, 1 - player, 0)], "lock_supporters")
        return True
    return s.lock_left[player] > 0


def usable(s: PocketState, place: int) -> bool:
    """R4.11: whether the ability of an own Pokemon may be used."""
    card = board.top(s, s.player, place)
    ability = card.ability if card else None
    return (
        ability is not None
        and ability.kind == "activated"
        and not (ability.active_only and place > 0)
        and not (ability.once and s.used[s.player][place])
        and board.required(s, s.player, ability.requires)
    )


def can_retreat(s: PocketState) -> bool:
    """R4.12."""
    player, card = s.player, board.pokemon(s, s.player, 0)
    return (
        not s.retreat_used
        and not board.cannot_move(s, player)
        and not s.no_retreat_left[player]
        and card.kind != "fossil"
        and sum(board.effective(s, player, 0)) >= retreat_cost(s)
    )


def retreat_cost(s: PocketState) -> int:
    return max(0, board.pokemon(s, s.player, 0).retreat + s.retreat_change)


def discardable(s: PocketState, place: int) -> bool:
    """R4.8."""
    card = board.top(s, s.player, place)
    return card is not None and card.kind == "fossil" and len(board.occupied(s, s.player)) > 1


# ---- doing it ----


def play(s: PocketState, k: int) -> None:
    """Play card k of the hand."""
    player, card = s.player, tables.card(s.cards[s.player][k])
    met.card(card.number)
    if card.evolution:
        s.pending, s.source = EVOLVE, k
    elif card.kind in ("pokemon", "fossil"):
        cards.leave_hand(s, player, k, IN_PLAY)
        cards.put_on_bench(s, player, k)
        if card.kind == "fossil":
            met.operation("play_as_pokemon")
    else:
        cards.leave_hand(s, player, k, IN_DISCARD)
        s.supporter_used = s.supporter_used or card.kind == "supporter"
        if choice_of(card.effect):
            s.pending, s.source = TRAINER, k
        else:
            do_trainer(s, k, None)


def do_trainer(s: PocketState, k: int, chosen: Spot | None) -> None:
    """R4.5: the effect of a Trainer that has been played."""
    card = tables.card(s.cards[s.player][k])
    _do(s, Doing(s.player, card=card.number, chosen=chosen), card.effect)


def use_ability(s: PocketState, place: int) -> None:
    """R4.11."""
    ability = board.pokemon(s, s.player, place).ability
    assert ability is not None
    met.ability(board.pokemon(s, s.player, place))
    s.used[s.player][place] = ability.once
    if choice_of(ability.effect):
        s.pending, s.source = ABILITY, place
    else:
        do_ability(s, place, None)


def do_ability(s: PocketState, place: int, chosen: Spot | None) -> None:
    ability = board.pokemon(s, s.player, place).ability
    assert ability is not None
    _do(s, Doing(s.player, place, chosen=chosen), ability.effect)


def _do(s: PocketState, doing: Doing, ops: Ops) -> None:
    tossed = toss(s, doing, ops)
    met.effect(s, ops, tossed)
    carry_out(s, doing, tossed)


def energize(s: PocketState, place: int) -> None:
    """R3.4: the current energy goes onto an own Pokemon."""
    s.energy[s.player][place][s.zone_now[s.player] - 1] += 1
    s.zone_now[s.player] = 0


def retreat(s: PocketState, place: int) -> None:
    """R4.12."""
    s.retreat_used = True
    pay_retreat(s, place, retreat_cost(s))


def pay_unit(s: PocketState, place: int, left: int, type: int) -> None:
    """One unit that the player has chosen."""
    left -= board.worth(s, s.player, 0, type)
    s.energy[s.player][0][type] -= 1
    pay_retreat(s, place, left)


def pay_retreat(s: PocketState, place: int, left: int) -> None:
    """Asks as long as there are units of two or more types, and pays the rest in the only one there is."""
    there = [type for type in range(ENERGIES) if s.energy[s.player][0][type]]
    if left > 0 and len(there) > 1:
        s.pending, s.source, s.units = RETREAT, place, left
    elif left > 0:
        pay_unit(s, place, left, there[0])
    else:
        cards.swap(s, s.player, place)


def discard_fossil(s: PocketState, place: int) -> None:
    """R4.8."""
    met.operation("may_discard_self")
    cards.remove(s, s.player, place, IN_DISCARD)


def may_attack(s: PocketState, index: int) -> bool:
    """R5.1."""
    attacks = board.pokemon(s, s.player, 0).attacks
    return (
        index < len(attacks)
        and not board.cannot_move(s, s.player)
        and not s.no_attack_left[s.player]
        and (s.turn > 1 or s.flags.first_turn_attack)
        and board.pays(board.effective(s, s.player, 0), attacks[index].cost)
    )
