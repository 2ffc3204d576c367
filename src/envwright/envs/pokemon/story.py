"""What happened in an update, in plain sentences, from the events of `rules.advance_and_tell`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from envwright.envs.pokemon import tables
from envwright.envs.pokemon.events import Event
from envwright.envs.pokemon.state import (
    BOOSTS,
    FIRST_SWITCH,
    MAX_HP,
    MOVE,
    STATUSES,
    SWITCH,
    TIE,
    State,
)

STAT_NAMES = dict(zip(BOOSTS, ("attack", "defence", "speed", "special", "accuracy", "evasion"), strict=True))
CANNOT_MOVE = ("is frozen solid", "is fast asleep", "flinched", "must recharge", "is fully paralysed")
BECAME = {"slp": "fell asleep", "psn": "was poisoned", "brn": "was burned", "frz": "was frozen", "par": "was paralysed"}
CURED = {"slp": "woke up", "frz": "thawed"}
CAUSES = {1: " in its confusion", 2: "", 3: " by recoil", 4: ""}
HURT_BY = {"psn": " by poison", "brn": " by its burn"}
# What needs no more than who; sentences that begin anew, and consequences.
MAJOR = {Event.IS_CONFUSED: "is confused", Event.FAINT: "fainted", Event.PREPARES: "is glowing"}
MINOR = {
    Event.IS_CONFUSED_NO_MORE: "is confused no more",
    Event.MISS: "missed",
    Event.IMMUNE: "is not affected",
    Event.CRITICAL: "took a critical hit",
    Event.SUBSTITUTE_HURT: "had its substitute take the hit",
    Event.SUBSTITUTE_BREAKS: "lost its substitute",
    Event.CONFUSED: "became confused",
    Event.SUBSTITUTE: "made a substitute",
    Event.REFLECT: "is protected by Reflect",
    Event.MUST_RECHARGE: "will have to recharge",
    Event.KNOCK_OUT: "was knocked out at once",
}
SAYINGS = {
    Event.SLEEP_CLAUSE: "Sleep Clause: only one of a team may be put to sleep.",
    Event.FREEZE_CLAUSE: "Freeze Clause: only one of a team may be frozen.",
    Event.NO_PROGRESS: "This battle cannot progress.",
}


@dataclass(frozen=True)
class Line:
    """A sentence; a minor one is a consequence of the one before."""

    text: str
    minor: bool = False


def tell(before: State, events: Any) -> list[Line]:
    """The sentences of an update, given the battle before it, as NumPy arrays."""
    found: list[Line] = []
    active, hp = [_here(before, side) for side in (0, 1)], np.array(before.hp, int)
    for row in np.asarray(events).tolist():
        if not row[0]:
            continue
        event, side, *numbers = Event(row[0]), *row[1:]
        if event is Event.SWITCH:
            active[side] = numbers[0]
        name_of = lambda side: tables.SPECIES_NAMES[int(before.species[side, active[side]])]  # noqa: E731
        found += _lines(event, side, numbers, name_of, before, active[side], hp)
    return found


def _lines(
    event: Event,
    side: int,
    numbers: list[int],
    name_of: Callable[[int], str],
    before: State,
    member: int,
    hp: np.ndarray,
) -> list[Line]:
    """What an event says; `hp` is kept up to date."""
    (a, b, c), who = numbers, name_of(side)
    match event:
        case Event.MOVE if not b:
            return [Line(f"{who} used {tables.MOVE_NAMES[a]}.")]
        case Event.MOVE:
            return [Line(f"{who} used {tables.MOVE_NAMES[a]} ({tables.MOVE_NAMES[b]}).")]
        case Event.CANNOT_MOVE:
            return [Line(f"{who} {CANNOT_MOVE[a]}.")]
        case Event.SWITCH:
            return [Line(f"Player {side + 1} sends out {who}.")]
        case Event.DAMAGE | Event.HEAL:
            change, hp[side, member] = a - hp[side, member], a
            most = max(1, int(before.stats[side, member, MAX_HP]))
            verb = "lost" if change < 0 else "gained"
            cause = (
                (HURT_BY.get(STATUSES[b], "") if c in (2, 4) else CAUSES.get(c, "")) if event is Event.DAMAGE else ""
            )
            left = -(-100 * a // most)  # rounded up, as players are shown it
            return [Line(f"{who} {verb} {100 * abs(change) / most:.0f}%{cause}; {left}% left.", True)]
        case Event.MATCHUP:
            return [Line("It is super effective." if a > 0 else "It is not very effective.", True)]
        case Event.FAIL:
            return [Line("It failed.", True)]
        case Event.HITS:
            return [Line(f"It hit {a} time{'s' * (a != 1)}.", True)]
        case Event.BOOST:
            how = f"{'rose' if b > 0 else 'fell'}{' sharply' if abs(b) > 1 else ''}"
            return [Line(f"{who}'s {STAT_NAMES[BOOSTS[a]]} {'cannot change' if c else how}.", True)]
        case Event.STATUS:
            return [Line(f"{who} {BECAME[STATUSES[a]]}.", True)]
        case Event.CURED:
            return [Line(f"{who} {CURED.get(STATUSES[a], 'was cured')}.", a == STATUSES.index("frz"))]
        case Event.MIMIC:
            return [Line(f"{who} learned {tables.MOVE_NAMES[a]}.", True)]
        case Event.TRANSFORM:
            return [Line(f"{who} became like {name_of(1 - side)}.", True)]
        case Event.OVER:
            return [Line("The battle is a tie." if a == TIE else f"Player {a} wins.")]
        case _ if event in SAYINGS:
            return [Line(SAYINGS[event], True)]
        case _ if event in MAJOR:
            return [Line(f"{who} {MAJOR[event]}.")]
        case _ if event in MINOR:
            return [Line(f"{who} {MINOR[event]}.", True)]
    return []


def chosen(before: State, side: int, action: int) -> str:
    """What an action means in a state, as a menu has it."""
    request = int(before.request[side])
    if request not in (MOVE, SWITCH):
        return ""
    if action >= FIRST_SWITCH:
        return f"Switch to {tables.SPECIES_NAMES[int(before.species[side, action - FIRST_SWITCH])]}"
    if bool(before.recharging[side]):
        return "Recharge"
    if not np.asarray(before.active_pp[side]).any():
        return "Struggle"
    return tables.MOVE_NAMES[int(before.active_moves[side, action])]


def _here(state: State, side: int) -> int:
    return int(state.order[side, 0])


def as_numpy(state: Any) -> Any:
    """A state whose fields can be read one by one without the device."""
    return jax.tree.map(np.asarray, state)
