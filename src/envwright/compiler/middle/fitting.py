"""What an attribute of the state is set to, in the form in which it is kept."""

from typing import Any

from envwright.compiler.ir import heaps, sets, shelves, spelling
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.values import Keyed, Static, Unknown, Value


def fit(frame: Frame, slot: Any, value: Value) -> Value:
    """A value in the form in which an attribute is kept."""
    if slot.form == "objects":
        return heaps.fitted(frame, slot, value)
    if slot.form == "flags":
        like = slot.value_of([*slot.blank().values()])
        return sets.fitted(frame.memory, like, frame.memory.deep(value))
    if slot.form in ("letters", "keyed", "texts"):
        return _fit_whole(frame, slot, value)
    return slot.fit(frame.memory.deep(value)) if slot.form in ("listed", "rows") else value


def _fit_whole(frame: Frame, slot: Any, value: Value) -> Value:
    """Texts, boards of them, and dicts by numbers. A board whose rows have names, and a dict that has not got all of
    its keys yet, are left as they are until the state is put together."""
    content = frame.memory.see(value) if not isinstance(value, Unknown) else value
    if isinstance(content, Unknown):
        return value
    if slot.form == "texts":
        texts, may_be_none = slot.extra
        return spelling.one_of(frame, texts, may_be_none, frame.memory.deep(content))
    if cells_within(content):
        return content
    if slot.form == "letters":
        return spelling.spelled(frame, slot.fields[0][1].letters, content)
    like = slot.value_of([*slot.blank().values()])
    keys = content.value if isinstance(content, Static) else content.items if isinstance(content, Keyed) else like.keys
    return shelves.fitted(like, frame.memory.deep(content)) if [*keys] == [*like.keys] else content
