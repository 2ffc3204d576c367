"""Coins of attacks, Trainers and abilities (R5.7), and counts."""

from dataclasses import dataclass

from envwright.envs.tcg_pocket.reference import board
from envwright.envs.tcg_pocket.reference.board import Spot
from envwright.envs.tcg_pocket.reference.dice import heads_of, heads_until_tails
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import Attack, Op, Ops

MOST = 32  # coins of one effect


@dataclass
class Doing:
    """An attack, ability or Trainer that is being carried out."""

    player: int  # whose it is
    place: int = 0  # of the attacker, or of the holder of the ability
    attack: Attack | None = None
    card: int = 0  # of a Trainer, its number
    chosen: Spot | None = None  # the Pokemon that the player chose for it
    heads: int = 0
    dealt: int = 0  # final damage to the opponent's Active

    @property
    def opponent(self) -> int:
        return 1 - self.player


def toss(s: PocketState, doing: Doing, ops: Ops) -> list[Op]:
    """Flip the coins of an effect; returns what is to be done, a coin's branches at the coin's place."""
    found: list[Op] = []
    for op in ops:
        found += _tossed(s, doing, op) if op["op"] == "coin_flips" else [op]
    return found


def _tossed(s: PocketState, doing: Doing, op: Op) -> list[Op]:
    if op.get("until") == "tails":
        doing.heads = heads_until_tails(s.dice.coins())
        return list(op["then"])
    n = min(MOST, count(s, doing, op["n_per"]) if "n_per" in op else op["n"])
    doing.heads = heads_of(s.dice.coins(), n) if n else 0
    branches = list(op.get("then", ()))
    if n == 1:
        branches += op.get("if_heads" if doing.heads else "if_tails", ())
    if doing.heads == n:
        branches += op.get("if_all_heads", ())
    return branches


def count(s: PocketState, doing: Doing, what: Op) -> int:
    """R5.9."""
    if what["what"] == "benched":
        return len(board.spots(s, doing.player, {"zone": "bench", **what}))
    if what["what"] == "energy":
        player, place = on(doing, what["on"])
        return sum(board.effective(s, player, place))
    if what["what"] == "hand":
        return len(board.hand(s, board.side(doing.player, what["side"])))
    raise ValueError(f"There is no count '{what['what']}'.")


def on(doing: Doing, name: str) -> Spot:
    """`self` or `defending`."""
    return (doing.player, doing.place) if name == "self" else (doing.opponent, 0)


def holds(s: PocketState, doing: Doing, condition: Op) -> bool:
    """R5.9."""
    attack = doing.attack
    assert attack is not None  # only attacks have conditions
    name = condition["cond"]
    if name == "extra_energy":
        cost = list(attack.cost)
        cost[board.TYPES.index(condition["type"])] += condition["n"]
        return board.pays(board.effective(s, doing.player, 0), cost)
    if name == "own_ko_by_attack_last_turn":
        return bool(s.avenged[doing.player])
    player, place = on(doing, condition["on"])
    if name == "has_damage":
        return s.damage[player][place] > 0
    if name == "has_status":
        return has_status(s, player, condition["status"])
    if name == "is_ex":
        return board.pokemon(s, player, place).ex
    raise ValueError(f"There is no condition '{name}'.")


def has_status(s: PocketState, player: int, status: str) -> bool:
    """Whether the Active has it; only of being poisoned do these cards ask."""
    if status != "poisoned":
        raise ValueError(f"No card asks for '{status}'.")
    return bool(s.poisoned[player])
