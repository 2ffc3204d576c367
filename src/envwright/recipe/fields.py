"""What each part of a reference's state becomes in a candidate: fields of numbers, each with its expression.

The forms are few and fixed, for a translator has to read them:

    x                       a number, an array, lists of numbers of one shape       array(x)     of more than one kind
    none(x, -1)             None or a number                                        x['value']   a member of an enum
    none(x, (-1, -1))       None or a tuple of so many whole numbers
    {'a': 0, 'b': 1}[x]     one of a few texts
    pad(x, 8), len(x)       a list of numbers whose length changes
    pad(letters(x, ['A', 'K']), 8), len(x)      the same, of texts
    table(x, 8, 4), len(x)  a list of rows of numbers whose length changes
    pad([item['y'] for item in x], 8), ..., len(x)      a list of objects or dicts that hold the same, field by field
    pad([item[0] for item in x], 8), ..., len(x)        a list of tuples of numbers and texts
    flags(x, (0, 0), (5, 5)), len(x)    a set of whole numbers or of tuples of them: from (0, 0), 5 by 5 places
    flags(x, ['a', 'b']), len(x)        a set of texts
    letters(x, [' ', 'O', 'X'])         lists or an array of texts or None, as their numbers in an alphabet
    keyed(x, (0, 0), (5, 5))            a dict by whole numbers or tuples of them: from (0, 0), 5 by 5 keys in order
    keyed(x, [1, 2, 5])                 the same, with these keys
    [row if row is not None else [0, 0] for row in x], [row is not None for row in x]   rows or numbers, or None

x is a name of the reference's, or a part of it, `deck['hands']['player']`, `players[0]['hand']`: an object is seen as a
dict.
"""

from collections import deque
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.recipe.whole_parts import by_number, in_letters, is_number, lettered, shape_of
from envwright.references.plain import same

ROOM = 2  # a list that was never longer than n gets room for ROOM times n
MOST_PLACES = 512  # that a list gets room for because none was seen twice
DIFFERENT = 3  # so many numbers may all be different by accident,
OFTEN = 30  # but not in so many lists
MOST_APART = 8  # lists or objects in a list that are kept apart
LEAST = 8  # things that a list has room for: some may come in a step before others go
_INSIDE = ("__items__", "__value__", "__data__")  # of an object that is a list, that is a number, that has a hook


Pool = Mapping[str, list[Any]]  # things that were seen in lists, by class


class DraftError(EnvwrightError, ValueError):
    """A part of the reference cannot be put into numbers by rule."""


def fields_of(
    path: str, values: list[Any], own: str = "", changed: Container[str] = (), pool: Pool | None = None
) -> dict[str, str]:
    """The candidate's fields for one part of the reference's state; none, if it is an object that holds constants only.

    `changed` are the attributes of objects that some rule writes; others are constants, if they never differed. `pool`
    are all objects that were seen in lists, by class.
    """
    own = own or field_name(path)
    present = [v for v in values if v is not None]
    if not present:
        raise DraftError(f"{path} was None in every game played; say in [ignored] why it does not matter.")
    nothing = len(present) < len(values)
    if all(isinstance(v, str) for v in present):
        texts = "{" + ", ".join(f"{text!r}: {i}" for i, text in enumerate(sorted(set(map(str, present))))) + "}"
        return {own: f"{texts}[{path}] if {path} is not None else -1" if nothing else f"{texts}[{path}]"}
    if all(isinstance(v, dict) for v in present):
        return (
            _enum(path, own, present, nothing) if "__enum__" in present[0] else _dict(path, own, values, changed, pool)
        )
    if all(is_number(v) for v in present):
        return _numbers(path, own, present, nothing)
    if all(isinstance(v, list | tuple | deque | np.ndarray) for v in present):
        try:
            return _list(path, own, present, nothing, pool)
        except DraftError:
            if nothing or not _are_apart(present) or is_still(present):
                raise
            return _apart(path, own, present, changed, pool)
    if all(isinstance(v, set | frozenset) for v in values):
        return _set(path, own, values)
    raise _no_rule(path, next(v for v in present if not is_number(v)))


def _no_rule(path: str, value: Any) -> DraftError:
    kind = type(value).__name__
    return DraftError(f"{path} is a {kind}, which no rule puts into numbers; write a line for it in [state].")


def _numbers(path: str, own: str, present: list[Any], nothing: bool) -> dict[str, str]:
    shapes = {np.shape(v) for v in present}
    if len(shapes) > 1 or (nothing and shapes != {()}):
        return _list(path, own, present, nothing)
    if nothing:
        return {own: f"none({path}, {int(min(present)) - 1})"}
    return {own: path}


def _enum(path: str, own: str, present: list[Any], nothing: bool) -> dict[str, str]:
    """The value of a member stands for it."""
    held = [v.get("value") for v in present]
    if any("__enum__" not in v for v in present):
        raise _no_rule(path, present[0])
    fields = fields_of(f"{path}['value']", held, own)
    if not nothing:
        return fields
    below = -1 if isinstance(held[0], str) else int(min(np.min(v) for v in held)) - 1
    return {name: f"{text} if {path} is not None else {below}" for name, text in fields.items()}


def _dict(path: str, own: str, values: list[Any], changed: Container[str], pool: Pool | None) -> dict[str, str]:
    """A field for each key, where the keys never change; an attribute of an object that is a constant has none."""
    first = values[0]
    if any(v is None or v.keys() != first.keys() or v.get("__class__") != first.get("__class__") for v in values):
        raise DraftError(f"{path} does not always hold the same names; write lines for it in [state] of contract.toml.")
    plain = not path.endswith("['__items__']")  # a Counter, or a dict of another class, may answer for keys it lacks
    if plain and (whole := by_number(path, values)) is not None:
        return {} if is_still(values) else {own: whole}
    fields: dict[str, str] = {}
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
            found = fields_of(f"{path}[{key!r}]", held, name, changed, pool)
        except DraftError:
            if is_still(held) and not is_empty(held[0]):
                continue
            raise
        fields |= {free(name, fields): text for name, text in found.items()}
    return fields


def _list(path: str, own: str, present: list[Any], nothing: bool, pool: Pool | None = None) -> dict[str, str]:
    if nothing:
        return _tuple_or_none(path, own, present)
    if len(shapes := {shape_of(v) for v in present}) == 1 and None not in shapes:
        plain = len({isinstance(v, np.ndarray) for v in present}) == 1
        return {own: path if plain else f"array({path})"}
    if (text := in_letters(path, present)) is not None and not is_still(present):
        return {own: text}
    if any(is_number(v) and np.ndim(v) == 0 for v in present):
        raise DraftError(f"{path} is sometimes a list and sometimes a number; write a line for it in [state].")
    items = [item for v in present for item in v]
    if items and all(isinstance(item, dict) and "__enum__" not in item for item in items):
        return _objects(path, own, present, pool or {})
    kinds = {shape_of(item) for item in items if item is not None}
    lengths = {len(v) for v in present}
    if not items:
        raise DraftError(f"{path} was empty in every game played; say in [state] how much it can hold.")
    if (text := lettered(path, items)) is not None and not is_still(present):
        return {own: f"pad({text}, {_room(present)})", f"{own}_count": f"len({path})"}
    (shape,) = kinds if len(kinds) == 1 else (None,)
    if len(shapes) > 1 and all(isinstance(v, np.ndarray) and v.ndim > 1 for v in present):
        seen = " and ".join(str(shape) for shape in sorted(shapes, key=str)[:2])
        raise DraftError(f"{path} is an array of changing shape, such as {seen}; write a line for it in [state].")
    if is_mixed(items) and not is_still(present):
        return _tuples(path, own, present, pool or {})
    if shape is None:
        raise DraftError(f"{path} is a list of more than numbers; write a line for it in [state] of contract.toml.")
    rest = any(item is None for item in items)
    if rest and len(shape) < 2 and len(lengths) == 1:
        blank = f"[{', '.join(['0'] * shape[0])}]" if shape else "0"
        rows = f"[row if row is not None else {blank} for row in {path}]"
        return {own: rows, f"{own}_present": f"[row is not None for row in {path}]"}
    room = _room(present)
    if not rest and shape == ():
        return {own: f"pad({path}, {room})", f"{own}_count": f"len({path})"}
    if not rest and len(shape) == 1:
        return {own: f"table({path}, {room}, {shape[0]})", f"{own}_count": f"len({path})"}
    raise DraftError(f"{path} is a list of more than rows of numbers; write a line for it in [state].")


def _are_apart(lists: list[Any]) -> bool:
    """Whether these are the same few lists or objects at any time: the hands of the players, or the players."""
    length = len(lists[0])
    inside = [item for v in lists for item in v] if all(isinstance(v, list | tuple) for v in lists) else []
    known = 0 < length <= MOST_APART and all(len(v) == length == len({*map(id, v)}) for v in lists)
    return known and bool(inside) and all(isinstance(item, list | dict | set | deque) for item in inside)


def _apart(path: str, own: str, lists: list[Any], changed: Container[str], pool: Pool | None) -> dict[str, str]:
    """The fields of each of a few lists or objects."""
    fields: dict[str, str] = {}
    for i in range(len(lists[0])):
        found = fields_of(f"{path}[{i}]", [v[i] for v in lists], f"{own}_{i}", changed, pool)
        fields |= {free(name, fields): text for name, text in found.items()}
    return fields


def _tuple_or_none(path: str, own: str, present: list[Any]) -> dict[str, str]:
    """A tuple that was never seen stands for None. A list or an array could be changed in place."""
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for v in present for n in v)
    if not whole or any(type(v) is not tuple for v in present) or len(lengths := {len(v) for v in present}) > 1:
        raise DraftError(f"{path} is sometimes a list and sometimes None; write a line for it in [state].")
    below = int(min(min(v, default=0) for v in present)) - 1
    return {own: f"none({path}, {(below,) * lengths.pop()})"}


def _objects(path: str, own: str, lists: list[Any], pool: Pool) -> dict[str, str]:
    """A field for what the objects of a list hold under each name, and one for how many they are."""
    items = [item for v in lists for item in v]
    if any(not is_value(item) for item in items) and any(len({id(item) for item in v}) < len(v) for v in lists):
        raise DraftError(f"{path} holds the same object twice; write lines for it in [state] of contract.toml.")
    first = items[0]
    if any(item.keys() != first.keys() or item.get("__class__") != first.get("__class__") for item in items):
        raise DraftError(f"{path} holds objects of several kinds; write lines for it in [state] of contract.toml.")
    room = max(LEAST, ROOM * max(map(len, lists)))
    # An object can go from list to list, so what stands for a text or for None is the same in all of them.
    items = pool.get(first.get("__class__", ""), items)
    fields: dict[str, str] = {}
    for key in first:
        if key == "__class__":
            continue
        if key == "__items__" and is_value(first):
            fields |= {
                f"{own}_{i}": _field(path, f"item['__items__'][{i}]", [item[key][i] for item in items], room)
                for i in range(len(first[key]))
            }
            continue
        if not isinstance(key, str) or not key.isidentifier() or key.startswith("__"):
            raise DraftError(f"{path} holds objects with {key}; write lines for it in [state] of contract.toml.")
        fields[f"{own}_{field_name(key)}"] = _field(path, f"item[{key!r}]", [item[key] for item in items], room)
    return fields | {f"{own}_count": f"len({path})"}


def _tuples(path: str, own: str, lists: list[Any], pool: Pool) -> dict[str, str]:
    """A field for each part of the tuples of a list, and one for how many they are."""
    room = max(LEAST, ROOM * max(map(len, lists)))
    wide = max(len(item) for v in lists for item in v)
    items = pool.get(f"tuple of {wide}", [item for v in lists for item in v])
    parts = {f"{own}_{i}": _field(path, f"item[{i}]", [item[i] for item in items], room) for i in range(wide)}
    return parts | {f"{own}_count": f"len({path})"}


def is_mixed(items: list[Any]) -> bool:
    """Whether these are tuples of numbers and texts."""
    if not items or any(type(item) is not tuple or len(item) != len(items[0]) for item in items):
        return False
    single = all(isinstance(part, str) or (is_number(part) and np.ndim(part) == 0) for item in items for part in item)
    return single and any(isinstance(part, str) for part in items[0])


def is_value(item: dict[str, Any]) -> bool:
    """Whether an object is a named tuple, which never changes, so that nobody can tell it from another like it."""
    return item.keys() == {"__class__", "__items__"} and isinstance(item["__items__"], tuple)


def _field(path: str, text: str, held: list[Any], room: int) -> str:
    """A field for one part of all objects of a list."""
    found = [*fields_of(text, held, "part").values()]
    maybe = any(v is None for v in held) and any(isinstance(v, tuple) for v in held)
    if maybe or len(found) != 1 or any(isinstance(v, dict) and "__enum__" not in v for v in held):
        raise DraftError(f"{path} holds objects with {text}, which is no number; write lines for it in [state].")
    return _column(path, found[0], held, room)


def _column(path: str, text: str, held: list[Any], room: int) -> str:
    """One attribute of all objects of a list. Flags stay flags where there is none of them."""
    shape = np.shape(held[0]) if not isinstance(held[0], str | dict) else ()
    if isinstance(held[0], list | tuple):
        text = f"{type(held[0]).__name__}({text})"
    flags = all(isinstance(v, bool | np.bool_) for v in held)
    more = f", {flags and False}, {shape}" if shape else ", False" if flags else ""
    return f"pad([{text} for item in {path}], {room}{more})"


def _set(path: str, own: str, sets: list[Any]) -> dict[str, str]:
    """A flag for each thing that can be in a set: for all places of the box around those that were seen."""
    members = set().union(*sets)
    count = {f"{own}_count": f"len({path})"}
    if members and all(isinstance(m, str) for m in members):
        return {own: f"flags({path}, {sorted(members)})"} | count
    rows = [m if isinstance(m, tuple) else (m,) for m in members]
    whole = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for row in rows for n in row)
    alike = len({(isinstance(m, tuple), len(row)) for m, row in zip(members, rows, strict=True)}) == 1
    if not (whole and alike and rows[0]):
        raise _no_rule(path, sets[0])
    low, high = (tuple(int(n) for n in f(np.array(rows), axis=0)) for f in (np.min, np.max))
    shape = tuple(b - a + 1 for a, b in zip(low, high, strict=True))
    if np.prod(shape, dtype=float) > MOST_PLACES:
        raise DraftError(f"{path} is a set of things far apart from each other; write a line for it in [state].")
    return {own: f"flags({path}, {low}, {shape})"} | count


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
