"""What a value may depend on, and what it may be a name for, as far as the text of a program tells.

A `Token` stands for the value that an attribute had when the call began. Things that can be changed in place have
sites; what is put into a thing marks its site, and all names of it see the mark.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

Site = object  # an attribute by its name, or the place in the source where a thing is made


class Token(NamedTuple):
    """What an attribute was before the call."""

    name: str
    where: str = ""  # the file and line that read it


Tokens = frozenset[Token]
NONE: Tokens = frozenset()


@dataclass(frozen=True)
class Value:
    """What may have made a value."""

    of: Tokens = NONE
    sites: frozenset[Site] = frozenset()  # the things that it may be
    items: "tuple[Value, ...] | None" = None  # of a tuple
    is_dict: bool = False

    def under(self, tokens: Tokens) -> "Value":
        """The same, if it is decided by these that it is this one."""
        if tokens <= self.of:
            return self
        inner = None if self.items is None else tuple(item.under(tokens) for item in self.items)
        return replace(self, of=self.of | tokens, items=inner)


def join(one: Value, two: Value) -> Value:
    """Either of them."""
    if one == two:
        return one
    items = None
    if one.items is not None and two.items is not None and len(one.items) == len(two.items):
        items = tuple(map(join, one.items, two.items))
    return Value(one.of | two.of, one.sites | two.sites, items, one.is_dict and two.is_dict)


@dataclass
class FlowState:
    """What the names of a function, and the attributes that were set in this call, hold."""

    names: dict[str, Value] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)

    def copy(self) -> "FlowState":
        return FlowState(dict(self.names), dict(self.attributes))

    def attribute(self, name: str) -> Value:
        return self.attributes.get(name) or before(name)


def before(name: str) -> Value:
    """An attribute that nobody has set in this call."""
    return Value(frozenset({Token(name)}), frozenset({name}))


def join_states(states: Iterable[FlowState | None]) -> FlowState | None:
    """Any of those that a program can be in."""
    possible = [state for state in states if state is not None]
    if len(possible) < 2:
        return possible[0] if possible else None
    made = possible[0].copy()
    for state in possible[1:]:
        for name, value in state.names.items():
            made.names[name] = join(made.names[name], value) if name in made.names else value
        for name in {**made.attributes, **state.attributes}:
            made.attributes[name] = join(made.attribute(name), state.attribute(name))
    return made


def _is_attribute(site: Site) -> bool:
    return isinstance(site, str) and not site.endswith("*")


def _content(site: Site) -> Site:
    """What an attribute holds when the call begins, however deep."""
    return f"{site}*"


class Things:
    """What is known of all things: what was put into them, at any time."""

    def __init__(self) -> None:
        self.marks: dict[Site, Tokens] = {}
        self.inner: dict[Site, frozenset[Site]] = {}
        self.same: dict[Site, Site] = {}  # things that may be one: a thing, and the one that stands for it
        self.changes = 0

    def one(self, site: Site) -> Site:
        while site in self.same:
            site = self.same[site]
        return site

    def mark(self, sites: Iterable[Site], tokens: Tokens, held: Iterable[Site] = ()) -> None:
        """Something that depends on the tokens, and holds these things, is put into each of the sites."""
        held = frozenset(map(self.one, held))
        for site in set(map(self.one, sites)):
            if not tokens <= self.marks.get(site, NONE) or not held <= self.inner.get(site, frozenset()):
                self.marks[site] = self.marks.get(site, NONE) | tokens
                self.inner[site] = self.inner.get(site, frozenset()) | held
                self.changes += 1

    def unite(self, one: Site, two: Site) -> None:
        """From now on the two are one thing."""
        kept, gone = self.one(one), self.one(two)
        if kept == gone:
            return
        self.same[gone] = kept
        self.changes += 1
        self.mark([kept], self.marks.pop(gone, NONE), self.inner.pop(gone, frozenset()))
        if _is_attribute(kept) and _is_attribute(gone):
            self.unite(_content(kept), _content(gone))

    def within(self, value: Value) -> frozenset[Site]:
        """All things that a value leads to, without what it is itself."""
        found: set[Site] = set()
        waiting = [inner for site in value.sites for inner in self._inner(self.one(site))]
        while waiting:
            site = self.one(waiting.pop())
            if site not in found:
                found.add(site)
                waiting += self._inner(site)
        return frozenset(found)

    def _inner(self, site: Site) -> list[Site]:
        held = list(self.inner.get(site, ()))
        return [*held, _content(site)] if _is_attribute(site) else held

    def reach(self, value: Value) -> frozenset[Site]:
        return frozenset(map(self.one, value.sites)) | self.within(value)

    def tokens(self, value: Value) -> Tokens:
        """All that a value depends on, with what was put into it."""
        return value.of.union(*(self.marks.get(site, NONE) for site in self.reach(value)))
