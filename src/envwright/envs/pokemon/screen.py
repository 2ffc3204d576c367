"""A battle as text, for playing at a terminal: what the foe shows, the own team, a menu, and what happened lately."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.core.course import StepTaken
from envwright.envs.pokemon import tables
from envwright.envs.pokemon.knowledge import MAX_PP
from envwright.envs.pokemon.observation import percent
from envwright.envs.pokemon.replay import SHORT, VOLATILES, lines_of
from envwright.envs.pokemon.state import (
    BOOSTS,
    FIRST,
    FIRST_SWITCH,
    MEMBERS,
    SLOTS,
    STATUSES,
    SWITCH,
    TIE,
    State,
)
from envwright.envs.pokemon.story import as_numpy, chosen

BOLD, DIM, INVERSE, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[0m"
GREEN, YELLOW, RED, GREY, CYAN = (f"\x1b[{code}m" for code in (32, 33, 31, 90, 36))
BAR = 24  # cells of a bar of HP
LATEST = 12  # lines of what happened
UPDATES = 6  # from which they are taken
STATUS_COLOURS = dict(zip(STATUSES, ("", GREY, "\x1b[35m", RED, CYAN, YELLOW), strict=True))


def screen(
    env: Any, start: Any, moments: Sequence[StepTaken], seat: int, legal: Sequence[int], cursor: int | None
) -> list[str]:
    """The lines; nothing of the foe's that it has not shown."""
    del env
    state = as_numpy(moments[-1].step.state if moments else start)
    lines = [
        f"{BOLD}Turn {int(state.turn)}{PLAIN}  {_left(state, seat)}",
        "",
        *_foe(state, 1 - seat),
        "",
        *_mine(state, seat),
        "",
    ]
    if int(state.winner):
        word = (
            "A tie." if int(state.winner) == TIE else "You win!" if int(state.winner) == seat + FIRST else "You lose."
        )
        lines += [f"{BOLD}{word}{PLAIN}", ""]
    elif cursor is not None:
        lines += [*_menu(state, seat, legal, cursor), ""]
    return [*lines, *_latest(moments)]


def _left(state: State, seat: int) -> str:
    def balls(side: int) -> str:
        alive = [int(hp) > 0 for hp, kind in zip(state.hp[side], state.species[side], strict=True) if int(kind)]
        return "●" * sum(alive) + "○" * (len(alive) - sum(alive))

    return f"you {GREEN}{balls(seat)}{PLAIN}   foe {RED}{balls(1 - seat)}{PLAIN}"


def _bar(share: float) -> str:
    full = round(BAR * share) if share <= 0 else max(1, round(BAR * share))
    colour = GREEN if share > 0.5 else YELLOW if share > 0.2 else RED
    return f"{colour}{'█' * full}{GREY}{'░' * (BAR - full)}{PLAIN}"


def _status(state: State, side: int, member: int) -> str:
    if int(state.hp[side, member]) <= 0:
        return f" {GREY}FNT{PLAIN}"
    id = STATUSES[int(state.status[side, member])]
    return f" {STATUS_COLOURS[id]}{id.upper()}{PLAIN}" if id else ""


def _extras(state: State, side: int) -> str:
    found = [f"{SHORT[stat]}{int(n):+d}" for stat, n in zip(BOOSTS, state.boosts[side], strict=True) if int(n)]
    found += [word for field, word in VOLATILES.items() if bool(getattr(state, field)[side])]
    return f"  {DIM}{', '.join(found)}{PLAIN}" if found else ""


def _head(state: State, side: int, member: int, hp: str, share: float) -> str:
    name = tables.SPECIES_NAMES[int(state.species[side, member])]
    level = f"L{int(state.level[side, member])}"
    return f"{BOLD}{name:<12}{PLAIN}{level:<5}{_bar(share)} {hp}{_status(state, side, member)}{_extras(state, side)}"


def _foe(state: State, side: int) -> list[str]:
    """The foe's active Pokemon as it is shown, its types, the moves it has used, and whom else it has sent out."""
    member = int(state.order[side, 0])
    hundredths = np.asarray(percent(state.hp[side], state.stats[side, :, 0]))
    lines = ["Foe   " + _head(state, side, member, f"{hundredths[member]:.0f}%", hundredths[member] / 100)]
    types = "/".join(tables.TYPES[int(t)] for t in state.types[side] if int(t))
    used = [
        tables.MOVE_NAMES[int(move)]
        for move, pp in zip(state.moves[side, member], state.pp[side, member], strict=True)
        if int(move) and int(pp) < int(MAX_PP[int(move)])
    ]
    lines.append(f"      {DIM}{types}{'; has used ' + ', '.join(used) if used else ''}{PLAIN}")
    others = [
        f"{tables.SPECIES_NAMES[int(state.species[side, i])]} {hundredths[i]:.0f}%{_status(state, side, i)}"
        for i in range(MEMBERS)
        if i != member and bool(state.seen[side, i])
    ]
    return [*lines, f"      {DIM}seen:{PLAIN} {', '.join(others)}"] if others else lines


def _mine(state: State, side: int) -> list[str]:
    member = int(state.order[side, 0])
    hp, most = int(state.hp[side, member]), max(1, int(state.stats[side, member, 0]))
    types = "/".join(tables.TYPES[int(t)] for t in state.types[side] if int(t))
    return ["You   " + _head(state, side, member, f"{hp}/{most}", hp / most), f"      {DIM}{types}{PLAIN}"]


def _menu(state: State, seat: int, legal: Sequence[int], cursor: int) -> list[str]:
    """The legal actions, numbered as they are typed."""
    lines = ["Who is next?" if int(state.request[seat]) == SWITCH else "What will it do?"]
    for number, action in enumerate(legal):
        text = chosen(state, seat, action)
        if action < SLOTS:
            move = int(state.active_moves[seat, action])
            if text == tables.MOVE_NAMES[move] and move:
                text = f"{text:<16}{_about(move)}  {int(state.active_pp[seat, action])}/{int(MAX_PP[move])} PP"
        else:
            member = action - FIRST_SWITCH
            hp = f"{int(state.hp[seat, member])}/{int(state.stats[seat, member, 0])}"
            text = f"{text:<22}{hp:>8}{_status(state, seat, member)}"
        mark = f"{INVERSE} {number} {PLAIN}{BOLD} " if action == cursor else f" {DIM}{number}{PLAIN}  "
        lines.append(f"  {mark}{text}{PLAIN}")
    return lines


def _about(move: int) -> str:
    """Type, power and accuracy of a move."""
    row = {name: int(values[move]) for name, values in tables.MOVE_ROWS.items()}
    power = f"{row['power']:>3}" if row["power"] > 1 else "  -"
    chance = f"{round(100 * row['accuracy'] / 255):>3}%" if row["accuracy"] else "   -"
    return f"{tables.TYPES[row['type']]:<9}{power} {chance}"


def _latest(moments: Sequence[StepTaken]) -> list[str]:
    """What happened in the last updates, the newest last."""
    told = [line for moment in moments[-UPDATES:] for line in lines_of(moment)]
    return [f"{DIM}    {line.text}{PLAIN}" if line.minor else f"  {line.text}" for line in told[-LATEST:]]
