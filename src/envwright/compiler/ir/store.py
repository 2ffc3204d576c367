"""The abstract store: what names, attributes and locations hold at a program point. Branches work on copies."""

from collections import deque
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.locations import locs_within
from envwright.compiler.ir.strings import alone
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.refusal import RefusedError

Attribute = tuple[int, Any]  # the object's id and the attribute, or the dict's and the key
DRAWN = 0  # stands for the object whose attributes are what was drawn
OUTSIDE = 2**30  # the place of a row that is not in its list any more, however long that gets
_locs = count(1)


@dataclass
class Store:
    """The names of a function, and what all functions share."""

    program: TranslationUnit
    names: dict[str, Value] = field(default_factory=dict)
    attributes: dict[Attribute, Value] = field(default_factory=dict)
    locs: dict[int, Value] = field(default_factory=dict)
    cursors: dict[str, Value] = field(default_factory=dict)  # how much of each chance field is used up
    positions: dict[int, Value] = field(default_factory=dict)  # of rows that are followed: where they are in their list
    homes: dict[int, int] = field(default_factory=dict)  # the lists of such rows, by location
    aliases: dict[int, frozenset[tuple[int, int]]] = field(
        default_factory=dict
    )  # lists that are kept apart: ir/alias_invalidation.py
    callers: tuple[dict[str, Value], ...] = ()  # the names of the functions that wait for this one
    state: str = ""  # the variable that holds the record of the state, if there is one
    clean: dict[Attribute, Value] = field(default_factory=dict)  # attributes as that record has them
    above: frozenset[int] = frozenset()  # the locations that the functions around this one have names for

    def copy(self) -> "Store":
        own = ("names", "attributes", "locs", "cursors", "positions", "aliases")
        return replace(self, **{name: dict(getattr(self, name)) for name in own})

    def inner(self, names: dict[str, Value]) -> "Store":
        """The store of a callee: its own names, everything else shared."""
        mine = {loc for value in self.names.values() for loc in locs_within(value)}
        return replace(self, names=names, callers=(*self.callers, self.names), above=self.above | mine)

    def take_over(self, other: "Store") -> None:
        """Adopt what a callee has changed."""
        self.attributes, self.locs, self.cursors = other.attributes, other.locs, other.cursors
        self.positions, self.aliases, self.state, self.clean = other.positions, other.aliases, other.state, other.clean

    def is_as(self, before: "Store") -> bool:
        """Whether nothing that was there before has changed."""
        pairs: list[tuple[Any, Any]] = [(before.locs, self.locs), (before.attributes, self.attributes)]
        same = all(now.get(key) is value for then, now in pairs for key, value in then.items())
        return same and before.cursors == self.cursors

    def hold(self, value: Value) -> Value:
        """Allocate a location for a mutable value, which all its aliases share."""
        mutable = isinstance(value, ir.MUTABLE) and not (isinstance(value, ir.Items) and not value.is_list)
        arrays = isinstance(value, ir.Array) and value.kind.shape
        known = isinstance(value, ir.Static) and isinstance(value.value, np.ndarray | list | dict | deque)
        if mutable or arrays or known or isinstance(value, ir.Masked):
            loc = next(_locs)
            self.locs[loc] = value
            return ir.Ref(loc)
        return value

    def see(self, value: Value) -> Value:
        """Resolve a reference or a view."""
        if isinstance(value, ir.Ref):
            value = self.locs[value.loc]
        if isinstance(value, ir.IndexView):
            return alone(read(self, self.see(value.ref), value.where))
        if isinstance(value, ir.PermutedView):
            seen = self.see(value.ref)
            return ir.Static(value.probe(seen.value)) if isinstance(seen, ir.Static) else value.turn(as_array(seen))
        if isinstance(value, ir.Either):
            chosen = self.see(value.join(value.when, self.deep(value.yes), self.deep(value.no)))
            return replace(chosen, shared=True) if isinstance(chosen, ir.Keyed) and chosen.made else chosen
        if isinstance(value, ir.Maybe) and isinstance(value.value, ir.PLACES):
            return ir.Maybe(value.present, self.see(value.value))
        if isinstance(value, ir.Unknown):
            raise value.why
        return alone(value)

    def deep(self, value: Value) -> Value:
        """Resolve a value, including the items of lists and dicts."""
        value = self.see(value)
        if isinstance(value, ir.Items) and any(isinstance(v, (*ir.PLACES, ir.Items, ir.Keyed)) for v in value.items):
            return replace(value, items=tuple(deep_or_unknown(self, v) for v in value.items))
        if isinstance(value, ir.Keyed) and any(
            isinstance(v, (*ir.PLACES, ir.Items, ir.Keyed)) for v in value.items.values()
        ):
            return replace(value, items={k: deep_or_unknown(self, v) for k, v in value.items.items()})
        if isinstance(value, ir.Maybe):
            return ir.Maybe(value.present, self.deep(value.value))
        return value


def called(key: Attribute) -> str:
    """The name of an attribute in the translation; integer keys of dicts have none."""
    name = str(key[1])
    return name.strip("_") if name.isidentifier() else "part"


def deep_or_unknown(memory: Store, value: Value) -> Value:
    """The resolved value, or poison."""
    try:
        return memory.deep(value)
    except RefusedError as why:
        return ir.Unknown(why)


def known(value: Any) -> Any:
    """The constant that a value must be."""
    if isinstance(value, ir.Static):
        return value.value
    if isinstance(value, ir.Items):
        return (list if value.is_list else tuple)(known(v) for v in value.items)
    if isinstance(value, ir.Unknown):
        raise value.why
    raise RefusedError("this must be known at compile time")


def differs(after: Store, before: Store) -> bool:
    """Whether something that was there before has changed, or a random number was drawn."""
    for part in ("attributes", "locs", "cursors", "names"):
        mine, other = getattr(after, part), getattr(before, part)
        if any(mine[key] is not other.get(key) for key in mine if key in other or part == "cursors"):
            return True
    return False
