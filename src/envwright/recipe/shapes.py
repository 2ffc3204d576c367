"""The interface of a translation, from a contract and a few games of the reference."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.protocol import Reference
from envwright.references.registry import find_kind
from envwright.verifier import policies
from envwright.verifier.clauses import Function
from envwright.verifier.codecs import Cast, Count, Plain
from envwright.verifier.contract import Contract
from envwright.verifier.expression import Expression
from envwright.verifier.host import Host
from envwright.verifier.interface import NARROW, Field, Interface, Signature
from envwright.verifier.record import Beat, Case, EpisodePlan, mine_calls, record_calls, record_episodes
from envwright.verifier.record_phases import record_phases
from envwright.verifier.rows import part

EPISODES, LIMIT = 12, 300  # played to see shapes
CALLS = 64  # of each function
LONGEST = 400  # characters of a constant that agents are told
PHASES = 64  # steps in which phases are looked for
OBS = Plain(("obs",))

Kinds = dict[str, tuple[tuple[int, ...], str]]  # name -> shape and dtype


class InterfaceError(EnvwrightError, ValueError):
    """A contract does not say enough for a translation to be written against it."""


def interface_of(contract: Contract, host: Host, package: str, title: str) -> Interface:
    """Every name, shape and type of a translation by this contract."""
    seen = host.run(_look, contract)
    if seen["action_space"] is None:
        raise InterfaceError(
            f"The actions of {contract.reference} are neither numbers from 0 nor a box; wrap it so that they are."
        )
    outcome = seen["outcome"]
    observation = _field("observation", outcome["observation"], contract.outcome["observation"])
    return Interface(
        package=package,
        title=title,
        state=_fields(seen["state"], contract.state),
        start_luck=_fields(seen["start"], contract.chance_start),
        step_luck=_fields(seen["step"], contract.chance_step),
        observation=observation,
        info=_fields({k: v for k, v in outcome.items() if k.startswith("info.")}, {}),
        action_space=_narrowed(seen["action_space"]),
        observation_space=_observation_space(observation, seen["observation_space"]),
        functions=tuple(_signature(f, seen["calls"].get(f.reference)) for f in contract.functions),
        phases=tuple((name, _fields(kinds, {})) for name, kinds in seen["phases"].items()),
        constants=tuple(sorted(_constants(contract, seen["constants"]).items())),
        max_episode_steps=contract.candidate_options.get("max_episode_steps"),
    )


def _constants(contract: Contract, held: dict[str, str]) -> dict[str, str]:
    """What the original was made with, and what it holds that never changes and stands for nothing else."""
    used = {name for e in contract.state.values() for name in e.names}
    return {name: text for name, text in held.items() if name not in used} | {
        name: _written(value) for name, value in made_with(contract).items()
    }


def made_with(contract: Contract) -> dict[str, Any]:
    """The arguments that the original's constructor gets; the others have their defaults."""
    return find_kind(contract.reference, contract.base).arguments(contract.reference_options)


def _look(reference: Reference, contract: Contract, beat: Beat) -> dict[str, Any]:
    """In the reference's process: play a little, and note what everything looks like."""
    names = [*policies.builtin(reference), *contract.policies]
    plans = [EpisodePlan(names[i % len(names)], i) for i in range(EPISODES)]
    trace = record_episodes(reference, contract, plans, LIMIT, PHASES, beat)
    if not trace.steps:
        raise InterfaceError(f"{contract.reference} ends at once, in every game; there is nothing to translate.")
    mined = mine_calls(reference, contract, plans, LIMIT, beat)
    calls = record_calls(reference, contract, {name: rows[:CALLS] for name, rows in mined.items()}, beat)
    cases = [Case(state, reference.sample_action(np.random.default_rng(i))) for i, state in enumerate(trace.pool)]
    seen, _ = record_phases(reference, contract, cases if contract.phases else [], None, {}, range(0), beat)
    phases: dict[str, Kinds] = {phase.name: {} for phase in contract.phases}
    substeps = {
        p.name: (loop.count(reference.look()),) for loop in contract.loops if loop.substeps for p in loop.phases
    }
    for step in seen:
        for (phase, _), values in step.items():
            lead = substeps.get(phase, ())
            phases[phase] |= {name: ((*lead, *value.shape), value.dtype.name) for name, value in values.items()}
    outcome = {name: trace.steps[name] for name in contract.outcome}
    moving = reference.snapshot()
    constants = {name: value for name, value in reference.look().items() if name not in moving and _is_plain(value)}
    return {
        "state": _kinds(part(trace.steps, "state.")),
        "start": _kinds(part(trace.starts, "chance.")),
        "step": _kinds(part(trace.steps, "chance.")),
        "outcome": _kinds(outcome),
        "calls": {name: _call_kinds(rows) for name, rows in calls.items() if rows},
        "phases": phases,
        "constants": {name: text for name, value in constants.items() if len(text := _written(value)) <= LONGEST},
        "action_space": reference.action_space,
        "observation_space": reference.observation_space,
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_plain(v) for v in value)
    return isinstance(value, bool | int | float | str | np.number | np.ndarray)


def _written(value: Any) -> str:
    return repr(value.tolist() if isinstance(value, np.ndarray | np.number) else value)


def _kinds(columns: dict[str, NDArray[Any]]) -> Kinds:
    return {name: (column.shape[1:], column.dtype.name) for name, column in columns.items()}


def _call_kinds(rows: list[Any]) -> tuple[list[tuple[tuple[int, ...], str]], tuple[tuple[int, ...], str]]:
    one = rows[0]
    return [(a.shape, a.dtype.name) for a in one.given], (one.result.shape, one.result.dtype.name)


def _fields(kinds: Kinds, expressions: Mapping[str, Expression]) -> tuple[Field, ...]:
    return tuple(_field(name, kind, expressions.get(name)) for name, kind in kinds.items())


def _field(name: str, kind: tuple[tuple[int, ...], str], expression: Expression | None) -> Field:
    return Field(name, *kind, expression.text, expression.codec) if expression else Field(name, *kind)


def _signature(function: Function, kinds: Any) -> Signature:
    if kinds is None:
        raise InterfaceError(
            f"{function.reference} was never called in {EPISODES} games; take its [[function]] out of the contract."
        )
    arguments = tuple(
        _field(_argument_name(e, i), kind, e)
        for i, (e, kind) in enumerate(zip(function.arguments, kinds[0], strict=True))
    )
    result = _field("result", kinds[1], function.result)
    return Signature(function.module, function.candidate, function.reference, arguments, result)


def _argument_name(expression: Expression, index: int) -> str:
    """What an argument is called: as in the original, if its expression reads just that one name."""
    inside = sorted(expression.names)
    if len(inside) != 1:
        return f"argument_{index + 1}"
    return f"{inside[0]}_count" if isinstance(expression.codec, Count) else inside[0]


def _narrowed(space: Space) -> Space:
    """The same space of numbers as narrow as a translation has them."""
    if isinstance(space, Discrete):
        return space
    return Box(space.low, space.high, space.shape, np.dtype(NARROW.get(space.dtype.name, space.dtype.name)))


def _observation_space(observation: Field, known: Space | None) -> Space:
    """The reference's own, if the contract leaves observations as they are; else the widest of that shape and kind."""
    whole = np.issubdtype(observation.dtype, np.integer)
    if known is not None and observation.codec in (OBS, Cast(OBS)) and known.shape == observation.shape:
        return _narrowed(known)
    dtype = np.dtype(NARROW.get(observation.dtype, observation.dtype))
    if observation.dtype == "bool":
        return Box(0, 1, observation.shape, np.dtype(np.bool_))
    bounds = (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)) if whole else (-np.inf, np.inf)
    return Box(*bounds, observation.shape, dtype)
