"""Constant lists and dicts that are indexed by run-time values.

A table of numbers becomes an array, one of tuples a tuple of tables, one of ragged lists is padded. Strings stay
constants; a comparison asks for which indices it holds.
"""

import ast
import contextlib
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, INT, Aval, aval_of, broadcast, is_number
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.constants import fold
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value, as_array, cast, common, plain_enum
from envwright.compiler.refusal import RefusedError

LARGEST = 1_000_000  # places of a table made of a dict
FEW = 3  # strings that are compared one by one
LETTERS = "LETTERS"  # the name of what is picked from an alphabet (ir/strings.py)


def pick(program: TranslationUnit, options: Any, place: ir.Array, name: str) -> Value:
    """`options[place]`, for a constant list, tuple, array or dict."""
    where = place.code
    if isinstance(options, np.ndarray):
        if options.dtype.kind in "biuf":
            return ir.Array(
                code.index(program.constant(name, options), where), Aval(aval_of(options).dtype, options.shape[1:])
            )
        options = list(options)
    if isinstance(options, dict):
        options, where = _by_key(options, where)
    else:
        where = _from_front(place, code.const(len(options)), all(is_number(plain_enum(option)) for option in options))
    table = np.empty(len(options), object)
    for i, option in enumerate(options):
        table[i] = plain_enum(option)
    found = settle(program, ir.Picked(table, (where,), name))
    kinds = {type(option) for option in options}
    if isinstance(found, ir.Array) and len(kinds) == 1 and issubclass(kind := kinds.pop(), Enum):
        return replace(found, member=kind)
    return found


def _from_front(place: ir.Array, length: Code, numbers: bool) -> Code:
    """A non-negative index; arrays of numbers take negative ones as well."""
    if numbers or place.natural or code.text(place.code) == "action":
        return place.code
    shifted = code.binary(place.code, ast.Add(), length)
    return code.call("jnp.where", code.compare(place.code, ast.Lt(), code.const(0)), shifted, place.code)


def function_of(options: Sequence[Value], where: Code) -> Value:
    """One of several functions, by index."""
    chosen = options[-1]
    for i, option in reversed(list(enumerate(options[:-1]))):
        chosen = ir.FunctionChoice(ir.Array(code.compare(where, ast.Eq(), code.const(i)), Aval(BOOL)), option, chosen)
    return chosen


def by_text(program: TranslationUnit, options: dict[Any, Any], key: ir.Picked) -> Value:
    """A dict indexed by a table entry."""
    filler = next(iter(options.values()))  # where the original would fail
    table = mapped(key.table, lambda one: plain_enum(options.get(one, filler)))
    return settle(program, ir.Picked(table, key.index, f"{key.name}_VALUES"))


def _by_key(options: dict[Any, Any], where: Code) -> tuple[list[Any], Code]:
    """A dict with integer keys, as a list and an offset index."""
    keys = [plain_enum(key) for key in options]
    if not keys or not all(isinstance(key, int | np.integer) for key in keys):
        raise RefusedError("a dict is indexed by something that is not an integer")
    low, high = int(min(keys)), int(max(keys))
    if high - low > LARGEST:
        raise RefusedError("the keys of a dict are too sparse for a table")
    filler = next(iter(options.values()))
    by_key = {int(plain_enum(key)): value for key, value in options.items()}
    return [by_key.get(k, filler) for k in range(low, high + 1)], minus(where, low)


def minus(where: Code, low: int) -> Code:
    return where if low == 0 else code.binary(where, ast.Sub(), code.const(low))


def by_tuple(
    program: TranslationUnit, options: dict[tuple[Any, ...], Any], key: ir.Items, name: str, default: Any = None
) -> Value:
    """A dict with tuples of integers as keys, as a table."""
    keys = [tuple(int(plain_enum(part)) for part in found) for found in options]
    width = len(key.items)
    if any(len(found) != width for found in keys):
        raise RefusedError("a dict has keys of different lengths")
    parts = [as_array(part) for part in key.items]
    low = [min(found[i] for found in keys) for i in range(width)]
    shape = [max(found[i] for found in keys) - low[i] + 1 for i in range(width)]
    if np.prod(shape) > LARGEST:
        raise RefusedError("the keys of a dict are too sparse for a table")
    table = np.empty(shape, object)
    filler = next(iter(options.values())) if default is None else default
    for place in np.ndindex(*shape):
        table[place] = filler
    for found, value in zip(keys, options.values(), strict=True):
        table[tuple(a - b for a, b in zip(found, low, strict=True))] = plain_enum(value)
    where = tuple(minus(part.code, b) for part, b in zip(parts, low, strict=True))
    return settle(program, ir.Picked(table, where, name))


def settle(program: TranslationUnit, picked: ir.Picked) -> Value:
    """A table of numbers as an array, one of tuples as a tuple of tables."""
    flat = list(picked.table.flat)
    if all(is_number(value) for value in flat) and len({np.shape(value) for value in flat}) == 1:
        rows = np.array(flat)
        table = rows.reshape(picked.table.shape + rows.shape[1:])
        return _numbers(program, picked, table)
    if all(isinstance(value, tuple) for value in flat) and len({len(value) for value in flat}) == 1:
        kinds = {type(value) for value in flat}
        names = getattr(flat[0], "_fields", ()) if len(kinds) == 1 else ()
        return ir.Items(tuple(part(program, picked, i) for i in range(len(flat[0]))), names=names)
    first = flat[0]
    if isinstance(first, str | type(None)) and all(value == first for value in flat):
        return ir.Static(first)
    return picked


def _numbers(program: TranslationUnit, picked: ir.Picked, table: np.ndarray) -> Value:
    if (table == table.flat[0]).all() and table.ndim == picked.table.ndim:
        return ir.Static(table.flat[0].item())
    constant = program.constant(picked.name, table)
    return ir.Array(code.index(constant, *picked.index), Aval(aval_of(table).dtype, table.shape[picked.table.ndim :]))


def part(program: TranslationUnit, picked: ir.Picked, which: Any) -> Value:
    """`picked[which]`, for a constant index or key."""
    table = mapped(picked.table, lambda option: plain_enum(option[which]))
    return settle(
        program, ir.Picked(table, picked.index, f"{picked.name}_{which}" if isinstance(which, int) else picked.name)
    )


def deeper(program: TranslationUnit, picked: ir.Picked, place: ir.Array) -> Value:
    """`picked[place]`, for a run-time index: the table gets one more axis."""
    options, where = list(picked.table.flat), place.code
    if all(isinstance(option, dict) for option in options):
        if len({tuple(option) for option in options}) > 1:
            raise RefusedError("dicts with different keys are indexed at run time")
        rows = [_by_key(option, where) for option in options]
        lists, where = [row[0] for row in rows], rows[0][1]
    elif all(isinstance(option, list | tuple | np.ndarray | str) for option in options):
        lists = [list(option) for option in options]
        even = len({len(row) for row in lists}) == 1
        numbers = even and all(is_number(plain_enum(v)) for row in lists for v in row)
        where = _from_front(place, as_array(length(program, picked)).code, numbers)
    else:
        raise RefusedError("a table entry cannot be indexed")
    return settle(program, ir.Picked(_widened(picked.table, lists), (*picked.index, where), picked.name))


def _widened(table: np.ndarray, lists: list[list[Any]]) -> np.ndarray:
    longest = max(len(row) for row in lists)
    filler = next((row[0] for row in lists if row), 0)
    wide = np.empty((len(lists), longest), object)
    for i, row in enumerate(lists):
        for j in range(longest):
            wide[i, j] = row[j] if j < len(row) else row[-1] if row else filler
    return wide.reshape(*table.shape, longest)


def length(program: TranslationUnit, picked: ir.Picked) -> Value:
    return settle(program, ir.Picked(mapped(picked.table, len), picked.index, f"{picked.name}_COUNT"))


def elements(program: TranslationUnit, picked: ir.Picked) -> tuple[list[Value], Value]:
    """The elements of a table entry, padded to the longest, and their number."""
    lists = [list(option) for option in picked.table.flat]
    wide = _widened(picked.table, lists)
    values = [
        settle(program, ir.Picked(wide[..., j], picked.index, f"{picked.name}_{j}")) for j in range(wide.shape[-1])
    ]
    return values, length(program, picked)


def each(program: TranslationUnit, picked: ir.Picked, which: Any = None) -> Value:
    """All elements of a table entry, as an array with a count; with `which`, that part of each."""
    lists = [[option if which is None else option[which] for option in row] for row in picked.table.flat]
    if not all(is_number(value) for row in lists for value in row):
        raise RefusedError("a table of lists that hold more than numbers is used as an array")
    wide = np.array(_widened(picked.table, lists).tolist())
    counts = length(program, picked)
    suffix = "" if which is None else f"_{which}"
    array = ir.Array(
        code.index(program.constant(f"{picked.name}{suffix}", wide), *picked.index),
        Aval(aval_of(wide).dtype, wide.shape[-1:]), listed=True,
    )  # fmt: skip
    if isinstance(counts, ir.Static):
        return array
    return ir.Counted(array, as_array(counts))


def mapped(table: np.ndarray, change: Callable[[Any], Any]) -> np.ndarray:
    changed = np.empty(table.shape, object)
    for place in np.ndindex(*table.shape):
        try:
            changed[place] = change(table[place])
        except (IndexError, KeyError, TypeError):
            raise RefusedError("a table entry cannot be indexed like this") from None
    return changed


def tolerant(python: Callable[[Any], Any], table: np.ndarray) -> Callable[[Any], Any]:
    """A conversion of strings that gives 0 where it raises, since the original would raise, too."""
    readable: list[Any] = []
    for option in table.flat:
        with contextlib.suppress(ValueError):
            readable.append(python(option))
    if not readable:
        raise RefusedError(f"{table.flat[0]!r} is not a number")

    def read(option: Any) -> Any:
        try:
            return python(option)
        except ValueError:
            return type(readable[0])(0)

    return read


def asks(program: TranslationUnit, picked: ir.Picked, holds: Callable[[Any], bool]) -> Value:
    """Whether a predicate holds for a table entry."""
    answers = np.array([bool(fold("a comparison", holds, option)) for option in picked.table.flat]).reshape(
        picked.table.shape
    )
    if answers.all() or not answers.any():
        return ir.Static(bool(answers.flat[0]))
    place = _letter if picked.name == LETTERS else lambda _program, _picked, i: code.const(i)
    if picked.table.ndim == 1:
        for wanted, operator in ((True, ast.Eq()), (False, ast.NotEq())):
            found = np.flatnonzero(answers == wanted)
            if len(found) == 1:
                return ir.Array(
                    code.compare(picked.index[0], operator, place(program, picked, int(found[0]))), Aval(BOOL)
                )
        found = np.flatnonzero(answers)
        if len(found) <= FEW:
            same = [code.compare(picked.index[0], ast.Eq(), place(program, picked, int(i))) for i in found]
            made: Code = same[0]
            for other in same[1:]:
                made = code.binary(made, ast.BitOr(), other)
            return ir.Array(made, Aval(BOOL))
    return ir.Array(code.index(program.constant(f"{picked.name}_ASKED", answers), *picked.index), Aval(BOOL))


def _letter(program: TranslationUnit, picked: ir.Picked, i: int) -> Code:
    """The number of a string of an alphabet, by a descriptive name."""
    return program.number(letter_name(picked.table[i]), i)


def letter_name(text: str | None) -> str:
    """A name for a string: X, FULL_STOP, SPACE."""
    if not text:
        return "NOTHING" if text is None else "EMPTY"
    words = re.sub(r"\W", lambda found: f"_{unicodedata.name(found[0], 'SIGN')}_", text)
    return f"LETTER_{words}" if words[:1].isdigit() or not words.strip("_") else words


def numbered(program: TranslationUnit, left: ir.Picked, right: ir.Picked) -> tuple[Value, Value]:
    """Two table entries as numbers that are equal if the entries are."""
    different: list[Any] = []
    for option in (*left.table.flat, *right.table.flat):
        if option not in different:
            different.append(option)
    first, second = (_number(program, side, different) for side in (left, right))
    return first, second


def _number(program: TranslationUnit, picked: ir.Picked, among: list[Any]) -> Value:
    """The number of a table entry."""
    numbers = mapped(picked.table, among.index)
    if numbers.tolist() == [*range(len(numbers))]:
        return ir.Array(picked.index[0], Aval(INT))
    return settle(program, ir.Picked(numbers, picked.index, f"{picked.name}_NUMBER"))


def are_texts(options: Sequence[Value]) -> bool:
    return all(isinstance(text, str) for option in options for text in _texts(option))


def _texts(option: Value) -> list[Any]:
    return [*option.table.flat] if isinstance(option, ir.Picked) else [getattr(option, "value", None)]


def one_text(program: TranslationUnit, options: Sequence[Value], place: ir.Array) -> Value:
    """One of several strings, by index, some of which are table entries."""
    different = [*dict.fromkeys(text for option in options for text in _texts(option))]
    table = np.empty(len(different), object)
    table[:] = different
    numbers = [
        _number(program, option, different)
        if isinstance(option, ir.Picked)
        else ir.Static(different.index(_texts(option)[0]))
        for option in options
    ]
    listed = code.call("jnp.array", code.list_of(as_array(number).code for number in numbers))
    where = _from_front(place, code.const(len(options)), False)
    return settle(program, ir.Picked(table, (code.index(listed, where),), "TEXTS"))


def select(choices: dict[int, Value], where: ir.Array) -> Value:
    """One of several run-time values, by index."""
    options = [choices[key] for key in sorted(choices)]
    if all(isinstance(option, ir.Items) for option in options) and len({len(o.items) for o in options}) == 1:  # pyright: ignore
        width = len(options[0].items)  # pyright: ignore[reportAttributeAccessIssue]
        parts = (select({k: choices[k].items[i] for k in choices}, where) for i in range(width))  # pyright: ignore
        return ir.Items(tuple(parts), all(option.is_list for option in options))  # pyright: ignore
    arrays = [as_array(option) for option in options]
    if all(code.same(a.code, arrays[0].code) for a in arrays):
        return arrays[0]
    dtype = common(arrays)
    low = min(choices)
    shape = broadcast(*(a.kind.shape for a in arrays))
    listed, tupled = all(a.listed for a in arrays), all(a.tupled for a in arrays)
    objects = {a.kind.of for a in arrays}
    kind = Aval(dtype, shape, objects.pop() if len(objects) == 1 else 0)
    if sorted(choices) != list(range(low, low + len(choices))):
        raise RefusedError("a dict is indexed at run time, and its keys have gaps")
    if len(arrays) == 2 and low == 0:
        made = code.call("jnp.where", code.compare(where.code, ast.Eq(), code.const(0)), *(a.code for a in arrays))
        return ir.Array(made, kind, listed, tupled)
    index = minus(where.code, low)
    cases = [code.compare(index, ast.Eq(), code.const(i)) for i in range(len(arrays) - 1)]
    made = code.call(
        "select", code.list_of(cases), code.list_of(a.code for a in arrays[:-1]), cast(arrays[-1], dtype).code
    )
    return ir.Array(made, kind, listed, tupled)


def keyed(options: ir.Keyed, where: ir.Array) -> Value:
    keys = list(options.items)
    if not all(isinstance(key, int) for key in keys):
        raise RefusedError("a dict is indexed at run time, but its keys are not integers")
    return select({int(key): value for key, value in options.items.items()}, where)
