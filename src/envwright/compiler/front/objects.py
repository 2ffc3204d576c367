"""The live objects of the original: which attribute of which is where in the state, and how the game is played."""

import enum
import types
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

from envwright.compiler.front.chance import read_chance
from envwright.compiler.front.elements import element_class, settle_heaps
from envwright.compiler.front.forms import follow, read_state
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.refusal import RefusedError
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface


@dataclass
class Objects:
    """The original, ready to be read."""

    reference: Any
    start: types.FunctionType | types.MethodType
    start_arguments: list[Any] = field(default_factory=list)
    step: types.FunctionType | types.MethodType | None = None
    step_arguments: list[Any] = field(default_factory=list)


def find_objects(reference: Any, contract: Contract, interface: Interface, program: TranslationUnit) -> Objects:
    """Read the contract against the live original."""
    classes = element_class(reference, contract.state)
    places = reference._state().places
    looks = reference.look()
    kinds = {f.name: (f.shape, f.dtype) for f in interface.state}
    live = {(n, "__items__"): getattr(getattr(p.owner, p.attribute, None), "_fields", ()) for n, p in places.items()}
    paths: dict[tuple[Any, ...], tuple[int, Any]] = {}
    for path, slot in read_state(contract.state, kinds, looks, live).items():
        program.slots[_place(places, path)] = replace(slot, member=_enumeration(places, path))
        if slot.form == "keyed" and path[-1] in ("__items__", "__data__"):
            raise RefusedError(f"{path[0]} is a dict of a class of its own, which may answer for keys that it lacks")
        paths[path] = _place(places, path)
        held = follow(looks, path)
        program.before[paths[path]] = held
        rows = held if isinstance(held, list | tuple | deque) else ()
        if slot.form == "objects":
            program.live[slot.count] = len(rows)
        program.lists_of_lists |= any(isinstance(row, list) for row in rows)
    settle_heaps(program, {key: classes[path] for path, key in paths.items() if path in classes})
    for name in contract.ignored:
        path = name.removeprefix("reference.")
        if path in places:
            program.ignored.add((id(places[path].owner), places[path].attribute))
    for when, table, fields in (
        ("start", contract.chance_start, interface.start_luck), ("step", contract.chance_step, interface.step_luck),
    ):  # fmt: skip
        program.chance[when] = read_chance(table, {f.name: (f.shape, f.dtype) for f in fields})
    return _entries(reference)


def _place(places: Any, path: tuple[Any, ...]) -> tuple[int, Any]:
    """The object and the attribute, or the dict and the key, or the list and the place, that a path leads to."""
    if path[0] not in places:
        raise RefusedError(f"the contract names {path[0]}, which the original does not have")
    owner: Any
    name: Any
    owner, name = places[path[0]]
    for part in path[1:]:
        inner = owner[name] if isinstance(owner, dict | list | tuple) else getattr(owner, name)
        if isinstance(inner, enum.Enum) or part in ("__items__", "__value__", "__data__"):
            break  # the attribute itself, seen as a number or a list
        owner, name = inner, part
    return id(owner), name


def _enumeration(places: Any, path: tuple[Any, ...]) -> type[enum.Enum] | None:
    """The class of a member of an enumeration that an attribute holds."""
    held = getattr(places[path[0]].owner, places[path[0]].attribute, None)
    return type(held) if isinstance(held, enum.Enum) and len(path) == 2 else None


def _entries(reference: Any) -> Objects:
    """Reset and step: methods of the environment, or what the driver of a library of games does."""
    driver, made = reference.driver, reference.object
    if driver.reset.__module__.endswith("gymnasium_env"):
        env = made
        while type(env).__name__ in ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker"):
            env = env.env
        return Objects(reference, env.reset, [], env.step, [])
    return Objects(reference, driver.reset, [made, None], driver.step, [made])
