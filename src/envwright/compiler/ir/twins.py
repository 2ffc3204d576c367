"""Lists that are one in the original, or hold the same rows, and are kept apart here: when one is changed, nobody may
read the other any more.

How deep a change goes is counted: `m.append(r)` changes m itself (1), `m[0][0] = 5` a row of it (2).
"""

from collections.abc import Iterable, Sequence

from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.memory import OUTSIDE, Memory, deep_or_unknown
from envwright.compiler.ir.values import (
    PLACES,
    Array,
    Counted,
    Either,
    Items,
    Keyed,
    Masked,
    Maybe,
    Ref,
    Static,
    Unknown,
    Value,
    View,
)
from envwright.compiler.refusal import RefusedError

ITSELF, ROWS = 1, 2


def tie(memory: Memory, one: int, deep: int, other: int) -> None:
    """A change of `one` that goes so deep is one of `other`, too; of itself, if it holds the same row twice."""
    if (deep, other) not in memory.twins.get(one, ()):
        memory.twins[one] = memory.twins.get(one, frozenset()) | {(deep, other)}


def chosen(memory: Memory, value: Value, sides: Iterable[tuple[Value, Memory]]) -> Value:
    """One of two lists, or of what else it is, copied after a branch."""
    for place, side in sides:
        for cell in cells_within(place):
            value = as_one_of(memory, value, {cell})
            if cell in side.positions and cell in side.homes:
                value = as_row_of(memory, value, Ref(side.homes[cell]))
    return value


def heir(memory: Memory, value: Value, sides: Iterable[tuple[Value, Memory]]) -> Value:
    """One of two lists that nobody else has, after a branch: what was kept apart from them is kept apart from it."""
    if isinstance(value, Maybe):
        return Maybe(value.present, heir(memory, value.value, sides))
    for place, side in sides:
        for cell in cells_within(place):
            ties = {(cell, *one) for one in side.twins.get(cell, ())}
            ties |= {(other, deep, to) for other, all_of in side.twins.items() for deep, to in all_of if to == cell}
            value = memory.hold(value) if ties else value
            if isinstance(value, Ref):
                for one, deep, other in ties:
                    tie(memory, value.cell if one == cell else one, deep, value.cell if other == cell else other)
    return value


def joined(yes: Memory, no: Memory) -> dict[int, frozenset[tuple[int, int]]]:
    """Of both sides of a branch."""
    none: frozenset[tuple[int, int]] = frozenset()
    return {cell: yes.twins.get(cell, none) | no.twins.get(cell, none) for cell in (*yes.twins, *no.twins)}


def touched(memory: Memory, cell: int, deep: int) -> None:
    """Something was changed in place: its twins are not what they are in the original."""
    if not memory.twins:
        return
    waiting, seen = [(cell, deep)], {cell}
    while waiting:
        here, how_deep = waiting.pop()
        reached = [other for needed, other in memory.twins.get(here, ()) if how_deep >= needed]
        reached += [row for row, home in memory.homes.items() if home == here != cell]
        for other in reached:
            rows = cells_within(memory.cells[other]) if other in memory.cells else set()
            for one in ({other} if other == here else set()) | ({other, *rows} - seen):
                if one in memory.cells and not isinstance(memory.cells[one], Unknown):
                    memory.cells[one] = Unknown(RefusedError(_APART))
            waiting += [(one, ROWS) for one in {other, *rows} - seen]
            seen |= {other, *rows}
        for holder in _holders(memory, here) - seen:  # which has the change, but its twins do not
            seen.add(holder)
            waiting.append((holder, how_deep + 1))


def _holders(memory: Memory, cell: int) -> set[int]:
    """The lists and dicts that hold another by its name."""
    found = memory.cells.items()
    return {key for key, value in found if isinstance(value, Items | Keyed) and cell in cells_within(value)}


_APART = "a list that is in two places is changed in one of them, and read in the other"


def with_rows_of(memory: Memory, made: Value, sources: Iterable[Value]) -> Value:
    """A new list that has rows of others."""
    if not has_rows(memory.see(made)):
        return made
    cells = {cell for source in sources for cell in cells_within(source) if has_rows(memory.cells.get(cell))}
    return _tied(memory, made, ROWS, cells, ROWS) if cells else made


def one_list(memory: Memory, made: Value, parts: Sequence[Value]) -> Value:
    """A list that was made of others, one after the other: it has their rows."""
    made = with_rows_of(memory, made, parts)
    inside = [v for part in parts if isinstance(items := memory.see(part), Items) for v in items.items]
    if isinstance(made, Counted | Masked) and any(isinstance(v, PLACES) for v in inside):
        made = memory.hold(made)
    if isinstance(made, Ref):
        put_into(memory, inside, made)
    return made


def as_row_of(memory: Memory, row: Value, source: Value) -> Value:
    """A row of a list, copied."""
    cells, content = cells_within(source), memory.see(row)
    is_list = _is_list(content.value if isinstance(content, Maybe) else content)
    return _tied(memory, row, ITSELF, cells, ROWS) if cells and is_list else row


def as_one_of(memory: Memory, value: Value, cells: Iterable[int]) -> Value:
    """What is one of several lists or rows of them, copied."""
    return _tied(memory, value, ITSELF, cells, ITSELF) if cells else value


def out_of(memory: Memory, row: Value, home: int) -> Value:
    """A row that is taken out of a list: other lists may still have it."""
    for _, other in memory.twins.get(home, ()):
        if other != home and other in memory.cells:
            rows = has_rows(memory.cells[other])
            row = _tied(memory, row, ITSELF, {other}, ROWS if rows else ITSELF)
    return row


def put_into(memory: Memory, rows: Iterable[Value], base: Value) -> None:
    """Lists with names, or lists that hold some, are put into a list that has copies of them."""
    for row in rows:
        content = deep_or_unknown(memory, row)
        seen = memory.see(row) if isinstance(content, Items | Keyed) else content
        if isinstance(seen, Items | Keyed):
            put_into(memory, seen.items if isinstance(seen, Items) else seen.items.values(), base)
        if isinstance(row, PLACES) and (_is_list(content) or isinstance(content, Unknown)):
            for cell, deep in _leads(row):
                for home in cells_within(base):
                    if (deep, home) in memory.twins.get(cell, ()) or _is_in(memory, cell, home):  # it is there twice
                        tie(memory, home, ROWS, home)
                    tie(memory, cell, deep, home)
                    tie(memory, home, ROWS, cell)


def _is_in(memory: Memory, row: int, home: int) -> bool:
    """Whether a row that is followed may be in a list."""
    place = memory.positions.get(row)
    gone = isinstance(place, Static) and place.value == OUTSIDE
    return place is not None and not gone and memory.homes.get(row) == home


def _leads(place: Value) -> list[tuple[int, int]]:
    """The cells that a name leads to, and how deep in them a change of it is."""
    if isinstance(place, Either):
        return [*_leads(place.yes), *_leads(place.no)]
    if isinstance(place, View):
        return [(cell, deep + 1) for cell, deep in _leads(place.ref)]
    return [(cell, ITSELF) for cell in cells_within(place)]


def _tied(memory: Memory, made: Value, deep: int, cells: Iterable[int], their_deep: int) -> Value:
    if isinstance(made, Maybe):
        return Maybe(made.present, _tied(memory, made.value, deep, cells, their_deep))
    ref = made if isinstance(made, Ref) else memory.hold(made)
    if isinstance(ref, Ref):
        for cell in {*cells} - {ref.cell}:
            tie(memory, ref.cell, deep, cell)
            tie(memory, cell, their_deep, ref.cell)
    return ref


def _is_list(value: Value) -> bool:
    if isinstance(value, Static):
        return isinstance(value.value, list)
    changes = isinstance(value, Array) and bool(value.kind.shape) and not value.tupled
    return changes or isinstance(value, Counted | Masked | Keyed) or (isinstance(value, Items) and value.is_list)


def has_rows(value: Value | None) -> bool:
    """Whether it is a list of lists."""
    if isinstance(value, Counted | Masked):
        return value.array.listed and len(value.array.kind.shape) > 1
    if isinstance(value, Items):
        return any(isinstance(item, PLACES) or _is_list(item) for item in value.items)
    return isinstance(value, Array) and value.listed and len(value.kind.shape) > 1
