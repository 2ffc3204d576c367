"""What happened in an update, in plain sentences, from the battle after each of its phases.

It tells what can be seen of the states; Showdown's own log of every draw and message is in `log`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.envs.pokemon import tables
from envwright.envs.pokemon.state import (
    ASLEEP,
    BOOSTS,
    FIRST_SWITCH,
    FROZEN,
    HEALTHY,
    MAX_HP,
    MOVE,
    PARALYSED,
    SWITCH,
    TIE,
    State,
)

BECAME = {
    ASLEEP: "fell asleep", FROZEN: "was frozen", PARALYSED: "was paralysed", 2: "was poisoned", 3: "was burned",
}  # fmt: skip
STAT_NAMES = dict(
    zip(BOOSTS, ("attack", "defence", "speed", "special", "accuracy", "evasion"), strict=True)
)
FLAGS = {  # of the active Pokemon: what it says when it comes, and when it goes
    "substitute": ("made a substitute", "lost its substitute"),
    "confusion": ("became confused", "is confused no more"),
    "reflect": ("is protected by Reflect", ""),
    "transformed": ("transformed", ""),
    "charging": ("is charging", ""),
}


@dataclass(frozen=True)
class Line:
    """A sentence; a minor one is a consequence of the one before."""

    text: str
    minor: bool = False


def tell(before: State, actions: Sequence[int], phases: Mapping[str, State], first: int) -> list[Line]:
    """The sentences of an update, given the battle before it and after each phase, as NumPy arrays."""
    lines: list[Line] = []
    old = before
    movers = {"first": first, "second": 1 - first}
    for name, new in phases.items():
        side = movers.get(name)
        if side is not None and _moves(before, actions, side) and int(old.hp[side, _here(old, side)]) > 0:
            lines += _move(old, new, side)
        else:
            lines += _changes(old, new, None)
        old = new
    if int(old.winner):
        lines.append(Line("The battle is a tie." if int(old.winner) == TIE else f"Player {int(old.winner)} wins."))
    return lines


def name_of(state: State, side: int) -> str:
    """The active Pokemon of a side."""
    return tables.SPECIES_NAMES[int(state.species[side, _here(state, side)])]


def chosen(before: State, side: int, action: int) -> str:
    """What an action means in a state, as a menu has it."""
    request = int(before.request[side])
    if request not in (MOVE, SWITCH):
        return ""
    if action >= FIRST_SWITCH:
        return f"Switch to {tables.SPECIES_NAMES[int(before.species[side, action - FIRST_SWITCH])]}"
    if bool(before.recharging[side]):
        return "Recharge"
    if not before.active_pp[side].any():
        return "Struggle"
    return tables.MOVE_NAMES[int(before.active_moves[side, action])]


def _here(state: State, side: int) -> int:
    return int(state.order[side, 0])


def _moves(before: State, actions: Sequence[int], side: int) -> bool:
    return int(before.request[side]) == MOVE and int(actions[side]) < FIRST_SWITCH


def _move(old: State, new: State, side: int) -> list[Line]:
    """What a side did when its move came."""
    me, member = name_of(old, side), _here(old, side)
    status = int(old.status[side, member])
    changes = _changes(old, new, side)
    went = int(np.sum(old.active_pp[side].astype(int) - new.active_pp[side].astype(int)))
    used = int(new.used[side])
    if bool(old.recharging[side]):
        return [Line(f"{me} must recharge."), *changes]
    if status == ASLEEP:
        return [Line(f"{me} {'woke up' if int(new.status[side, member]) == HEALTHY else 'is fast asleep'}."), *changes]
    if status == FROZEN:
        return [Line(f"{me} is frozen solid."), *changes]
    acted = went != 0 or bool(new.charging[side]) or bool(old.charging[side]) or (used and not old.active_pp[side].any())
    if not acted:
        why = "is fully paralysed" if status == PARALYSED else "could not move"
        return [Line(f"{me} {why}."), *changes]
    line = Line(f"{me} used {tables.MOVE_NAMES[used]}.")
    return [line, *(changes or [Line("It had no effect.", True)])]


def _changes(old: State, new: State, actor: int | None) -> list[Line]:
    """What is different, of either side."""
    lines = []
    for side in ((0, 1) if actor is None else (1 - actor, actor)):
        a, b = _here(old, side), _here(new, side)
        if a != b:
            lines.append(Line(f"Player {side + 1} sends out {name_of(new, side)}."))
        lines += [Line(text, True) for text in _of_member(old, new, side, b, a == b)]
    return lines


def _of_member(old: State, new: State, side: int, member: int, stayed: bool) -> list[str]:
    name, found = tables.SPECIES_NAMES[int(new.species[side, member])], []
    before, after = int(old.hp[side, member]), int(new.hp[side, member])
    most = max(1, int(new.stats[side, member, MAX_HP]))
    if after < before:
        found.append(f"{name} lost {100 * (before - after) / most:.0f}% ({after}/{most} HP left).")
    elif after > before:
        found.append(f"{name} gained {100 * (after - before) / most:.0f}% ({after}/{most} HP).")
    if after == 0 and before > 0:
        return [*found, f"{name} fainted."]
    was, is_ = int(old.status[side, member]), int(new.status[side, member])
    if is_ != was and is_ in BECAME:
        found.append(f"{name} {BECAME[is_]}.")
    elif is_ != was and was == FROZEN:
        found.append(f"{name} thawed.")
    if not stayed:
        return found
    for field, (came, went) in FLAGS.items():
        a, b = bool(getattr(old, field)[side]), bool(getattr(new, field)[side])
        if a != b and (came if b else went):
            found.append(f"{name} {came if b else went}.")
    for i, stat in enumerate(BOOSTS):
        by = int(new.boosts[side, i]) - int(old.boosts[side, i])
        if by:
            found.append(f"{name}'s {STAT_NAMES[stat]} {'rose' if by > 0 else 'fell'}{' sharply' if abs(by) > 1 else ''}.")
    return found


def as_numpy(state: Any) -> Any:
    """A state whose fields can be read one by one without the device."""
    import jax

    return jax.tree.map(np.asarray, state)
