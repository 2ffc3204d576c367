"""NumPy functions of arrays of strings: those that move elements, and comparisons."""

from dataclasses import replace

from envwright.compiler.ir import strings
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import Alphabet
from envwright.compiler.ir.values import Value
from envwright.compiler.refusal import RefusedError

_MOVING = {
    "array", "asarray", "asanyarray", "copy", "ravel", "reshape", "transpose", "squeeze", "expand_dims", "swapaxes",
    "moveaxis", "flip", "fliplr", "flipud", "rot90", "roll", "diagonal", "concatenate", "stack", "vstack", "hstack",
    "where", "take", "tile", "repeat",
}  # fmt: skip
_ASKING = {"equal", "not_equal", "array_equal", "isin"}


def as_numbers(name: str, arguments: list[Value]) -> tuple[Alphabet | None, list[Value]]:
    """The alphabet of the strings that a function is given, if it is, and their numbers in their place."""
    found = {alphabet for value in arguments for alphabet in _alphabets(value)}
    if not found:
        return None, arguments
    if name not in _MOVING | _ASKING or len(found) > 1:
        raise RefusedError(f"np.{name} of strings is not supported")
    (alphabet,) = found
    moving = name in _MOVING
    return alphabet, [_numbers(alphabet, value, moving) for value in arguments]


def as_texts(name: str, alphabet: Alphabet | None, made: Value) -> Value:
    """What such a function gives, as strings again."""
    if alphabet is None or name not in _MOVING:
        return made
    if not isinstance(made, ir.Array):
        raise RefusedError(f"np.{name} of strings is not supported in this way")
    return replace(made, kind=made.kind._replace(of=alphabet), weak=False)


def _alphabets(value: Value) -> set[Alphabet]:
    if isinstance(value, ir.Items):
        return {alphabet for item in value.items for alphabet in _alphabets(item)}
    alphabet = strings.letters_of(value)
    return set() if alphabet is None else {alphabet}


def _numbers(alphabet: Alphabet, value: Value, moving: bool) -> Value:
    if isinstance(value, ir.Items):
        return replace(value, items=tuple(_numbers(alphabet, item, moving) for item in value.items))
    known = isinstance(value, ir.Static) and all(isinstance(text, str) for text in strings.possible(value))
    if known or strings.letters_of(value) is not None:
        return strings.plain(strings.into(alphabet, value)) if moving else strings.numbers(alphabet, value)
    return value
