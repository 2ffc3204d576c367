"""Phi functions: what two branches of control flow made is joined, value by value."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from envwright.compiler.ir import alias_invalidation, code, fixed_key_dict, record, set_algebra, sets, strings
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.aliases import holds_places, known_elsewhere
from envwright.compiler.ir.avals import BOOL, INT, Aval, is_number
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.lists import as_rows, counted, whole_rows
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.select import select
from envwright.compiler.ir.shapes import zero
from envwright.compiler.ir.store import DRAWN, Store, called
from envwright.compiler.ir.tracked_rows import unify_rows
from envwright.compiler.ir.values import Value, as_array, is_function, is_none, number, plain_enum
from envwright.compiler.refusal import RefusedError

MOST = 64  # constants that one value may be


def join_memories(frame: CallFrame, when: ir.Array, yes: Store, no: Store) -> Store:
    """The store after a branch."""
    unify_rows(yes, no)
    into = Store(no.program, state=no.state, clean=no.clean)
    parts = ["locs", "names", "attributes", "cursors", "positions"]
    chosen = yes.state != no.state
    if chosen:
        into = record.choose_states(frame, when, yes, no)
    into.aliases = alias_invalidation.joined(yes, no)
    into.homes, into.callers, into.above = no.homes, no.callers, no.above
    for part in parts:
        mine, other, target = getattr(yes, part), getattr(no, part), getattr(into, part)
        for key in dict.fromkeys([*other, *mine]):
            if (key in target and part == "locs") or (
                part == "attributes" and chosen and key not in no.program.ignored
            ):
                continue
            if part == "cursors":
                nothing = ir.Static(0)  # not drawn yet
                target[key] = join(frame, when, mine.get(key, nothing), other.get(key, nothing), f"{key}_drawn")
                continue
            if part == "locs" and key in frame.program.born:  # on one side, it may not have been looked at yet
                for side, table in ((yes, mine), (no, other)):
                    if key not in table:
                        table[key] = frame.program.born[key](side)
            if key not in mine or key not in other:
                if part == "names":
                    frame.writer.maybe_unbound.add(key)
                target[key] = mine.get(key, other.get(key))  # on the other side it does not exist: nobody may read it
                continue
            if part == "attributes" and key[0] == DRAWN and mine[key] is not other[key]:
                target[key] = _drawn(frame, when, mine[key], other[key])
                continue
            target[key] = _join_names(frame, when, (mine[key], yes), (other[key], no), into, (part, key))
    return into


def _drawn(frame: CallFrame, when: ir.Array, yes: Value, no: Value) -> Value:
    """A draw of one branch only may as well be made always."""
    if isinstance(yes, ir.Items) and isinstance(no, ir.Items):
        return ir.Items(tuple(_drawn(frame, when, a, b) for a, b in zip(yes.items, no.items, strict=True)))
    for side, other in ((yes, no), (no, yes)):
        if isinstance(side, ir.Static):
            return other
    return join(frame, when, yes, no)


def _hint(key: Any) -> str:
    return key if isinstance(key, str) else called(key) if isinstance(key, tuple) else "part"


EVERYBODY = ("names", None)  # who may have a name for a value that has none of its own yet
Side = tuple[Value, Store]  # what a branch made, and what held in it


def _join_names(frame: CallFrame, when: ir.Array, yes: Side, no: Side, into: Store, own: tuple[str, Any]) -> Value:
    hint = _hint(own[1])
    if own[0] == "names":
        return into.hold(choose(frame, when, yes, no, into, own, hint))
    if _same_place(yes[0], no[0]):
        return yes[0]
    if isinstance(yes[0], ir.PLACES) or isinstance(no[0], ir.PLACES):
        made = join(frame, when, yes[1].deep(yes[0]), no[1].deep(no[0]), hint)
        parts = any(isinstance(value, ir.IndexView) for value, _ in (yes, no))
        one_of_two = (parts and isinstance(made, ir.Array)) or (isinstance(made, ir.Keyed) and made.made)
        held = into.hold(replace(made, shared=True) if one_of_two else made)  # pyright: ignore[reportCallIssue]
        elsewhere = isinstance(held, ir.Ref) and any(known_elsewhere(side, value, own) for value, side in (yes, no))
        return (alias_invalidation.chosen if elsewhere else alias_invalidation.inherit_aliases)(into, held, (yes, no))
    if any(
        isinstance(value, ir.Items) and any(isinstance(v, ir.PLACES) for v in value.items) for value, _ in (yes, no)
    ):
        return _join_held(frame, when, yes, no, into, own)
    return join(frame, when, yes[0], no[0], hint)


def _join_held(frame: CallFrame, when: ir.Array, yes: Side, no: Side, into: Store, own: tuple[str, Any]) -> Value:
    """Join lists that hold references, item by item."""
    (a, left), (b, right) = yes, no
    if isinstance(a, ir.Items) and isinstance(b, ir.Items) and len(a.items) == len(b.items):
        pairs = enumerate(zip(a.items, b.items, strict=True))
        whose = EVERYBODY if _twice(a.items) or _twice(b.items) else own
        items = (choose(frame, when, (p, left), (q, right), into, whose, f"{_hint(own[1])}_{i}") for i, (p, q) in pairs)
        return replace(b, items=tuple(items))
    for value, memory in (yes, no):
        if isinstance(value, ir.Items) and own[0] == "locs":
            alias_invalidation.put_into(memory, value.items, ir.Ref(own[1]))
        elif isinstance(value, ir.Items) and any(known_elsewhere(memory, v, own) for v in value.items):
            return ir.Unknown(
                frame.placed(RefusedError("a list that has another name is held by a variable-length list"))
            )
    into.aliases |= {
        loc: ties | into.aliases.get(loc, ties) for loc, ties in alias_invalidation.joined(left, right).items()
    }
    return join(frame, when, _content(left, a), _content(right, b), _hint(own[1]))


def _twice(items: Sequence[Value]) -> bool:
    """Whether a list holds the same list more than once."""
    locs = [loc for item in items for loc in locs_within(item)]
    return len({*locs}) < len(locs)


def _same_place(a: Value, b: Value) -> bool:
    return a is b or (isinstance(a, ir.Ref) and a == b)  # still a name for the same list


def choose(
    frame: CallFrame,
    when: ir.Array,
    yes: Side,
    no: Side,
    into: Store,
    own: tuple[str, Any] | None = None,
    hint: str = "",
) -> Value:
    """One of two values; if they have aliases, writes to it go to the selected one. `into` is the store after the
    choice."""
    (a, left), (b, right) = yes, no
    if _same_place(a, b):
        return a
    if (found := _choose_maybe(frame, when, yes, no, into, own, hint)) is not None:
        return found
    if _held_apart(a, left, right) or _held_apart(b, right, left):
        made = join(frame, when, _content(left, a), _content(right, b), hint)
        made = replace(made, shared=True) if isinstance(made, ir.Array) else made
        return alias_invalidation.chosen(into, made, (yes, no))
    if any(known_elsewhere(side, value, own) or holds_places(side, value) for value, side in (yes, no)):
        a, b = into.hold(a), into.hold(b)
        if isinstance(a, ir.PLACES) and isinstance(b, ir.PLACES):
            return _one_view(frame, when, a, b) or ir.Either(when, a, b, partial(join, frame))
        made = join(frame, when, _content(left, a), _content(right, b), hint)
        return alias_invalidation.chosen(into, made, (yes, no))
    return alias_invalidation.inherit_aliases(
        into, join(frame, when, _content(left, a), _content(right, b), hint), (yes, no)
    )


def _choose_maybe(
    frame: CallFrame, when: ir.Array, yes: Side, no: Side, into: Store, own: tuple[str, Any] | None, hint: str
) -> Value | None:
    """None, or a reference to a list that has another alias."""
    if not any(is_none(v) or isinstance(v, ir.Maybe) for v, _ in (yes, no)):
        return None
    inner = [(v.value if isinstance(v, ir.Maybe) else v, memory) for v, memory in (yes, no) if not is_none(v)]
    if not any(isinstance(v, ir.PLACES) and known_elsewhere(memory, v, own) for v, memory in inner):
        return None
    value = inner[0][0] if len(inner) == 1 else choose(frame, when, inner[0], inner[1], into, own, hint)
    there = _is_there(frame, when, yes[0], no[0], hint)
    return value if isinstance(there.code, ast.Constant) and there.code.value is True else ir.Maybe(there, value)


def _held_apart(value: Value, here: Store, there: Store) -> bool:
    """Whether it is a row that is tracked in its own branch only: later writes to it have no target then."""
    return isinstance(value, ir.Ref) and value.loc in here.positions and value.loc not in there.positions


def _content(memory: Store, value: Value) -> Value:
    return value if isinstance(value, ir.Unknown) else memory.deep(value)


def _one_view(frame: CallFrame, when: ir.Array, yes: Value, no: Value) -> ir.IndexView | None:
    """Two views of the same array at different indices: a view at a selected index."""
    if not (isinstance(yes, ir.IndexView) and isinstance(no, ir.IndexView) and _same_place(yes.ref, no.ref)):
        return None
    pairs = list(zip(yes.where, no.where, strict=False))
    if len(yes.where) != len(no.where) or not all(_whole(part) for pair in pairs for part in pair):
        return None
    return ir.IndexView(
        yes.ref, tuple(a if a is b else select(frame, when, as_array(a), as_array(b)) for a, b in pairs)
    )


def _whole(part: Value) -> bool:
    if isinstance(part, ir.Static):
        return isinstance(part.value, int | np.integer)
    return isinstance(part, ir.Array) and part.kind.shape == () and part.kind.is_whole


def join(frame: CallFrame, when: ir.Array, yes: Value, no: Value, hint: str = "") -> Value:
    """`yes` where the condition holds, else `no`; poison if they cannot be joined."""
    if yes is no:
        return yes
    try:
        return _join(frame, when, yes, no, hint)
    except RefusedError as why:
        return ir.Unknown(frame.placed(why))


def _join(frame: CallFrame, when: ir.Array, yes: Value, no: Value, hint: str) -> Value:
    for side in (yes, no):
        if isinstance(side, ir.Unknown):
            return side
    if isinstance(yes, ir.Static) and isinstance(no, ir.Static) and _equal(yes.value, no.value):
        return no
    if isinstance(yes, ir.Maybe) or isinstance(no, ir.Maybe) or is_none(yes) or is_none(no):
        return _join_maybe(frame, when, yes, no, hint)
    yes, no = strings.alike(strings.alone(yes), strings.alone(no))
    if isinstance(yes, ir.FixedKeyDict) or isinstance(no, ir.FixedKeyDict):
        like = yes if isinstance(yes, ir.FixedKeyDict) else no
        assert isinstance(like, ir.FixedKeyDict)
        yes, no = (fixed_key_dict.fitted(like, side) for side in (yes, no))
        return replace(like, array=select(frame, when, yes.array, no.array, hint))
    yes, no = _as_items(yes, no), _as_items(no, yes)
    if isinstance(yes, ir.Items) and isinstance(no, ir.Items) and len(yes.items) != len(no.items):
        return _join_counted(frame, when, yes, no, hint)
    if isinstance(yes, ir.Items) and isinstance(no, ir.Items):
        pairs = zip(yes.items, no.items, strict=True)
        return replace(no, items=tuple(join(frame, when, a, b, f"{hint}_{i}") for i, (a, b) in enumerate(pairs)))
    if isinstance(yes, ir.Keyed) and isinstance(no, ir.Keyed) and yes.items.keys() == no.items.keys():
        if yes.made is not no.made:
            raise RefusedError("a value is an object of one of two classes")
        items = {key: join(frame, when, yes.items[key], no.items[key], str(key)) for key in no.items}
        return replace(no, items=items, shared=yes.shared or no.shared)
    if isinstance(yes, ir.Members) or isinstance(no, ir.Members):
        like = yes if isinstance(yes, ir.Members) else no
        assert isinstance(like, ir.Members)
        yes, no = (sets.fitted(frame.memory, like, side) for side in (yes, no))
        count = select(frame, when, yes.count, no.count, f"{hint}_count" if hint else "")
        return replace(like, array=select(frame, when, yes.array, no.array, hint), count=count)
    if (
        set_algebra.is_set(yes)
        and set_algebra.is_set(no)
        and not (isinstance(yes, ir.Static) and isinstance(no, ir.Static))
    ):
        return set_algebra.either(frame, when, yes, no)
    yes, no = _as_rows(yes, no), _as_rows(no, yes)
    if isinstance(yes, ir.Rows) and isinstance(no, ir.Rows):
        there = select(frame, when, yes.present, no.present, f"{hint}_present" if hint else "")
        return ir.Rows(select(frame, when, yes.array, no.array, hint), there)
    if isinstance(yes, ir.Counted | ir.Masked) or isinstance(no, ir.Counted | ir.Masked):
        return _join_counted(frame, when, yes, no, hint)
    if is_function(yes) and is_function(no):
        return ir.FunctionChoice(when, yes, no)
    if _is_numeric(yes) and _is_numeric(no):
        return select(frame, when, as_array(yes), as_array(no), hint)
    return _join_known(when, yes, no)


def _as_rows(value: Value, other: Value) -> Value:
    """A list without None beside one that may hold None."""
    if not isinstance(other, ir.Rows) or isinstance(value, ir.Rows):
        return value
    if isinstance(value, ir.Array) and value.kind.shape == other.array.kind.shape:
        return whole_rows(value)
    if isinstance(value, ir.Items) and len(value.items) == other.length:
        return as_rows(value.items, other.array.kind)
    return value


def _as_items(value: Value, other: Value) -> Value:
    """A constant tuple or dict beside another one."""
    if not isinstance(value, ir.Static):
        return value
    like = other.value if isinstance(other, ir.Static) else other
    if isinstance(value.value, tuple | list) and isinstance(like, ir.Items | tuple | list):
        return ir.Items(tuple(ir.Static(v) for v in value.value), isinstance(value.value, list))
    length = like.kind.shape[0] if isinstance(like, ir.Array) and like.listed else None
    if isinstance(value.value, tuple | list) and length == len(value.value):
        return ir.Items(tuple(ir.Static(v) for v in value.value), isinstance(value.value, list))
    if isinstance(value.value, dict) and isinstance(like, ir.Keyed | dict):
        return ir.Keyed({k: ir.Static(v) for k, v in value.value.items()})
    return value


def _is_numeric(value: Value) -> bool:
    return number(value) or isinstance(value, ir.Items) or is_number(plain_enum(getattr(value, "value", None)))


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    try:
        return bool(np.array_equal(a, b)) if isinstance(a, np.ndarray) else bool(a == b)
    except Exception:  # whatever an object's own __eq__ does
        return False


def _join_maybe(frame: CallFrame, when: ir.Array, yes: Value, no: Value, hint: str) -> Value:
    """Join where a side is, or may be, None."""
    there = _is_there(frame, when, yes, no, hint)
    if is_none(yes):
        inner = no.value if isinstance(no, ir.Maybe) else no
    elif is_none(no):
        inner = yes.value if isinstance(yes, ir.Maybe) else yes
    else:
        a, b = (v.value if isinstance(v, ir.Maybe) else v for v in (yes, no))
        inner = join(frame, when, a, b, hint)
    return inner if isinstance(there.code, ast.Constant) and there.code.value is True else ir.Maybe(there, inner)


def _is_there(frame: CallFrame, when: ir.Array, yes: Value, no: Value, hint: str) -> ir.Array:
    """Whether the selected side is not None."""

    def present(value: Value, here: Code) -> ir.Array:
        if isinstance(value, ir.Maybe) and not says(frame, here, value.present.code):
            return value.present
        return ir.Array(code.const(not is_none(value)), Aval(BOOL))

    sides = present(yes, when.code), present(no, code.negated(when.code))
    return select(frame, when, *sides, f"{hint}_is_there" if hint else "")


def says(frame: CallFrame, condition: Code, other: Code) -> bool:
    """Whether a condition implies another one, whatever their names."""
    found, wanted = frame.writer.meaning(condition), frame.writer.meaning(other)
    if isinstance(found, ast.UnaryOp) and isinstance(found.op, ast.Invert):
        found = code.negated(frame.writer.meaning(found.operand))
    if not code.same(found, wanted) and isinstance(found, ast.BinOp) and isinstance(found.op, ast.BitAnd):
        return says(frame, found.left, other) or says(frame, found.right, other)
    return code.same(found, wanted)


def _join_counted(frame: CallFrame, when: ir.Array, yes: Value, no: Value, hint: str) -> Value:
    pair = [_empty_like(yes, no), _empty_like(no, yes)]
    lengths = [counted(v).room for v in pair]
    a, b = (counted(v, max(lengths)) for v in pair)
    array = select(frame, when, a.array, b.array, hint)
    longest = a.longest if a.longest == b.longest else None
    count = select(frame, when, a.count, b.count, f"{hint}_count" if hint else "")
    guessed = a.guessed or b.guessed
    return ir.Counted(array, count, longest, clean=a.clean and b.clean, roomy=min(a.roomy, b.roomy), guessed=guessed)


def _empty_like(value: Value, other: Value) -> Value:
    """An empty list takes the aval of the other one."""
    empty = (isinstance(value, ir.Items) and not value.items) or (
        isinstance(value, ir.Static) and len(value.value) == 0
    )
    if not empty:
        return value
    kind = counted(other).array.kind
    blank = ir.Array(zero(kind).code, kind, listed=True)
    return ir.Counted(blank, ir.Array(code.const(0), Aval(INT), weak=True), clean=True)


def _join_known(when: ir.Array, yes: Value, no: Value) -> Value:
    """Strings and other constants: the index of the selected one."""
    sides = []
    for value in (yes, no):
        if isinstance(value, ir.Static):
            table = np.empty(1, object)
            table[0] = value.value
            sides.append((table, code.const(0)))
        elif isinstance(value, ir.Picked) and value.table.ndim == 1:
            sides.append((value.table, value.index[0]))
        else:
            raise RefusedError("the two branches of an if give a value incompatible types")
    (table_a, index_a), (table_b, index_b) = sides
    if table_a is table_b:
        return ir.Picked(table_a, (code.call("jnp.where", when.code, index_a, index_b),), "CHOICES")
    table = np.concatenate([table_a, table_b])
    if len(table) > MOST:
        raise RefusedError(f"a value is one of more than {MOST} known objects")
    shifted = code.binary(index_b, ast.Add(), code.const(len(table_a))) if len(table_a) else index_b
    made = code.call("jnp.where", when.code, index_a, shifted)
    return ir.Picked(table, (made,), "CHOICES")
