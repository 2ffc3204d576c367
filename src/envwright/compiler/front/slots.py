"""Where attributes of the original are in the state of the translation, read off the contract.

pos = "pos"                                     a number or an array
hand = "pad(hand, 22)", hand_count = "len(hand)"    a list of changing length
deck = "pad(letters(deck, ['A', 'K']), 8)", deck_count = "len(deck)"    the same, of texts
pipes_x = "pad([item['x'] for item in pipes], 8)", pipes_count = "len(pipes)"     a list of objects, by attribute
last = "none(last, -1)"                         None or a number
spot = "none(spot, (-1, -1))"                   None or a tuple
mode = "{'walk': 0, 'run': 1}[mode]"            one of a few texts
board = "letters(board, [' ', 'O', 'X'])"       lists of texts
stock = "keyed(stock, (0,), (3,))"              a dict by whole numbers
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.avals import BOOL, INT, Aval
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.fixed_key_dict import fitted
from envwright.compiler.ir.lists import as_rows, cleaned, counted, whole_rows
from envwright.compiler.ir.shapes import cast_to, zero
from envwright.compiler.ir.strings import into, table_of
from envwright.compiler.ir.tables import mapped
from envwright.compiler.ir.values import (
    Array,
    Counted,
    FixedKeyDict,
    Items,
    Masked,
    Maybe,
    Members,
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
class Lined:
    """Of a list of objects: which objects, and the field of each of their attributes."""

    heap: int
    fields: Mapping[str, str]
    columns: Mapping[str, "Slot"]  # an attribute of one object


@dataclass(frozen=True)
class Slot:
    """The fields that one attribute is kept in."""

    form: str  # plain, listed, optional, texts, rows, objects, flags, letters, keyed
    fields: tuple[tuple[str, Aval], ...]
    listed: bool = False  # a list or tuple in the original
    extra: Any = None  # what stands for None; the texts
    names: tuple[str, ...] = ()  # of a named tuple
    tupled: bool = False  # a tuple in the original
    member: type[Enum] | None = None  # the enumeration, if it is the value of a member

    def load(self, state: Code) -> Value:
        """The value, out of a record of the state."""
        return self.value_of(
            [Array(code.attribute(state, n), kind, self.listed, self.tupled) for n, kind in self.fields]
        )

    @property
    def is_list(self) -> bool:
        """Whether it is a list of changing length."""
        return self.form in ("listed", "objects")

    @property
    def room(self) -> int:
        return self.fields[0][1].shape[0]

    @property
    def count(self) -> str:
        """The field with the length of a list."""
        return self.fields[-1][0]

    def value_of(self, arrays: list[Array]) -> Value:
        """The value, of what its fields hold."""
        match self.form:
            case "plain":
                if self.names:
                    return replace(_parts_of(arrays[0]), is_list=False, names=self.names)
                if self.extra:
                    return replace(_parts_of(arrays[0]), longest=self.extra)
                return replace(arrays[0], member=self.member) if self.member else arrays[0]
            case "listed":
                count = Array(arrays[1].code, arrays[1].kind)
                return Counted(Array(arrays[0].code, arrays[0].kind, listed=True), count, self.extra, clean=True)
            case "optional":
                if isinstance(self.extra, tuple):  # of which none has any such number
                    first = code.index(arrays[0].code, code.const(0))
                    there = code.compare(first, ast.NotEq(), code.const(self.extra[0]))
                    return Maybe(Array(there, Aval(BOOL)), replace(arrays[0], listed=True, tupled=True))
                there = code.compare(arrays[0].code, ast.NotEq(), code.const(self.extra))
                return Maybe(Array(there, Aval(BOOL)), arrays[0])
            case "rows":
                return Rows(arrays[0], arrays[1])
            case "letters":
                return arrays[0]
            case "keyed":
                keys, first = self.extra
                return FixedKeyDict(replace(arrays[0], tupled=False), keys, first, self.tupled)
            case "flags":
                first, texts = self.extra
                return Members(Array(arrays[0].code, arrays[0].kind), Array(arrays[1].code, Aval(INT)), first, texts)
        texts, may_be_none = self.extra
        picked = Picked(table_of(tuple(texts)), (arrays[0].code,), self.fields[0][0])
        if may_be_none:
            return Maybe(Array(code.compare(arrays[0].code, ast.GtE(), code.const(0)), Aval(BOOL)), picked)
        return picked

    def fit(self, value: Value) -> Value:
        """A value in the form in which it is kept; so that lists can grow and rows can vanish."""
        if isinstance(value, Unknown):
            return value
        if self.form == "listed":
            return _fit_list(self, value)
        if self.form == "rows" and not isinstance(value, Rows):
            return _fit_rows(self, value)
        if self.form == "keyed":
            like = self.value_of([*self.blank().values()])
            assert isinstance(like, FixedKeyDict)
            return fitted(like, value)
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
            case "letters":
                return {names[0]: cast_to(into(kinds[0].letters or (), value), kinds[0])}
            case "keyed":
                assert isinstance(value, FixedKeyDict)
                return {names[0]: cast_to(value.array, kinds[0])}
            case "flags":
                assert isinstance(value, Members)
                return {names[0]: value.array, names[1]: cast_to(value.count, kinds[1])}
            case "rows":
                assert isinstance(value, Rows)
                if code.text(value.array.code).startswith("jnp.zeros("):
                    return {names[0]: value.array, names[1]: value.present}
                there = value.present.code
                if len(kinds[0].shape) > 1:
                    there = code.index(there, code.span(), code.const(None))
                clean = code.call("jnp.where", there, value.array.code, code.const(0))
                return {names[0]: Array(clean, kinds[0]), names[1]: value.present}
        return {names[0]: cast_to(self._text(value), kinds[0])}

    def _optional(self, value: Value) -> Array:
        nothing = as_array(Static(np.array(self.extra) if isinstance(self.extra, tuple) else self.extra))
        if is_none(value):
            return nothing
        if isinstance(value, Maybe):
            inner = as_array(value.value)
            made = code.call("jnp.where", value.present.code, inner.code, nothing.code)
            return Array(made, inner.kind)
        return as_array(value)

    def _text(self, value: Value) -> Array:
        texts, _ = self.extra
        if is_none(value):
            return Array(code.const(-1), Aval(INT), weak=True)
        if isinstance(value, Static):
            if value.value not in texts:
                raise RefusedError(
                    f"the text {value.value!r} was never seen in the games played; add it to the contract"
                )
            return Array(code.const(texts.index(value.value)), Aval(INT), weak=True)
        if isinstance(value, Maybe):
            inner = self._text(value.value)
            return Array(code.call("jnp.where", value.present.code, inner.code, code.const(-1)), Aval(INT))
        if isinstance(value, Picked):
            if list(value.table.flat) == list(texts) and value.table.ndim == 1:
                return Array(value.index[0], Aval(INT))
            if not set(value.table.flat) <= set(texts):
                raise RefusedError("a text was never seen in the games played; add it to the contract")
            numbers = np.array(mapped(value.table, texts.index).tolist())
            return Array(code.index(code.call("jnp.array", code.const(numbers)), *value.index), Aval(INT))
        raise RefusedError("this is not one of the texts of the contract")

    def blank(self) -> dict[str, Array]:
        return {name: zero(kind) for name, kind in self.fields}


def _parts_of(array: Array) -> Items:
    """An array as a list of its parts: a named tuple, or a deque that is always full between two steps."""
    inner = Aval(array.kind.dtype, array.kind.shape[1:])
    parts = [code.index(array.code, code.const(i)) for i in range(array.kind.shape[0])]
    return Items(tuple(Array(part, inner, bool(inner.shape)) for part in parts), True)


def _number(value: Value) -> Array:
    if isinstance(value, Counted | Masked):
        return counted(value).array
    return as_array(value)


def _fit_list(slot: Slot, value: Value) -> Value:
    (_, kind), _ = slot.fields
    if isinstance(value, Counted | Masked):
        return replace(cleaned(counted(value, kind.shape[0])), longest=slot.extra)
    empty = (isinstance(value, Items) and not value.items) or (isinstance(value, Static) and len(value.value) == 0)
    if kind.letters and not empty:
        value = into(kind.letters, value)
    if empty:
        blank, none = Array(zero(kind).code, kind, listed=True), Array(code.const(0), Aval(INT), weak=True)
        return Counted(blank, none, slot.extra, clean=True)
    return replace(counted(cast_to_rows(as_array(value), kind), kind.shape[0]), longest=slot.extra)


def cast_to_rows(value: Array, kind: Aval) -> Array:
    return cast(value, kind.dtype)


def _fit_rows(slot: Slot, value: Value) -> Value:
    (_, kind), _ = slot.fields
    length = kind.shape[0]
    if isinstance(value, Array) and value.kind.shape == kind.shape:
        return whole_rows(value)
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
        return Rows(Array(zero(kind).code, kind, listed=True), zero(Aval(BOOL, (length,))))
    return as_rows(items, kind)
