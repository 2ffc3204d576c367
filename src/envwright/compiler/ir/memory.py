"""What names, attributes and lists hold at one point of the program; branches work on copies, to be joined again."""

from collections import deque
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from envwright.compiler.ir.cells import cells_within
from envwright.compiler.ir.indexing import read
from envwright.compiler.ir.program import Program
from envwright.compiler.ir.texts import alone
from envwright.compiler.ir.values import (
    MUTABLE,
    PLACES,
    Array,
    Either,
    Items,
    Keyed,
    Masked,
    Maybe,
    Ref,
    Static,
    Turned,
    Unknown,
    Value,
    View,
    as_array,
)
from envwright.compiler.refusal import RefusedError

Attribute = tuple[int, Any]  # the object's id and the attribute, or the dict's and the key
DRAWN = 0  # stands for the object whose attributes are what was drawn
OUTSIDE = 2**30  # the place of a row that is not in its list any more, however long that gets
_cells = count(1)


@dataclass
class Memory:
    """The names of a function, and what all functions share."""

    program: Program
    names: dict[str, Value] = field(default_factory=dict)
    attributes: dict[Attribute, Value] = field(default_factory=dict)
    cells: dict[int, Value] = field(default_factory=dict)
    cursors: dict[str, Value] = field(default_factory=dict)  # how much of each piece of luck is used up
    positions: dict[int, Value] = field(default_factory=dict)  # of rows that are followed: where they are in their list
    homes: dict[int, int] = field(default_factory=dict)  # the lists of such rows, by cell
    twins: dict[int, frozenset[tuple[int, int]]] = field(default_factory=dict)  # lists that are kept apart: ir/twins.py
    callers: tuple[dict[str, Value], ...] = ()  # the names of the functions that wait for this one
    state: str = ""  # the variable that holds the record of the state, if there is one
    clean: dict[Attribute, Value] = field(default_factory=dict)  # attributes as that record has them
    above: frozenset[int] = frozenset()  # the cells that the functions around this one have names for

    def copy(self) -> "Memory":
        return replace(
            self,
            names=dict(self.names),
            attributes=dict(self.attributes),
            cells=dict(self.cells),
            cursors=dict(self.cursors),
            positions=dict(self.positions),
            twins=dict(self.twins),
        )

    def inner(self, names: dict[str, Value]) -> "Memory":
        """For a function that is called: its own names, everything else as here."""
        mine = {cell for value in self.names.values() for cell in cells_within(value)}
        return replace(self, names=names, callers=(*self.callers, self.names), above=self.above | mine)

    def take_over(self, other: "Memory") -> None:
        """What a function that was called has left behind."""
        self.attributes, self.cells, self.cursors = other.attributes, other.cells, other.cursors
        self.positions, self.twins, self.state, self.clean = other.positions, other.twins, other.state, other.clean

    def is_as(self, before: "Memory") -> bool:
        """Whether nothing has changed since, though there may be more."""
        pairs: list[tuple[Any, Any]] = [(before.cells, self.cells), (before.attributes, self.attributes)]
        same = all(now.get(key) is value for then, now in pairs for key, value in then.items())
        return same and before.cursors == self.cursors

    def hold(self, value: Value) -> Value:
        """Something that can be changed in place gets a cell, so that all its names see the change."""
        mutable = isinstance(value, MUTABLE) and not (isinstance(value, Items) and not value.is_list)
        arrays = isinstance(value, Array) and value.kind.shape
        known = isinstance(value, Static) and isinstance(value.value, np.ndarray | list | dict | deque)
        if mutable or arrays or known or isinstance(value, Masked):
            cell = next(_cells)
            self.cells[cell] = value
            return Ref(cell)
        return value

    def see(self, value: Value) -> Value:
        """What is behind a reference or a view."""
        if isinstance(value, Ref):
            value = self.cells[value.cell]
        if isinstance(value, View):
            return alone(read(self, self.see(value.ref), value.where))
        if isinstance(value, Turned):
            seen = self.see(value.ref)
            return Static(value.probe(seen.value)) if isinstance(seen, Static) else value.turn(as_array(seen))
        if isinstance(value, Either):
            chosen = self.see(value.join(value.when, self.deep(value.yes), self.deep(value.no)))
            return replace(chosen, shared=True) if isinstance(chosen, Keyed) and chosen.made else chosen
        if isinstance(value, Maybe) and isinstance(value.value, PLACES):
            return Maybe(value.present, self.see(value.value))
        if isinstance(value, Unknown):
            raise value.why
        return alone(value)

    def deep(self, value: Value) -> Value:
        """The same, and inside of lists, too."""
        value = self.see(value)
        if isinstance(value, Items) and any(isinstance(v, (*PLACES, Items, Keyed)) for v in value.items):
            return replace(value, items=tuple(deep_or_unknown(self, v) for v in value.items))
        if isinstance(value, Keyed) and any(isinstance(v, (*PLACES, Items, Keyed)) for v in value.items.values()):
            return replace(value, items={k: deep_or_unknown(self, v) for k, v in value.items.items()})
        if isinstance(value, Maybe):
            return Maybe(value.present, self.deep(value.value))
        return value


def called(key: Attribute) -> str:
    """What an attribute is called in the translation; what a dict has under a number has no name."""
    name = str(key[1])
    return name.strip("_") if name.isidentifier() else "part"


def deep_or_unknown(memory: Memory, value: Value) -> Value:
    """What is behind a value, or why it is not known."""
    try:
        return memory.deep(value)
    except RefusedError as why:
        return Unknown(why)


def known(value: Any) -> Any:
    """The value of something that must be known before the game is played."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Items):
        return (list if value.is_list else tuple)(known(v) for v in value.items)
    if isinstance(value, Unknown):
        raise value.why
    raise RefusedError("this must be known before the game is played")


def differs(after: Memory, before: Memory) -> bool:
    """Whether something that was there before has changed, or luck was drawn."""
    for part in ("attributes", "cells", "cursors", "names"):
        mine, other = getattr(after, part), getattr(before, part)
        if any(mine[key] is not other.get(key) for key in mine if key in other or part == "cursors"):
            return True
    return False
