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
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, TypeAlias

Part: TypeAlias = tuple[Any, ...]  # a name of the reference's, then keys, indices or attributes


@dataclass(frozen=True)
class Plain:
    """A part of the state, as it is."""

    part: Part

    def __str__(self) -> str:
        name, *keys = self.part
        return name + "".join(f"[{key!r}]" for key in keys)


@dataclass(frozen=True)
class _ContractFunction:
    """A function of contracts (`expression.py`), of what another codec gives and of constants."""

    NAME: ClassVar[str]
    inner: "Codec"

    @property
    def part(self) -> Part:
        return self.inner.part

    def __str__(self) -> str:
        given = [(getattr(self, one.name), one.default) for one in fields(self)[1:]]
        while given and repr(given[-1][0]) == repr(given[-1][1]):
            given.pop()
        return f"{self.NAME}({', '.join(map(str, [self.inner, *(value for value, _ in given)]))})"


@dataclass(frozen=True)
class Cast(_ContractFunction):
    """Converted by one of Python's functions, or to an array."""

    to: str = "array"

    def __str__(self) -> str:
        return f"{self.to}({self.inner})"


class Joined(_ContractFunction):
    """All numbers of a dict or tuple of arrays in one row."""

    NAME = "joined"


class Count(_ContractFunction):
    """The length of a list, a set or a dict."""

    NAME = "len"


@dataclass(frozen=True)
class OrNone(_ContractFunction):
    """None or a value; what stands for None was never seen."""

    NAME = "none"
    instead: Any


@dataclass(frozen=True)
class Padded(_ContractFunction):
    """What has a changing length, in an array of fixed size; `shape` is that of an element, for when there is none."""

    NAME = "pad"
    room: int
    fill: Any = 0
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class RowTable(_ContractFunction):
    """A list of rows of one width."""

    NAME = "table"
    height: int
    width: int


@dataclass(frozen=True)
class Flags(_ContractFunction):
    """A set as a flag for each of a list of members, or, given a shape, for each place of a box that begins at
    `first`."""

    NAME = "flags"
    first: list[Any] | tuple[int, ...]
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class KeyedDict(_ContractFunction):
    """The values of a dict that always has a list of keys, or, given a shape, those of a box that begins at `first`."""

    NAME = "keyed"
    first: list[Any] | tuple[int, ...]
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Letters(_ContractFunction):
    """Texts, or None, as their numbers in an alphabet."""

    NAME = "letters"
    alphabet: list[str | None]


@dataclass(frozen=True)
class DrawnValues:
    """What a function of the reference draws, or, if it `picks`, the indices of what it chooses; all, or one."""

    function: str  # `f`, one method of it, `f.choice`, or a line, `f:87`
    index: int | None = None
    shape: tuple[int, ...] = ()  # of one draw
    picks: bool = False
    part: Part = ()  # of no state

    def __str__(self) -> str:
        given = "" if self.index is None else f", {self.index}, {self.shape}" if self.shape else f", {self.index}"
        return f"{'picks' if self.picks else 'draws'}('{self.function}'{given})"


@dataclass(frozen=True)
class Enumerated:
    """One of a few texts, by its place among them."""

    part: Part
    texts: tuple[str, ...]

    def __str__(self) -> str:
        numbers = {text: number for number, text in enumerate(self.texts)}
        return f"{numbers}[{Plain(self.part)}]"


@dataclass(frozen=True)
class Unless:
    """What another codec makes of something inside a part that may be None: of a member of an enum."""

    inner: "Codec"
    absent: Part
    instead: Any

    def __str__(self) -> str:
        return f"{self.inner} if {Plain(self.absent)} is not None else {self.instead}"

    @property
    def part(self) -> Part:
        return self.inner.part


@dataclass(frozen=True)
class Column:
    """One attribute of all objects of a list; `one` is a codec of a single object, which is called `item`."""

    part: Part
    one: "Codec"
    item: str = "item"

    def __str__(self) -> str:
        return f"[{self.one} for {self.item} in {Plain(self.part)}]"


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


Codec: TypeAlias = Plain | _ContractFunction | DrawnValues | Enumerated | Unless | Column | RowsOrNone | Present
CASTS = ("array", "int", "float", "list", "tuple")
FUNCTIONS: dict[str, Any] = {kind.NAME: kind for kind in _ContractFunction.__subclasses__() if kind is not Cast}


def codec_of(node: ast.expr) -> Codec | None:
    """The codec that an expression is written for; None if it is none of these forms."""
    if (part := _part(node)) is not None:
        return Plain(part)
    match node:
        case ast.Call(func=ast.Name(id=name), args=[first, *rest], keywords=[]):
            return _called(name, first, [_literal(constant) for constant in rest])
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


def _called(name: str, first: ast.expr, given: list[Any]) -> Codec | None:
    if None in given:
        return None
    if name in ("draws", "picks"):
        function = _literal(first)
        return (
            DrawnValues(function, *given, picks=name == "picks")
            if isinstance(function, str) and len(given) < 3
            else None
        )
    kind, inner = FUNCTIONS.get(name), codec_of(first)
    if inner is not None and name in CASTS and not given:
        return Cast(inner, name)
    if kind is None or inner is None:
        return None
    defaults = [one.default for one in fields(kind)[1:]]
    fits = defaults.count(MISSING) <= len(given) <= len(defaults)
    return kind(inner, *given) if fits else None


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
