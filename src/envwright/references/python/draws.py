"""Recording what chance a reference has, draw by draw, and giving it the same chance again.

Random generators that draw through `Take` are subclasses of NumPy's and Python's own, so that `isinstance` holds; they
draw the same numbers and record only while a `Take` is open, that is, inside of a call of the reference.
"""

import copy
import functools
import os
import random
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from envwright.references.protocol import Draw, TapeError
from envwright.references.python import picking
from envwright.references.python.kinds import is_atom

_NO_DRAWS = frozenset({"seed", "spawn", "get_state", "set_state", "getstate", "setstate", "bit_generator", "VERSION"})
# The real ones: while a reference is open, other classes stand under these names.
_GENERATOR, _RANDOM_STATE, _RANDOM = np.random.Generator, np.random.RandomState, random.Random
_files: dict[types.CodeType, str] = {}
_open: "Take | None" = None


class Take:
    """One call of the reference, with its draws: recorded, or, given a tape, replayed.

    `shared` are the generators behind the functions of `numpy.random` and `random`; the reference has its own, so that
    it neither disturbs the program around it nor is disturbed.
    """

    def __init__(self, shared: "Shared", tape: Sequence[Draw] | None = None) -> None:
        self.shared, self.tape, self.draws = shared, tape, list[Draw]()

    def __enter__(self) -> "Take":
        global _open
        self.outer, _open = _open, self
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        global _open
        _open = self.outer
        if kind is None and self.tape is not None and len(self.draws) < len(self.tape):
            left = self.tape[len(self.draws)]
            raise TapeError(
                f"The tape has {len(self.tape)} draws, but the reference made only {len(self.draws)}; the next one on "
                f"the tape is {left.method} at {left.site}."
            )

    def draw(self, method: str, draw: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """What the reference gets for a draw; `arguments` begin with the generator."""
        global _open
        site = _site(sys._getframe(2))
        _open = None  # a method of the library may call others, which are part of this one
        try:
            if self.tape is None:
                value, record, pick = _record(method, draw, arguments, options)
            else:
                wanted = self._next(site, method)
                record = wanted.value
                value = _replay(method, record, arguments[1:], options)
                pick = picking.find_again(draw, value, wanted.pick, arguments, options)
        finally:
            _open = self
        self.draws.append(Draw(site, method, record, pick))
        return value

    def _next(self, site: str, method: str) -> Draw:
        tape, index = self.tape or (), len(self.draws)
        if index >= len(tape):
            raise TapeError(f"The reference asked for {method} at {site}, but the tape ends after {index} draws.")
        wanted = tape[index]
        if (_place(wanted.site), wanted.method) != (_place(site), method):
            raise TapeError(
                f"The reference asked for {method} at {site}, but draw {index} of the tape is {wanted.method} at "
                f"{wanted.site}."
            )
        return wanted


class Shared:
    """The reference's own copies of the generators that `numpy.random` and `random` share with everybody."""

    def __init__(self) -> None:
        self.numpy, self.python = _RANDOM_STATE(), _RANDOM()
        self.numpy.set_state(np.random.get_state())  # noqa: NPY002
        self.python.setstate(random.getstate())

    def seed(self, seed: int) -> None:
        """Make what they draw a function of the episode's seed; NumPy takes 32 bits of it."""
        self.numpy.seed(seed % 2**32)
        self.python.seed(seed)


def take_open() -> Take | None:
    """The call of a reference that is under way."""
    return _open


def _site(frame: types.FrameType) -> str:
    code = frame.f_code
    if (file := _files.get(code)) is None:
        file = _files[code] = os.path.basename(code.co_filename)
    return f"{file}:{frame.f_lineno} {code.co_name}"


def _place(site: str) -> tuple[str, str]:
    """File and function of a site; lines may move without changing the chance."""
    return site.partition(":")[0], site.rpartition(" ")[2]


def _record(
    method: str, draw: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, Any, picking.Pick | None]:
    """The drawn value, what to put on the tape for it, and of a choice of one which it was.

    Things other than numbers and words are put down by their index in what they were drawn from: the reference may go
    on to change them, so on replay it must get them, not copies.
    """
    if method == "shuffle":
        order = arguments[1] if len(arguments) > 1 else options["x"]
        before = [] if isinstance(order, np.ndarray) else list(order)
        value = draw(*arguments, **options)
        if isinstance(order, np.ndarray):
            return value, order.copy(), None
        after = list(order)
        return value, after if all(map(_is_plain, after)) else {"__indices__": _indices(after, before)}, None
    value, pick = picking.draw_one(draw, arguments, options)
    return value, _on_tape(value, arguments, options), pick


def _on_tape(value: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if is_atom(value):
        return value
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return value.copy()
    if type(value) is list and all(map(_is_plain, value)):
        return list(value)
    population = _population(arguments[1:], options)
    try:
        if type(value) is list:
            return {"__indices__": _indices(value, population)}
        return {"__index__": _indices([value], population)[0]}
    except KeyError:  # not drawn from anything, or itself a copy
        return copy.deepcopy(value)


def _is_plain(value: Any) -> bool:
    """Whether something is put down as it is: numbers, rows of them, and texts; of rows with texts in them, where they
    were."""
    return is_atom(value) and not (type(value) is tuple and any(isinstance(part, str | tuple) for part in value))


def _population(arguments: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    found = arguments[0] if arguments else next(iter(options.values()), ())
    return list(found) if isinstance(found, Iterable) else []


def _indices(values: list[Any], population: list[Any]) -> list[int]:
    where = {id(item): index for index, item in enumerate(population)}
    return [where[id(value)] for value in values]


def _replay(method: str, record: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if type(record) is dict and "__index__" in record:
        return _population(arguments, options)[record["__index__"]]
    if type(record) is dict and "__indices__" in record:
        population = _population(arguments, options)
        record = [population[index] for index in record["__indices__"]]
    else:
        record = record if is_atom(record) else copy.deepcopy(record)
    target = (arguments[0] if arguments else options["x"]) if method == "shuffle" else options.get("out")
    if target is None:
        return record
    target[... if isinstance(target, np.ndarray) else slice(None)] = record
    return None if method == "shuffle" else target


def _drawing(method: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    def drawn(*arguments: Any, **options: Any) -> Any:
        if _open is None:
            return draw(*arguments, **options)
        return _open.draw(method, draw, arguments, options)

    drawn.__name__ = method
    return drawn


def drawing_methods(cls: type) -> list[str]:
    """The public methods of a generator that draw."""
    names = [name for name in dir(cls) if not name.startswith("_") and name not in _NO_DRAWS]
    return [name for name in names if callable(getattr(cls, name)) and not isinstance(getattr(cls, name), type)]


class Recorded(type):
    """The class of recorded classes. Each stands in for a real one, whose instances are its instances, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        real = cls.__dict__.get("stands_for")  # a subclass stands for nothing but itself
        return isinstance(instance, real) if real else type.__instancecheck__(cls, instance)


@functools.cache
def recorded_class(real: type) -> Any:
    """A class of generators like `real` whose draws are recorded."""
    methods = {method: _drawing(method, getattr(real, method)) for method in drawing_methods(real)}
    return Recorded(real.__name__, (real,), {**methods, "stands_for": real, "__slots__": ()})


RecordedGenerator = recorded_class(_GENERATOR)
RecordedRandomState = recorded_class(_RANDOM_STATE)
RecordedRandom = recorded_class(_RANDOM)


def recorded_rng(rng: Any) -> Any:
    """A recorded generator that goes on where `rng` is; the same object, if its class can be changed."""
    if isinstance(type(rng), Recorded):
        return rng
    if type(rng) is _GENERATOR:
        return RecordedGenerator(rng.bit_generator)
    if type(rng) is _RANDOM_STATE:
        made = RecordedRandomState(rng._bit_generator)
        made.set_state(rng.get_state())
        return made
    rng.__class__ = recorded_class(type(rng))
    return rng
