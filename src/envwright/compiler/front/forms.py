"""The lines of a contract, read: which attribute a field is about, and in which form it has it."""

import ast
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from envwright.compiler.front.slots import Lined, Slot
from envwright.compiler.ir.avals import INT, narrow
from envwright.compiler.ir.avals import Aval as Kind
from envwright.compiler.refusal import RefusedError
from envwright.verify.expression import box

Path = tuple[Any, ...]  # the name of an attribute, then names, or the keys of dicts
Column = tuple[str, str, Any, str]  # the attribute, its form, what the form needs; "list" or "tuple" if it is one


def read_state(
    expressions: Mapping[str, str],
    kinds: Mapping[str, tuple[tuple[int, ...], str]],
    looks: Mapping[str, Any],
    live: Mapping[Path, tuple[str, ...]],
) -> dict[Path, Slot]:
    """The slots by path: the attribute's name, then the keys of what is inside. `live`: the fields of named tuples."""
    slots: dict[Path, Slot] = {}
    partners: dict[Path, list[tuple[str, str]]] = {}
    columns: dict[Path, dict[str, Column]] = {}
    for field, text in expressions.items():
        if text == "elapsed_steps" or field not in kinds:
            continue
        path, form, extra = form_of(ast.parse(text, mode="eval").body)
        if form == "column":
            columns.setdefault(path, {})[field] = extra
            continue
        partners.setdefault(path, []).append((field, form))
        if form in ("count", "present"):
            continue
        kind = Kind(narrow(kinds[field][1]), kinds[field][0])
        seen = follow(looks, path)
        if form in ("letters", "keyed"):
            slots[path] = _whole(field, form, extra, kind, seen)
            continue
        if form == "listed" and extra:
            kind, extra = kind._replace(of=extra), None
        listed = isinstance(seen, list | tuple | deque)
        extra = seen.maxlen if isinstance(seen, deque) else extra
        names = live.get(path, ())
        slots[path] = Slot(form, ((field, kind),), listed or bool(names), extra, names, isinstance(seen, tuple))
    for path, fields in columns.items():
        (count,) = [field for field, form in partners.get(path, ()) if form == "count"]
        slots[path] = _objects(fields, count, kinds)
    for path, fields in partners.items():
        for field, form in fields:
            if path in columns:
                continue
            if form == "count" and path in slots and slots[path].form == "flags":
                slots[path] = replace(slots[path], fields=(*slots[path].fields, (field, Kind(INT))))
            elif form in ("count", "present") and path in slots:
                kind = Kind(narrow(kinds[field][1]), kinds[field][0])
                slot = slots[path]
                slots[path] = Slot(
                    "rows" if form == "present" else "listed", (*slot.fields, (field, kind)), True, slot.extra
                )
    return slots


def _whole(field: str, form: str, extra: Any, kind: Kind, seen: Any) -> Slot:
    """A board of texts, or a dict by numbers, in one array."""
    alphabet, places = extra
    kind = kind._replace(of=alphabet) if alphabet else kind
    one = next(iter(seen.values()), None) if form == "keyed" and isinstance(seen, Mapping) else seen
    return Slot(form, ((field, kind),), isinstance(one, list | tuple | deque), places, tupled=isinstance(one, tuple))


def _objects(columns: Mapping[str, "Column"], count: str, kinds: Mapping[str, tuple[tuple[int, ...], str]]) -> Slot:
    """A list of objects: a field for each of their attributes, and one for how many there are."""
    ones: dict[str, Slot] = {}
    for field, (name, form, extra, sequence) in columns.items():
        shape, dtype = kinds[field]
        ones[name] = Slot(
            form, ((field, Kind(narrow(dtype), shape[1:])),), bool(sequence), extra, tupled=sequence == "tuple"
        )
    fields = {column[0]: field for field, column in columns.items()}
    kept = [(field, Kind(narrow(kinds[field][1]), kinds[field][0])) for field in (*columns, count)]
    return Slot("objects", tuple(kept), True, Lined(0, fields, ones))


def follow(looks: Mapping[str, Any], path: Path) -> Any:
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


def form_of(node: ast.expr) -> tuple[Path, str, Any]:
    if (path := _path(node)) is not None:
        return path, "plain", None
    match node:
        case ast.Call(
            func=ast.Name(id="pad"),
            args=[ast.ListComp(elt=one, generators=[ast.comprehension(target=ast.Name(id=item), iter=inner)]), *_],
        ) if (path := _path(inner)) is not None:
            return path, "column", _column(one, item)
        case ast.Call(
            func=ast.Name(id="pad"), args=[ast.Call(func=ast.Name(id="letters"), args=[inner, texts]), *_]
        ) if (path := _path(inner)) is not None:
            return path, "listed", tuple(ast.literal_eval(texts))
        case ast.Call(func=ast.Name(id="pad" | "table"), args=[inner, *_]) if (path := _path(inner)) is not None:
            return path, "listed", None
        case ast.Call(func=ast.Name(id="flags"), args=[inner, first, *_]) if (path := _path(inner)) is not None:
            known = ast.literal_eval(first)
            return path, "flags", ((0,), tuple(known)) if isinstance(known, list) else (known, ())
        case ast.Call(func=ast.Name(id="keyed"), args=[inner, *keys]) if (path := _path(inner)) is not None:
            return path, "keyed", (None, _keys(*map(ast.literal_eval, keys)))
        case ast.Call(func=ast.Name(id="letters"), args=[inner, texts]):
            path, form, places = form_of(inner)
            if form in ("plain", "keyed"):
                alphabet = tuple(ast.literal_eval(texts))
                return path, "letters" if form == "plain" else form, (alphabet, places[1] if places else None)
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


def _keys(first: Any, shape: Any = ()) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The keys of a dict in their order, and the first place of the box that they fill, if they do."""
    return (tuple(box(first, shape)), tuple(first)) if shape else (tuple(first), ())


def _column(node: ast.expr, item: str) -> Column:
    """An attribute of the objects of a list."""
    sequence = ""
    match node:
        case ast.Call(func=ast.Name(id="tuple" | "list" as sequence), args=[inner]):
            node = inner
    path, form, extra = form_of(node)
    if path[0] != item or len(path) < 2 or form not in ("plain", "optional", "texts"):
        raise RefusedError(f"{ast.unparse(node)!r} in a line of the contract is not an attribute that the rules know")
    return path[2 if path[1] == "__items__" else 1], form, extra, sequence


def _texts(table: ast.Dict) -> list[str]:
    pairs = ast.literal_eval(table)
    return sorted(pairs, key=pairs.__getitem__)


def _path(node: ast.expr) -> Path | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Subscript) and (key := _key(node.slice)) is not None:
        inner = _path(node.value)
        return None if inner is None else (*inner, key)
    if isinstance(node, ast.Attribute):
        inner = _path(node.value)
        return None if inner is None else (*inner, node.attr)
    return None


def _key(node: ast.expr) -> Any:
    """A text, a whole number, or a tuple of such."""
    match node:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return ast.literal_eval(node)
        case ast.Tuple(elts=parts) if parts and all(_key(part) is not None for part in parts):
            return ast.literal_eval(node)
    return None
