"""Where attributes of the original are in the state of the translation, read off the contract.

pos = "pos"                                     a number or an array
hand = "pad(hand, 22)", hand_count = "len(hand)"    a list of changing length
last = "none(last, -1)"                         None or a number
mode = "{'walk': 0, 'run': 1}[mode]"            one of a few texts
"""

import ast
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.kinds import BOOL, INT, Kind, narrow
from envwright.compiler.ir.lists import counted
from envwright.compiler.ir.shapes import cast_to, zero
from envwright.compiler.ir.tables import mapped
from envwright.compiler.ir.values import (
    Array,
    Counted,
    Items,
    Masked,
    Maybe,
    Picked,
    Rows,
    Static,
    Unknown,
    Value,
    as_array,
    cast,
    is_none,
)
from envwright.compiler.refusal import RefusedError


@dataclass(frozen=True)
class Slot:
    """The fields that one attribute is kept in."""

    form: str  # plain, listed, optional, texts, rows
    fields: tuple[tuple[str, Kind], ...]
    listed: bool = False  # a list or tuple in the original
    extra: Any = None  # what stands for None; the texts
    names: tuple[str, ...] = ()  # of a named tuple
    tupled: bool = False  # a tuple in the original

    def load(self, state: Code) -> Value:
        """The value, out of a record of the state."""
        arrays = [Array(code.attribute(state, n), kind, self.listed, self.tupled) for n, kind in self.fields]
        match self.form:
            case "plain":
                if self.names:
                    return replace(_parts_of(arrays[0]), is_list=False, names=self.names)
                return replace(_parts_of(arrays[0]), longest=self.extra) if self.extra else arrays[0]
            case "listed":
                return Counted(Array(arrays[0].code, arrays[0].kind, listed=True), arrays[1], self.extra)
            case "optional":
                there = code.compare(arrays[0].code, ast.NotEq(), code.const(self.extra))
                return Maybe(Array(there, Kind(BOOL)), arrays[0])
            case "rows":
                return Rows(arrays[0], arrays[1])
        texts, may_be_none = self.extra
        table = np.empty(len(texts), object)
        table[:] = texts
        picked = Picked(table, (arrays[0].code,), self.fields[0][0])
        if may_be_none:
            return Maybe(Array(code.compare(arrays[0].code, ast.GtE(), code.const(0)), Kind(BOOL)), picked)
        return picked

    def fit(self, value: Value) -> Value:
        """A value in the form in which it is kept; so that lists can grow and rows can vanish."""
        if isinstance(value, Unknown):
            return value
        if self.form == "listed":
            return _fit_list(self, value)
        if self.form == "rows" and not isinstance(value, Rows):
            return _fit_rows(self, value)
        return value

    def store(self, value: Value) -> dict[str, Array]:
        """The fields of a value."""
        if isinstance(value, Unknown):
            raise value.why
        value = self.fit(value)
        names, kinds = [f[0] for f in self.fields], [f[1] for f in self.fields]
        match self.form:
            case "plain":
                return {names[0]: cast_to(_number(value), kinds[0])}
            case "listed":
                assert isinstance(value, Counted)
                return {names[0]: cast_to(value.array, kinds[0]), names[1]: cast_to(value.count, kinds[1])}
            case "optional":
                return {names[0]: cast_to(self._optional(value), kinds[0])}
            case "rows":
                assert isinstance(value, Rows)
                if code.text(value.array.code).startswith("jnp.zeros("):
                    return {names[0]: value.array, names[1]: value.present}
                there = code.index(value.present.code, code.span(), code.const(None))
                clean = code.call("jnp.where", there, value.array.code, code.const(0))
                return {names[0]: Array(clean, kinds[0]), names[1]: value.present}
        return {names[0]: cast_to(self._text(value), kinds[0])}

    def _optional(self, value: Value) -> Array:
        if is_none(value):
            return Array(code.const(self.extra), Kind(INT), weak=True)
        if isinstance(value, Maybe):
            inner = as_array(value.value)
            made = code.call("jnp.where", value.present.code, inner.code, code.const(self.extra))
            return Array(made, inner.kind)
        return as_array(value)

    def _text(self, value: Value) -> Array:
        texts, _ = self.extra
        if is_none(value):
            return Array(code.const(-1), Kind(INT), weak=True)
        if isinstance(value, Static):
            if value.value not in texts:
                raise RefusedError(
                    f"the text {value.value!r} was never seen in the games played; add it to the contract"
                )
            return Array(code.const(texts.index(value.value)), Kind(INT), weak=True)
        if isinstance(value, Maybe):
            inner = self._text(value.value)
            return Array(code.call("jnp.where", value.present.code, inner.code, code.const(-1)), Kind(INT))
        if isinstance(value, Picked):
            if list(value.table.flat) == list(texts) and value.table.ndim == 1:
                return Array(value.index[0], Kind(INT))
            if not set(value.table.flat) <= set(texts):
                raise RefusedError("a text was never seen in the games played; add it to the contract")
            numbers = np.array(mapped(value.table, texts.index).tolist())
            return Array(code.index(code.call("jnp.array", code.const(numbers)), *value.index), Kind(INT))
        raise RefusedError("this is not one of the texts of the contract")

    def blank(self) -> dict[str, Array]:
        return {name: zero(kind) for name, kind in self.fields}


def _parts_of(array: Array) -> Items:
    """An array as a list of its parts: a named tuple, or a deque that is always full between two steps."""
    inner = Kind(array.kind.dtype, array.kind.shape[1:])
    parts = [code.index(array.code, code.const(i)) for i in range(array.kind.shape[0])]
    return Items(tuple(Array(part, inner, bool(inner.shape)) for part in parts), True)


def _number(value: Value) -> Array:
    if isinstance(value, Counted | Masked):
        return counted(value).array
    return as_array(value)


def _fit_list(slot: Slot, value: Value) -> Value:
    (_, kind), _ = slot.fields
    if isinstance(value, Counted | Masked):
        full = counted(value, kind.shape[0])
        return Counted(full.array, full.count, slot.extra)
    empty = (isinstance(value, Items) and not value.items) or (isinstance(value, Static) and len(value.value) == 0)
    if empty:
        return Counted(Array(zero(kind).code, kind, listed=True), Array(code.const(0), Kind(INT), weak=True))
    return counted(cast_to_rows(as_array(value), kind), kind.shape[0])


def cast_to_rows(value: Array, kind: Kind) -> Array:
    return cast(value, kind.dtype)


def _fit_rows(slot: Slot, value: Value) -> Value:
    (_, kind), _ = slot.fields
    length = kind.shape[0]
    items = (
        value.items
        if isinstance(value, Items)
        else [Static(v) for v in value.value]
        if isinstance(value, Static)
        else None
    )
    if items is None or len(items) != length:
        raise RefusedError(f"a list of {length} places, None or a row each, gets something else")
    if all(is_none(v) for v in items):
        return Rows(Array(zero(kind).code, kind, listed=True), zero(Kind(BOOL, (length,))))
    rows, flags = [], []
    for item in items:
        there: Code = code.const(not is_none(item))
        if isinstance(item, Maybe):
            there, item = item.present.code, item.value
        flags.append(there)
        rows.append(code.const([0] * kind.shape[1]) if is_none(item) else as_array(item).code)
    array = Array(code.call("jnp.array", code.list_of(rows), code.dotted(f"jnp.{kind.dtype}")), kind, listed=True)
    return Rows(array, Array(code.call("jnp.array", code.list_of(flags)), Kind(BOOL, (length,))))


# ---- reading the contract ----

Path = tuple[str, ...]


def read_state(
    expressions: Mapping[str, str],
    kinds: Mapping[str, tuple[tuple[int, ...], str]],
    looks: Mapping[str, Any],
    live: Mapping[Path, tuple[str, ...]],
) -> dict[Path, Slot]:
    """The slots by path: the attribute's name, then the keys of what is inside. `live`: the fields of named tuples."""
    slots: dict[Path, Slot] = {}
    partners: dict[Path, list[tuple[str, str]]] = {}
    for field, text in expressions.items():
        if text == "elapsed_steps" or field not in kinds:
            continue
        path, form, extra = _form(ast.parse(text, mode="eval").body)
        partners.setdefault(path, []).append((field, form))
        if form in ("count", "present"):
            continue
        kind = Kind(narrow(kinds[field][1]), kinds[field][0])
        seen = _follow(looks, path)
        listed = isinstance(seen, list | tuple | deque)
        extra = seen.maxlen if isinstance(seen, deque) else extra
        names = live.get(path, ())
        slots[path] = Slot(form, ((field, kind),), listed or bool(names), extra, names, isinstance(seen, tuple))
    for path, fields in partners.items():
        for field, form in fields:
            if form in ("count", "present") and path in slots:
                kind = Kind(narrow(kinds[field][1]), kinds[field][0])
                slot = slots[path]
                slots[path] = Slot(
                    "rows" if form == "present" else "listed", (*slot.fields, (field, kind)), True, slot.extra
                )
    return slots


def _follow(looks: Mapping[str, Any], path: Path) -> Any:
    found: Any = looks
    for part in path:
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _form(node: ast.expr) -> tuple[Path, str, Any]:
    if (path := _path(node)) is not None:
        return path, "plain", None
    match node:
        case ast.Call(func=ast.Name(id="pad" | "table"), args=[inner, *_]) if (path := _path(inner)) is not None:
            return path, "listed", None
        case ast.Call(func=ast.Name(id="len"), args=[inner]) if (path := _path(inner)) is not None:
            return path, "count", None
        case ast.Call(func=ast.Name(id="none"), args=[inner, instead]) if (path := _path(inner)) is not None:
            return path, "optional", ast.literal_eval(instead)
        case ast.Call(func=ast.Name(id="array" | "int" | "float"), args=[inner]) if (path := _path(inner)) is not None:
            return path, "plain", None
        case ast.Subscript(value=ast.Dict() as table, slice=inner) if (path := _path(inner)) is not None:
            return path, "texts", (_texts(table), False)
        case ast.IfExp(body=ast.Subscript(value=ast.Dict() as table, slice=inner)) if (
            path := _path(inner)
        ) is not None:
            return path, "texts", (_texts(table), True)
        case ast.IfExp(body=inner, orelse=instead) if (path := _path(inner)) is not None:
            return path, "optional", ast.literal_eval(instead)
        case ast.ListComp(elt=ast.IfExp(), generators=[ast.comprehension(iter=inner)]) if (
            path := _path(inner)
        ) is not None:
            return path, "rows", None
        case ast.ListComp(elt=ast.Compare(), generators=[ast.comprehension(iter=inner)]) if (
            path := _path(inner)
        ) is not None:
            return path, "present", None
    raise RefusedError(f"the line {ast.unparse(node)!r} of the contract is not one that the rules know")


def _texts(table: ast.Dict) -> list[str]:
    pairs = ast.literal_eval(table)
    return sorted(pairs, key=pairs.__getitem__)


def _path(node: ast.expr) -> Path | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        inner = _path(node.value)
        return None if inner is None else (*inner, str(node.slice.value))
    if isinstance(node, ast.Attribute):
        inner = _path(node.value)
        return None if inner is None else (*inner, node.attr)
    return None
