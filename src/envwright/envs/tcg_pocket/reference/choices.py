"""What a Trainer or an ability lets its player choose before it is carried out (spec.md, section 11)."""

from envwright.envs.tcg_pocket.layout import OPP, OWN, PLAY
from envwright.envs.tcg_pocket.reference import board
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import TYPES, Op, Ops

CHOSEN = ("heal", "choose_pokemon", "attach_energy_from_zone", "damage_pokemon")


def choice_of(ops: Ops) -> Op | None:
    """The operation for which the player chooses, if there is one."""
    for op in ops:
        if op["op"] in CHOSEN and op["target"] != "self" and op["target"]["pick"] == "choose":
            return op
        if op["op"] == "move_energy" and op["from"]["pick"] == "choose":
            return op
        if op["op"] == "revive_to_bench" or (op["op"] == "force_switch" and op["chooser"] == "own"):
            return op
    return None


def options(s: PocketState, player: int, op: Op) -> dict[int, Spot]:
    """R11.3, R11.4: what may be chosen, by action: a player and a place, or a player and a card k."""
    if op["op"] == "revive_to_bench":
        found = board.discarded(s, 1 - player, op["filter"])
        return {PLAY + j: (1 - player, k) for j, k in enumerate(found)}
    if op["op"] == "force_switch":
        return as_actions(player, board.spots(s, player, {"zone": "bench", **op}))
    if op["op"] == "move_energy":
        type = TYPES.index(op["type"])
        found = [spot for spot in board.spots(s, player, op["from"]) if s.energy[spot[0]][spot[1]][type]]
        return as_actions(player, found)
    return as_actions(player, board.spots(s, player, op["target"]))


def as_actions(player: int, spots: list[Spot]) -> dict[int, Spot]:
    """Places as the actions that choose them."""
    return {(OWN if whose == player else OPP) + place: (whose, place) for whose, place in spots}
