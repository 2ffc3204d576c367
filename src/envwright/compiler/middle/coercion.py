"""Coercion of values to the form in which an attribute of the state is kept."""

from typing import Any

from envwright.compiler.ir import fixed_key_dict, object_arena, sets, string_encoding
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.values import Value


def fit(frame: CallFrame, slot: Any, value: Value) -> Value:
    """A value in the form in which an attribute is kept."""
    if slot.form == "objects":
        return object_arena.fitted(frame, slot, value)
    if slot.form == "flags":
        like = slot.value_of([*slot.blank().values()])
        return sets.fitted(frame.memory, like, frame.memory.deep(value))
    if slot.form in ("letters", "keyed", "texts"):
        return _fit_whole(frame, slot, value)
    return slot.fit(frame.memory.deep(value)) if slot.form in ("listed", "rows") else value


def _fit_whole(frame: CallFrame, slot: Any, value: Value) -> Value:
    """Strings, arrays of them, and dicts with fixed keys. One with aliased rows, or with missing keys, is left as it is
    until the state is flushed."""
    content = frame.memory.see(value) if not isinstance(value, ir.Unknown) else value
    if isinstance(content, ir.Unknown):
        return value
    if slot.form == "texts":
        texts, may_be_none = slot.extra
        return string_encoding.one_of(frame, texts, may_be_none, frame.memory.deep(content))
    if locs_within(content):
        return content
    if slot.form == "letters":
        return string_encoding.spelled(frame, slot.fields[0][1].letters, content)
    if frame.writer.start and _is_known(content):
        return content
    return _fit_keyed(frame, slot, content)


def _is_known(content: Value) -> bool:
    """Whether a dict is constant, all its values included."""
    values = content.value.values() if isinstance(content, ir.Static) and type(content.value) is dict else [[]]
    return all(isinstance(value, bool | int | float | str | tuple) for value in values)


def _fit_keyed(frame: CallFrame, slot: Any, content: Value) -> Value:
    like = slot.value_of([*slot.blank().values()])
    held = content.value if isinstance(content, ir.Static) else content.items if isinstance(content, ir.Keyed) else None
    whole = not isinstance(held, dict) or [*held] == [*like.keys]
    return fixed_key_dict.fitted(like, frame.memory.deep(content)) if whole else content


def keep_whole(frame: CallFrame, loc: int) -> None:
    """Before an assignment at a run-time key: a complete dict of the state becomes a `FixedKeyDict`."""
    content = frame.memory.locs[loc]
    if not isinstance(content, ir.Static | ir.Keyed) or locs_within(content):
        return
    for key, slot in frame.program.slots.items():
        if slot.form == "keyed" and frame.memory.attributes.get(key) == ir.Ref(loc):
            frame.memory.locs[loc] = _fit_keyed(frame, slot, content)
