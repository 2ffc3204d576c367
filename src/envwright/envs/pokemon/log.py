"""Pokemon Showdown's protocol of an update, written from the events of `rules.advance_and_tell`.

The lines are those of `Battle.log`, with what each side alone is shown (`|split|`), except for the time (`|t:|`) and
hints for people (`|-hint|`), on which nothing in the battle depends.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from envwright.envs.pokemon import tables
from envwright.envs.pokemon.events import Event
from envwright.envs.pokemon.state import MAX_HP, STATUSES, TIE, State

CANNOT_MOVE = ("frz", "slp", "flinch", "recharge", "par")
STATS = (("atk",), ("def",), ("spe",), ("spa", "spd"), ("accuracy",), ("evasion",))
FAILURES = {10: "|move: Substitute", 11: "|move: Substitute|[weak]"}
# Things to say that need no more than who.
PLAIN = {
    Event.IS_CONFUSED: "|-activate|{}|confusion",
    Event.IS_CONFUSED_NO_MORE: "|-end|{}|confusion",
    Event.PREPARES: "|-prepare|{}|Sky Attack",
    Event.KNOCK_OUT: "|-ohko",
    Event.CRITICAL: "|-crit|{}",
    Event.SUBSTITUTE_HURT: "|-activate|{}|Substitute|[damage]",
    Event.SUBSTITUTE_BREAKS: "|-end|{}|Substitute",
    Event.CONFUSED: "|-start|{}|confusion",
    Event.SUBSTITUTE: "|-start|{}|Substitute",
    Event.REFLECT: "|-start|{}|Reflect",
    Event.MUST_RECHARGE: "|-mustrecharge|{}",
    Event.SLEEP_CLAUSE: "|-message|Sleep Clause Mod activated.",
    Event.FREEZE_CLAUSE: "|-message|Freeze Clause activated.",
    Event.FAINT: "|faint|{}",
    Event.NO_PROGRESS: "|-message|This battle cannot progress. Endless Battle Clause activated!",
}


def lines(before: State, events: Any, names: Sequence[str]) -> list[str]:
    """The protocol of one update of one battle: the state before it, its events, and the players' names."""
    return _Log(before, names).of(np.asarray(events))


class _Log:
    def __init__(self, before: State, names: Sequence[str]) -> None:
        self.before, self.names = before, names
        self.active = [int(before.order[side, 0]) for side in (0, 1)]
        self.lines = ["|"]
        self.last_move = -1  # where the last line of a move is, to which a miss is added

    def of(self, events: np.ndarray) -> list[str]:
        for row in events:
            if row[0]:
                self._one(Event(int(row[0])), *(int(number) for number in row[1:]))
        return self.lines

    def _species(self, side: int) -> str:
        return tables.SPECIES_NAMES[int(self.before.species[side, self.active[side]])]

    def _who(self, side: int) -> str:
        return f"p{side + 1}a: {self._species(side)}"

    def _split(self, side: int, hp: int, status: int, form: str) -> None:
        """A line with HP in it, which the owner is shown exactly and others in hundredths."""
        most = int(self.before.stats[side, self.active[side], MAX_HP])
        hundredths = -(-100 * hp // most)
        hundredths = 99 if hundredths == 100 and hp < most else hundredths
        ill = f" {STATUSES[status]}" if status else ""
        exact, shown = (f"{hp}/{most}{ill}", f"{hundredths}/100{ill}") if hp else ("0 fnt", "0 fnt")
        self.lines += [f"|split|p{side + 1}", form.format(exact), form.format(shown)]

    def _one(self, event: Event, side: int, a: int, b: int, c: int) -> None:
        if event is Event.SWITCH:
            self.active[side] = a
        who, other = self._who(side), self._who(1 - side)
        match event:
            case Event.CANNOT_MOVE:
                self.lines.append(f"|cant|{who}|{CANNOT_MOVE[a]}")
            case Event.MOVE:
                target = ("" if c == 2 else who if c == 1 else other) + (f"|[from] {tables.MOVE_NAMES[b]}" if b else "")
                self.last_move = len(self.lines)
                self.lines.append(f"|move|{who}|{tables.MOVE_NAMES[a]}|{target}" + ("|[still]" if c == 2 else ""))
            case Event.MISS:
                self.lines[self.last_move] += "|[miss]"
                self.lines.append(f"|-miss|{who}")
            case Event.IMMUNE:
                self.lines.append(f"|-immune|{who}" + ("|[ohko]" if a else ""))
            case Event.FAIL:
                self.lines.append(f"|-fail|{who}" + FAILURES.get(a, f"|{STATUSES[a]}" if 0 < a < 10 else ""))
            case Event.MATCHUP:
                self.lines.append(f"|-{'supereffective' if a > 0 else 'resisted'}|{who}")
            case Event.DAMAGE:
                causes = ("", "|[from] confusion", f"|[from] {STATUSES[b]}", "|[from] Recoil")
                cause = causes[c] if c < 4 else f"|[from] {STATUSES[b]}|[of] {other}"
                self._split(side, a, b, f"|-damage|{who}|{{}}{cause}")
            case Event.HEAL:
                cause = ("", f"|[from] drain|[of] {other}", "|[silent]")[c]
                self._split(side, a, b, f"|-heal|{who}|{{}}{cause}")
            case Event.HITS:
                self.lines.append(f"|-hitcount|{who}|{a}")
            case Event.BOOST:
                up, down = ("boost", "unboost") if b > 0 else ("unboost", "boost")
                for stat in STATS[a]:
                    self.lines.append(f"|-{up}|{who}|{stat}|{abs(b)}")
                    self.lines += [f"|-{down}|{who}|{stat}|1"] if c else []
            case Event.STATUS:
                move = f"|[from] move: {tables.MOVE_NAMES[b]}" if STATUSES[a] == "slp" else ""
                self.lines.append(f"|-status|{who}|{STATUSES[a]}{move}")
            case Event.CURED:
                self.lines.append(f"|-curestatus|{who}|{STATUSES[a]}|[msg]")
            case Event.MIMIC:
                self.lines.append(f"|-start|{who}|Mimic|{tables.MOVE_NAMES[a]}")
            case Event.TRANSFORM:
                self.lines.append(f"|-transform|{who}|{other}")
            case Event.SWITCH:
                level = int(self.before.level[side, a])
                details = self._species(side) + (f", L{level}" if level < 100 else "")
                self._split(side, b, c, f"|switch|{who}|{details}|{{}}")
            case Event.UPKEEP:
                self.lines += ["|", "|upkeep"]
            case Event.TURN:
                self._turn(a)
            case Event.OVER:
                self.lines += ["|", "|tie" if a == TIE else f"|win|{self.names[a - 1]}"]
            case _:
                self.lines.append(PLAIN[event].format(who))

    def _turn(self, turn: int) -> None:
        if PLAIN[Event.NO_PROGRESS] in self.lines:
            return
        if turn > 1000:
            self.lines.append("|message|It is turn 1000. You have hit the turn limit!")
            return
        if (turn >= 500 and turn % 100 == 0) or (turn >= 900 and turn % 10 == 0) or turn >= 990:
            left = f"{1000 - turn} turn" + ("" if turn == 999 else "s")
            self.lines.append(f"|bigerror|You will auto-tie if the battle doesn't end in {left} (on turn 1000).")
        self.lines.append(f"|turn|{turn}")
