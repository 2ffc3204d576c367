"""A `State` and a `Team` as columns: the types and shapes in which Node's side writes them, and back."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pokemon.state import State, Team

Columns = dict[str, NDArray[Any]]
Fields = Mapping[str, tuple[str, tuple[int, ...]]]

TEAM: Fields = {
    "species": ("uint8", (6,)),
    "level": ("uint8", (6,)),
    "moves": ("uint8", (6, 4)),
    "pp": ("uint8", (6, 4)),
    "stats": ("int16", (6, 5)),
    "speed_points": ("uint8", (6,)),
}
STATE: Fields = {
    "species": ("uint8", (2, 6)),
    "level": ("uint8", (2, 6)),
    "stats": ("int16", (2, 6, 5)),
    "speed_points": ("uint8", (2, 6)),
    "moves": ("uint8", (2, 6, 4)),
    "pp": ("uint8", (2, 6, 4)),
    "hp": ("int16", (2, 6)),
    "status": ("uint8", (2, 6)),
    "sleep": ("uint8", (2, 6)),
    "rested": ("bool", (2, 6)),
    "substitute_broke": ("bool", (2, 6)),
    "seen": ("bool", (2, 6)),
    "order": ("uint8", (2, 6)),
    "active_species": ("uint8", (2,)),
    "types": ("uint8", (2, 2)),
    "active_moves": ("uint8", (2, 4)),
    "active_pp": ("uint8", (2, 4)),
    "stored": ("int16", (2, 4)),
    "modified": ("int16", (2, 4)),
    "boosts": ("int8", (2, 6)),
    "speed": ("int16", (2,)),
    "substitute": ("uint8", (2,)),
    "confusion": ("uint8", (2,)),
    "transformed": ("bool", (2,)),
    "recharging": ("bool", (2,)),
    "charging": ("bool", (2,)),
    "reflect": ("bool", (2,)),
    "flinched": ("bool", (2,)),
    "last_move": ("uint8", (2,)),
    "selected": ("uint8", (2,)),
    "selected_slot": ("uint8", (2,)),
    "selected_for_foe": ("uint8", (2,)),
    "used": ("uint8", (2,)),
    "used_for_foe": ("uint8", (2,)),
    "last_damage": ("int32", ()),
    "turn": ("int16", ()),
    "request": ("uint8", (2,)),
    "winner": ("uint8", ()),
    "hints": ("uint8", ()),
    "seed": ("uint32", (2,)),
}
TOLD: Fields = {  # what goes with a state: see showdown/batch.js
    "legal": ("bool", (2, 10)),
    "reward": ("float32", (2,)),
    "ended": ("bool", ()),
    "before": ("uint32", (2,)),
}
TEAMS: Fields = {name: (kind, (2, *shape)) for name, (kind, shape) in TEAM.items()}
START: Fields = {"start": ("uint32", (2,))}


def for_node(fields: Fields) -> list[list[Any]]:
    """Names, types and how many numbers."""
    return [[name, kind, int(np.prod(shape))] for name, (kind, shape) in fields.items()]


def read(values: Mapping[str, Any], fields: Fields = STATE) -> Columns:
    """Nested lists as arrays."""
    return {name: np.asarray(values[name]).astype(kind).reshape(shape) for name, (kind, shape) in fields.items()}


def write(columns: Mapping[str, Any], fields: Fields = STATE) -> dict[str, Any]:
    """Arrays as nested lists."""
    return {name: np.asarray(columns[name]).astype(kind).tolist() for name, (kind, _) in fields.items()}


def unpack(text: str, games: int, tables: list[Fields]) -> list[Columns]:
    """What showdown/packed.js has written: field after field, and in each field game after game."""
    data, at = base64.b64decode(text), 0
    found: list[Columns] = []
    for fields in tables:
        columns: Columns = {}
        for name, (kind, shape) in fields.items():
            dtype, size = np.dtype(kind), games * int(np.prod(shape))
            columns[name] = np.frombuffer(data, dtype, size, at).reshape(games, *shape)
            at += size * dtype.itemsize
        found.append(columns)
    return found


def as_state(columns: Mapping[str, Any]) -> State:
    return State(**{name: columns[name] for name in STATE})


def as_teams(columns: Mapping[str, Any]) -> Team:
    return Team(**{name: columns[name] for name in TEAM})
