"""A first contract, from playing the reference a little: what changes, what is drawn where, what is called."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from envwright.candidates.find import find_candidate
from envwright.candidates.protocol import ColumnKind
from envwright.references.protocol import Draw, Reference
from envwright.verify import policies
from envwright.verify.domain import Domain, mine_states
from envwright.verify.expression import site_function
from envwright.verify.host import Apart
from envwright.verify.noted import Draws, Growth, Method
from envwright.verify.pairs import find_reference
from envwright.verify.record import Beat

EPISODES = 40
LIMIT = 300  # steps of an episode
CALLS = 2000  # steps in which calls are looked at


@dataclass
class Seen:
    """What was seen of the reference."""

    states: list[dict[str, Any]]  # before steps: what changes, as `look` shows it
    finals: list[dict[str, Any]]  # after the last step of an episode
    start_draws: dict[tuple[str, str], int]  # site and method -> most draws in one reset
    step_draws: dict[tuple[str, str], int]
    calls: dict[str, list[dict[str, Any]]]  # of its functions that are called: arguments by name, a row a call
    drawn: dict[Method, list[Draw]]  # some of what was drawn
    steady: set[str]  # functions, and methods in them, `f.choice`, that draw equally often in every step
    observations: list[Any]
    rewards: list[Any]
    steady_starts: set[str] = field(default_factory=set)  # the same for resets
    start_picks: set[Method] = field(default_factory=set)  # choices of one from lists that are not always the same
    step_picks: set[Method] = field(default_factory=set)
    max_episode_steps: int | None = None


def draft_contract(reference: str, candidate: str) -> str:
    """The text of a contract with everything that can be found out, and TODO where it cannot."""
    host = Apart(partial(find_reference, reference, {}, None))
    try:
        seen = host.run(watch)
    finally:
        host.close()
    domains = mine_states(seen.states, (), {})
    fields = {} if candidate.startswith("TODO") else _fields(candidate)
    parts = [
        f"# Drafted from {reference} over {EPISODES} episodes. What envwright could not know is marked TODO.",
        f'version = 1\nreference = "{reference}"\ncandidate = "{candidate}"\n',
        _state(domains, fields, seen.states),
        _chance("start", seen.start_draws),
        _chance("step", seen.step_draws),
        _tolerance(domains),
        _modules(),
        _functions({name: list(rows[0]) for name, rows in seen.calls.items()}),
    ]
    return "\n".join(part for part in parts if part)


def watch(reference: Reference, beat: Beat, episodes: int = EPISODES) -> Seen:
    """Play, and write down what is needed: so many episodes, or fewer, if they are long, but no fewer starts."""
    starts, steps, growth = Draws(), Draws(), Growth()
    seen = Seen([], [], starts.most, steps.most, {}, {}, set(), [], [])
    for episode in range(episodes):
        outcome = reference.reset(seed=episode)
        starts.note(outcome)
        beat()
        if growth.is_over:
            continue
        names = list(policies.builtin(reference))
        act, rng = policies.find(names[episode % len(names)], reference, None), np.random.default_rng(episode)
        before = len(seen.states)
        for _ in range(LIMIT):
            seen.states.append(reference.look())
            outcome = reference.step(act(outcome.obs, rng))
            steps.note(outcome)
            seen.observations.append(outcome.obs)
            seen.rewards.append(outcome.reward)
            beat()
            if outcome.terminated or outcome.truncated:
                break
        seen.finals.append(reference.look())
        growth.note(_only(seen.states[before:], reference), steps)
    seen.states, seen.finals = _only(seen.states, reference), _only(seen.finals, reference)
    seen.steady, seen.steady_starts = steps.steady, starts.steady
    seen.drawn = {
        method: starts.kept.get(method, []) + steps.kept.get(method, []) for method in starts.kept | steps.kept
    }
    seen.start_picks, seen.step_picks = starts.varied, steps.varied
    seen.max_episode_steps = reference.look().get("max_episode_steps")
    seen.calls = _called(reference, lambda: _play_on(reference, beat, min(episodes, EPISODES)))
    return seen


def _only(states: list[dict[str, Any]], reference: Reference) -> list[dict[str, Any]]:
    """States without what is known not to change; that is known better the longer the reference has played."""
    moving = set(reference.snapshot())
    return [{name: value for name, value in state.items() if name in moving} for state in states]


def _play_on(reference: Reference, beat: Beat, episodes: int) -> None:
    """The same games once more, for whoever watches meanwhile."""
    steps = 0
    for episode in range(episodes):
        names = list(policies.builtin(reference))
        act = policies.find(names[episode % len(names)], reference, None)
        rng = np.random.default_rng(episode)
        outcome = reference.reset(seed=episode)
        for _ in range(LIMIT):
            outcome = reference.step(act(outcome.obs, rng))
            steps += 1
            beat()
            if outcome.terminated or outcome.truncated:
                break
        if steps >= CALLS:
            break


def _called(reference: Reference, play: Callable[[], None]) -> dict[str, list[dict[str, Any]]]:
    """The reference's own functions that are called while it plays, and with what."""
    calls = reference.record_calls(reference.functions(), play)
    return {name: rows for name, rows in calls.items() if rows}


def _fields(candidate: str) -> dict[str, ColumnKind]:
    kinds = find_candidate(candidate, {}, None).kinds()
    return {name.removeprefix("state."): kind for name, kind in kinds.items() if name.startswith("state.")}


def _state(domains: Mapping[str, Domain], fields: Mapping[str, ColumnKind], states: list[dict[str, Any]]) -> str:
    lines = ["# What changes in the reference, as it was seen:"]
    lines += [f"#   {name:24} {_describe(states, name, domain)}" for name, domain in domains.items()]
    lines += ["", "[state] # candidate's field = expression over the reference's names"]
    lines += _guess(domains, fields, states) if fields else _one_each(domains, states)
    unused = [
        n for n in domains if n != "elapsed_steps" and not any(f'"{n}' in line or f"({n}" in line for line in lines)
    ]
    lines += ["", "[ignored] # what has no counterpart, each with the reason"]
    lines += [f'"reference.{name}" = "TODO"' for name in unused]
    return "\n".join(lines) + "\n"


def _describe(states: list[dict[str, Any]], name: str, domain: Domain) -> str:
    kind = type(states[-1][name]).__name__
    return f"{kind}: " + ", ".join(f"{key} {value}" for key, value in domain.describe().items())


def _one_each(domains: Mapping[str, Domain], states: list[dict[str, Any]]) -> list[str]:
    """Without a candidate: a field for each part that is a number, an array or a list."""
    lines: list[str] = []
    for name in domains:
        values = [state[name] for state in states]
        if name == "elapsed_steps":
            lines.append('time = "elapsed_steps"')
        elif all(isinstance(v, list | tuple) for v in values) and len({len(v) for v in values}) > 1:
            longest = max(len(v) for v in values)
            lines.append(
                f'{name} = "pad({name}, {2 * longest})" # TODO: the longest seen is {longest}; what can it be?'
            )
            lines.append(f'{name}_count = "len({name})"')
        elif any(v is None for v in values) and any(v is not None for v in values):
            lines.append(f'{name} = "none({name}, -1)" # TODO: what stands for None?')
        elif all(v is None or isinstance(v, str) for v in values):
            continue
        else:
            lines.append(f'{name} = "{name}"')
    return lines


def _guess(domains: Mapping[str, Domain], fields: Mapping[str, ColumnKind], states: list[dict[str, Any]]) -> list[str]:
    """With a candidate: by name; else the elements of a vector in the order of the fields that are left."""
    lower = {name.lower().strip("_"): name for name in domains}
    found: dict[str, str] = {}
    for own in fields:
        if own in ("time", "t", "step_count", "elapsed_steps", "steps"):
            found[own] = "elapsed_steps"
        elif own.lower().strip("_") in lower:
            found[own] = lower[own.lower().strip("_")]
    left = [f for f, kind in fields.items() if f not in found and kind.shape == ()]
    for name in domains:
        value = np.asarray(states[-1][name]) if isinstance(states[-1][name], np.ndarray | list | tuple) else None
        if value is not None and name not in found.values() and left and value.shape == (len(left),):
            found |= {own: f"{name}[{i}]" for i, own in enumerate(left)}
            left = []
    lines = [f'{f} = "{e}"' + (" # TODO: by order, check it" if "[" in e else "") for f, e in found.items()]
    return lines + [f'{own} = "TODO"' for own in fields if own not in found]


def _chance(when: str, draws: Mapping[tuple[str, str], int]) -> str:
    if not draws:
        return ""
    lines = [f"[chance.{when}] # the candidate's luck, from what the reference draws"]
    most: Counter[str] = Counter()
    for (site, method), count in draws.items():
        lines.append(f"# {method} at {site}, up to {count} a {'reset' if when == 'start' else 'step'}")
        most[site_function(site)] += count
    for function, count in most.items():
        expression = f"draws('{function}', 0)" if count == 1 else f"pad(draws('{function}'), {count})"
        lines.append(f'{function.strip("_")} = "{expression}" # TODO: name it as the candidate does')
    return "\n".join(lines) + "\n"


def _tolerance(domains: Mapping[str, Domain]) -> str:
    if not any("low" in d.describe() and isinstance(d.describe()["low"], float) for d in domains.values()):
        return ""
    return (
        "# The reference has real numbers. If the candidate computes in float32, say so; otherwise bits must agree.\n"
        '# [[tolerance]]\n# columns = ["state", "observation", "reward"]\n'
        '# reason = "the reference computes in float64, the candidate in float32"\n'
    )


def _modules() -> str:
    return (
        "# Modules are what a divergence is blamed on; without: reset, dynamics, observation, reward, termination.\n"
        '# [[module]]\n# name = "TODO"\n# owns = ["state.NAME"]\n'
    )


def _functions(functions: Mapping[str, list[str]]) -> str:
    if not functions:
        return ""
    lines = [
        "# Functions that the reference calls while it plays; those that exist on both sides can be compared alone."
    ]
    for name, arguments in functions.items():
        given = ", ".join(f'"{a}"' for a in arguments if a != "self")
        lines += [f'# [[function]]\n# module = "TODO"\n# reference = "{name}"\n# candidate = "{name.strip("_")}"']
        lines += [f"# arguments = [{given}]"]
    return "\n".join(lines) + "\n"
