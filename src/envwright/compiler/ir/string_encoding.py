"""Encoding strings for the state: one outside of the alphabet counts as an overflow (ir/overflow.py)."""

import ast
from collections.abc import Sequence

from envwright.compiler.ir import code, overflow
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Alphabet, Aval
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.strings import NOWHERE, into, numbers, possible, table_of
from envwright.compiler.ir.values import Value


def spelled(frame: CallFrame, alphabet: Alphabet, value: Value) -> ir.Array:
    """Strings, encoded in an alphabet."""
    texts = possible(value)
    strange = texts - set(alphabet)
    if not strange or strange == texts or frame.writer.start or overflow.OVERFLOW not in frame.memory.attributes:
        return into(alphabet, value, frame.program)
    found = numbers(alphabet, value)
    number = code.name(frame.bind("letter", found.code, auto=True))
    missing = code.compare(number, ast.Eq(), code.const(NOWHERE))
    overflow.note(frame, code.call("jnp.any", missing) if found.kind.shape else missing)
    kept = code.call("jnp.maximum", number, code.const(0))
    return ir.Array(kept, Aval(INT, found.kind.shape, alphabet), found.listed)


def one_of(frame: CallFrame, texts: Sequence[str], may_be_none: bool, value: Value) -> Value:
    """The value of an attribute that holds one of a few strings, or None."""
    inner = value.value if isinstance(value, ir.Maybe) else value
    if not isinstance(inner, ir.Picked) or not all(isinstance(text, str | None) for text in inner.table.flat):
        return value
    if possible(inner) <= {*texts}:
        return value
    found = spelled(frame, (*texts, *([None] if may_be_none else [])), value)
    if not may_be_none:
        return ir.Picked(table_of(tuple(texts)), (found.code,), inner.name)
    number = code.name(frame.bind("letter", found.code, auto=True))
    there = ir.Array(code.compare(number, ast.Lt(), code.const(len(texts))), Aval(BOOL))
    place = code.call("jnp.minimum", number, code.const(len(texts) - 1))
    return ir.Maybe(there, ir.Picked(table_of(tuple(texts)), (place,), inner.name))
