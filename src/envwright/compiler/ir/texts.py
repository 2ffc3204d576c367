"""Boards of texts: arrays of numbers, each of which stands for a text of an alphabet, or for None.

The kind of such an array names the alphabet, so that whatever is taken out of it is still known to be texts. One of
them alone is one of several known things (`Picked`).
"""

import ast
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.kinds import BOOL, INT, Alphabet, Kind, broadcast
from envwright.compiler.ir.program import Program
from envwright.compiler.ir.tables import LETTERS, letter_name
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Masked,
    Maybe,
    Picked,
    Static,
    Value,
    as_array,
    told,
)
from envwright.compiler.refusal import RefusedError

NOWHERE = -1  # the number of what is not in an alphabet


@cache
def table_of(alphabet: Alphabet) -> np.ndarray:
    """The texts as a table to pick from: the same one each time, by which two that are picked are known to be alike."""
    table = np.empty(len(alphabet), object)
    table[:] = alphabet
    return table


def alone(value: Value) -> Value:
    """A single number that stands for a text, as one of several texts; anything else as it is."""
    if isinstance(value, Array) and not value.kind.shape and value.kind.letters:
        return Picked(table_of(value.kind.letters), (value.code,), LETTERS)
    return value


def beside_others(value: Value) -> Value:
    """One of the texts of an alphabet as a number again, for a list of them; anything else as it is."""
    if isinstance(value, Picked) and value.name == LETTERS and value.table.ndim == 1:
        return Array(value.index[0], Kind(INT, (), tuple(value.table)))
    return value


def letters_of(value: Value) -> Alphabet | None:
    """The alphabet of a list or array of texts of the game."""
    array = value.array if isinstance(value, Counted | Masked) else value
    return array.kind.letters if isinstance(array, Array) else None


def plain(value: Value) -> Value:
    """A list or array of texts as one of their numbers."""
    array = value.array if isinstance(value, Counted | Masked) else value
    assert isinstance(array, Array)
    made = replace(array, kind=array.kind._replace(of=0))
    return replace(value, array=made) if isinstance(value, Counted | Masked) else made


def possible(value: Value) -> set[Any]:
    """All texts that something may be, or hold."""
    match value:
        case Static():
            return set(_objects(value.value).flat)
        case Picked():
            return set(value.table.flat)
        case Maybe():
            return {None} | possible(value.value)
        case Items():
            return {text for item in value.items for text in possible(item)}
        case Array() if value.kind.letters:
            return set(value.kind.letters)
    raise RefusedError(f"{told(value)} stands where a text is expected")


def _objects(value: Any) -> np.ndarray:
    try:
        return np.array(value.tolist() if isinstance(value, np.ndarray) else value, dtype=object)
    except ValueError:
        raise RefusedError("a list of lists of different lengths is not an array") from None


def _known(value: Value) -> Any:
    """A list of lists of texts that are all known; None if they are not."""
    if isinstance(value, Items):
        inner = [_known(item) if isinstance(item, Items) else item for item in value.items]
        found = [item.value if isinstance(item, Static) else item for item in inner]
        return found if all(isinstance(item, list | str) for item in found) else None
    return None


def numbers(alphabet: Alphabet, value: Value, program: Program | None = None) -> Array:
    """Texts as their numbers in an alphabet; what is not in it has one that nothing else has. Given the program, one
    that is known is written by a name."""
    places = {text: i for i, text in enumerate(alphabet)}
    match value:
        case Static():
            table = _objects(value.value)
            if not table.shape:
                place = places.get(table.item(), NOWHERE)
                if program is None or place == NOWHERE:
                    return Array(code.const(place), Kind(INT), weak=True)
                return Array(program.number(letter_name(table.item()), place), Kind(INT), weak=True)
            found = np.array([places.get(text, NOWHERE) for text in table.flat]).reshape(table.shape)
            return Array(as_array(Static(found)).code, Kind(INT, table.shape), listed=isinstance(value.value, list))
        case Picked():
            if value.table is table_of(alphabet):
                return Array(value.index[0], Kind(INT))
            table = np.array([places.get(text, NOWHERE) for text in value.table.flat]).reshape(value.table.shape)
            return Array(code.index(code.call("jnp.array", code.const(table)), *value.index), Kind(INT))
        case Maybe():
            none, inner = code.const(places.get(None, NOWHERE)), numbers(alphabet, value.value)
            return Array(code.call("jnp.where", value.present.code, inner.code, none), inner.kind)
        case Items():
            if (known := _known(value)) is not None:
                return numbers(alphabet, Static(known))
            return as_array(Items(tuple(numbers(alphabet, item) for item in value.items), value.is_list))
        case Array() if value.kind.letters == alphabet:
            return Array(value.code, Kind(INT, value.kind.shape), value.listed)
        case Array() if value.kind.letters:
            table = np.array([places.get(text, NOWHERE) for text in value.kind.letters])
            made = code.index(code.call("jnp.array", code.const(table)), value.code)
            return Array(made, Kind(INT, value.kind.shape), value.listed)
    raise RefusedError(f"{told(value)} stands where a text is expected")


def into(alphabet: Alphabet, value: Value, program: Program | None = None) -> Array:
    """Texts in the form in which a board has them."""
    if strange := possible(value) - set(alphabet):
        raise never_seen(strange)
    found = numbers(alphabet, value, program)
    return Array(found.code, found.kind._replace(of=alphabet), found.listed, weak=found.weak)


def never_seen(texts: set[Any]) -> RefusedError:
    one = min(texts, key=repr)
    return RefusedError(f"{one!r} was never seen here in the games played; add it to the alphabet in the contract")


def alike(one: Value, other: Value) -> tuple[Value, Value]:
    """Two values of which one may be a board: then the other is texts of the same alphabet, if it can be."""
    for board, text, turned in ((one, other, False), (other, one, True)):
        alphabet = letters_of(board)
        if alphabet is None or not isinstance(text, Items | Static | Array) or letters_of(text) == alphabet:
            continue
        made = into(alphabet, text)
        return (made, board) if turned else (board, made)
    return one, other


def compared(program: Program, how: ast.cmpop, left: Value, right: Value) -> Value | None:
    """`grid == "X"`, `row == other`: place by place for an array, as a whole for a list. None: there is no board."""
    for board, other in ((left, right), (right, left)):
        alphabet = letters_of(board)
        if alphabet is None or not isinstance(board, Array):
            continue
        if not isinstance(how, ast.Eq | ast.NotEq):
            raise RefusedError("which of two boards of texts comes first")
        mine, others = numbers(alphabet, board), numbers(alphabet, other, program)
        if not board.listed:
            shape = broadcast(mine.kind.shape, others.kind.shape)
            return Array(code.compare(mine.code, how, others.code), Kind(BOOL, shape))
        if mine.kind.shape != others.kind.shape:
            return Static(isinstance(how, ast.NotEq))
        same = code.call("jnp.all", code.compare(mine.code, ast.Eq(), others.code))
        return Array(same if isinstance(how, ast.Eq) else code.negated(same), Kind(BOOL))
    return None
