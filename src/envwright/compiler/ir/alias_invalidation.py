"""Lists that alias each other in the original but are copies here: when one is mutated, the other must not be read.

The depth of a mutation matters: `m.append(r)` mutates m itself (1), `m[0][0] = 5` one of its rows (2).
"""

from collections.abc import Iterable, Sequence

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.store import OUTSIDE, Store, deep_or_unknown
from envwright.compiler.ir.values import Value
from envwright.compiler.refusal import RefusedError

ITSELF, ROWS = 1, 2


def link(memory: Store, one: int, deep: int, other: int) -> None:
    """A mutation of `one` at this depth is one of `other`, too; of itself, if it holds a row twice."""
    if (deep, other) not in memory.aliases.get(one, ()):
        memory.aliases[one] = memory.aliases.get(one, frozenset()) | {(deep, other)}


def chosen(memory: Store, value: Value, sides: Iterable[tuple[Value, Store]]) -> Value:
    """A copy of one of two values after a branch, linked to both."""
    for place, side in sides:
        for loc in locs_within(place):
            value = as_one_of(memory, value, {loc})
            if loc in side.positions and loc in side.homes:
                value = as_row_of(memory, value, ir.Ref(side.homes[loc]))
    return value


def inherit_aliases(memory: Store, value: Value, sides: Iterable[tuple[Value, Store]]) -> Value:
    """One of two values that nothing else refers to, after a branch: it takes over their links."""
    if isinstance(value, ir.Maybe):
        return ir.Maybe(value.present, inherit_aliases(memory, value.value, sides))
    for place, side in sides:
        for loc in locs_within(place):
            ties = {(loc, *one) for one in side.aliases.get(loc, ())}
            ties |= {(other, deep, to) for other, all_of in side.aliases.items() for deep, to in all_of if to == loc}
            value = memory.hold(value) if ties else value
            if isinstance(value, ir.Ref):
                for one, deep, other in ties:
                    link(memory, value.loc if one == loc else one, deep, value.loc if other == loc else other)
    return value


def joined(yes: Store, no: Store) -> dict[int, frozenset[tuple[int, int]]]:
    """The links of both branches."""
    none: frozenset[tuple[int, int]] = frozenset()
    return {loc: yes.aliases.get(loc, none) | no.aliases.get(loc, none) for loc in (*yes.aliases, *no.aliases)}


def invalidate_aliases(memory: Store, loc: int, deep: int) -> None:
    """After a mutation: copies that alias the value in the original are poisoned."""
    if not memory.aliases:
        return
    waiting, seen = [(loc, deep)], {loc}
    while waiting:
        here, how_deep = waiting.pop()
        reached = [other for needed, other in memory.aliases.get(here, ()) if how_deep >= needed]
        reached += [row for row, home in memory.homes.items() if home == here != loc]
        for other in reached:
            rows = locs_within(memory.locs[other]) if other in memory.locs else set()
            for one in ({other} if other == here else set()) | ({other, *rows} - seen):
                if one in memory.locs and not isinstance(memory.locs[one], ir.Unknown):
                    memory.locs[one] = ir.Unknown(RefusedError(_APART))
            waiting += [(one, ROWS) for one in {other, *rows} - seen]
            seen |= {other, *rows}
        for holder in _holders(memory, here) - seen:  # which has the change, but its aliases do not
            seen.add(holder)
            waiting.append((holder, how_deep + 1))


def _holders(memory: Store, loc: int) -> set[int]:
    """The lists and dicts that hold a reference to a location."""
    found = memory.locs.items()
    return {key for key, value in found if isinstance(value, ir.Items | ir.Keyed) and loc in locs_within(value)}


_APART = "a list with two aliases is mutated through one of them and read through the other"


def with_rows_of(memory: Store, made: Value, sources: Iterable[Value]) -> Value:
    """A new list that shares rows with others."""
    if not has_rows(memory.see(made)):
        return made
    locs = {loc for source in sources for loc in locs_within(source) if has_rows(memory.locs.get(loc))}
    return _tied(memory, made, ROWS, locs, ROWS) if locs else made


def one_list(memory: Store, made: Value, parts: Sequence[Value]) -> Value:
    """The concatenation of lists, which shares their rows."""
    made = with_rows_of(memory, made, parts)
    inside = [v for part in parts if isinstance(items := memory.see(part), ir.Items) for v in items.items]
    if isinstance(made, ir.Counted | ir.Masked) and any(isinstance(v, ir.PLACES) for v in inside):
        made = memory.hold(made)
    if isinstance(made, ir.Ref):
        put_into(memory, inside, made)
    return made


def as_row_of(memory: Store, row: Value, source: Value) -> Value:
    """A copy of a row of a list."""
    locs, content = locs_within(source), memory.see(row)
    is_list = _is_list(content.value if isinstance(content, ir.Maybe) else content)
    return _tied(memory, row, ITSELF, locs, ROWS) if locs and is_list else row


def as_one_of(memory: Store, value: Value, locs: Iterable[int]) -> Value:
    """A copy of one of several lists or rows."""
    return _tied(memory, value, ITSELF, locs, ITSELF) if locs else value


def out_of(memory: Store, row: Value, home: int) -> Value:
    """A row that is removed from a list: other lists may still hold it."""
    for _, other in memory.aliases.get(home, ()):
        if other != home and other in memory.locs:
            rows = has_rows(memory.locs[other])
            row = _tied(memory, row, ITSELF, {other}, ROWS if rows else ITSELF)
    return row


def put_into(memory: Store, rows: Iterable[Value], base: Value) -> None:
    """References are put into a list, which holds copies of them."""
    for row in rows:
        content = deep_or_unknown(memory, row)
        seen = memory.see(row) if isinstance(content, ir.Items | ir.Keyed) else content
        if isinstance(seen, ir.Items | ir.Keyed):
            put_into(memory, seen.items if isinstance(seen, ir.Items) else seen.items.values(), base)
        if isinstance(row, ir.PLACES) and (_is_list(content) or isinstance(content, ir.Unknown)):
            for loc, deep in _leads(row):
                for home in locs_within(base):
                    if (deep, home) in memory.aliases.get(loc, ()) or _is_in(memory, loc, home):  # it is there twice
                        link(memory, home, ROWS, home)
                    link(memory, loc, deep, home)
                    link(memory, home, ROWS, loc)


def _is_in(memory: Store, row: int, home: int) -> bool:
    """Whether a tracked row may be in a list."""
    place = memory.positions.get(row)
    gone = isinstance(place, ir.Static) and place.value == OUTSIDE
    return place is not None and not gone and memory.homes.get(row) == home


def _leads(place: Value) -> list[tuple[int, int]]:
    """The locations that a reference leads to, and at which depth it is in them."""
    if isinstance(place, ir.Either):
        return [*_leads(place.yes), *_leads(place.no)]
    if isinstance(place, ir.IndexView):
        return [(loc, deep + 1) for loc, deep in _leads(place.ref)]
    return [(loc, ITSELF) for loc in locs_within(place)]


def _tied(memory: Store, made: Value, deep: int, locs: Iterable[int], their_deep: int) -> Value:
    if isinstance(made, ir.Maybe):
        return ir.Maybe(made.present, _tied(memory, made.value, deep, locs, their_deep))
    ref = made if isinstance(made, ir.Ref) else memory.hold(made)
    if isinstance(ref, ir.Ref):
        for loc in {*locs} - {ref.loc}:
            link(memory, ref.loc, deep, loc)
            link(memory, loc, their_deep, ref.loc)
    return ref


def _is_list(value: Value) -> bool:
    if isinstance(value, ir.Static):
        return isinstance(value.value, list)
    changes = isinstance(value, ir.Array) and bool(value.kind.shape) and not value.tupled
    return (
        changes
        or isinstance(value, ir.Counted | ir.Masked | ir.Keyed)
        or (isinstance(value, ir.Items) and value.is_list)
    )


def has_rows(value: Value | None) -> bool:
    """Whether it is a list of lists."""
    if isinstance(value, ir.Counted | ir.Masked):
        return value.array.listed and len(value.array.kind.shape) > 1
    if isinstance(value, ir.Items):
        return any(isinstance(item, ir.PLACES) or _is_list(item) for item in value.items)
    return isinstance(value, ir.Array) and value.listed and len(value.kind.shape) > 1
