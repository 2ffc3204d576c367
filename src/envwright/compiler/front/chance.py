"""The pieces of luck that a contract names: under which function and method the original's draws are kept."""

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from envwright.compiler.ir.avals import Aval as Kind
from envwright.compiler.ir.avals import narrow
from envwright.compiler.refusal import RefusedError


class Piece(NamedTuple):
    """A field of StartChance or StepChance."""

    name: str
    kind: Kind  # of one draw
    room: int | None  # None: a single draw, not an array of them
    picks: bool = False  # it holds indices, not what lies there


def read_luck(
    expressions: Mapping[str, str], kinds: Mapping[str, tuple[tuple[int, ...], str]]
) -> dict[tuple[str, str], Piece]:
    """The pieces of luck by function and method; that is empty if it does not matter, and `:87` if the line does."""
    pieces: dict[tuple[str, str], Piece] = {}
    for field, text in expressions.items():
        if field not in kinds:
            continue
        shape, dtype = kinds[field]
        node = ast.parse(text, mode="eval").body
        room = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pad":
            room, node, shape = int(ast.literal_eval(node.args[1])), node.args[0], shape[1:]
        alphabet: tuple[str, ...] = ()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "letters":
            node, alphabet = node.args[0], tuple(ast.literal_eval(node.args[1]))
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("draws", "picks")):
            raise RefusedError(f"the line {text!r} of the contract is not one that the rules know")
        which = str(ast.literal_eval(node.args[0]))
        function = re.split("[.:]", which)[0]
        method = which.removeprefix(function).removeprefix(".")
        kind = Kind(narrow(dtype), shape, alphabet or 0)
        pieces[function, method] = Piece(field, kind, room, node.func.id == "picks")
    return pieces
