"""The random draws that a contract names: under which function and method of the original each field has them."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from envwright.compiler.front.forms import known
from envwright.compiler.ir.avals import Aval, narrow
from envwright.compiler.refusal import RefusedError
from envwright.verifier.codecs import DrawnValues, Letters, Padded
from envwright.verifier.expression import Expression


class Piece(NamedTuple):
    """A field of StartChance or StepChance."""

    name: str
    kind: Aval  # of one draw
    room: int | None  # None: a single draw, not an array of them
    picks: bool = False  # it holds indices, not what lies there


def read_chance(
    expressions: Mapping[str, Expression], kinds: Mapping[str, tuple[tuple[int, ...], str]]
) -> dict[tuple[str, str], Piece]:
    """The fields by function and method; that is empty if it does not matter, and `:87` if the line does."""
    pieces: dict[tuple[str, str], Piece] = {}
    for field, expression in expressions.items():
        if field not in kinds:
            continue
        (shape, dtype), codec, room = kinds[field], known(expression), None
        if isinstance(codec, Padded):
            room, codec, shape = codec.room, codec.inner, shape[1:]
        alphabet: tuple[str | None, ...] = ()
        if isinstance(codec, Letters):
            codec, alphabet = codec.inner, tuple(codec.alphabet)
        if not isinstance(codec, DrawnValues):
            raise RefusedError(f"the line {expression.text!r} of the contract is not one that the rules know")
        function = re.split("[.:]", codec.function)[0]
        method = codec.function.removeprefix(function).removeprefix(".")
        pieces[function, method] = Piece(field, Aval(narrow(dtype), shape, alphabet or 0), room, codec.picks)
    return pieces
