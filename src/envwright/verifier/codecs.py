"""Codecs: how a part of the reference's state, or what it draws, becomes an array. The forms are few and fixed, for a
translator has to read them.

`str` of a codec is the expression that a contract has for it, `codec_of` reads it back, and `parse` (`expression.py`)
evaluates it. x below is a part of the state, `deck['hands']['player']`, `players[0]['hand']`: an object is a dict.
"""

import ast
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, TypeAlias

Part: TypeAlias = tuple[Any, ...]  # a name of the reference's, then keys, indices or attributes


@dataclass(frozen=True)
class Plain:
    """`x`: a number, an array, or lists of numbers of one shape."""

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
    """`array(x)`, `tuple(x)`: converted, as where there are lists and arrays."""

    to: str = "array"

    def __str__(self) -> str:
        return f"{self.to}({self.inner})"


class Joined(_ContractFunction):
    """`joined(x)`: all numbers of a dict or tuple of arrays in one row."""

    NAME = "joined"


class Count(_ContractFunction):
    """`len(x)`: of a list, a set or a dict."""

    NAME = "len"


@dataclass(frozen=True)
class OrNone(_ContractFunction):
    """`none(x, -1)`, `none(x, (-1, -1))`: None, or a number or tuple; what stands for None was never seen."""

    NAME = "none"
    instead: Any


@dataclass(frozen=True)
class Padded(_ContractFunction):
    """`pad(x, 8)`: a list of changing length; `shape` is that of an element, for when there is none."""

    NAME = "pad"
    room: int
    fill: Any = 0
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class RowTable(_ContractFunction):
    """`table(x, 8, 4)`: a list of rows of one width."""

    NAME = "table"
    height: int
    width: int


@dataclass(frozen=True)
class Flags(_ContractFunction):
    """`flags(x, (0, 0), (5, 5))`, `flags(x, ['a', 'b'])`: a set, by places from (0, 0), 5 by 5, or by its members."""

    NAME = "flags"
    first: list[Any] | tuple[int, ...]
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class KeyedDict(_ContractFunction):
    """`keyed(x, (0, 0), (5, 5))`, `keyed(x, [1, 2, 5])`: a dict whose keys are always the same, in that order."""

    NAME = "keyed"
    first: list[Any] | tuple[int, ...]
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Letters(_ContractFunction):
    """`letters(x, [' ', 'O'])`: lists of texts or None, as their numbers in an alphabet."""

    NAME = "letters"
    alphabet: list[str | None]


@dataclass(frozen=True)
class DrawnValues:
    """`draws('f', 0)`: one draw of the function f, or all; `picks('f', 0)`: the index of what it chooses."""

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
    """`{'a': 0, 'b': 1}[x]`: one of a few texts, by its place among them."""

    part: Part
    texts: tuple[str, ...]

    def __str__(self) -> str:
        numbers = {text: number for number, text in enumerate(self.texts)}
        return f"{numbers}[{Plain(self.part)}]"


@dataclass(frozen=True)
class Unless:
    """`x['value'] if x is not None else -1`: of a part that may be None, such as a member of an enum."""

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
    """`[item['y'] for item in x]`: one attribute of all objects, or part of all tuples, of a list."""

    part: Part
    one: "Codec"
    item: str = "item"

    def __str__(self) -> str:
        return f"[{self.one} for {self.item} in {Plain(self.part)}]"


@dataclass(frozen=True)
class RowsOrNone:
    """`[row if row is not None else [0, 0] for row in x]`: rows or numbers, some of which are None."""

    part: Part
    blank: Any

    def __str__(self) -> str:
        return f"[row if row is not None else {self.blank} for row in {Plain(self.part)}]"


@dataclass(frozen=True)
class Present:
    """`[row is not None for row in x]`: which of them are there."""

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
