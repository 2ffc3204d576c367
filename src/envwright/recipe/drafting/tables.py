"""The tables of a contract, from what was seen of the reference and what its source says.

Every part of the state gets a field of its own, by rules that do not depend on what the game is about (`fields.py`,
`chance.py`); what those cannot put into numbers is refused by name. The result is an ordinary contract, to be edited.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.recipe.drafting.arrays import is_number
from envwright.recipe.drafting.chance import ROOM_OF_A_START, chance_of, only_shown, texts_by_index
from envwright.recipe.drafting.fields import (
    DraftError,
    Fields,
    Pool,
    field_name,
    fields_of,
    free,
    is_empty,
    is_mixed,
    is_still,
    is_value,
)
from envwright.recipe.drafting.source_facts import SourceFacts
from envwright.recipe.drafting.watch import WatchedPlay
from envwright.verifier.codecs import Cast, Codec, Joined, Letters, Plain, Present, RowsOrNone
from envwright.verifier.expression import parse, site_function

FINE = 256  # numbers that are whole after multiplying with it are counted or looked up, not computed
NOT_READ = "nothing reads it"
SHOWN = "nothing but the drawing of the screen reads it"
OBS = Plain(("obs",))
WIDE = "the reference computes in float64, the candidate in float32"
LATE = "the reference rounds to float32 only at the end; the candidate computes in float32"


@dataclass
class Draft:
    """The tables of a contract."""

    state: Fields = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)
    start: Fields = field(default_factory=dict)
    step: Fields = field(default_factory=dict)
    only_shown: dict[str, str] = field(default_factory=dict)  # functions whose draws do not matter, and why
    options: dict[str, Any] = field(default_factory=dict)  # of the reference
    observation: Codec = OBS
    problems: list[str] = field(default_factory=list)  # what only a person can decide, a sentence each
    made: dict[str, str] = field(default_factory=dict)  # constants that are drawn when the reference is made
    rounded: list[str] = field(default_factory=list)  # columns that need not be equal in every bit
    why_rounded: str = WIDE


UNMASKED = "the translation gives no mask; every action is compared, legal or not"


def draft_tables(seen: WatchedPlay, source: SourceFacts) -> Draft:
    """The tables for what was seen."""
    draft = Draft()
    states = [*seen.states, *seen.finals]
    reals: dict[str, NDArray[np.float64]] = {}  # of columns that have been computed
    names = {name for state in states for name in state}
    pool = _objects_in_lists(draft, states, source)
    for name in sorted(names, key=lambda name: (field_name(name), name.startswith("_"))):
        values = [state[name] for state in states if name in state]
        if name in source.drawn:
            draft.ignored[f"reference.{name}"] = SHOWN
        elif name in source.unread and any(isinstance(value, list | deque | set | dict) for value in values):
            draft.ignored[f"reference.{name}"] = NOT_READ  # a log
        elif name in source.idle and (name in source.left or _is_record(values)):
            draft.ignored[f"reference.{name}"] = NOT_READ if name in source.unread else source.idle[name]
        elif name == "elapsed_steps":
            draft.state |= {"time": Plain((name,))} if seen.max_episode_steps else {}
        else:
            fields = _fields(draft, name, values, len(values) < len(states), source, pool)
            reals |= {f"state.{own}": found for own, found in _reals(name, values, fields).items()}
            draft.state |= fields
    if seen.masked:
        draft.ignored["reference.legal"] = UNMASKED
    draft.observation = OBS if all(is_number(o) for o in seen.observations) else Cast(OBS)
    if any(isinstance(o, dict) or _is_ragged(o) for o in seen.observations):
        draft.observation = Joined(OBS)
    if (text := _text_in(seen.observations[:1])) is not None:
        draft.problems.append(
            f"The observation holds the text {text!r}, which is no number; leave it out, in a "
            "gymnasium.ObservationWrapper of your own around the environment, and give that."
        )
    reals |= {"observation": reals_in(seen.observations), "reward": reals_in(seen.rewards)}
    draft.rounded = [column for column, found in reals.items() if is_computed(found)]
    draft.why_rounded = LATE if all(map(survives_float32, reals.values())) else WIDE
    _draws(draft, seen, source)
    return draft


def _is_record(values: Sequence[Any]) -> bool:
    """Whether a list gets longer as the game goes on, or one in a dict: of which much would have to be kept."""
    if all(isinstance(value, dict) for value in values):
        keys = {key for value in values for key in value}
        return any(_is_record([value[key] for value in values if key in value]) for key in keys)
    lists = [value for value in values if isinstance(value, list | deque)]
    return len({len(value) for value in lists}) > 1


def _objects_in_lists(draft: Draft, states: Sequence[Mapping[str, Any]], source: SourceFacts) -> Pool:
    """All objects that were seen in lists, by class. One that is in two places would be two in a translation."""
    found: dict[str, list[Any]] = {}
    for state in states:
        for rows in _mixed(state):
            found.setdefault(f"tuple of {len(rows[0])}", []).extend(rows)
        homes: dict[int, str] = {}
        for name, value in state.items():
            for place, thing, listed in _things(name, value) if not source.is_of_no_use(name) else ():
                if not is_value(thing) and (home := homes.setdefault(id(thing), place)) != place:
                    problem = f"{home} and {place} hold the same object, which no rule puts into numbers."
                    draft.problems += [problem] if problem not in draft.problems else []
                if listed:
                    found.setdefault(thing["__class__"], []).append(thing)
    return found


def _mixed(value: Any) -> Iterable[list[Any]]:
    """The lists of tuples of numbers and texts in a value."""
    if isinstance(value, list | deque) and is_mixed([*value]):
        yield [*value]
    elif isinstance(value, list | tuple | Mapping) and not isinstance(value, np.ndarray):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _mixed(item) if isinstance(item, list | deque | tuple | Mapping) else ()


def _things(place: str, value: Any, listed: bool = False) -> Iterable[tuple[str, dict[str, Any], bool]]:
    """The objects in a value that are in lists, or beside them, each with its place, and whether it is in a list."""
    if isinstance(value, list | tuple | deque):
        for item in value if value and isinstance(value[0], dict) else ():
            yield from _things(place, item, True)
    elif isinstance(value, dict) and "__class__" in value:
        yield place, value, listed
        for name, item in value.items():
            yield from _things(f"{place}.{name}", item) if name != "__items__" else ()


def _fields(draft: Draft, name: str, values: list[Any], absent: bool, source: SourceFacts, pool: Pool) -> Fields:
    """The fields of one attribute; or it is ignored for a reason, or a problem."""
    place = f"reference.{name}"
    try:
        if absent or not name.isidentifier():
            raise DraftError(f"{name} is not there in every state; say in [ignored] why it does not matter.")
        fields = fields_of((name,), values, changed=source.changed, pool=pool)
    except DraftError as problem:
        if name in source.unread or name in source.idle:
            draft.ignored[place] = NOT_READ if name in source.unread else source.idle[name]
        elif is_still(values) and not absent and not is_empty(values[0]):
            draft.ignored[place] = "it never changes in value"
        else:
            draft.problems.append(str(problem))
        return {}
    if not fields:
        draft.ignored[place] = "it never changes in value"
    return {free(own, draft.state): codec for own, codec in fields.items()}


def _reals(name: str, values: list[Any], fields: Fields) -> dict[str, NDArray[np.float64]]:
    """The real numbers in each of the fields of an attribute."""
    if not is_computed(whole := reals_in(values)):
        return {}
    if len(fields) == 1:
        return dict.fromkeys(fields, whole)
    read = {own: parse(str(codec), f"[state] {own}") for own, codec in fields.items()}
    return {own: reals_in(expression({name: value}) for value in values) for own, expression in read.items()}


def _step_draws(seen: WatchedPlay, source: SourceFacts) -> dict[tuple[str, str], int]:
    """What steps draw; and what only resets were seen to draw, in functions that steps can reach as well."""
    known = {site_function(site) for site, _ in seen.step_draws}
    rare = {
        place: count
        for place, count in seen.start_draws.items()
        if (function := site_function(place[0])) in source.in_steps and function not in known
    }
    return {**rare, **seen.step_draws}


def _draws(draft: Draft, seen: WatchedPlay, source: SourceFacts) -> None:
    shown = [name.removeprefix("reference.") for name, why in draft.ignored.items() if why == SHOWN]
    texts, steps = texts_by_index(seen.drawn), _step_draws(seen, source)
    try:
        draft.only_shown = without = only_shown(seen.drawn, texts, shown)
        picked = texts | seen.start_picks
        draft.start = chance_of(
            seen.start_draws, without, seen.steady_starts, seen.drawn, picked, ROOM_OF_A_START, source.again
        )
        picked = texts | seen.step_picks
        draft.step = chance_of(steps, without, seen.steady, seen.drawn, picked, again=source.again)
    except DraftError as problem:
        draft.problems.append(str(problem))


def function_arguments(rows: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """How a function's arguments become the candidate's, given calls of it; None if they cannot all be numbers."""
    expressions: list[str] = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        if any(isinstance(value, dict) for value in values):  # an object could not be handed over
            return None
        try:
            found = [*fields_of((name,), values).values()]
        except DraftError:
            return None
        if any(isinstance(codec, RowsOrNone | Present | Letters) for codec in found):
            return None
        expressions += map(str, found)
    return expressions


def reals_in(values: Iterable[Any]) -> NDArray[np.float64]:
    """The real numbers in values of any kind, one after the other."""
    found: list[Any] = []
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
            found.append(np.ravel(value).astype(np.float64))
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple | deque):
            waiting += value
    return np.concatenate(found) if found else np.zeros(0)


def _is_ragged(value: Any) -> bool:
    """Whether a tuple holds arrays and numbers, or arrays of several shapes."""
    return isinstance(value, tuple | list) and len({np.shape(part) for part in value if not _is_ragged(part)}) > 1


def _text_in(values: Iterable[Any]) -> str | None:
    """A text in values of any kind, if there is one."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            return value
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return None


def is_computed(reals: NDArray[np.float64]) -> bool:
    """Whether there are results of arithmetic among real numbers, not only whole ones, halves and the like."""
    with np.errstate(over="ignore"):
        fine = reals[np.isfinite(reals)] * FINE
    return not (np.array_equal(fine, np.round(fine)) and survives_float32(reals))


def survives_float32(reals: NDArray[np.float64]) -> bool:
    """Whether nothing is lost when JAX holds them in 32 bits."""
    with np.errstate(over="ignore"):
        return bool(np.array_equal(reals.astype(np.float32).astype(np.float64), reals, equal_nan=True))
