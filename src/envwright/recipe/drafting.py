"""A whole contract, from playing the reference and reading its source: nothing is left for a person to fill in.

Every part of the state gets a field of its own, by rules that do not depend on what the game is about; what those rules
cannot put into numbers is refused by name. The result is an ordinary contract and may be edited.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.verify.draft import Seen
from envwright.verify.expression import site_function

ROOM = 2  # a list that was never longer than n gets room for ROOM times n


class DraftError(EnvwrightError, ValueError):
    """A part of the reference cannot be put into numbers by rule."""


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
    rounded: list[str] = field(default_factory=list)  # columns that float32 cannot hold exactly


def draft_tables(seen: Seen, drawn: Iterable[str]) -> Draft:
    """The tables for what was seen; `drawn` are attributes that no rule reads, only what draws the screen."""
    draft = Draft()
    drawn = set(drawn)
    states = [*seen.states, *seen.finals]
    for name in sorted({name for state in states for name in state}):
        values = [state[name] for state in states if name in state]
        if name in drawn:
            draft.ignored[f"reference.{name}"] = "nothing but the drawing of the screen reads it"
        elif name == "elapsed_steps":
            draft.state |= {"time": name} if seen.max_episode_steps else {}
        else:
            try:
                draft.state |= fields_of(name, values)
            except DraftError as problem:
                draft.problems.append(str(problem))
                continue
            if not all(survives_float32(v) for v in values):
                draft.rounded.append(f"state.{_field(name)}")
    draft.observation = "obs" if all(is_number(o) for o in seen.observations) else "array(obs)"
    if draft.rounded and any(np.asarray(o).dtype.kind == "f" for o in seen.observations):
        draft.rounded.append("observation")
    if not all(survives_float32(r) for r in seen.rewards):
        draft.rounded.append("reward")
    draft.unlucky = {name: _not_lucky(name, drawn) for name, values in seen.drawn.items() if _texts(values)}
    draft.start = chance_of(seen.start_draws, draft.unlucky, seen.steady | _functions(seen.start_draws))
    draft.step = chance_of(seen.step_draws, draft.unlucky, seen.steady)
    return draft


def _texts(values: Sequence[Any]) -> bool:
    return any(not is_number(value) for value in values)


def _not_lucky(function: str, drawn: set[str]) -> str:
    """Why luck that is not a number can be left out; or it is refused."""
    if not drawn:
        raise DraftError(f"{function} draws what is not a number; write a line for it in [chance] of contract.toml.")
    return f"it draws texts, which are taken for {' and '.join(sorted(drawn))}, and those only the screen shows"


def _functions(draws: Mapping[tuple[str, str], int]) -> set[str]:
    return {site_function(site) for site, _ in draws}


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
        _table("outcome", {"observation": draft.observation}),
        _table("chance.start", draft.start),
        _table("chance.step", draft.step),
        _table("chance.ignored", draft.unlucky),
        _tolerance(draft.rounded),
        *(_function(*function) for function in functions),
    ]
    return "\n\n".join(table for table in tables if table) + "\n"


def _table(name: str, rows: Mapping[str, Any]) -> str:
    lines = [f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}" for key, value in rows.items()]
    return "\n".join([f"[{name}]", *lines]) if lines else ""


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _tolerance(columns: Sequence[str]) -> str:
    if not columns:
        return ""
    reason = "the reference computes in float64, the candidate in float32"
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
        try:
            expressions += fields_of(name, values).values()
        except DraftError:
            return None
    return expressions


def fields_of(name: str, values: list[Any]) -> dict[str, str]:
    """The candidate's fields for one part of the reference's state."""
    own = _field(name)
    present = [v for v in values if v is not None]
    if not present:
        raise DraftError(f"{name} was None in every game played; say in [ignored] why it does not matter.")
    if all(isinstance(v, str) for v in present):
        known = sorted(set(present))
        table = "{" + ", ".join(f"{text!r}: {i}" for i, text in enumerate(known)) + "}"
        if len(present) < len(values):
            return {own: f"{table}[{name}] if {name} is not None else -1"}
        return {own: f"{table}[{name}]"}
    if all(isinstance(v, list | tuple) for v in present):
        return _list(name, own, present, values)
    if all(isinstance(v, dict) for v in present) and len({tuple(v) for v in values if isinstance(v, dict)}) == 1:
        return _dict(name, own, present)
    if not all(is_number(v) for v in present):
        kind = type(next(v for v in present if not is_number(v))).__name__
        raise DraftError(
            f"{name} is a {kind}, which no rule puts into numbers; write a line for it in [state] of contract.toml."
        )
    if len(present) < len(values):
        below = int(min(np.min(v) for v in present)) - 1
        return {own: f"none({name}, {below})"}
    return {own: name}


def _dict(name: str, own: str, present: list[Any]) -> dict[str, str]:
    """A field for each key, where the keys never change."""
    fields: dict[str, str] = {}
    for key in present[0]:
        if not isinstance(key, str) or not key.isidentifier():
            raise DraftError(f"{name} has the key {key!r}; write lines for it in [state] of contract.toml.")
        inner = fields_of(key, [v[key] for v in present])
        fields |= {f"{own}_{k}": _inside(e, key, f"{name}[{key!r}]") for k, e in inner.items()}
    return fields


def _inside(expression: str, name: str, instead: str) -> str:
    """An expression over a name, as one over something else."""
    return re.sub(rf"\b{re.escape(name)}\b(?!['\"])", instead, expression)


def _list(name: str, own: str, present: list[Any], values: list[Any]) -> dict[str, str]:
    if len(present) < len(values):
        raise DraftError(f"{name} is sometimes a list and sometimes None; write a line for it in [state].")
    if len(shapes := {_shape(v) for v in present}) == 1 and None not in shapes:
        return {own: name}
    flat = [item for v in present for item in v]
    if not all(is_number(item) for item in flat):
        raise DraftError(f"{name} is a list of more than numbers; write a line for it in [state] of contract.toml.")
    longest = max(len(v) for v in present)
    return {own: f"pad({name}, {ROOM * longest})", f"{own}_count": f"len({name})"}


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of lists of numbers as an array, if they are one."""
    if is_number(value):
        return np.shape(value)
    inner = {_shape(v) for v in value} if isinstance(value, list | tuple) and len(value) else {None}
    (one,) = inner if len(inner) == 1 else (None,)
    return None if one is None else (len(value), *one)


def chance_of(
    draws: Mapping[tuple[str, str], int], without: Mapping[str, str], steady: Iterable[str]
) -> dict[str, str]:
    """The candidate's luck: a field for each function that draws, with room for what it draws in one go."""
    steady = set(steady)
    most: Counter[str] = Counter()
    for (site, _), count in draws.items():
        most[site_function(site)] += count
    fields: dict[str, str] = {}
    for function, count in most.items():
        if function not in without:
            room = count if function in steady or count == 1 else ROOM * count
            one = f"draws('{function}', 0)"
            fields[function.strip("_")] = one if room == 1 else f"pad(draws('{function}'), {room})"
    return fields


def is_number(value: Any) -> bool:
    """A number, or an array of them."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return isinstance(value, bool | int | float | np.bool_ | np.number)


def survives_float32(value: Any) -> bool:
    """Whether nothing is lost when JAX holds a value in 32 bits."""
    if isinstance(value, list | tuple):
        return all(survives_float32(v) for v in value)
    if value is None or isinstance(value, str | bool | int):
        return True
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return True
    with np.errstate(over="ignore"):
        return bool(np.array_equal(array.astype(np.float32).astype(array.dtype), array, equal_nan=True))


def _field(name: str) -> str:
    return name.strip("_") or name
