"""A game told for a page to click through; `replay.html` draws it. Both hands are open."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envwright.core.course import StepTaken, ToldGame
from envwright.envs.tcg_pocket.layout import OVER, POINTS_TO_WIN, TIE
from envwright.envs.tcg_pocket.shown.board import (
    Standing,
    as_numpy,
    cost,
    deck_size,
    discard,
    hand,
    in_play,
    type_of,
    zone,
)
from envwright.envs.tcg_pocket.shown.story import StoryLine, tell
from envwright.envs.tcg_pocket.state import State
from envwright.envs.tcg_pocket.tables import ENERGIES, TYPES, Card

BOARD = Path(__file__).with_name("replay.html")
COLOURS = ("one", "two")


def replay(env: Any, start: Any, moments: Sequence[StepTaken], names: Sequence[str]) -> ToldGame:
    """The game, a frame for each step."""
    del env
    frames = [_frame(as_numpy(start), names, [], "Setup")]
    for moment in moments:
        before = as_numpy(moment.state)
        heading = f"Turn {int(before.turn)}" if int(before.turn) else "Setup"
        frames.append(_frame(as_numpy(moment.step.state), names, tell(moment, names), heading))
    last = as_numpy(moments[-1].step.state if moments else start)
    return ToldGame(
        title="Pokemon TCG Pocket",
        about=f"{names[0]} against {names[1]}, {int(last.turn)} turns",
        chart="points of each player",
        result=_result(int(last.winner), names),
        frames=frames,
        board=BOARD.read_text(encoding="utf-8"),
    )


def _frame(state: State, names: Sequence[str], lines: Sequence[StoryLine], heading: str) -> dict[str, Any]:
    asked = int(state.actor) if int(state.pending) != OVER else -1
    return {
        "label": f"Turn {int(state.turn)}" if int(state.turn) else "Setup",
        "heading": heading,
        "log": [[line.text, int(line.minor)] for line in lines],
        "chart": [min(1.0, int(points) / POINTS_TO_WIN) for points in state.points],
        "asked": asked,
        "sides": [_side(state, player, names[player]) for player in (0, 1)],
    }


def _side(state: State, player: int, name: str) -> dict[str, Any]:
    mine = int(state.player) == player
    return {
        "name": name,
        "colour": COLOURS[player],
        "points": int(state.points[player]),
        "deck": deck_size(state, player),
        "discard": [card.name for card in discard(state, player)],
        "hand": [_held(card) for card in hand(state, player)],
        "now": zone(state.zone_now[player]),
        "next": zone(state.zone_next[player]),
        "marks": [
            *(["Supporter played"] if mine and bool(state.supporter_used) else []),
            *([f"Damage +{int(state.boost)}"] if mine and int(state.boost) else []),
            *([f"Damage taken -{int(state.guard[player])}"] if int(state.guard[player]) else []),
            *(["No Supporters"] if int(state.lock_left[player]) else []),
        ],
        "places": [None if mon is None else _mon(mon) for mon in in_play(state, player)],
    }


def _held(card: Card) -> dict[str, str]:
    return {"name": card.name, "kind": type_of(card) if card.hp else card.kind}


def _mon(mon: Standing) -> dict[str, Any]:
    card = mon.card
    return {
        "name": card.name,
        "type": type_of(card),
        "stage": "Fossil" if card.kind == "fossil" else ("Basic", "Stage 1", "Stage 2")[card.stage],
        "ex": card.ex,
        "hp": mon.hp,
        "maxhp": card.hp,
        "energy": [type for type, units in zip(ENERGIES, mon.energy, strict=True) for _ in range(units)],
        "attacks": [[attack.name, attack.damage, cost(attack)] for attack in card.attacks],
        "ability": card.ability.name if card.ability else "",
        "weakness": TYPES[card.weakness] if card.weakness >= 0 else "",
        "retreat": card.retreat,
        "conditions": list(mon.conditions),
    }


def _result(winner: int, names: Sequence[str]) -> dict[str, str] | None:
    """Who has won, and in which colour; nobody yet."""
    if not winner:
        return None
    if winner == TIE:
        return {"text": "Tie", "colour": ""}
    return {"text": f"{names[winner - 1]} wins", "colour": COLOURS[winner - 1]}
