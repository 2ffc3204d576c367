"""A game that is read instead of looked at: a menu of the legal actions, and what happened. Pure but for the screen."""

from collections.abc import Callable
from dataclasses import dataclass

from envwright.core.course import Course
from envwright.core.env import Env
from envwright.core.spec import TextScreen
from envwright.core.versus import Opponent, in_many_games
from envwright.play.interactive import BEGIN_FRAME, CLEAR, END_FRAME, Screen
from envwright.play.keys import parse

HELP = "arrows and enter, or the number: choose   r again   q quit"
MOVES = {"up": -1, "k": -1, "left": -1, "h": -1, "down": 1, "j": 1, "right": 1, "l": 1}
PAUSE = 1 / 30  # seconds between two looks at the keyboard


@dataclass
class TextGame:
    """A game as one player reads it; the other seat of a game for two is the opponent's."""

    course: Course
    tell: TextScreen
    answer: Callable[..., object] | None
    cursor: int | None = None
    unfinished: bytes = b""
    typed: str = ""  # the beginning of a number
    hint: str = ""
    quit: bool = False

    def legal(self) -> list[int]:
        """What may be chosen now; nothing when the game is over."""
        if self.course.over:
            return []
        legal = self.course.legal
        if legal is None:
            return list(range(getattr(self.course.env.action_space(self.course.params), "n", 0)))
        return (legal if legal.ndim == 1 else legal[0]).nonzero()[0].tolist()

    def choose(self, action: int) -> None:
        """Take an action, and go on to the next choice there is."""
        self._take(action)
        while len(few := self.legal()) == 1:
            self._take(few[0])
        self.cursor = few[0] if few else None

    def restart(self) -> None:
        self.course.restart()
        self.hint = self.typed = ""
        self.cursor = next(iter(self.legal()), None)

    def listen(self, typed: bytes) -> None:
        """Do what the keys say."""
        pressed, self.unfinished = parse(self.unfinished + typed)
        for key in pressed:
            legal = self.legal()
            if key in ("q", "ctrl-c"):
                self.quit = True
            elif key == "r":
                self.restart()
            elif key in MOVES and self.cursor in legal:
                self.cursor = legal[(legal.index(self.cursor) + MOVES[key]) % len(legal)]
                self.hint = self.typed = ""
            elif key in ("enter", "space") and self.cursor is not None:
                self.hint = self.typed = ""
                self.choose(self.cursor)
            elif key.isdigit() and legal:
                self._type(key, legal)

    def lines(self) -> list[str]:
        course = self.course
        told = self.tell(course.env, course.start, course.moments, 0, self.legal(), self.cursor)
        return [*told, "", f"{self.hint}{'over: r again   q quit' if self.course.over else HELP}"]

    def _type(self, digit: str, legal: list[int]) -> None:
        """Choose by number, as soon as no longer one begins like this."""
        self.typed += digit
        number = int(self.typed)
        if number >= len(legal):
            self.hint, self.typed = f"{number} cannot be chosen now  ", ""
        elif number and 10 * number < len(legal):
            self.cursor, self.hint = legal[number], f"{number}, or go on typing  "
        else:
            self.hint = self.typed = ""
            self.choose(legal[number])

    def _take(self, action: int) -> None:
        if self.answer is None:
            self.course.step(action)
            return
        legal = self.course.legal
        theirs = self.answer(self.course.obs[1:], None if legal is None else legal[1:])
        self.course.step([action, int(theirs[0])])  # pyright: ignore[reportIndexIssue]


def text_game(env: Env, seed: int, tell: TextScreen, opponent: Opponent | None) -> TextGame:
    """A new game, compiled by playing one step of it."""
    game = TextGame(Course(env, seed), tell, None if opponent is None else in_many_games(opponent, seed))
    game.restart()
    legal = game.legal()
    if legal:
        game.choose(legal[0])
        game.lines()
        game.restart()
    return game


def fitting(lines: list[str], rows: int) -> list[str]:
    """As many as there are rows for; the last one, which says what keys there are, always."""
    return lines if len(lines) <= rows else [*lines[: max(0, rows - 1)], lines[-1]]


def run_text(game: TextGame, screen: Screen, *, frames: int | None, sleep: Callable[[float], None]) -> None:
    """Play until q, or for `frames` looks at the keyboard; what is shown is written only when it changes."""
    shown: tuple[object, ...] = ()
    drawn = 0
    try:
        while frames is None or drawn < frames:
            game.listen(screen.read())
            if game.quit:
                return
            columns, rows = screen.size()
            lines = fitting(game.lines(), rows)
            if (columns, rows, *lines) != shown:
                shown = (columns, rows, *lines)
                body = "".join(f"\x1b[{i + 1};1H{line}\x1b[0m\x1b[K" for i, line in enumerate(lines))
                screen.write(f"{BEGIN_FRAME}{CLEAR}{body}{END_FRAME}")
            drawn += 1
            sleep(PAUSE)
    except KeyboardInterrupt:
        return
