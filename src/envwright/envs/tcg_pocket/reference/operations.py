"""Operations of attacks (after their damage), abilities and Trainers, one function each (spec.md, sections 5, 9)."""

from collections.abc import Callable, Sequence

from envwright.envs.tcg_pocket import tables
from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    ATTACH,
    CARDS,
    ENERGIES,
    HAND_LIMIT,
    IN_DECK,
    IN_DISCARD,
    IN_HAND,
    PARALYZED,
    SWITCH,
)
from envwright.envs.tcg_pocket.reference import board, cards
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.coins import Doing, count
from envwright.envs.tcg_pocket.reference.dice import choose
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import TYPES, Op

ENDS_OF_TURN = 2  # this turn's and that of the opponent's next turn: R5.16


def carry_out(s: PocketState, doing: Doing, ops: Sequence[Op]) -> None:
    """Operations in the order of the list."""
    for op in ops:
        OPERATIONS[op["op"]](s, doing, op)


def protected(s: PocketState, doing: Doing) -> bool:
    """R5.10: whether this does nothing to the opponent's Active."""
    return doing.attack is not None and s.prevent_left[doing.opponent] > 0


def spots(s: PocketState, doing: Doing, target: str | Op) -> list[Spot]:
    """Whom a target means."""
    if target == "self":
        return [(doing.player, doing.place)]
    if target == "defending":
        return [] if protected(s, doing) else [(doing.opponent, 0)]
    if target == "chosen" or (not isinstance(target, str) and target["pick"] == "choose"):
        return [doing.chosen] if doing.chosen is not None else []
    assert not isinstance(target, str)
    return board.spots(s, doing.player, target)


# ---- damage and conditions ----


def heal(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.13, R9.1."""
    amount = doing.dealt if op["amount"] == "damage_dealt" else op["amount"]
    for player, place in spots(s, doing, op["target"]):
        s.damage[player][place] = max(0, s.damage[player][place] - amount)


def damage_pokemon(s: PocketState, doing: Doing, op: Op) -> None:
    """R6.10: of an ability; an attack's is done in `damage`."""
    for player, place in spots(s, doing, op["target"]):
        s.damage[player][place] += op["amount"]


def status(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.11."""
    for player, place in spots(s, doing, op["target"]):
        if board.at_zero_hp(s, player, place):
            continue
        if op["status"] == "poisoned":
            s.poisoned[player] = True
        else:
            s.condition[player] = {"asleep": ASLEEP, "paralyzed": PARALYZED}[op["status"]]


# ---- energy ----


def discard_energy(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.12."""
    found = spots(s, doing, op["target"])
    if op.get("pick") == "random":
        _discard_random(s, doing, found)
        return
    for player, place in found:
        for type in range(ENERGIES):
            if op["type"] in ("any", TYPES[type]):
                units = s.energy[player][place]
                units[type] -= units[type] if op["n"] == "all" else min(op["n"], units[type])


def _discard_random(s: PocketState, doing: Doing, found: Sequence[Spot]) -> None:
    """One unit, all equally likely."""
    units = [
        (spot, type) for spot in found for type in range(ENERGIES) for _ in range(s.energy[spot[0]][spot[1]][type])
    ]
    if units:
        spot, type = units[choose(s.dice.pick(), len(units))]
        if spot != (doing.opponent, 0) or not protected(s, doing):
            s.energy[spot[0]][spot[1]][type] -= 1


def attach_energy_from_zone(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.14; where an attack lets choose, it is asked after the attack."""
    n = doing.heads if op["n"] == "heads" else op["n"]
    if doing.attack is not None and op["target"] != "self":
        if n and board.spots(s, doing.player, op["target"]):
            s.pending, s.actor, s.attack, s.units = ATTACH, doing.player, doing.attack.number, n
        return
    for player, place in spots(s, doing, op["target"]):
        s.energy[player][place][TYPES.index(op["type"])] += n


def move_energy(s: PocketState, doing: Doing, op: Op) -> None:
    """R9.5."""
    type = TYPES.index(op["type"])
    to = board.spots(s, doing.player, op["to"])[0]
    for player, place in spots(s, doing, op["from"]):
        n = s.energy[player][place][type] if op["n"] == "all" else op["n"]
        s.energy[player][place][type] -= n
        s.energy[to[0]][to[1]][type] += n


# ---- effects that last ----


def _on_active(field: str) -> Callable[[PocketState, Doing, Op], None]:
    """R5.16: an effect without an amount."""

    def effect(s: PocketState, doing: Doing, op: Op) -> None:
        for player, _ in spots(s, doing, op["target"]):
            getattr(s, field)[player] = ENDS_OF_TURN

    return effect


def reduce_damage_dealt(s: PocketState, doing: Doing, op: Op) -> None:
    for player, _ in spots(s, doing, op["target"]):
        s.dealt_less[player], s.dealt_less_left[player] = op["amount"], ENDS_OF_TURN


def reduce_damage_taken(s: PocketState, doing: Doing, op: Op) -> None:
    """Of an attack for its user, of a Trainer for all own Pokemon, later ones included (R9.12)."""
    if op["target"] == "self":
        s.taken_less[doing.player], s.taken_less_left[doing.player] = op["amount"], ENDS_OF_TURN
    else:
        s.guard[doing.player], s.guard_left[doing.player] = op["amount"], ENDS_OF_TURN


def lock_supporters(s: PocketState, doing: Doing, op: Op) -> None:
    s.lock_left[board.side(doing.player, op["player"])] = ENDS_OF_TURN


def retreat_cost_mod(s: PocketState, doing: Doing, op: Op) -> None:
    """R9.11."""
    s.retreat_change += op["amount"]


# ---- switching and leaving ----


def force_switch(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.15, R9.4: the opponent chooses, or the user has chosen already."""
    if op["chooser"] == "own":
        assert doing.chosen is not None
        cards.swap(s, *doing.chosen)
    elif not protected(s, doing):
        _ask_switch(s, doing.opponent)


def switch_self(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.15."""
    _ask_switch(s, doing.player)


def _ask_switch(s: PocketState, player: int) -> None:
    if board.occupied(s, player, "bench") and not board.at_zero_hp(s, player, 0):
        s.pending, s.actor = SWITCH, player


def return_to_hand(s: PocketState, doing: Doing, op: Op) -> None:
    """R4.10, R9.3."""
    for player, place in spots(s, doing, op["target"]):
        cards.remove(s, player, place, IN_HAND)


def shuffle_into_deck(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.18."""
    for player, place in spots(s, doing, op["target"]):
        stack = cards.remove(s, player, place, IN_DECK)
        cards.lay_deck(s, player, board.deck(s, player) + stack)
        cards.shuffle(s, player)


def revive_to_bench(s: PocketState, doing: Doing, op: Op) -> None:
    """R9.6: `chosen` is the player and the card k."""
    assert doing.chosen is not None
    cards.put_on_bench(s, *doing.chosen)


# ---- hand and deck ----


def draw(s: PocketState, doing: Doing, op: Op) -> None:
    n = op["n"] if isinstance(op["n"], int) else count(s, doing, op["n"])
    cards.draw(s, board.side(doing.player, op["player"]), n)


def shuffle_hand_into_deck(s: PocketState, doing: Doing, op: Op) -> None:
    cards.hand_into_deck(s, board.side(doing.player, op["player"]))


def discard_hand(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.18."""
    player = board.side(doing.player, op["player"])
    hand = board.hand(s, player)
    if hand:
        cards.leave_hand(s, player, hand[choose(s.dice.pick(), len(hand))], IN_DISCARD)


def reveal_hand(s: PocketState, doing: Doing, op: Op) -> None:
    """R9.9, R11.6."""
    player = board.side(doing.player, op["player"])
    s.known[player] = [k in board.hand(s, player) for k in range(CARDS)]


def look_deck(s: PocketState, doing: Doing, op: Op) -> None:
    """R9.8, R11.7."""
    seen = min(op["n"], len(board.deck(s, doing.player)))
    s.seen_top[doing.player] = max(s.seen_top[doing.player], seen)


def search_deck(s: PocketState, doing: Doing, op: Op) -> None:
    """R5.17."""
    player, deck = doing.player, board.deck(s, doing.player)
    found = [k for k in deck if board.card_matches(tables.card(s.cards[player][k]), op["filter"])]
    room = len(board.hand(s, player)) < HAND_LIMIT if op["to"] == "hand" else bool(board.free_bench(s, player))
    if found and room:
        k = found[choose(s.dice.pick(), len(found))]
        cards.lay_deck(s, player, [other for other in deck if other != k])
        if op["to"] == "hand":
            s.where[player][k] = IN_HAND
        else:
            cards.put_on_bench(s, player, k)
    cards.shuffle(s, player)


def sort_top_card(s: PocketState, doing: Doing, op: Op) -> None:
    """R9.7."""
    player, deck = doing.player, board.deck(s, doing.player)
    if not board.card_matches(tables.card(s.cards[player][deck[-1]]), op["filter"]):
        k = cards.take_from_top(s, player)
        cards.lay_deck(s, player, [k, *board.deck(s, player)])
    elif len(board.hand(s, player)) < HAND_LIMIT:
        cards.draw(s, player, 1)
    else:
        s.seen_top[player] = max(s.seen_top[player], 1)


def boost_damage(s: PocketState, doing: Doing, op: Op) -> None:
    """R6.5: of the Supporter that is being played."""
    s.boost += op["amount"]
    s.boost_by = doing.card if "attacker" in op else 0


def nothing(s: PocketState, doing: Doing, op: Op) -> None:
    """What is done elsewhere: the choice of a Pokemon comes before, fossils are put down by `playing`."""


OPERATIONS: dict[str, Callable[[PocketState, Doing, Op], None]] = {
    "attach_energy_from_zone": attach_energy_from_zone,
    "attack_needs_coin": _on_active("needs_coin_left"),
    "boost_damage": boost_damage,
    "cannot_attack": _on_active("no_attack_left"),
    "cannot_retreat": _on_active("no_retreat_left"),
    "choose_pokemon": nothing,
    "damage_pokemon": damage_pokemon,
    "discard_energy": discard_energy,
    "discard_hand": discard_hand,
    "draw": draw,
    "force_switch": force_switch,
    "heal": heal,
    "lock_supporters": lock_supporters,
    "look_deck": look_deck,
    "move_energy": move_energy,
    "prevent_attack": _on_active("prevent_left"),
    "reduce_damage_dealt": reduce_damage_dealt,
    "reduce_damage_taken": reduce_damage_taken,
    "retreat_cost_mod": retreat_cost_mod,
    "return_to_hand": return_to_hand,
    "reveal_hand": reveal_hand,
    "revive_to_bench": revive_to_bench,
    "search_deck": search_deck,
    "shuffle_hand_into_deck": shuffle_hand_into_deck,
    "shuffle_into_deck": shuffle_into_deck,
    "sort_top_card": sort_top_card,
    "status": status,
    "switch_self": switch_self,
}
