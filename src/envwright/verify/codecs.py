"""Codecs: how a part of the reference's state, or what it draws, becomes an array. The forms are few and fixed, for a
translator has to read them:

    x                       a number, an array, lists of numbers of one shape       array(x)     of more than one type
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
    draws('f', 0), pad(draws('f'), 8)   what the function f draws; picks('f', 0): the index of what it chooses

x is a part of the reference's state, `deck['hands']['player']`, `players[0]['hand']`: an object is seen as a dict.
`str` of a codec is the expression that a contract has for it, and `codec_of` reads it back; `parse` of that text
(`expression.py`) evaluates it.
"""

import ast
from dataclasses import dataclass
from typing import Any, TypeAlias

Part: TypeAlias = tuple[Any, ...]  # a name of the reference's, then keys, indices or attributes


@dataclass(frozen=True)
class Plain:
    """The part itself."""

    part: Part

    def __str__(self) -> str:
        name, *keys = self.part
        return name + "".join(f"[{key!r}]" for key in keys)


@dataclass(frozen=True)
class _Around:
    """What is made of another codec's result."""

    inner: "Codec"

    @property
    def part(self) -> Part:
        return self.inner.part


@dataclass(frozen=True)
class Cast(_Around):
    """Converted by `array`, `int`, `float`, `list` or `tuple`."""

    function: str

    def __str__(self) -> str:
        return f"{self.function}({self.inner})"


@dataclass(frozen=True)
class Joined:
    """All numbers of a dict or tuple of arrays in one row."""

    part: Part

    def __str__(self) -> str:
        return f"joined({Plain(self.part)})"


@dataclass(frozen=True)
class OrNone:
    """None or a value; what stands for None was never seen."""

    part: Part
    instead: Any

    def __str__(self) -> str:
        return f"none({Plain(self.part)}, {self.instead})"


@dataclass(frozen=True)
class Unless(_Around):
    """What another codec makes of something inside a part that may be None: of a member of an enum."""

    absent: Part
    instead: Any

    def __str__(self) -> str:
        return f"{self.inner} if {Plain(self.absent)} is not None else {self.instead}"


@dataclass(frozen=True)
class Enumerated:
    """One of a few texts, by its place among them."""

    part: Part
    texts: tuple[str, ...]

    def __str__(self) -> str:
        numbers = {text: number for number, text in enumerate(self.texts)}
        return f"{numbers}[{Plain(self.part)}]"


@dataclass(frozen=True)
class Count:
    """The length of a list, a set or a dict."""

    part: Part

    def __str__(self) -> str:
        return f"len({Plain(self.part)})"


@dataclass(frozen=True)
class Padded(_Around):
    """What has a changing length, in an array of fixed size."""

    room: int
    fill: Any = 0
    shape: tuple[int, ...] = ()  # of an element, for when there is none

    def __str__(self) -> str:
        more = f", {self.fill}, {self.shape}" if self.shape else f", {self.fill}" if repr(self.fill) != "0" else ""
        return f"pad({self.inner}, {self.room}{more})"


@dataclass(frozen=True)
class Table:
    """A list of rows of one width."""

    part: Part
    height: int
    width: int

    def __str__(self) -> str:
        return f"table({Plain(self.part)}, {self.height}, {self.width})"


@dataclass(frozen=True)
class Column:
    """One attribute of all objects of a list; `one` is a codec of a single object, which is called `item`."""

    part: Part
    one: "Codec"
    item: str = "item"

    def __str__(self) -> str:
        return f"[{self.one} for {self.item} in {Plain(self.part)}]"


@dataclass(frozen=True)
class Flags:
    """A set as a flag for each of these members, or, given a shape, for each place of a box that begins at `first`."""

    part: Part
    first: tuple[Any, ...]
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"flags({Plain(self.part)}, {_box(self.first, self.shape)})"


@dataclass(frozen=True)
class Keyed:
    """The values of a dict that always has these keys, or, given a shape, those of a box that begins at `first`."""

    part: Part
    first: tuple[Any, ...]
    shape: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"keyed({Plain(self.part)}, {_box(self.first, self.shape)})"


@dataclass(frozen=True)
class Letters(_Around):
    """Texts, or None, as their numbers in an alphabet."""

    alphabet: tuple[str | None, ...]

    def __str__(self) -> str:
        return f"letters({self.inner}, {[*self.alphabet]})"


@dataclass(frozen=True)
class RowsOrNone:
    """A list of rows or numbers, some of which are None."""

    part: Part
    blank: Any

    def __str__(self) -> str:
        return f"[row if row is not None else {self.blank} for row in {Plain(self.part)}]"


@dataclass(frozen=True)
class Present:
    """Which elements of a list are not None."""

    part: Part

    def __str__(self) -> str:
        return f"[row is not None for row in {Plain(self.part)}]"


@dataclass(frozen=True)
class Drawn:
    """What a function of the reference draws, or, if it `picks`, the indices of what it chooses; all, or one."""

    function: str  # `f`, one method of it, `f.choice`, or a line, `f:87`
    index: int | None = None
    shape: tuple[int, ...] = ()  # of one draw
    picks: bool = False
    part: Part = ()  # of no state

    def __str__(self) -> str:
        given = "" if self.index is None else f", {self.index}, {self.shape}" if self.shape else f", {self.index}"
        return f"{'picks' if self.picks else 'draws'}('{self.function}'{given})"


Codec: TypeAlias = (
    Plain | Cast | Joined | OrNone | Unless | Enumerated | Count | Padded | Table | Column | Flags | Keyed | Letters
    | RowsOrNone | Present | Drawn
)  # fmt: skip


def _box(first: tuple[Any, ...], shape: tuple[int, ...]) -> str:
    return f"{first}, {shape}" if shape else str([*first])


# ---- from the text ----


def codec_of(node: ast.expr) -> Codec | None:
    """The codec that an expression is written for; None if it is none of these forms."""
    if (part := _part(node)) is not None:
        return Plain(part)
    match node:
        case ast.Call(func=ast.Name(id=name), args=[first, *rest], keywords=[]):
            return _called(name, first, rest)
        case ast.Subscript(value=ast.Dict() as table, slice=inner) if (part := _part(inner)) is not None:
            numbers = _literal(table)
            return Enumerated(part, (*numbers,)) if numbers and [*numbers.values()] == [*range(len(numbers))] else None
        case ast.IfExp(test=test, body=body, orelse=instead):
            inner, absent = codec_of(body), _is_there(test)
            return Unless(inner, absent, _literal(instead)) if inner and absent else None
        case ast.ListComp(elt=one, generators=[ast.comprehension(target=ast.Name(id=item), iter=rows, ifs=[])]) if (
            part := _part(rows)
        ) is not None:
            return _each(one, item, part)
    return None


def _called(name: str, first: ast.expr, rest: list[ast.expr]) -> Codec | None:
    given = [_literal(node) for node in rest]
    if any(value is None for value in given):
        return None
    match name, codec_of(first), given:
        case "draws" | "picks", None, ([] | [int()] | [int(), tuple()]) if isinstance(function := _literal(first), str):
            return Drawn(function, *given, picks=name == "picks")
        case _, None, _:
            return None
        case "array" | "int" | "float" | "list" | "tuple", inner, []:
            return Cast(inner, name)
        case "pad", inner, ([int()] | [int(), _] | [int(), _, tuple()]):
            return Padded(inner, *given)
        case "letters", inner, [list() as alphabet]:
            return Letters(inner, (*alphabet,))
        case "joined", Plain(part), []:
            return Joined(part)
        case "len", Plain(part), []:
            return Count(part)
        case "none", Plain(part), [instead]:
            return OrNone(part, instead)
        case "table", Plain(part), [height, width]:
            return Table(part, height, width)
        case "flags", Plain(part), ([list()] | [tuple(), tuple()]):
            return Flags(part, tuple(given[0]), *given[1:])
        case "keyed", Plain(part), ([list()] | [tuple(), tuple()]):
            return Keyed(part, tuple(given[0]), *given[1:])
    return None


def _each(one: ast.expr, item: str, part: Part) -> Codec | None:
    """What is made of each element of a list."""
    match one:
        case ast.IfExp(test=test, body=ast.Name(id=name), orelse=blank) if name == item and _is_there(test) == (item,):
            return RowsOrNone(part, _literal(blank))
        case ast.Compare() if _is_there(one) == (item,):
            return Present(part)
    found = codec_of(one)
    return Column(part, found, item) if found and found.part[:1] == (item,) else None


def _is_there(test: ast.expr) -> Part | None:
    """The part that is tested for not being None."""
    match test:
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return _part(left)
    return None


def _part(node: ast.expr) -> Part | None:
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=value, attr=key):
            inner = _part(value)
        case ast.Subscript(value=value, slice=place) if isinstance(key := _literal(place), str | int | tuple):
            inner = _part(value)
        case _:
            return None
    return None if inner is None else (*inner, key)


def _literal(node: ast.expr) -> Any:
    """The value that is written there; None if it is computed."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
