"""The one watcher of a reference: plays it a little, and notes what changes, what is drawn where, what is called."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envwright.recipe.drafting.noted import Draws, Growth, Method
from envwright.references.protocol import Draw, Reference
from envwright.verifier import policies
from envwright.verifier.record import Beat

EPISODES = 40
LIMIT = 300  # steps of an episode
CALLS = 2000  # steps in which calls are looked at


@dataclass
class WatchedPlay:
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
    masked: bool = False  # whether it says of every state which actions are legal


def watch(reference: Reference, beat: Beat, episodes: int = EPISODES) -> WatchedPlay:
    """Play, and write down what is needed: so many episodes, or fewer, if they are long, but no fewer starts."""
    starts, steps, growth = Draws(), Draws(), Growth()
    seen = WatchedPlay([], [], starts.most, steps.most, {}, {}, set(), [], [])
    for episode in range(episodes):
        outcome = reference.reset(seed=episode)
        starts.note(outcome)
        beat()
        if growth.is_over:
            continue
        act, rng = _player(reference, episode)
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
    reference.restore(reference.snapshot())  # what is only told with an outcome is not a rule of every state
    seen.masked = reference.legal() is not None
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
        act, rng = _player(reference, episode)
        outcome = reference.reset(seed=episode)
        for _ in range(LIMIT):
            outcome = reference.step(act(outcome.obs, rng))
            steps += 1
            beat()
            if outcome.terminated or outcome.truncated:
                break
        if steps >= CALLS:
            break


def _player(reference: Reference, episode: int) -> tuple[policies.ActingPolicy, np.random.Generator]:
    """The policies take turns."""
    names = list(policies.builtin(reference))
    return policies.find(names[episode % len(names)], reference, None), np.random.default_rng(episode)


def _called(reference: Reference, play: Callable[[], None]) -> dict[str, list[dict[str, Any]]]:
    """The reference's own functions that are called while it plays, and with what."""
    calls = reference.record_calls(reference.functions(), play)
    return {name: rows for name, rows in calls.items() if rows}
