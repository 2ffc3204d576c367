"""What each part of a reference's state becomes in a candidate: fields of numbers, each with its codec."""

from collections import deque
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.recipe.drafting.arrays import by_number, in_letters, is_number, lettered, shape_of
from envwright.references.plain import same
from envwright.verifier.codecs import (
    Cast,
    Codec,
    Column,
    Count,
    Enumerated,
    Flags,
    OrNone,
    Padded,
    Part,
    Plain,
    Present,
    RowsOrNone,
    RowTable,
    Unless,
)

ROOM = 2  # a list that was never longer than n gets room for ROOM times n
MOST_PLACES = 512  # that a list gets room for because none was seen twice
DIFFERENT = 3  # so many numbers may all be different by accident,
OFTEN = 30  # but not in so many lists
MOST_APART = 8  # lists or objects in a list that are kept apart
LEAST = 8  # things that a list has room for: some may come in a step before others go
_INSIDE = ("__items__", "__value__", "__data__")  # of an object that is a list, that is a number, that has a hook


Pool = Mapping[str, list[Any]]  # things that were seen in lists, by class
Fields = dict[str, Codec]


class DraftError(EnvwrightError, ValueError):
    """A part of the reference cannot be put into numbers by rule."""


def fields_of(
    part: Part, values: list[Any], own: str = "", changed: Container[str] = (), pool: Pool | None = None
) -> Fields:
    """The candidate's fields for one part of the reference's state; none, if it is an object that holds constants only.

    `changed` are the attributes of objects that some rule writes; others are constants, if they never differed. `pool`
    are all objects that were seen in lists, by class.
    """
    own, path = own or field_name(part[0]), Plain(part)
    present = [v for v in values if v is not None]
    if not present:
        raise DraftError(f"{path} was None in every game played; say in [ignored] why it does not matter.")
    nothing = len(present) < len(values)
    if all(isinstance(v, str) for v in present):
        texts = Enumerated(part, tuple(sorted(set(map(str, present)))))
        return {own: Unless(texts, part, -1) if nothing else texts}
    if all(isinstance(v, dict) for v in present):
        if "__enum__" in present[0]:
            return _enum(part, own, present, nothing)
        return _dict(part, own, values, changed, pool)
    if all(is_number(v) for v in present):
        return _numbers(part, own, present, nothing)
    if all(isinstance(v, list | tuple | deque | np.ndarray) for v in present):
        try:
            return _list(part, own, present, nothing, pool)
        except DraftError:
            if nothing or not _are_apart(present) or is_still(present):
                raise
            return _apart(part, own, present, changed, pool)
    if all(isinstance(v, set | frozenset) for v in values):
        return _set(part, own, values)
    raise _no_rule(part, next(v for v in present if not is_number(v)))


def _no_rule(part: Part, value: Any) -> DraftError:
    kind = type(value).__name__
    return DraftError(f"{Plain(part)} is a {kind}, which no rule puts into numbers; write a line for it in [state].")


def _numbers(part: Part, own: str, present: list[Any], nothing: bool) -> Fields:
    shapes = {np.shape(v) for v in present}
    if len(shapes) > 1 or (nothing and shapes != {()}):
        return _list(part, own, present, nothing)
    return {own: OrNone(Plain(part), int(min(present)) - 1) if nothing else Plain(part)}


def _enum(part: Part, own: str, present: list[Any], nothing: bool) -> Fields:
    """The value of a member stands for it."""
    held = [v.get("value") for v in present]
    if any("__enum__" not in v for v in present):
        raise _no_rule(part, present[0])
    fields = fields_of((*part, "value"), held, own)
    if not nothing:
        return fields
    below = -1 if isinstance(held[0], str) else int(min(np.min(v) for v in held)) - 1
    return {name: Unless(codec, part, below) for name, codec in fields.items()}


def _dict(part: Part, own: str, values: list[Any], changed: Container[str], pool: Pool | None) -> Fields:
    """A field for each key, where the keys never change; an attribute of an object that is a constant has none."""
    first, path = values[0], Plain(part)
    if any(v is None or v.keys() != first.keys() or v.get("__class__") != first.get("__class__") for v in values):
        raise DraftError(f"{path} does not always hold the same names; write lines for it in [state] of contract.toml.")
    plain = part[-1] != "__items__"  # a Counter, or a dict of another class, may answer for keys it lacks
    if plain and (whole := by_number(path, values)) is not None:
        return {} if is_still(values) else {own: whole}
    fields: Fields = {}
    for key in first:
        inside = key in _INSIDE
        held = [v[key] for v in values]
        if key in ("__class__", "__factory__") or ("__class__" in first and key not in changed and is_still(held)):
            continue
        if not isinstance(key, str) or not key.isidentifier() or (key.startswith("__") and not inside):
            if is_still(held):
                continue
            raise DraftError(f"{path} has the key {key!r}; write lines for it in [state] of contract.toml.")
        name = own if inside else f"{own}_{field_name(key)}"
        try:
            found = fields_of((*part, key), held, name, changed, pool)
        except DraftError:
            if is_still(held) and not is_empty(held[0]):
                continue
            raise
        fields |= {free(name, fields): codec for name, codec in found.items()}
    return fields


def _list(part: Part, own: str, present: list[Any], nothing: bool, pool: Pool | None = None) -> Fields:
    path = Plain(part)
    count: Fields = {f"{own}_count": Count(path)}
    if nothing:
        return {own: _tuple_or_none(part, present)}
    if len(shapes := {shape_of(v) for v in present}) == 1 and None not in shapes:
        plain = len({isinstance(v, np.ndarray) for v in present}) == 1
        return {own: path if plain else Cast(path)}
    if (board := in_letters(path, present)) is not None and not is_still(present):
        return {own: board}
    if any(is_number(v) and np.ndim(v) == 0 for v in present):
        raise DraftError(f"{path} is sometimes a list and sometimes a number; write a line for it in [state].")
    items = [item for v in present for item in v]
    if items and all(isinstance(item, dict) and "__enum__" not in item for item in items):
        return _objects(part, own, present, pool or {}) | count
    kinds = {shape_of(item) for item in items if item is not None}
    lengths = {len(v) for v in present}
    if not items:
        raise DraftError(f"{path} was empty in every game played; say in [state] how much it can hold.")
    if (texts := lettered(path, items)) is not None and not is_still(present):
        return {own: Padded(texts, _room(present))} | count
    (shape,) = kinds if len(kinds) == 1 else (None,)
    if len(shapes) > 1 and all(isinstance(v, np.ndarray) and v.ndim > 1 for v in present):
        seen = " and ".join(str(shape) for shape in sorted(shapes, key=str)[:2])
        raise DraftError(f"{path} is an array of changing shape, such as {seen}; write a line for it in [state].")
    if is_mixed(items) and not is_still(present):
        return _tuples(part, own, present, pool or {}) | count
    if shape is None:
        raise DraftError(f"{path} is a list of more than numbers; write a line for it in [state] of contract.toml.")
    rest = any(item is None for item in items)
    if rest and len(shape) < 2 and len(lengths) == 1:
        return {own: RowsOrNone(part, [0] * shape[0] if shape else 0), f"{own}_present": Present(part)}
    room = _room(present)
    if not rest and shape == ():
        return {own: Padded(path, room)} | count
    if not rest and len(shape) == 1:
        return {own: RowTable(path, room, shape[0])} | count
    raise DraftError(f"{path} is a list of more than rows of numbers; write a line for it in [state].")


def _are_apart(lists: list[Any]) -> bool:
    """Whether these are the same few lists or objects at any time: the hands of the players, or the players."""
    length = len(lists[0])
    inside = [item for v in lists for item in v] if all(isinstance(v, list | tuple) for v in lists) else []
    known = 0 < length <= MOST_APART and all(len(v) == length == len({*map(id, v)}) for v in lists)
    return known and bool(inside) and all(isinstance(item, list | dict | set | deque) for item in inside)


def _apart(part: Part, own: str, lists: list[Any], changed: Container[str], pool: Pool | None) -> Fields:
    """The fields of each of a few lists or objects."""
    fields: Fields = {}
    for i in range(len(lists[0])):
        found = fields_of((*part, i), [v[i] for v in lists], f"{own}_{i}", changed, pool)
        fields |= {free(name, fields): codec for name, codec in found.items()}
    return fields


def _tuple_or_none(part: Part, present: list[Any]) -> Codec:
    """A tuple that was never seen stands for None. A list or an array could be changed in place."""
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for v in present for n in v)
    if not whole or any(type(v) is not tuple for v in present) or len(lengths := {len(v) for v in present}) > 1:
        raise DraftError(f"{Plain(part)} is sometimes a list and sometimes None; write a line for it in [state].")
    below = int(min(min(v, default=0) for v in present)) - 1
    return OrNone(Plain(part), (below,) * lengths.pop())


def _objects(part: Part, own: str, lists: list[Any], pool: Pool) -> Fields:
    """A field for what the objects of a list hold under each name."""
    items, path = [item for v in lists for item in v], Plain(part)
    if any(not is_value(item) for item in items) and any(len({id(item) for item in v}) < len(v) for v in lists):
        raise DraftError(f"{path} holds the same object twice; write lines for it in [state] of contract.toml.")
    first = items[0]
    if any(item.keys() != first.keys() or item.get("__class__") != first.get("__class__") for item in items):
        raise DraftError(f"{path} holds objects of several kinds; write lines for it in [state] of contract.toml.")
    room = max(LEAST, ROOM * max(map(len, lists)))
    # An object can go from list to list, so what stands for a text or for None is the same in all of them.
    items = pool.get(first.get("__class__", ""), items)
    fields: Fields = {}
    for key in first:
        if key == "__class__":
            continue
        if key == "__items__" and is_value(first):
            fields |= {
                f"{own}_{i}": _column(part, ("item", key, i), [item[key][i] for item in items], room)
                for i in range(len(first[key]))
            }
            continue
        if not isinstance(key, str) or not key.isidentifier() or key.startswith("__"):
            raise DraftError(f"{path} holds objects with {key}; write lines for it in [state] of contract.toml.")
        fields[f"{own}_{field_name(key)}"] = _column(part, ("item", key), [item[key] for item in items], room)
    return fields


def _tuples(part: Part, own: str, lists: list[Any], pool: Pool) -> Fields:
    """A field for each part of the tuples of a list."""
    room = max(LEAST, ROOM * max(map(len, lists)))
    wide = max(len(item) for v in lists for item in v)
    items = pool.get(f"tuple of {wide}", [item for v in lists for item in v])
    return {f"{own}_{i}": _column(part, ("item", i), [item[i] for item in items], room) for i in range(wide)}


def is_mixed(items: list[Any]) -> bool:
    """Whether these are tuples of numbers and texts."""
    if not items or any(type(item) is not tuple or len(item) != len(items[0]) for item in items):
        return False
    single = all(isinstance(part, str) or (is_number(part) and np.ndim(part) == 0) for item in items for part in item)
    return single and any(isinstance(part, str) for part in items[0])


def is_value(item: dict[str, Any]) -> bool:
    """Whether an object is a named tuple, which never changes, so that nobody can tell it from another like it."""
    return item.keys() == {"__class__", "__items__"} and isinstance(item["__items__"], tuple)


def _column(part: Part, attribute: Part, held: list[Any], room: int) -> Codec:
    """One attribute of all objects of a list. Flags stay flags where there is none of them."""
    found = [*fields_of(attribute, held, "part").values()]
    maybe = any(v is None for v in held) and any(isinstance(v, tuple) for v in held)
    if maybe or len(found) != 1 or any(isinstance(v, dict) and "__enum__" not in v for v in held):
        text = f"{Plain(part)} holds objects with {Plain(attribute)}"
        raise DraftError(f"{text}, which is no number; write lines for it in [state].")
    one = found[0]
    shape = np.shape(held[0]) if not isinstance(held[0], str | dict) else ()
    if isinstance(held[0], list | tuple):
        one = Cast(one, type(held[0]).__name__)
    flags = all(isinstance(v, bool | np.bool_) for v in held)
    return Padded(Column(part, one), room, False if flags or shape else 0, shape)


def _set(part: Part, own: str, sets: list[Any]) -> Fields:
    """A flag for each thing that can be in a set: for all places of the box around those that were seen."""
    members = set().union(*sets)
    count: Fields = {f"{own}_count": Count(Plain(part))}
    if members and all(isinstance(m, str) for m in members):
        return {own: Flags(Plain(part), sorted(members))} | count
    rows = [m if isinstance(m, tuple) else (m,) for m in members]
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for row in rows for n in row)
    alike = len({(isinstance(m, tuple), len(row)) for m, row in zip(members, rows, strict=True)}) == 1
    if not (whole and alike and rows[0]):
        raise _no_rule(part, sets[0])
    low, high = (tuple(int(n) for n in f(np.array(rows), axis=0)) for f in (np.min, np.max))
    shape = tuple(b - a + 1 for a, b in zip(low, high, strict=True))
    if np.prod(shape, dtype=float) > MOST_PLACES:
        raise DraftError(f"{Plain(part)} is a set of things far apart from each other; write a line for it in [state].")
    return {own: Flags(Plain(part), low, shape)} | count


def _room(lists: list[Any]) -> int:
    """Twice the longest; where no number or place is ever there twice, one more than there are; a deque says it itself.
    Rows of three numbers and more are things rather than places, of which there is room for a few in any case."""
    limits = {v.maxlen for v in lists if isinstance(v, deque)}
    if len(limits) == 1 and (limit := limits.pop()):
        return limit
    longest = max(map(len, lists))
    rows = [[tuple(np.ravel(item).tolist()) for item in v] for v in lists]  # a number is a row of one
    whole = all(isinstance(number, int) for v in rows for item in v for number in item)
    if any(len(item) > 2 for v in rows for item in v):
        return max(LEAST, ROOM * longest)
    different = all(len(set(v)) == len(v) for v in rows)
    by_accident = longest <= DIFFERENT and len({tuple(v) for v in rows if len(v) > 1}) < OFTEN
    if by_accident or not whole or not different:
        return ROOM * longest
    places = np.array([item for v in rows for item in v])
    all_and_one = int(np.prod(np.ptp(places, axis=0) + 1)) + 1  # which may come before another goes
    return max(ROOM * longest, min(all_and_one, MOST_PLACES))


def free(name: str, taken: Container[str]) -> str:
    """The name, or, where it is taken, one with a number."""
    count = 2
    while name in taken and f"{name}_{count}" in taken:
        count += 1
    return f"{name}_{count}" if name in taken else name


def field_name(path: str) -> str:
    return path.strip("_") or path


def is_still(values: list[Any]) -> bool:
    """Whether a part of the state is the same in every state that was seen."""
    first = values[0]
    if isinstance(first, np.ndarray) and not first.dtype.hasobject:  # what `same` would say, sooner
        kind, content = (first.dtype, first.shape), first.tobytes()
        return all(isinstance(v, np.ndarray) and (v.dtype, v.shape) == kind and v.tobytes() == content for v in values)
    return all(v is first or same(first, v) for v in values)


def is_empty(value: Any) -> bool:
    """Whether this may hold something at another time."""
    return value is None or (isinstance(value, list | tuple | dict | set | deque) and not value)
