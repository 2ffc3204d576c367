"""The lines of a contract, read: which attribute a field is about, and in which form it has it."""

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from envwright.compiler.front.slots import Lined, Slot
from envwright.compiler.ir.avals import INT, Aval, narrow
from envwright.compiler.refusal import RefusedError
from envwright.verifier import codecs
from envwright.verifier.codecs import Codec, Column, Count, KeyedDict, Letters, Padded, Part, Plain, Present
from envwright.verifier.expression import Expression, box
from envwright.verifier.interface import Field

TIME = Plain(("elapsed_steps",))  # counted outside of the game


def read_state(
    expressions: Mapping[str, Expression],
    kinds: Mapping[str, tuple[tuple[int, ...], str]],
    looks: Mapping[str, Any],
    live: Mapping[Part, tuple[str, ...]],
) -> dict[Part, Slot]:
    """The slots by path: the attribute's name, then the keys of what is inside. `live`: the fields of named tuples."""
    slots: dict[Part, Slot] = {}
    partners: dict[Part, tuple[str, str]] = {}  # the field beside the first, and the form of both
    columns: dict[Part, dict[str, Column]] = {}
    wanted = {field: known(expression) for field, expression in expressions.items() if field in kinds}
    for field, codec in wanted.items():
        match codec:
            case Padded(Column(part) as column):
                columns.setdefault(part, {})[field] = column
            case Count(Plain(part)):
                partners[part] = field, "listed"
            case Present(part):
                partners[part] = field, "rows"
            case _ if codec != TIME:
                kind = Aval(narrow(kinds[field][1]), kinds[field][0])
                slots[codec.part] = _slot(codec, field, kind, follow(looks, codec.part), live.get(codec.part, ()))
    for part, fields in columns.items():
        if part not in partners:
            raise RefusedError(
                f"the contract has no line {str(Count(Plain(part)))!r}, so how many there are is not known"
            )
        slots[part] = _objects(fields, partners.pop(part)[0], kinds)
    for part, (field, form) in partners.items():
        slot = slots.get(part)
        if slot is not None and slot.form == "flags":
            slots[part] = replace(slot, fields=(*slot.fields, (field, Aval(INT))))
        elif slot is not None:
            kind = Aval(narrow(kinds[field][1]), kinds[field][0])
            slots[part] = Slot(form, (*slot.fields, (field, kind)), True, slot.extra)
    return slots


def known(expression: Expression) -> Codec:
    """The codec of a line of the contract."""
    return expression.codec or _refuse(expression.text)


def part_of(argument: Field) -> Part:
    """Which argument of a function of the original one of its translation is made of."""
    codec = argument.codec or _refuse(argument.source)
    return codec.part


def _refuse(line: object) -> Any:
    raise RefusedError(f"the line {str(line)!r} of the contract is not one that the rules know")


def _slot(codec: Codec, field: str, kind: Aval, seen: Any, names: tuple[str, ...]) -> Slot:
    """The slot of one field; `seen` is what the original holds there, `names` those of a named tuple."""
    if isinstance(codec, KeyedDict | Letters):
        return _whole(codec, field, kind, seen)
    form, extra = _form(codec)
    match codec:
        case Padded(Letters(_, alphabet)):
            kind = kind._replace(of=tuple(alphabet))
    extra = seen.maxlen if isinstance(seen, deque) else extra
    listed = isinstance(seen, list | tuple | deque) or bool(names)
    return Slot(form, ((field, kind),), listed, extra, names, isinstance(seen, tuple))


def _form(codec: Codec) -> tuple[str, Any]:
    """The form of a slot, and what it needs to know."""
    match codec:
        case Plain() | codecs.Cast(Plain(), "array" | "int" | "float"):
            return "plain", None
        case Padded(Plain() | Letters(Plain())) | codecs.RowTable(Plain()):
            return "listed", None
        case codecs.Flags(Plain(), first, shape):
            return "flags", (first, ()) if shape else ((0,), tuple(first))
        case codecs.OrNone(Plain(), instead) | codecs.Unless(Plain(), _, instead):
            return "optional", instead
        case codecs.Enumerated(_, texts):
            return "texts", ([*texts], False)
        case codecs.Unless(codecs.Enumerated(_, texts)):
            return "texts", ([*texts], True)
        case codecs.RowsOrNone():
            return "rows", None
    return _refuse(codec)


def _whole(codec: KeyedDict | Letters, field: str, kind: Aval, seen: Any) -> Slot:
    """A board of texts, or a dict by numbers, in one array."""
    inner: Codec = codec
    if isinstance(codec, Letters):
        kind, inner = kind._replace(of=tuple(codec.alphabet)), codec.inner
    match inner:
        case Plain():
            form, places, one = "letters", None, seen
        case KeyedDict(Plain(), first, shape):
            form, places = "keyed", (tuple(box(tuple(first), shape)), first) if shape else (tuple(first), ())
            one = next(iter(seen.values()), None) if isinstance(seen, Mapping) else seen
        case _:
            return _refuse(codec)
    return Slot(form, ((field, kind),), isinstance(one, list | tuple | deque), places, tupled=isinstance(one, tuple))


def _objects(columns: Mapping[str, Column], count: str, kinds: Mapping[str, tuple[tuple[int, ...], str]]) -> Slot:
    """A list of objects: a field for each of their attributes, and one for how many there are."""
    ones: dict[str, Slot] = {}
    fields: dict[str, str] = {}
    for field, column in columns.items():
        shape, dtype = kinds[field]
        sequence, one = "", column.one
        if isinstance(one, codecs.Cast) and one.to in ("list", "tuple"):
            sequence, one = one.to, one.inner
        form, extra = _form(one)
        if len(one.part) < 2 or form not in ("plain", "optional", "texts"):
            raise RefusedError(f"{str(one)!r} in a line of the contract is not an attribute that the rules know")
        name = one.part[2 if one.part[1] == "__items__" else 1]
        kind = Aval(narrow(dtype), shape[1:])
        ones[name] = Slot(form, ((field, kind),), bool(sequence), extra, tupled=sequence == "tuple")
        fields[name] = field
    kept = [(field, Aval(narrow(kinds[field][1]), kinds[field][0])) for field in (*columns, count)]
    return Slot("objects", tuple(kept), True, Lined(0, fields, ones))


def follow(looks: Mapping[str, Any], path: Part) -> Any:
    """What was seen of the original at a path."""
    found: Any = looks
    for part in path:
        found = inside(found, part)
    return found


def inside(thing: Any, part: Any) -> Any:
    """What is at a place of a list, under a key of a dict, or an attribute; None, if nothing is."""
    if isinstance(thing, list | tuple) and isinstance(part, int):
        return thing[part]
    if isinstance(thing, Mapping):
        return thing.get(part)
    return getattr(thing, part, None) if isinstance(part, str) else None
