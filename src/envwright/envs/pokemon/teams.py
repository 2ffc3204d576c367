"""Teams of one's own, from text as Showdown exports it, or from dicts, checked against what this environment can play.

    Starmie                                   {"species": "Starmie", "level": 74,
    Level: 74                                  "moves": ["Surf", "Blizzard", "Thunderbolt", "Recover"]}
    - Surf
    - Blizzard

A blank line stands between two Pokemon. A line `IVs:` or `EVs:` sets genes and training, as in Showdown: DVs are half
of IVs; the best ones are taken where nothing is said. Items are of later generations and refused.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.envs.pokemon import tables
from envwright.envs.pokemon.state import MEMBERS, SLOTS, STATS

MOST_IV, MOST_EV, LARGEST_LEVEL = 30, 255, 100
SHORT = {"hp": "hp", "atk": "atk", "def": "def", "spe": "spe", "spa": "spa", "spd": "spa", "spc": "spa"}
LATER = (
    "ability",
    "shiny",
    "happiness",
    "gender",
    "nature",
    "hidden power",
    "tera type",
    "gigantamax",
    "dynamax level",
)


class TeamError(EnvwrightError, ValueError):
    """A team that cannot be played."""


@dataclass(frozen=True)
class TeamMember:
    """One Pokemon, checked; numbers as in `tables`."""

    species: int
    level: int
    moves: tuple[int, ...]
    ivs: tuple[int, ...]  # as `STATS`
    evs: tuple[int, ...]


@dataclass(frozen=True)
class Teams:
    """Teams to draw from; hashable, because it is a part of the environment."""

    teams: tuple[tuple[TeamMember, ...], ...]

    @staticmethod
    def of(given: "Teams | str | Sequence[Any]") -> "Teams":
        """Teams from what a user gives: one team or several, each text or a list of dicts."""
        if isinstance(given, Teams):
            return given
        if not isinstance(given, str | Sequence):
            raise TeamError(f"Teams are text in Showdown's format, or a list of dicts, but this is {given!r}.")
        if isinstance(given, str) or (given and isinstance(given[0], Mapping)):
            return Teams((parse(given),))
        if not given:
            raise TeamError("There is no team to draw from; give at least one.")
        return Teams(tuple(parse(one) for one in given))


def parse(team: str | Sequence[Mapping[str, Any]]) -> tuple[TeamMember, ...]:
    """A team from Showdown's export format, or from dicts with species, level, moves, ivs and evs."""
    members = _read(team) if isinstance(team, str) else list(team) if isinstance(team, Sequence) else [team]
    if not all(isinstance(member, Mapping) for member in members):
        raise TeamError(f"A team is text in Showdown's format, or a list of dicts, but this is {team!r}.")
    if not members:
        raise TeamError("A team needs at least one Pokemon, and this one is empty.")
    if len(members) > MEMBERS:
        raise TeamError(f"A team has at most {MEMBERS} Pokemon, and this one has {len(members)}.")
    made = tuple(_member(one) for one in members)
    twice = [one for i, one in enumerate(made) if one.species in [other.species for other in made[:i]]]
    if twice:
        raise TeamError(
            f"Species Clause allows one of each, but there are two {tables.SPECIES_NAMES[twice[0].species]}."
        )
    return made


def as_arrays(teams: Teams) -> dict[str, np.ndarray]:
    """The fields of `Team`, with a leading axis of teams."""
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "species": ((MEMBERS,), np.uint8),
        "level": ((MEMBERS,), np.uint8),
        "moves": ((MEMBERS, SLOTS), np.uint8),
        "pp": ((MEMBERS, SLOTS), np.uint8),
        "stats": ((MEMBERS, len(STATS)), np.int16),
        "speed_points": ((MEMBERS,), np.uint8),
    }
    found = {name: np.zeros((len(teams.teams), *shape), kind) for name, (shape, kind) in shapes.items()}
    for t, team in enumerate(teams.teams):
        for i, one in enumerate(team):
            many = len(one.moves)
            found["species"][t, i], found["level"][t, i] = one.species, one.level
            found["moves"][t, i, :many] = one.moves
            found["pp"][t, i, :many] = tables.MOVE_ROWS["max_pp"][list(one.moves)]
            found["stats"][t, i] = stats_of(one)
            spe = STATS.index("spe")
            found["speed_points"][t, i] = one.ivs[spe] + one.evs[spe] // 4
    return found


def stats_of(one: TeamMember) -> list[int]:
    """Maximal HP, attack, defence, speed and special, by Showdown's formula."""
    found = []
    for name, iv, ev in zip(STATS, one.ivs, one.evs, strict=True):
        points = 2 * int(tables.SPECIES_ROWS[name][one.species]) + iv + ev // 4
        found.append((points + 100) * one.level // 100 + 10 if name == "hp" else points * one.level // 100 + 5)
    return found


def _member(given: Mapping[str, Any]) -> TeamMember:
    name = str(given.get("species", ""))
    species = _number(name, tables.SPECIES_NAMES, tables.SPECIES, f"There is no Pokemon '{name}' in generation 1")
    shown = tables.SPECIES_NAMES[species]
    unknown = [key for key in given if key not in ("species", "level", "moves", "ivs", "evs", "name")]
    if unknown:
        raise TeamError(f"{shown} has '{unknown[0]}', which generation 1 does not know; leave it out.")
    level = given.get("level", LARGEST_LEVEL)
    if not isinstance(level, int) or isinstance(level, bool) or not 1 <= level <= LARGEST_LEVEL:
        raise TeamError(f"{shown} is of level {level}, but levels go from 1 to {LARGEST_LEVEL}.")
    moves = list(given.get("moves", ()))
    if not moves:
        raise TeamError(f"{shown} has no move; give it one to {SLOTS}.")
    if len(moves) > SLOTS:
        raise TeamError(f"{shown} has {len(moves)} moves, and {SLOTS} is the most.")
    numbers = tuple(_move(str(move), shown) for move in moves)
    for i, number in enumerate(numbers):
        if number in numbers[:i]:
            raise TeamError(f"{shown} has {tables.MOVE_NAMES[number]} twice.")
    ivs, evs = (_spread(given.get(key, {}), most, key, shown) for key, most in (("ivs", MOST_IV), ("evs", MOST_EV)))
    return TeamMember(species, level, numbers, ivs, evs)


def _move(name: str, owner: str) -> int:
    number = _find(name, tables.MOVE_NAMES, tables.MOVES)
    if number in tables.POOL:
        return number
    raise TeamError(
        f"{owner}'s move '{name}' is not among the {len(tables.POOL)} of random battles, which are those that this "
        f"environment has{_near(name, [tables.MOVE_NAMES[i] for i in tables.POOL])}"
    )


def _number(name: str, names: Sequence[str], ids: Sequence[str], sentence: str) -> int:
    found = _find(name, names, ids)
    if not found:
        raise TeamError(f"{sentence}{_near(name, names)}")
    return found


def _find(name: str, names: Sequence[str], ids: Sequence[str]) -> int:
    """The number of a name in any case and punctuation; 0 if there is none."""
    plain = _plain(name)
    known = {_plain(shown): i for i, shown in reversed(list(enumerate(names)))} | {id: i for i, id in enumerate(ids)}
    return known.get(plain, 0) if plain else 0


def _plain(name: str) -> str:
    name = name.lower().replace("♀", "f").replace("♂", "m")
    return re.sub(r"[^a-z0-9]", "", name)


def _near(name: str, names: Sequence[str]) -> str:
    """How the sentence about an unknown name ends."""
    near = difflib.get_close_matches(name.lower(), [one.lower() for one in names if one], n=1, cutoff=0.6)
    return f"; did you mean {next(one for one in names if one.lower() == near[0])}?" if near else "."


def _spread(given: Any, most: int, what: str, owner: str) -> tuple[int, ...]:
    if not isinstance(given, Mapping):
        raise TeamError(f"{owner}'s {what} name stats, such as {{'atk': {most}}}, not {given!r}.")
    values: dict[str, int] = dict.fromkeys(STATS, most)
    for key, value in given.items():
        if key not in SHORT:
            raise TeamError(f"{owner}'s {what} have '{key}'; the stats are {', '.join(STATS)}.")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise TeamError(f"{owner}'s {what} have {value} {key}, but they go from 0 to {most}.")
        values[SHORT[key]] = value
    return tuple(values[name] for name in STATS)


def _read(text: str) -> list[dict[str, Any]]:
    """Showdown's export format as dicts."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        if lines:
            found.append(_read_member(lines))
    return found


def _read_member(lines: Sequence[str]) -> dict[str, Any]:
    head, *rest = lines
    if "@" in head:
        raise TeamError(f"'{head}' holds an item, and there are none in generation 1; leave it out.")
    nickname = re.fullmatch(r".*\(([^()]{3,})\)(?:\s*\([MFN]\))?", head)  # Nickname (Species)
    member: dict[str, Any] = {"species": nickname[1] if nickname else re.sub(r"\s*\([MFN]\)$", "", head), "moves": []}
    for line in rest:
        key, _, value = (part.strip() for part in line.partition(":"))
        if line.startswith("-"):
            member["moves"].append(line.lstrip("- "))
        elif key.lower() == "level":
            member["level"] = int(value) if value.isdigit() else value
        elif key.lower() in ("ivs", "evs"):
            member[key.lower()] = _read_spread(value, line)
        elif key.lower() not in LATER:
            raise TeamError(f"The line '{line}' of {member['species']} is neither a move ('- Surf') nor 'Level: 74'.")
    return member


def _read_spread(value: str, line: str) -> dict[str, int]:
    found = {}
    for part in value.split("/"):
        match = re.fullmatch(r"\s*(\d+)\s+(\w+)\s*", part)
        if match is None:
            raise TeamError(f"The line '{line}' should look like 'IVs: 2 Atk / 30 Spe'.")
        found[match[2].lower()] = int(match[1])
    return found
