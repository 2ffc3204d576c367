"""A game: a ROM, and a TOML file that says where its score is, what is rewarded, how episodes begin and end.

docs/gameboy.md describes the file.
"""

import dataclasses
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.envs.gameboy.micro import micro_rom, micro_roms
from envwright.envs.gameboy.values import TYPES, End, MemoryValue, Pay

SHIPPED = Path(__file__).parent / "games"
MICRO = "micro/"  # what names of our own small test programs begin with
BUTTONS = {"right": 1, "left": 2, "up": 4, "down": 8, "a": 16, "b": 32, "select": 64, "start": 128}
LONGEST_START = 100_000  # ticks


class GameError(EnvwrightError, ValueError):
    """A game's file, or its ROM, is not as it should be."""


@dataclass(frozen=True)
class Press:
    """Buttons that are held for some ticks, as many as chance says between two numbers."""

    buttons: int
    low: int
    high: int


@dataclass(frozen=True)
class RomGame:
    """What there is to know of a game. Without a file: no reward, no end, every episode begins at power-on."""

    name: str
    rom: bytes = field(repr=False)
    actions: tuple[int, ...] = (0, *BUTTONS.values())  # the buttons held, for each action
    frame_skip: int = 4
    observation: str = "half"
    values: Mapping[str, MemoryValue] = field(default_factory=dict)
    seen: tuple[str, ...] = ()  # values that the observation `ram` consists of
    rewards: tuple[Pay, ...] = ()
    ends: tuple[End, ...] = ()
    start: tuple[Press, ...] = (Press(0, 60, 60),)

    def __hash__(self) -> int:
        return hash((self.name, self.rom))


def shipped() -> list[str]:
    """Our own games."""
    return sorted(path.parent.name for path in SHIPPED.glob("*/game.toml"))


def load(rom: str, base: Path | None = None) -> RomGame:
    """The game of this name, or in this file: a TOML file, or a ROM with or without a TOML file of the same name."""
    if rom.startswith(MICRO):
        return RomGame(rom, micro_rom(rom.removeprefix(MICRO)))
    if rom in shipped():
        return read(SHIPPED / rom / "game.toml", rom)
    path = (base or Path()) / Path(rom).expanduser()
    if not path.is_file():
        raise GameError(
            f"There is no game '{rom}'; give a ROM or a TOML file, or one of ours: {', '.join(shipped())}, "
            f"{', '.join(MICRO + name for name in micro_roms())}."
        )
    if path.suffix == ".toml":
        return read(path)
    beside = path.with_suffix(".toml")
    return read(beside, path.stem) if beside.is_file() else RomGame(path.stem, _rom(path))


def read(path: Path, name: str | None = None) -> RomGame:
    """The game that a TOML file describes; its ROM's path is relative to it."""
    try:
        content = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise GameError(f"The game {path} cannot be read: {error}.") from None
    try:
        made = _game(content, name or path.stem, path.parent)
    except _FileError as error:
        raise GameError(f"In the game {path}: {error}") from None
    return made


class _FileError(Exception):
    """Says what is wrong in a file, without its name."""


KEYS = ("rom", "frame_skip", "observation", "actions", "start", "values", "seen", "reward", "end")


def _game(content: Mapping[str, Any], name: str, folder: Path) -> RomGame:
    _known(content, KEYS, "")
    if not isinstance(content.get("rom"), str):
        raise _FileError('`rom` names the ROM\'s file, such as rom = "red.gb".')
    values = {key: _value(key, value) for key, value in _table(content, "values").items()}
    changes: dict[str, Any] = {"values": values}
    if "actions" in content:
        changes["actions"] = tuple(_buttons(text) for text in _texts(content, "actions"))
        if not changes["actions"]:
            raise _FileError('`actions` lists at least one, such as ["", "left", "right+a"].')
    if "frame_skip" in content:
        changes["frame_skip"] = _whole("frame_skip", content["frame_skip"], 1, 10_000)
    if "observation" in content:
        changes["observation"] = content["observation"]
    if "start" in content:
        changes["start"] = tuple(_press(entry) for entry in content["start"])
        if sum(press.high for press in changes["start"]) > LONGEST_START:
            raise _FileError(f"`start` takes more than {LONGEST_START:,} ticks.")
    changes["seen"] = tuple(_named(text, values, "seen") for text in _texts(content, "seen"))
    changes["rewards"] = tuple(_clause(Pay, entry, values, "reward") for entry in content.get("reward", ()))
    changes["ends"] = tuple(_clause(End, entry, values, "end") for entry in content.get("end", ()))
    return dataclasses.replace(RomGame(name, _rom(folder / Path(content["rom"]).expanduser())), **changes)


def _rom(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise GameError(f"The ROM {path} cannot be read: {error.strerror}.") from None


def _value(name: str, given: Any) -> MemoryValue:
    made = MemoryValue(given) if isinstance(given, int) else _built(MemoryValue, given, f"values.{name}")
    if made.type not in TYPES:
        raise _FileError(f"values.{name}: the type is one of {', '.join(TYPES)}, not '{made.type}'.")
    _whole(f"values.{name}: at", made.at, 0, 0x10000 - made.size)
    _whole(f"values.{name}: bytes", made.bytes, 1, 64)
    return made


def _press(entry: Any) -> Press:
    if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str):
        raise _FileError(
            f'an entry of `start` is buttons and ticks, such as ["start", 4] or ["", [0, 60]]; not {entry}.'
        )
    low, high = entry[1] if isinstance(entry[1], list) and len(entry[1]) == 2 else (entry[1], entry[1])
    low = _whole("ticks in `start`", low, 0, LONGEST_START)
    return Press(_buttons(entry[0]), low, _whole("ticks in `start`", high, low, LONGEST_START))


def _buttons(text: str) -> int:
    mask = 0
    for name in filter(None, text.split("+")):
        if name not in BUTTONS:
            raise _FileError(f"there is no button '{name}'; there are {', '.join(BUTTONS)}, joined by +.")
        mask |= BUTTONS[name]
    return mask


def _clause(kind: Callable[..., Any], entry: Any, values: Mapping[str, MemoryValue], where: str) -> Any:
    made = _built(kind, entry, where)
    _named(made.value, values, where)
    if isinstance(made, Pay) and not made.gain and not made.loss:
        raise _FileError(f"reward of {made.value}: give `gain`, for each by which it rises, or `loss`, or both.")
    if isinstance(made, End) and not made.equals and made.below is None and made.above is None:
        raise _FileError(f"end by {made.value}: give `equals`, `below` or `above`.")
    return made


def _built(kind: Any, given: Any, where: str) -> Any:
    """A dataclass from a table, each entry of the type that its field has."""
    fields = {f.name: f.type for f in dataclasses.fields(kind)}
    if not isinstance(given, Mapping):
        raise _FileError(f"{where} is a table with {', '.join(fields)}; not {given!r}.")
    _known(given, tuple(fields), f"{where}: ")
    made: dict[str, Any] = {}
    for key, value in given.items():
        if key == "equals":
            value = tuple(value) if isinstance(value, list) else (value,)
        wanted = str(fields[key])
        numbers = isinstance(value, int) and not isinstance(value, bool)
        fits = {
            "int": numbers,
            "float": numbers or isinstance(value, float),
            "str": isinstance(value, str),
        }.get(getattr(fields[key], "__name__", wanted), True)
        if not fits:
            raise _FileError(f"{where}: {key} cannot be {value!r}.")
        made[key] = value
    missing = [f.name for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING and f.name not in made]
    if missing:
        raise _FileError(f"{where}: `{missing[0]}` is missing.")
    return kind(**made)


def _known(given: Mapping[str, Any], keys: Sequence[str], where: str) -> None:
    for key in given:
        if key not in keys:
            raise _FileError(f"{where}there is no '{key}'; there are {', '.join(keys)}.")


def _named(name: str, values: Mapping[str, MemoryValue], where: str) -> str:
    if name not in values:
        raise _FileError(f"`{where}` names the value '{name}', which is not in [values].")
    return name


def _table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = content.get(key, {})
    if not isinstance(found, Mapping):
        raise _FileError(f"[{key}] is a table.")
    return found


def _texts(content: Mapping[str, Any], key: str) -> Sequence[str]:
    found = content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise _FileError(f"`{key}` is a list of strings.")
    return found


def _whole(what: str, number: Any, low: int, high: int) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
        raise _FileError(f"{what} is a whole number from {low} to {high:,}, not {number!r}.")
    return number
