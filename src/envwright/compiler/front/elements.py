"""Lists of objects of the state: which class their objects are of, and which of them share a heap."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from envwright.compiler.front.forms import inside, known
from envwright.compiler.ir.object_arena import ObjectArena
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.refusal import RefusedError
from envwright.verifier.codecs import Column, Padded, Part
from envwright.verifier.expression import Expression

EPISODES, STEPS = 40, 300  # played until an object is in every list
_numbers = count(1)


def element_class(reference: Any, expressions: Mapping[str, Expression]) -> dict[Part, type]:
    """The class of the objects in each list of them, found in play: a list may be empty now."""
    codecs = [known(expression) for expression in expressions.values()]
    wanted = {codec.part for codec in codecs if isinstance(codec, Padded) and isinstance(codec.inner, Column)}
    found: dict[Part, type] = {}
    rng = np.random.default_rng(0)
    for episode in range(EPISODES if wanted else 0):
        outcome = reference.reset(seed=episode)
        for _ in range(STEPS):
            found |= {path: kind for path in wanted - found.keys() if (kind := _class_in(reference, path))}
            if found.keys() == wanted or outcome.terminated or outcome.truncated:
                break
            outcome = reference.step(reference.sample_action(rng))
        if found.keys() == wanted:
            break
    if missing := wanted - found.keys():
        raise RefusedError(f"{'.'.join(min(missing))} was empty in all games played, so its objects are not known")
    return found


def _class_in(reference: Any, path: Part) -> type | None:
    places = reference._state().places
    if path[0] not in places:
        raise RefusedError(f"the contract names {path[0]}, which the original does not have")
    place = places[path[0]]
    found = getattr(place.owner, place.attribute, None)
    for part in path[1:]:
        found = inside(found, part)
    return next((type(item) for item in found or ()), None)


def settle_heaps(program: TranslationUnit, classes: Mapping[tuple[int, str], type]) -> None:
    """A heap for each class, for an object may go from one list to another; dicts and tuples stay among their like."""
    by_class: dict[Any, ObjectArena] = {}
    for key, made in classes.items():
        slot = _named(program.slots[key], made)
        group: Any = tuple(sorted(slot.extra.columns)) if made is dict else made
        if made is tuple:
            columns = slot.extra.columns.items()
            group = tuple((name, one.form, repr(one.extra), one.fields[0][1]) for name, one in columns)
        heap = by_class.setdefault(group, ObjectArena(-next(_numbers), made, dict(slot.extra.columns)))
        if not _alike(heap.columns, slot.extra.columns):
            raise RefusedError(f"lists of {made.__name__} hold objects that differ in what they hold")
        heap.lists[key] = slot.room
        program.arenas[heap.number] = heap
        program.slots[key] = replace(slot, extra=replace(slot.extra, heap=heap.number))


def _named(slot: Any, made: Any) -> Any:
    """A list of named tuples by the names of their parts, which the contract has by number."""
    if made is tuple or not issubclass(made, tuple):
        return slot
    names: tuple[str, ...] = made._fields  # pyright: ignore[reportAttributeAccessIssue]
    fields = {names[int(i)]: field for i, field in slot.extra.fields.items()}
    columns = {names[int(i)]: one for i, one in slot.extra.columns.items()}
    return replace(slot, extra=replace(slot.extra, fields=fields, columns=columns))


def _alike(mine: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Whether two lists have the same attributes in the same form."""
    if mine.keys() != others.keys():
        return False
    pairs = [(mine[name], others[name]) for name in mine]
    return all((a.form, a.extra, a.fields[0][1]) == (b.form, b.extra, b.fields[0][1]) for a, b in pairs)
