"""Arrays of strings: numbers, each of which encodes a string of an alphabet, or None.

The aval of such an array names the alphabet, so that its elements are known to be strings. A single element is one of
several constants (`Picked`).
"""

import ast
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Alphabet, Aval, broadcast
from envwright.compiler.ir.tables import LETTERS, letter_name
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value, as_array, described
from envwright.compiler.refusal import RefusedError

NOWHERE = -1  # the number of what is not in an alphabet


@cache
def table_of(alphabet: Alphabet) -> np.ndarray:
    """The strings as a table to pick from: the same object each time, so that two picks can be compared by index."""
    table = np.empty(len(alphabet), object)
    table[:] = alphabet
    return table


def alone(value: Value) -> Value:
    """A single encoded string as a `Picked`; anything else as it is."""
    if isinstance(value, ir.Array) and not value.kind.shape and value.kind.letters:
        return ir.Picked(table_of(value.kind.letters), (value.code,), LETTERS)
    return value


def beside_others(value: Value) -> Value:
    """A `Picked` of an alphabet as an encoded number again, for a list; anything else as it is."""
    if isinstance(value, ir.Picked) and value.name == LETTERS and value.table.ndim == 1:
        return ir.Array(value.index[0], Aval(INT, (), tuple(value.table)))
    return value


def letters_of(value: Value) -> Alphabet | None:
    """The alphabet of a list or array of strings."""
    array = value.array if isinstance(value, ir.Counted | ir.Masked) else value
    return array.kind.letters if isinstance(array, ir.Array) else None


def plain(value: Value) -> Value:
    """The numbers of a list or array of strings."""
    array = value.array if isinstance(value, ir.Counted | ir.Masked) else value
    assert isinstance(array, ir.Array)
    made = replace(array, kind=array.kind._replace(of=0))
    return replace(value, array=made) if isinstance(value, ir.Counted | ir.Masked) else made


def possible(value: Value) -> set[Any]:
    """All strings that a value may be, or hold."""
    match value:
        case ir.Static():
            return set(_objects(value.value).flat)
        case ir.Picked():
            return set(value.table.flat)
        case ir.Maybe():
            return {None} | possible(value.value)
        case ir.Items():
            return {text for item in value.items for text in possible(item)}
        case ir.Array() if value.kind.letters:
            return set(value.kind.letters)
    raise RefusedError(f"{described(value)} is used where a string is expected")


def _objects(value: Any) -> np.ndarray:
    try:
        return np.array(value.tolist() if isinstance(value, np.ndarray) else value, dtype=object)
    except ValueError:
        raise RefusedError("a list of lists of different lengths is not an array") from None


def _known(value: Value) -> Any:
    """A nested list of constant strings; None if they are not all constant."""
    if isinstance(value, ir.Items):
        inner = [_known(item) if isinstance(item, ir.Items) else item for item in value.items]
        found = [item.value if isinstance(item, ir.Static) else item for item in inner]
        return found if all(isinstance(item, list | str) for item in found) else None
    return None


def numbers(alphabet: Alphabet, value: Value, program: TranslationUnit | None = None) -> ir.Array:
    """Strings encoded in an alphabet; others are `NOWHERE`. Given the program, a constant is written by a name."""
    places = {text: i for i, text in enumerate(alphabet)}
    match value:
        case ir.Static():
            table = _objects(value.value)
            if not table.shape:
                place = places.get(table.item(), NOWHERE)
                if program is None or place == NOWHERE:
                    return ir.Array(code.const(place), Aval(INT), weak=True)
                return ir.Array(program.number(letter_name(table.item()), place), Aval(INT), weak=True)
            found = np.array([places.get(text, NOWHERE) for text in table.flat]).reshape(table.shape)
            return ir.Array(
                as_array(ir.Static(found)).code, Aval(INT, table.shape), listed=isinstance(value.value, list)
            )
        case ir.Picked():
            if value.table is table_of(alphabet):
                return ir.Array(value.index[0], Aval(INT))
            table = np.array([places.get(text, NOWHERE) for text in value.table.flat]).reshape(value.table.shape)
            return ir.Array(code.index(code.call("jnp.array", code.const(table)), *value.index), Aval(INT))
        case ir.Maybe():
            none, inner = code.const(places.get(None, NOWHERE)), numbers(alphabet, value.value)
            return ir.Array(code.call("jnp.where", value.present.code, inner.code, none), inner.kind)
        case ir.Items():
            if (known := _known(value)) is not None:
                return numbers(alphabet, ir.Static(known))
            return as_array(ir.Items(tuple(numbers(alphabet, item) for item in value.items), value.is_list))
        case ir.Array() if value.kind.letters == alphabet:
            return ir.Array(value.code, Aval(INT, value.kind.shape), value.listed)
        case ir.Array() if value.kind.letters:
            table = np.array([places.get(text, NOWHERE) for text in value.kind.letters])
            made = code.index(code.call("jnp.array", code.const(table)), value.code)
            return ir.Array(made, Aval(INT, value.kind.shape), value.listed)
    raise RefusedError(f"{described(value)} is used where a string is expected")


def into(alphabet: Alphabet, value: Value, program: TranslationUnit | None = None) -> ir.Array:
    """Strings, encoded in an alphabet that has them all."""
    if strange := possible(value) - set(alphabet):
        raise never_seen(strange)
    found = numbers(alphabet, value, program)
    return ir.Array(found.code, found.kind._replace(of=alphabet), found.listed, weak=found.weak)


def never_seen(texts: set[Any]) -> RefusedError:
    one = min(texts, key=repr)
    return RefusedError(f"{one!r} never occurred here in the recorded episodes; add it to the alphabet in the contract")


def alike(one: Value, other: Value) -> tuple[Value, Value]:
    """Two values in the same alphabet, if one of them is an array of strings."""
    for board, text, turned in ((one, other, False), (other, one, True)):
        alphabet = letters_of(board)
        if alphabet is None or not isinstance(text, ir.Items | ir.Static | ir.Array) or letters_of(text) == alphabet:
            continue
        made = into(alphabet, text)
        return (made, board) if turned else (board, made)
    return one, other


def compared(program: TranslationUnit, how: ast.cmpop, left: Value, right: Value) -> Value | None:
    """`grid == "X"`, `row == other`: elementwise for an array, as a whole for a list; None if neither holds strings."""
    for board, other in ((left, right), (right, left)):
        alphabet = letters_of(board)
        if alphabet is None or not isinstance(board, ir.Array):
            continue
        if not isinstance(how, ast.Eq | ast.NotEq):
            raise RefusedError("two arrays of strings are ordered")
        mine, others = numbers(alphabet, board), numbers(alphabet, other, program)
        if not board.listed:
            shape = broadcast(mine.kind.shape, others.kind.shape)
            return ir.Array(code.compare(mine.code, how, others.code), Aval(BOOL, shape))
        if mine.kind.shape != others.kind.shape:
            return ir.Static(isinstance(how, ast.NotEq))
        same = code.call("jnp.all", code.compare(mine.code, ast.Eq(), others.code))
        return ir.Array(same if isinstance(how, ast.Eq) else code.negated(same), Aval(BOOL))
    return None
