"""The loop: read keys, step, draw, wait. The clock and the screen are arguments, so a test needs neither."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from envwright.play.controls import Controls
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
class Player:
    """What the keyboard says."""

    controls: Controls
    held: Held = field(default_factory=Held)
    unfinished: bytes = b""  # the beginning of a key, the rest of which is yet to come
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
                self.paused, self.held = False, Held()
                game.restart()

    def action(self, game: Game, now: float) -> int:
        """The action of the key that is held, or the idle ones in turn."""
        key = self.held.at(now)
        idle = self.controls.idle
        return idle[game.steps % len(idle)] if key is None else self.controls.actions[key]


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
    """Play until q or Ctrl-C, or for `frames` frames; one step a frame."""
    player, painter = Player(controls), Painter(screen)
    due, drawn = now(), 0
    try:
        while frames is None or drawn < frames:
            player.listen(screen.read(), game, now())
            if player.quit:
                return
            if not (player.paused or game.over):
                game.step(player.action(game, now()))
            painter.paint(game.picture(), status(game, player))
            drawn += 1
            # At most one late frame is made up for: nobody can play a burst.
            due = max(due + 1 / fps, now() - 1 / fps)
            sleep(max(0.0, due - now()))
    except KeyboardInterrupt:
        return


def status(game: Game, player: Player) -> str:
    """The line below the picture."""
    word = "game over, r again" if game.over else "paused" if player.paused else "playing"
    return f" return {game.total:g}  step {game.steps}  {word}  │  {player.controls.help}  {HELP}"
