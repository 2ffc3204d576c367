"""A battle told for a page to click through; `replay.html` draws it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from envwright.core.course import StepTaken, ToldGame
from envwright.envs.pokemon import rules, tables
from envwright.envs.pokemon.knowledge import MAX_PP
from envwright.envs.pokemon.state import BOOSTS, MEMBERS, STATUSES, SWITCH, TIE, State
from envwright.envs.pokemon.story import Line, as_numpy, chosen, tell

BOARD = Path(__file__).with_name("replay.html")
COLOURS = ("one", "two")
SHORT = dict(zip(BOOSTS, ("Atk", "Def", "Spe", "Spc", "Acc", "Eva"), strict=True))
VOLATILES = {
    "substitute": "Substitute", "confusion": "Confused", "reflect": "Reflect", "recharging": "Recharging",
    "charging": "Charging", "transformed": "Transformed",
}  # fmt: skip


def replay(env: Any, start: Any, moments: Sequence[StepTaken], names: Sequence[str]) -> ToldGame:
    """The battle, a frame for each update."""
    del env
    frames = [_frame(as_numpy(start), names, [], 0, ("", ""))]
    for moment in moments:
        before, actions = as_numpy(moment.state), np.asarray(moment.action).tolist()
        done = [chosen(before, side, actions[side]) for side in (0, 1)]
        frames.append(_frame(as_numpy(moment.step.state), names, lines_of(moment), int(before.turn), done))
    last = as_numpy(moments[-1].step.state if moments else start)
    return ToldGame(
        title="Generation 1 random battle",
        about=f"{names[0]} against {names[1]}, {int(last.turn)} turns",
        chart="share of hit points left to each team",
        result=_result(int(last.winner), names),
        frames=frames,
        board=BOARD.read_text(encoding="utf-8"),
    )


def lines_of(moment: StepTaken) -> list[Line]:
    """What happened in a step, in sentences."""
    batch = jax.tree.map(lambda leaf: np.asarray(leaf)[None], (moment.state, moment.action, moment.chance.seed))
    return tell(as_numpy(moment.state), _events(*batch)[0])


@jax.jit
@jax.vmap
def _events(state: State, actions: jax.Array, seed: jax.Array) -> jax.Array:
    """What happened in an update, once more. As a batch of one, which XLA compiles faster."""
    return rules.advance_and_tell(state, actions, seed)[1]


def _frame(state: State, names: Sequence[str], lines: Sequence[Line], turn: int, done: Sequence[str]) -> dict[str, Any]:
    return {
        "label": f"Turn {int(state.turn)}",
        "heading": f"Turn {turn}" if any(done) or lines else "Start",
        "log": [[line.text, int(line.minor)] for line in lines],
        "chart": [_left(state, side) for side in (0, 1)],
        "sides": [_side(state, side, names[side], done[side]) for side in (0, 1)],
    }


def _left(state: State, side: int) -> float:
    """The share of HP that a team has left."""
    most = np.maximum(state.stats[side, :, 0], 1)
    there = state.species[side] > 0
    return float((state.hp[side] / most)[there].mean()) if there.any() else 0.0


def _side(state: State, side: int, name: str, done: str) -> dict[str, Any]:
    moves = [
        {"name": tables.MOVE_NAMES[int(move)], "pp": f"{int(pp)}/{int(MAX_PP[int(move)])}"}
        for move, pp in zip(state.active_moves[side], state.active_pp[side], strict=True)
        if int(move)
    ]
    return {
        "name": name,
        "colour": COLOURS[side],
        "active": int(state.order[side, 0]),
        "chosen": done,
        "moves": moves,
        "team": [_member(state, side, i) for i in range(MEMBERS) if int(state.species[side, i])],
        "boosts": {SHORT[stat]: int(state.boosts[side, i]) for i, stat in enumerate(BOOSTS)},
        "volatiles": [word for field, word in VOLATILES.items() if bool(getattr(state, field)[side])]
        + (["Has to be replaced"] if int(state.request[side]) == SWITCH else []),
    }


def _member(state: State, side: int, i: int) -> dict[str, Any]:
    species = int(state.species[side, i])
    types = (tables.SPECIES_ROWS[name][species] for name in ("type", "second_type"))
    return {
        "species": tables.SPECIES_NAMES[species],
        "types": [tables.TYPES[int(t)] for t in types if t],
        "level": int(state.level[side, i]),
        "hp": int(state.hp[side, i]),
        "maxhp": int(state.stats[side, i, 0]),
        "status": STATUSES[int(state.status[side, i])],
    }


def _result(winner: int, names: Sequence[str]) -> dict[str, str] | None:
    """Who has won, and in which colour; nobody yet."""
    if not winner:
        return None
    return (
        {"text": "Tie", "colour": ""}
        if winner == TIE
        else {"text": f"{names[winner - 1]} wins", "colour": COLOURS[winner - 1]}
    )
