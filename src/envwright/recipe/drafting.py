"""A whole contract, from playing the reference and reading its source: nothing is left for a person to fill in.

Every part of the state gets a field of its own, by rules that do not depend on what the game is about (`fields.py`,
`lucky.py`); what those cannot put into numbers is refused by name. The result is an ordinary contract, to be edited.
"""

import json
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.recipe.analyse.drawn_again import drawn_again
from envwright.recipe.analyse.facts import Analysis, Unit
from envwright.recipe.fields import (
    DraftError,
    Pool,
    field_name,
    fields_of,
    free,
    is_empty,
    is_mixed,
    is_number,
    is_still,
    is_value,
)
from envwright.recipe.lucky import ROOM_OF_A_START, chance_of, texts_by_index, unlucky
from envwright.verify.draft import Seen
from envwright.verify.expression import parse, site_function

FINE = 256  # numbers that are whole after multiplying with it are counted or looked up, not computed
NOT_READ = "nothing reads it"
WIDE = "the reference computes in float64, the candidate in float32"
LATE = "the reference rounds to float32 only at the end; the candidate computes in float32"


@dataclass
class Draft:
    """The tables of a contract."""

    state: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)
    start: dict[str, str] = field(default_factory=dict)
    step: dict[str, str] = field(default_factory=dict)
    unlucky: dict[str, str] = field(default_factory=dict)  # functions whose luck does not matter, and why
    options: dict[str, Any] = field(default_factory=dict)  # of the reference
    observation: str = "obs"
    problems: list[str] = field(default_factory=list)  # what only a person can decide, a sentence each
    made: dict[str, str] = field(default_factory=dict)  # constants that luck decides when the reference is made
    rounded: list[str] = field(default_factory=list)  # columns that need not be equal in every bit
    why_rounded: str = WIDE


@dataclass(frozen=True)
class Source:
    """What the source of the reference says of its attributes."""

    drawn: Container[str] = ()  # read by nothing but what draws the screen
    unread: Container[str] = ()  # read by nothing at all
    changed: Container[str] = ()  # written by a reset or a step, without the names of their classes
    changed_in_steps: Container[str] = ()  # of those, what a step can change
    in_steps: Container[str] = ()  # names of the functions that a step can reach
    idle: Mapping[str, str] = field(default_factory=dict)  # leads to nothing that is asked for, and why
    left: Container[str] = ()  # a reset may leave it as it was
    read_at: Mapping[str, str] = field(default_factory=dict)  # matters in the next call: file and line that read it
    again: Container[str] = ()  # functions, and lines of them, `f:12`, that may draw luck again and again

    def is_of_no_use(self, name: str) -> bool:
        """Whether an attribute may be anything when an episode begins, for nothing comes of it."""
        return name in self.drawn or name in self.unread or name in self.idle


def source_of(analysis: Analysis) -> Source:
    """The same, from an analysis."""
    read = {name for unit in analysis.units for name in unit.reads}
    written = [name for name, _ in analysis.state]
    unread = {n for n in written if not any(r == n or r.startswith(f"{n}.") or n.startswith(f"{r}.") for r in read)}
    changed = frozenset(n.rpartition(".")[2] for n in written)
    reached = _reached_by_steps(analysis)
    return Source(
        frozenset(analysis.drawn),
        frozenset(unread),
        changed,
        frozenset(n.rpartition(".")[2] for unit in reached for n in unit.writes),
        frozenset(unit.name for unit in reached),
        dict(analysis.idle),
        frozenset(analysis.left),
        dict(analysis.read_at),
        drawn_again(analysis),
    )


def _reached_by_steps(analysis: Analysis) -> list[Unit]:
    """All functions that something else than a reset leads to."""
    units = {unit.id: unit for unit in analysis.units}
    found: set[str] = set()
    waiting = [id for id in analysis.entries if id in units and units[id].name != "reset"]
    while waiting:
        id = waiting.pop()
        if id in units and id not in found:
            found.add(id)
            waiting += units[id].calls
    return [units[id] for id in found]


def draft_tables(seen: Seen, source: Source) -> Draft:
    """The tables for what was seen."""
    draft = Draft()
    states = [*seen.states, *seen.finals]
    reals: dict[str, NDArray[np.float64]] = {}  # of columns that have been computed
    names = {name for state in states for name in state}
    pool = _objects_in_lists(draft, states, source)
    for name in sorted(names, key=lambda name: (field_name(name), name.startswith("_"))):
        values = [state[name] for state in states if name in state]
        if name in source.drawn:
            draft.ignored[f"reference.{name}"] = "nothing but the drawing of the screen reads it"
        elif name in source.unread and any(isinstance(value, list | deque | set | dict) for value in values):
            draft.ignored[f"reference.{name}"] = NOT_READ  # a log
        elif name in source.idle and (name in source.left or _is_record(values)):
            draft.ignored[f"reference.{name}"] = NOT_READ if name in source.unread else source.idle[name]
        elif name == "elapsed_steps":
            draft.state |= {"time": name} if seen.max_episode_steps else {}
        else:
            fields = _fields(draft, name, values, len(values) < len(states), source, pool)
            reals |= {f"state.{own}": found for own, found in _reals(name, values, fields).items()}
            draft.state |= fields
    draft.observation = "obs" if all(is_number(o) for o in seen.observations) else "array(obs)"
    if any(isinstance(o, dict) or _is_ragged(o) for o in seen.observations):
        draft.observation = "joined(obs)"
    if (text := _text_in(seen.observations[:1])) is not None:
        draft.problems.append(
            f"The observation holds the text {text!r}, which is no number; leave it out, in a "
            "gymnasium.ObservationWrapper of your own around the environment, and give that."
        )
    reals |= {"observation": reals_in(seen.observations), "reward": reals_in(seen.rewards)}
    draft.rounded = [column for column, found in reals.items() if is_computed(found)]
    draft.why_rounded = LATE if all(map(survives_float32, reals.values())) else WIDE
    _luck(draft, seen, source)
    return draft


def _is_record(values: Sequence[Any]) -> bool:
    """Whether a list gets longer as the game goes on, or one in a dict: of which much would have to be kept."""
    if all(isinstance(value, dict) for value in values):
        keys = {key for value in values for key in value}
        return any(_is_record([value[key] for value in values if key in value]) for key in keys)
    lists = [value for value in values if isinstance(value, list | deque)]
    return len({len(value) for value in lists}) > 1


def _objects_in_lists(draft: Draft, states: Sequence[Mapping[str, Any]], source: Source) -> Pool:
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


def _fields(draft: Draft, name: str, values: list[Any], absent: bool, source: Source, pool: Pool) -> dict[str, str]:
    """The fields of one attribute; or it is ignored for a reason, or a problem."""
    place = f"reference.{name}"
    try:
        if absent or not name.isidentifier():
            raise DraftError(f"{name} is not there in every state; say in [ignored] why it does not matter.")
        fields = fields_of(name, values, changed=source.changed, pool=pool)
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
    return {free(own, draft.state): text for own, text in fields.items()}


def _reals(name: str, values: list[Any], fields: Mapping[str, str]) -> dict[str, NDArray[np.float64]]:
    """The real numbers in each of the fields of an attribute."""
    if not is_computed(whole := reals_in(values)):
        return {}
    if len(fields) == 1:
        return dict.fromkeys(fields, whole)
    read = {own: parse(text, f"[state] {own}") for own, text in fields.items()}
    return {own: reals_in(expression({name: value}) for value in values) for own, expression in read.items()}


def _step_draws(seen: Seen, source: Source) -> dict[tuple[str, str], int]:
    """What steps draw; and what only resets were seen to draw, in functions that steps can reach as well."""
    known = {site_function(site) for site, _ in seen.step_draws}
    rare = {
        place: count
        for place, count in seen.start_draws.items()
        if (function := site_function(place[0])) in source.in_steps and function not in known
    }
    return {**rare, **seen.step_draws}


def _luck(draft: Draft, seen: Seen, source: Source) -> None:
    shown = [name.removeprefix("reference.") for name, why in draft.ignored.items() if why.startswith("nothing but")]
    texts = texts_by_index(seen.drawn)
    draft.unlucky = unlucky(seen.drawn, texts, shown)
    try:
        picked = texts | seen.start_picks
        draft.start = chance_of(
            seen.start_draws, draft.unlucky, seen.steady_starts, seen.drawn, picked, ROOM_OF_A_START, source.again
        )
        draft.step = chance_of(
            _step_draws(seen, source),
            draft.unlucky,
            seen.steady,
            seen.drawn,
            texts | seen.step_picks,
            again=source.again,
        )
    except DraftError as problem:
        draft.problems.append(str(problem))


def contract_text(
    reference: str, candidate: str, draft: Draft, limit: int | None, functions: Sequence[tuple[str, str, Sequence[str]]]
) -> str:
    """A contract; `functions` are those that exist on both sides: module, name, and the names of their arguments."""
    problems = [f"# TODO: {problem}" for problem in draft.problems]
    tables = [
        f"# Drafted from {reference}: what corresponds to what. Edit it freely before a run begins.",
        "\n".join(problems),
        f'version = 1\nreference = "{reference}"\ncandidate = "{candidate}"',
        _table("reference_options", draft.options),
        _table("candidate_options", {"max_episode_steps": limit} if limit and "time" in draft.state else {}),
        _table("state", draft.state),
        _table("ignored", draft.ignored),
        _table("made", draft.made),
        _table("outcome", {"observation": draft.observation}),
        _table("chance.start", draft.start),
        _table("chance.step", draft.step),
        _table("chance.ignored", draft.unlucky),
        _tolerance(draft.rounded, draft.why_rounded),
        *(_function(*function) for function in functions),
    ]
    return "\n\n".join(table for table in tables if table) + "\n"


def _table(name: str, rows: Mapping[str, Any]) -> str:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in rows.items()]
    return "\n".join([f"[{name}]", *lines]) if lines else ""


def _value(value: Any) -> str:
    """As TOML writes it, which has no word for None (`verify/contract.py`)."""
    if value is None:
        return "{ none = true }"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_value(inner)}' for key, inner in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else json.dumps(name)


def _tolerance(columns: Sequence[str], reason: str) -> str:
    if not columns:
        return ""
    return f"[[tolerance]]\ncolumns = {json.dumps(list(columns))}\nreason = {json.dumps(reason)}"


def _function(module: str, name: str, arguments: Sequence[str]) -> str:
    return (
        f'[[function]]\nmodule = "{module}"\nreference = "{name}"\ncandidate = "{module}.{name.strip("_")}"\n'
        f"arguments = {json.dumps(list(arguments))}"
    )


def function_arguments(rows: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """How a function's arguments become the candidate's, given calls of it; None if they cannot all be numbers."""
    expressions: list[str] = []
    for name in rows[0]:
        values = [row[name] for row in rows]
        if any(isinstance(value, dict) for value in values):  # an object could not be handed over
            return None
        try:
            found = [*fields_of(name, values).values()]
        except DraftError:
            return None
        if any(text.startswith(("[", "letters(")) for text in found):
            return None
        expressions += found
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
