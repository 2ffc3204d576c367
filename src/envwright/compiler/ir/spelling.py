"""Texts that get into the state: what no game has shown there is noted, and the episode is cut off (ir/outgrown.py)."""

import ast
from collections.abc import Sequence

from envwright.compiler.ir import code, outgrown
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import BOOL, INT, Alphabet, Kind
from envwright.compiler.ir.texts import NOWHERE, into, numbers, possible, table_of
from envwright.compiler.ir.values import Array, Maybe, Picked, Value


def spelled(frame: Frame, alphabet: Alphabet, value: Value) -> Array:
    """Texts in the form in which a board has them."""
    texts = possible(value)
    strange = texts - set(alphabet)
    if not strange or strange == texts or frame.writer.start or outgrown.NOTE not in frame.memory.attributes:
        return into(alphabet, value, frame.program)
    found = numbers(alphabet, value)
    number = code.name(frame.bind("letter", found.code, auto=True))
    missing = code.compare(number, ast.Eq(), code.const(NOWHERE))
    outgrown.note(frame, code.call("jnp.any", missing) if found.kind.shape else missing)
    kept = code.call("jnp.maximum", number, code.const(0))
    return Array(kept, Kind(INT, found.kind.shape, alphabet), found.listed)


def one_of(frame: Frame, texts: Sequence[str], may_be_none: bool, value: Value) -> Value:
    """What an attribute gets that holds one of a few texts, or None."""
    inner = value.value if isinstance(value, Maybe) else value
    if not isinstance(inner, Picked) or not all(isinstance(text, str | None) for text in inner.table.flat):
        return value
    if possible(inner) <= {*texts}:
        return value
    found = spelled(frame, (*texts, *([None] if may_be_none else [])), value)
    if not may_be_none:
        return Picked(table_of(tuple(texts)), (found.code,), inner.name)
    number = code.name(frame.bind("letter", found.code, auto=True))
    there = Array(code.compare(number, ast.Lt(), code.const(len(texts))), Kind(BOOL))
    place = code.call("jnp.minimum", number, code.const(len(texts) - 1))
    return Maybe(there, Picked(table_of(tuple(texts)), (place,), inner.name))
