"""A game as text, for playing at a terminal: the other side, the own one, the hand, a menu, what happened lately."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.core.course import StepTaken
from envwright.envs.tcg_pocket.layout import (
    COPY_OF,
    DISCARD,
    ENERGIZE,
    OPENING,
    PASS,
    PLAY,
    POINTS_TO_WIN,
    TIE,
    TRAINER,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.shown.board import (
    Standing,
    as_numpy,
    cost,
    deck_size,
    hand,
    in_play,
    standing,
    type_of,
    zone,
)
from envwright.envs.tcg_pocket.shown.story import chosen, printed, question, tell
from envwright.envs.tcg_pocket.state import State
from envwright.envs.tcg_pocket.tables import ENERGIES, TYPES, Attack, card

BOLD, DIM, INVERSE, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[7m", "\x1b[0m"
GREEN, YELLOW, RED = (f"\x1b[{code}m" for code in (32, 33, 31))
COLOURS: dict[str, int] = dict(zip(TYPES, (32, 31, 34, 33, 35, 91, 90, 37, 93, 97), strict=True))
LETTERS: dict[str, str] = dict(zip(TYPES, "GRWLPFDMNC", strict=True))
BAR, LATEST, STEPS = 12, 10, 8  # cells of a bar of HP; lines of what happened, and the steps they are taken from
NAMES = ("You", "Other")


def screen(
    env: Any, start: Any, moments: Sequence[StepTaken], seat: int, legal: Sequence[int], cursor: int | None
) -> list[str]:
    """The lines; nothing that the player in the seat may not see."""
    del env
    state = as_numpy(moments[-1].step.state if moments else start)
    setup = int(state.turn) == 0
    lines = [f"{BOLD}{'Setup' if setup else f'Turn {int(state.turn)}'}{PLAIN}"]
    lines += [_summary(state, 1 - seat, "Other", setup)]
    lines += [f"  {DIM}puts Pokemon down, face down{PLAIN}"] if setup else _places(state, 1 - seat)
    lines += ["", _summary(state, seat, "You", False), *_places(state, seat)]
    lines += [f"  hand: {', '.join(card.name for card in hand(state, seat)) or 'empty'}", ""]
    if int(state.winner):
        word = "A tie." if int(state.winner) == TIE else "You win!" if int(state.winner) == seat + 1 else "You lose."
        lines += [f"{BOLD}{word}{PLAIN}", ""]
    elif cursor is not None and int(state.actor) == seat:
        lines += [*_menu(state, seat, legal, cursor), ""]
    return [*lines, *_latest(moments, seat)]


def _summary(state: State, player: int, name: str, hidden: bool) -> str:
    points = min(POINTS_TO_WIN, int(state.points[player]))
    held = OPENING if hidden else len(hand(state, player))
    now, after = zone(state.zone_now[player]), zone(state.zone_next[player])
    energy = f"energy {_unit(now) if now else '-'}"
    energy += f", next {_unit(after)}" if name == "You" else ""
    pips = "●" * points + "○" * (POINTS_TO_WIN - points)
    return f"{BOLD}{name:<6}{PLAIN}{pips}  {DIM}deck {deck_size(state, player)}, hand {held},{PLAIN} {energy}"


def _places(state: State, player: int) -> list[str]:
    return [
        f"  {'Active ' if place == 0 else f'Bench {place}'} {_one(mon)}"
        for place, mon in enumerate(in_play(state, player))
        if mon is not None or place == 0
    ]


def _one(mon: Standing | None) -> str:
    if mon is None:
        return f"{DIM}nobody{PLAIN}"
    share = mon.hp / max(1, mon.card.hp)
    full = max(int(mon.hp > 0), round(BAR * share))
    colour = GREEN if share > 0.5 else YELLOW if share > 0.2 else RED
    bar = f"{colour}{'█' * full}{DIM}{'░' * (BAR - full)}{PLAIN}"
    units = "".join(_unit(type) * n for type, n in zip(ENERGIES, mon.energy, strict=True))
    words = f"  {RED}{', '.join(mon.conditions)}{PLAIN}" if mon.conditions else ""
    kind = type_of(mon.card)
    name = f"\x1b[{COLOURS[kind]}m{mon.card.name:<16}{PLAIN}" if kind else f"{mon.card.name:<16}"
    return f"{name} {bar} {mon.hp:>3}/{mon.card.hp:<3} {units}{words}"


def _unit(type: str) -> str:
    return f"\x1b[{COLOURS[type]}m{LETTERS[type]}{PLAIN}"


def _menu(state: State, seat: int, legal: Sequence[int], cursor: int) -> list[str]:
    """The legal actions, numbered as they are typed."""
    lines = [question(state)]
    for number, action in enumerate(legal):
        text = f"{chosen(state, action):<34}{_about(state, seat, action)}"
        mark = f"{INVERSE}{number:>3} {PLAIN}{BOLD} " if action == cursor else f"{DIM}{number:>3}{PLAIN}  "
        lines.append(f" {mark}{text}{PLAIN}")
    return lines


def _about(state: State, seat: int, action: int) -> str:
    """What helps to choose."""
    if action == PASS:
        return ""
    if PLAY <= action < ENERGIZE and int(state.pending) != TRAINER:
        return f"{DIM}{printed(card(int(state.cards[seat, action - PLAY])))}{PLAIN}"
    if USE_ATTACK <= action < DISCARD:
        active = standing(state, seat, 0)
        return _attack(active.card.attacks[action - USE_ATTACK]) if active else ""
    if action >= COPY_OF:
        mon = standing(state, 1 - seat, (action - COPY_OF) // 2)
        return _attack(mon.card.attacks[(action - COPY_OF) % 2]) if mon else ""
    return ""


def _attack(attack: Attack) -> str:
    return f"{''.join(map(_unit, cost(attack))) or 'free'}  {attack.damage or ''}"


def _latest(moments: Sequence[StepTaken], seat: int) -> list[str]:
    """What happened in the last steps, the newest last."""
    names = NAMES if seat == 0 else NAMES[::-1]
    shown = [moment for moment in moments[-STEPS:] if int(np.asarray(moment.state.turn)) or _is(moment, seat)]
    told = [line for moment in shown for line in tell(moment, names)]
    return [f"{DIM}    {line.text}{PLAIN}" if line.minor else f"  {line.text}" for line in told[-LATEST:]]


def _is(moment: StepTaken, seat: int) -> bool:
    """Whether a step was the player's own: setup is hidden."""
    return int(np.asarray(moment.state.actor)) == seat
