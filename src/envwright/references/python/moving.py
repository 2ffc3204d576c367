"""Which attributes of a reference move, so that a snapshot need not copy its tables at every step."""

from collections.abc import Mapping, Sequence
from typing import Any

from envwright.references.plain import same
from envwright.references.python.mirror import Mirror, adapted, has_hook
from envwright.references.python.own_modules import classes_of
from envwright.references.python.rebuild import thaw_places
from envwright.references.python.walk import (
    Freezer,
    Place,
    WalkMemory,
    attributes,
    class_attributes,
    freeze_places,
    is_absent,
    is_state,
)

_CHEAP = 300  # containers; above that, a constant is looked at now and then only

_OF_CLASS = -1


class Attributes:
    """The attributes of one or more objects by name, those that move and those that have not moved so far.

    State that lies outside of Python is mirrored in objects of its own.
    """

    def __init__(self, roots: Sequence[Any], moving: Mapping[str, int] | None = None) -> None:
        self.mirrors = [Mirror(adapter, root) for adapter, root in adapted(roots)]
        self.opaque = {id(mirror.root): mirror.adapter.opaque for mirror in self.mirrors}
        self.roots, self.memory = [*roots, *(mirror.image for mirror in self.mirrors)], WalkMemory()
        self.walked = [root for root in self.roots if not has_hook(root)]
        self.places: dict[str, Place] = {}
        self.moving: dict[str, Place] = {}
        self.constants: dict[str, Any] = {}
        self.costs: dict[str, int] = {}
        self.count = -1
        self.visible: dict[str, Any] | None = None  # the constants as `look` shows them, made when it is first asked
        self._find_places()
        for name, index in (moving or {}).items():
            if index != _OF_CLASS:  # it may not be there yet
                self.places.setdefault(name, Place(self.roots[index], name.rpartition(".")[2]))
            self.moving[name] = self.places[name]
        self._note_constants()

    def owners(self) -> dict[str, int]:
        """Which of the objects each moving name belongs to, for another `Attributes` of the same kind of objects."""
        index = {id(root): i for i, root in enumerate(self.roots)}
        return {name: index.get(id(owner), _OF_CLASS) for name, (owner, _) in self.moving.items()}

    def expect(self, names: Sequence[str]) -> None:
        """Take these for moving, whether or not they have been seen to move."""
        new = {name: self.places[name] for name in names if name not in self.moving}
        if new:  # else what a reset has just changed would be noted as constant
            self.moving |= new
            self._note_constants()

    def _find_places(self) -> list[str]:
        """Take in attributes that are new; nearly always there are none, which is quick to see."""
        count = sum(len(getattr(root, "__dict__", ())) for root in self.walked)
        if count == self.count:
            return []
        self.count, new = count, []
        parts = {id(root) for root in self.roots}
        for root in self.walked:
            for name, value in attributes(root):
                if id(value) in parts or not is_state(root, name, value) or name in self.opaque.get(id(root), ()):
                    continue
                if name == "env" and id(getattr(value, "unwrapped", None)) in parts:
                    continue  # of a wrapper: others, which hold no state, are between it and what it wraps
                owner = self.places[name].owner if name in self.places else None
                taken = owner is not None and owner is not root and not isinstance(owner, type)
                full = f"{type(root).__name__}.{name}" if taken else name  # two objects with an attribute of one name
                if full not in self.places or isinstance(self.places[full].owner, type):
                    self.places[full] = Place(root, name)
                    new.append(full)
        for cls in classes_of(self.walked, within=False):
            for name in class_attributes(cls):
                if name not in self.places:
                    self.places[name] = Place(cls, name)
                    new.append(name)
        return new

    def _note_constants(self) -> None:
        """Freeze what does not move, and remember its parts: a moving attribute may refer to them."""
        self.memory.constants, self.memory.constant_at, self.visible = {}, {}, None
        still = {name: place for name, place in self.places.items() if name not in self.moving}
        for name, place in still.items():
            if name not in self.costs:
                alone = Freezer(self.memory, self.roots)
                freeze_places(alone, {name: place})
                self.costs[name] = len(alone.seen)
        # The cheap ones first, so that they never refer to the others and can be looked at without them.
        still = dict(sorted(still.items(), key=lambda item: self.costs[item[0]] > _CHEAP))
        freezer = Freezer(self.memory, self.roots)
        self.constants = freeze_places(freezer, still)
        for path, _, value in freezer.seen.values():
            if path.strip("."):
                self.memory.constants[id(value)] = path
                self.memory.constant_at[path] = value

    def late_changes(self, thorough: bool = True) -> list[str]:
        """The names that have moved although they were thought constant; from now on they are moving."""
        for mirror in self.mirrors:
            mirror.pull()
        new = [name for name in self._find_places() if name not in self.moving]
        suspects = {name: self.places[name] for name in self.constants if thorough or self.costs[name] <= _CHEAP}
        constants = self.memory.constants
        self.memory.constants = {}  # a constant is compared by its content, not by reference to itself
        now = freeze_places(Freezer(self.memory, self.roots), suspects)
        self.memory.constants = constants
        new += [name for name in suspects if not same(now.get(name), self.constants[name])]
        for name in new:
            self.moving[name] = self.places[name]
        if new:
            self._note_constants()
        return new

    def _pull(self) -> None:
        """See what is there now; what is new moves."""
        for mirror in self.mirrors:
            mirror.pull()
        for name in self._find_places():
            self.moving.setdefault(name, self.places[name])

    def snapshot(self) -> dict[str, Any]:
        """What moves, as plain data."""
        self._pull()
        return freeze_places(Freezer(self.memory, self.roots), self.moving)

    def look(self) -> dict[str, Any]:
        """Everything, as plain data; what is constant is not copied."""
        self._pull()
        if self.visible is None:
            still = {name: self.places[name] for name in self.constants}
            self.visible = freeze_places(Freezer(self.memory, self.roots, shared=True), still)
        now = freeze_places(Freezer(self.memory, self.roots, shared=True), self.moving)
        return {**self.visible, **{name: value for name, value in now.items() if not is_absent(value)}}

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Put a snapshot back, whole or in part. An edited constant moves from now on."""
        self._pull()
        thaw_places(snapshot, self.places, self.roots, self.memory)
        for mirror in self.mirrors:
            if any(self.places[name].owner is mirror.image for name in snapshot):
                mirror.push()
        if edited := [name for name in snapshot if name not in self.moving]:
            self.moving |= {name: self.places[name] for name in edited}
            self._note_constants()
