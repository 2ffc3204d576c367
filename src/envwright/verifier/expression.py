"""The expressions of a contract: how a value of the candidate is read off the reference.

    x = "state[0]"      cards = "pad(player, 21)"      slip = "categorical(probabilities, draws('step', 0))"

They are Python expressions over the reference's names, checked when the contract is loaded, with the functions below.
"""

import ast
import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Draw
from envwright.verifier.codecs import Codec, codec_of


class ExpressionError(EnvwrightError, ValueError):
    """An expression of a contract cannot be read or does not fit the reference."""


DRAWING = ("draws", "picks")  # functions of what was drawn

_ALLOWED = (
    ast.Expression, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.Call,
    ast.keyword, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.List, ast.Tuple, ast.Dict,
    ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


@dataclass(frozen=True)
class Expression:
    """One expression; `where` says in which place of which contract it stands."""

    text: str
    where: str
    code: CodeType
    names: frozenset[str]  # the names it reads, functions apart
    draws: frozenset[str]  # whose random draws it reads: functions, their methods, `f.choice`, or lines, `f:87`
    codec: Codec | None  # what it makes of the reference, if that is one of the known forms

    def __call__(self, names: Mapping[str, Any], draws: Sequence[Draw] = ()) -> Any:
        return self.read(scope(names, draws))

    def read(self, scope: dict[str, Any]) -> Any:
        """Its value; a scope can be shared by all expressions that are read in one place."""
        try:
            return eval(self.code, scope)  # one scope, for a comprehension does not see a second
        except NameError as error:
            missing = error.name or str(error)
            names = [name for name in scope if name not in FUNCTIONS and name not in ("__builtins__", *DRAWING)]
            close = difflib.get_close_matches(missing, names, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; it has {', '.join(sorted(names))}."
            raise ExpressionError(f"{self.where}: the reference has no {missing}{hint}") from None
        except Exception as error:  # whatever an expression of the user's may raise
            raise ExpressionError(f"{self.where}: {self.text!r} fails: {error}.") from None

    def __reduce__(self) -> tuple[Any, ...]:  # code does not travel to another process; its text does
        return parse, (self.text, self.where)


def scope(names: Mapping[str, Any], draws: Sequence[Draw] = ()) -> dict[str, Any]:
    """What expressions see: the names of the reference, its draws, and our functions."""
    return {
        # NumPy's methods import as they go; what a contract itself may do was checked when it was read.
        "__builtins__": {"__import__": __import__},
        **FUNCTIONS,
        "draws": lambda *which: drawn(draws, *which),
        "picks": lambda *which: picked(draws, *which),
        **names,
    }


def parse(text: Any, where: str) -> Expression:
    """Check an expression of a contract."""
    if not isinstance(text, str):
        raise ExpressionError(f"{where}: an expression is a string, but this is {text!r}.")
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ExpressionError(f"{where}: {text!r} is not an expression: {error.msg}.") from None
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    names = set()
    for node in ast.walk(tree):
        word = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if not isinstance(node, _ALLOWED) or word.startswith("__"):
            raise ExpressionError(f"{where}: {text!r} uses {type(node).__name__}, which a contract may not.")
        if isinstance(node, ast.Name) and node.id not in bound:
            if id(node) in called and (node.id in FUNCTIONS or node.id in DRAWING):
                continue  # the reference may have a `round` or a `table` of its own; only a call means ours
            names.add(node.id)
    drawing = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _is_drawing(n.func)]
    draws = {
        n.value for call in drawing for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    compiled = compile(tree, where, "eval")
    return Expression(text, where, compiled, frozenset(names), frozenset(draws), codec_of(tree.body))


def _is_drawing(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id in DRAWING


# ---- functions that expressions may call ----


def drawn(draws: Sequence[Draw], function: str, index: int | None = None, shape: tuple[int, ...] = ()) -> Any:
    """The values drawn inside a function of the reference, `step`, by one method inside of it, `step.choice`, or in one
    of its lines, `step:87`.

    With an index it is one of them, masked if it was not drawn; `shape` is that of one, if it is an array.
    """
    found = _one_or_all([draw.value for draw in draws if is_drawn_by(draw, function)], index)
    return _not_drawn(shape, float) if found is np.ma.masked and shape else found


def _not_drawn(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    """Random draws that were not made."""
    return np.ma.array(np.zeros(shape, dtype), mask=np.ones(shape, bool), fill_value=0)


def picked(draws: Sequence[Draw], function: str, index: int | None = None, shape: tuple[int, ...] = ()) -> Any:
    """The same for choices of one element each, as the indices of what was chosen; and for lists of things other than
    numbers and texts that are shuffled, as the places at which they were before."""
    made = [draw for draw in draws if is_drawn_by(draw, function)]
    if strange := [draw for draw in made if draw.pick is None and places_of(draw) is None]:
        raise ValueError(f"{strange[0].method} at {strange[0].site} is not a choice of one from a list")
    found = _one_or_all([places_of(draw) if draw.pick is None else draw.pick[0] for draw in made], index)
    return _not_drawn(shape, int) if found is np.ma.masked and shape else found


def places_of(draw: Draw) -> list[int] | None:
    """Where the things of a list that was drawn have been."""
    return draw.value.get("__indices__") if isinstance(draw.value, dict) else None


def _one_or_all(values: list[Any], index: int | None) -> Any:
    if index is None:
        return values
    return values[index] if -len(values) <= index < len(values) else np.ma.masked


def is_drawn_by(draw: Draw, function: str) -> bool:
    """Whether a draw was made inside a function; if that is qualified, by that method or in that line of it."""
    return function in names_of(draw)


def names_of(draw: Draw) -> tuple[str, str, str]:
    """By what a contract may call for a draw."""
    function = site_function(draw.site)
    return function, f"{function}.{draw.method}", f"{function}:{site_line(draw.site)}"


def site_line(site: str) -> int:
    """The line of a site: 18 of "blackjack.py:18 draw_card"."""
    return int(site.rpartition(" ")[0].rpartition(":")[2] or 0)


def site_function(site: str) -> str:
    """The function of a site: `draw_card` of "blackjack.py:18 draw_card"."""
    return site.rpartition(" ")[2]


def pad(values: Any, size: int, fill: Any = 0, shape: tuple[int, ...] = ()) -> NDArray[Any]:
    """A list as an array of fixed size; what is added is `fill`, and masked. `shape` is that of an element."""
    values = np.asarray(list(values))
    values = values if len(values) else np.zeros((0, *shape), np.asarray(fill).dtype)
    if len(values) > size:
        raise ValueError(f"{len(values)} values do not fit into {size}")
    shape = (size, *values.shape[1:])
    wide = np.full(shape, fill, values.dtype if len(values) else np.asarray(fill).dtype)
    wide[: len(values)] = values
    mask = np.ones(shape, bool)
    mask[: len(values)] = False
    return np.ma.array(wide, mask=mask, fill_value=fill)


def table(rows: Any, height: int, width: int, fill: Any = 0) -> NDArray[Any]:
    """A list of rows, as of things on a board, as an array of fixed size; the rows that are left are `fill`."""
    if len(rows) > height:
        raise ValueError(f"{len(rows)} rows do not fit into {height}")
    return np.array([*rows, *([fill] * width for _ in range(height - len(rows)))]).reshape(height, width)


def flags(members: Any, first: Any, shape: tuple[int, ...] = ()) -> NDArray[Any]:
    """A set as a flag for each of these things, or, given a shape, for each place of a box that begins at `first`."""
    places = list(first) if not shape else None
    flat = np.zeros(shape or len(first), bool)
    for member in members:
        if places is not None:
            place: Any = places.index(member) if member in places else None
        else:
            row = np.subtract(member if isinstance(member, tuple) else (member,), first)
            place = tuple(row) if ((row >= 0) & (row < shape)).all() else None
        if place is None:
            raise ValueError(f"{member!r} is none of the things that this set was seen to hold")
        flat[place] = True
    return flat


def keyed(members: Any, keys: Any, shape: tuple[int, ...] = ()) -> NDArray[Any]:
    """The values of a dict that always has these keys, in this order; given a shape, those of a box that begins at
    `keys`, with an axis for each part of a key."""
    wanted = list(keys) if not shape else box(keys, shape)
    if list(members) != wanted:
        raise ValueError("this dict was seen to have the same keys in the same order always, but has others")
    values = np.asarray(list(members.values()))
    return values.reshape(*shape, *values.shape[1:]) if shape else values


def box(first: tuple[int, ...], shape: tuple[int, ...]) -> list[Any]:
    """The whole numbers, or tuples of them, that fill a box, in order."""
    places = [tuple(a + b for a, b in zip(place, first, strict=True)) for place in np.ndindex(*shape)]
    return places if len(first) > 1 else [place for (place,) in places]


def letters(texts: Any, alphabet: Sequence[Any]) -> NDArray[Any]:
    """Texts, or None, in lists or arrays, as their numbers in an alphabet."""
    if np.ma.is_masked(texts):
        return _not_drawn(np.shape(texts), int)
    numbers = {text: number for number, text in enumerate(alphabet)}
    found = np.array(texts, dtype=object)
    if strange := [text for text in found.flat if not isinstance(text, str | None) or text not in numbers]:
        raise ValueError(f"{strange[0]!r} is none of the texts that were seen here")
    return np.array([numbers[text] for text in found.flat], np.int64).reshape(found.shape)


def pick(values: Any, index: Any) -> Any:
    """`values[index]`, masked where the index was not drawn."""
    return index if index is np.ma.masked else values[index]


def categorical(probabilities: Any, u: Any) -> Any:
    """The first index at which the running sum of the probabilities passes `u`, in double precision."""
    if u is np.ma.masked:
        return u
    return int(np.argmax(np.cumsum(np.asarray(probabilities)) > u))


def one_hot(index: int, size: int) -> NDArray[Any]:
    return np.eye(size, dtype=np.int32)[index]


def none(value: Any, instead: Any) -> Any:
    """`value`, or `instead` where the reference has None."""
    return instead if value is None else value


def joined(value: Any) -> NDArray[Any]:
    """All numbers of a dict or tuple of arrays in a row, in its order, as a flattened observation has them. Whole
    numbers among real ones of float32 do not make a row of float64 of them: nothing in it was computed so exactly."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    if parts is None:
        return np.asarray(value).ravel()
    rows = [joined(part) for part in parts]
    real = [row.dtype for row in rows if row.dtype.kind == "f"]
    return np.concatenate(rows, dtype=np.result_type(*real)) if real else np.concatenate(rows)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "len": len, "int": int, "float": float, "bool": bool, "abs": abs, "min": min, "max": max, "sum": sum, "any": any,
    "all": all, "sorted": sorted, "list": list, "tuple": tuple, "range": range, "array": np.asarray, "pad": pad,
    "joined": joined, "table": table, "pick": pick, "categorical": categorical, "one_hot": one_hot, "none": none,
    "flags": flags, "keyed": keyed, "letters": letters, "flat": lambda x: np.asarray(x).ravel(),
    "where": np.where, "round": round, "ord": ord, "float32": np.float32,
}  # fmt: skip
