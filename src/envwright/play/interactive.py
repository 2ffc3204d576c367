"""A game at the keyboard: read keys, step, draw, wait. Clock and screen are arguments, so a test needs neither."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from envwright.core import Controls
from envwright.play.frame import Pixels, changes, fit, resize
from envwright.play.game import Game
from envwright.play.keys import Held, parse

HELP = "space pause  r restart  q quit"
CLEAR = "\x1b[0m\x1b[2J"
# Terminals that know these show a frame only when it is whole; the others ignore them.
BEGIN_FRAME, END_FRAME = "\x1b[?2026h", "\x1b[?2026l"


class Screen(Protocol):
    """What the loop needs of a terminal."""

    def size(self) -> tuple[int, int]: ...
    def read(self) -> bytes: ...
    def write(self, text: str) -> None: ...


@dataclass
class Keyboard:
    """What was typed, and what it means in the game."""

    controls: Controls
    held: Held = field(default_factory=Held)
    unfinished: bytes = b""  # the beginning of a key, the rest of which is yet to come
    hint: str = ""  # about the last key, if it did nothing
    paused: bool = False
    quit: bool = False

    def listen(self, typed: bytes, game: Game, now: float) -> None:
        """Take in what was typed."""
        pressed, self.unfinished = parse(self.unfinished + typed)
        for key in pressed:
            if key in self.controls.actions:
                self.held = self.held.press(key, now)
            elif key in ("q", "ctrl-c"):
                self.quit = True
            elif key == "space":
                self.paused = not self.paused
            elif key == "r":
                self.paused, self.held, self.hint = False, Held(), ""
                game.restart()

    def action(self, game: Game, now: float) -> int | None:
        """The action of the key that is held, or the idle ones in turn; None while the game waits for a choice."""
        key, legal, idle = self.held.at(now), game.legal, self.controls.idle
        if legal is not None and legal.sum() == 1:
            return int(legal.argmax())  # there is nothing to choose: it is the other's turn
        chosen = self.controls.actions[key] if key is not None else idle[game.steps % len(idle)] if idle else None
        if legal is None or chosen is None:
            return chosen
        if key is not None:
            self.held = Held()  # one press, one move
            self.hint = "" if legal[chosen] else f"'{key}' is not a legal move now  "
        return chosen if legal[chosen] else None


class Painter:
    """Draws only what changed since the last frame."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.size: tuple[int, int] | None = None
        self.shown: Pixels | None = None
        self.said = ""

    def paint(self, picture: Pixels, status: str) -> None:
        columns, rows = size = self.screen.size()
        parts = []
        if size != self.size:
            self.size, self.shown, self.said = size, None, ""
            parts.append(CLEAR)
        if rows > 1:  # the last row is the status
            height, width = fit(picture.shape[0], picture.shape[1], columns, rows - 1)
            small = resize(picture, height, width)
            corner = 1 + (rows - 1 - height // 2) // 2, 1 + (columns - width) // 2
            parts.append(changes(self.shown, small, *corner))
            self.shown = small
        if status != self.said:
            parts.append(f"\x1b[{rows};1H\x1b[2K{status[:columns]}")
            self.said = status
        if any(parts):
            self.screen.write("".join([BEGIN_FRAME, *parts, END_FRAME]))


def run(
    game: Game,
    controls: Controls,
    screen: Screen,
    *,
    fps: int,
    frames: int | None,
    now: Callable[[], float],
    sleep: Callable[[float], None],
) -> None:
    """Play until q or Ctrl-C, or for `frames` frames; one step a frame, or none while the game waits for a choice."""
    keyboard, painter = Keyboard(controls), Painter(screen)
    due, drawn = now(), 0
    try:
        while frames is None or drawn < frames:
            keyboard.listen(screen.read(), game, now())
            if keyboard.quit:
                return
            action = None if keyboard.paused or game.over else keyboard.action(game, now())
            if action is not None:
                game.step(action)
            painter.paint(game.picture(), status(game, keyboard))
            drawn += 1
            # At most one late frame is made up for: nobody can play a burst.
            due = max(due + 1 / fps, now() - 1 / fps)
            sleep(max(0.0, due - now()))
    except KeyboardInterrupt:
        return


def status(game: Game, keyboard: Keyboard) -> str:
    """The line below the picture."""
    word = "game over, r again" if game.over else "paused" if keyboard.paused else "playing"
    return f" return {game.total:g}  step {game.steps}  {word}  {keyboard.hint}│  {keyboard.controls.help}  {HELP}"
