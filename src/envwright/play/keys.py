"""From the bytes a terminal sends to the names of keys, and from those to what is held. Pure; no terminal needed."""

import re
from dataclasses import dataclass

ARROWS = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
NAMES = {" ": "space", "\x03": "ctrl-c", "\r": "enter", "\n": "enter"}

# ESC [ (numbers and punctuation) letter, or ESC O letter: what cursor and function keys send.
_SEQUENCE = re.compile(rb"\x1b(?:\[[\x20-\x3f]*|O)([\x40-\x7e])")
_BEGINNING = re.compile(rb"\x1b(?:\[[\x20-\x3f]*|O)?\Z")

# A terminal tells when a key goes down, never when it comes up. While a key is held it repeats, some 30 times a second,
# after a first delay of a quarter to half a second. So a key counts as held for a moment after its last byte: long
# enough to bridge repeats, short enough to stop soon after the finger does. The first delay shows as a short rest.
HOLD = 0.15  # seconds


def parse(data: bytes) -> tuple[list[str], bytes]:
    """The keys in `data`, and its unfinished end, to be put before what is read next."""
    found: list[str] = []
    while data:
        if match := _SEQUENCE.match(data):
            if match[1] in ARROWS:
                found.append(ARROWS[match[1]])
            data = data[match.end() :]
        elif _BEGINNING.match(data):
            return found, data
        else:  # one byte; not a key if it is a control, an escape that led nowhere or a part of a longer character
            char = data[:1].decode("ascii", "ignore").lower()
            if (char.isprintable() and char.strip()) or char in NAMES:
                found.append(NAMES.get(char, char))
            data = data[1:]
    return found, b""


@dataclass(frozen=True)
class Held:
    """The key that is held, as far as one can tell."""

    key: str | None = None
    until: float = 0.0  # seconds, on the clock that `press` is given

    def press(self, key: str, now: float) -> "Held":
        return Held(key, now + HOLD)

    def at(self, now: float) -> str | None:
        return self.key if now < self.until else None
