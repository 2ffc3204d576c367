"""The compiler: a live original and its contract in, the modules of a JAX translation out.

original ─► objects, state layout and chance fields, by the contract   front/
         ─► reset and step, interpreted statement by statement         middle/
         ─► functions, optimised, linked and printed                   back/
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from envwright.compiler.back.cleanup import clean_up
from envwright.compiler.back.entry_points import refusal_in, write_functions, write_start, write_step
from envwright.compiler.back.linking import deduplicate, modules_of, reachable
from envwright.compiler.front.objects import find_objects
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.middle.calls import call
from envwright.compiler.refusal import InternalError, Refusal, RefusedError
from envwright.verifier.interface import Interface

LAST = "rules"
MOST = 16  # objects of a list that is unrolled


class ModuleRequest(Protocol):
    """A module of the plan."""

    @property
    def name(self) -> str: ...
    @property
    def functions(self) -> Sequence[str]: ...


@dataclass
class Translation:
    """What came of it."""

    files: dict[str, str] = field(default_factory=dict)
    refusals: dict[str, tuple[Refusal, ...]] = field(default_factory=dict)  # by module


def translate(reference: Any, contract: Any, interface: Interface, modules: Sequence[ModuleRequest]) -> Translation:
    """Translate an original whose source is Python, module by module as the plan has it."""
    if not hasattr(reference, "driver"):
        return _refused(
            modules,
            Refusal(f"{interface.title}: the original is not an object of Python's, so there is no source to read."),
        )
    try:
        return _translated(reference, contract, interface, modules)
    except RefusedError as why:
        return _refused(modules, why.place or Refusal(f"{why.why}."))
    except Exception as error:
        return _refused(modules, Refusal(f"{interface.title}: {InternalError(error).why}."))


def _translated(reference: Any, contract: Any, interface: Interface, modules: Sequence[ModuleRequest]) -> Translation:
    program, refusals = _written(reference, contract, interface, {})
    if refusals and (steady := _with_steady_lists(reference, contract, interface, program)) is not None:
        program, refusals = steady, []
    for function in program.functions.values():
        clean_up(function, {*program.functions, *program.constants})
    deduplicate(program, interface)
    files = modules_of(program, interface, modules, reachable(program, interface))
    return Translation(files, _by_module(refusals, modules))  # with refusals, the files are a part only


def _written(
    reference: Any, contract: Any, interface: Interface, lengths: Mapping[str, int]
) -> tuple[TranslationUnit, list[Refusal]]:
    """The program as far as the compiler go, and where they do not."""
    reference.reset(seed=0)
    flowing: set[float] = set()
    passing: set[tuple[int, str]] = set()
    growing: dict[str, set[str]] = {"start": set(), "step": set()}
    program = TranslationUnit()
    for turn in count(1):  # until it is known which constants become run-time values, which lists get longer, and
        # what is read after a write
        refusals: list[Refusal] = []
        program = TranslationUnit(
            flowing=set(flowing), tables=program.constants, lengths=dict(lengths), passing=set(passing)
        )
        program.growing = {when: set(lists) for when, lists in growing.items()}
        program.call = call
        objects = find_objects(reference, contract, interface, program)
        write_functions(program, interface, objects, refusals)
        for write, entry in ((write_start, objects.start), (write_step, objects.step)):
            try:
                write(program, interface, objects)
            except RefusedError as why:
                refusals.append(why.place or refusal_in(entry, why))
            except Exception as error:
                refusals.append(refusal_in(entry, InternalError(error)))
        flowing |= program.flowing
        known = program.read & program.written <= passing and all(program.longer[w] <= growing[w] for w in growing)
        if turn > 1 and known:
            return program, refusals
        passing |= program.read & program.written
        growing = {when: growing[when] | program.longer[when] for when in growing}
    raise AssertionError


def _with_steady_lists(
    reference: Any, contract: Any, interface: Interface, refused: TranslationUnit
) -> TranslationUnit | None:
    """The same, where lists of objects that are as long as now at any time make the difference. That they are is taken
    for granted until a start or a step is seen to leave one of another length."""
    lengths = {name: length for name, length in refused.live.items() if 0 < length <= MOST}
    while lengths:
        program, refusals = _written(reference, contract, interface, lengths)
        if not program.unsteady:
            return None if refusals else program
        lengths = {name: length for name, length in lengths.items() if name not in program.unsteady}
    return None


def _refused(modules: Sequence[ModuleRequest], why: Refusal) -> Translation:
    return Translation({}, {modules[-1].name: (why,)})


def _by_module(refusals: Sequence[Refusal], modules: Sequence[ModuleRequest]) -> dict[str, tuple[Refusal, ...]]:
    home = {function: module.name for module in modules for function in module.functions}
    found: dict[str, list[Refusal]] = {}
    for refusal in dict.fromkeys(refusals):
        found.setdefault(home.get(refusal.function, modules[-1].name), []).append(refusal)
    return {name: tuple(of) for name, of in found.items()}
