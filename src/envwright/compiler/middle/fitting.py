"""What an attribute of the state is set to, in the form in which it is kept."""

from typing import Any

from envwright.compiler.ir import heaps, sets, shelves, spelling
from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.values import Keyed, Ref, Static, Unknown, Value


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
    if frame.writer.start and _is_known(content):
        return content
    return _fit_keyed(frame, slot, content)


def _is_known(content: Value) -> bool:
    """Whether a dict, and all that is in it, is known; what is set in it at the start may be so, too."""
    values = content.value.values() if isinstance(content, Static) and type(content.value) is dict else [[]]
    return all(isinstance(value, bool | int | float | str | tuple) for value in values)


def _fit_keyed(frame: Frame, slot: Any, content: Value) -> Value:
    like = slot.value_of([*slot.blank().values()])
    held = content.value if isinstance(content, Static) else content.items if isinstance(content, Keyed) else None
    whole = not isinstance(held, dict) or [*held] == [*like.keys]
    return shelves.fitted(like, frame.memory.deep(content)) if whole else content


def keep_whole(frame: Frame, cell: int) -> None:
    """Before a dict is set at a key of the game: if it is one of the state that has all of its keys, it is in the form
    of those."""
    content = frame.memory.cells[cell]
    if not isinstance(content, Static | Keyed) or cells_within(content):
        return
    for key, slot in frame.program.slots.items():
        if slot.form == "keyed" and frame.memory.attributes.get(key) == Ref(cell):
            frame.memory.cells[cell] = _fit_keyed(frame, slot, content)
