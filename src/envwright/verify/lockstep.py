"""L3, whole episodes in lockstep: the reference plays and is recorded, the candidate replays, bits are compared.

    reference ──► Recording: actions, chance, every field ──► candidate, same actions, same chance ──► first difference

The two are put side by side once, at the first reset. After that each goes on from its own state, so that an error
of one bit in one field stays visible in every later step that depends on it.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from envwright.core import Env, Record
from envwright.core.env import restart
from envwright.verify.verdict import Check, Divergence

CHUNK = 256  # steps recorded before they are compared
NAME = "whole games in lockstep, bit for bit"


class LockstepReference(Protocol):
    """A batch of reference games that can be watched and whose luck is recorded."""

    num_envs: int
    obs: NDArray[Any]
    reward: NDArray[Any]
    terminated: NDArray[Any]

    @property
    def fields(self) -> dict[str, NDArray[Any]]: ...

    @property
    def chance(self) -> Any: ...

    def reset(self) -> Any: ...

    def step(self, actions: NDArray[Any]) -> None: ...


class Recording(NamedTuple):
    """Some steps of the reference, a leading axis of steps on everything."""

    actions: NDArray[Any]
    chance: NDArray[Any]
    outcome: dict[str, NDArray[Any]]  # observation, reward, terminated, and every field of the state


class Replay(Record):
    """Where the candidate stands."""

    state: Any
    totals: Any  # running sums of what it reports of finished episodes


class Place(NamedTuple):
    """A value of a batch."""

    name: str
    at: tuple[int, ...]  # step of the recording if it has steps, game, and the rest
    expected: Any
    got: Any


class Parting(NamedTuple):
    """The first step in which the two part."""

    column: str
    game: int
    episode: int  # of this game
    step: int  # of this episode, from 0; -1 is the first reset
    expected: Any
    got: Any
    before: dict[str, Any]  # the reference's fields before the step
    action: Any
    chance: Any
    ended: bool  # whether the step ended an episode, so that a reset lies between it and what is compared


Summarise = Callable[[Any], dict[str, jax.Array]]  # final state -> what the reference adds to its log
Act = Callable[[NDArray[Any], np.random.Generator], NDArray[Any]]
Blame = Callable[[Parting], Divergence]


def verify_lockstep(
    env: Env[Any, Any],
    reference: LockstepReference,
    act: Act,
    *,
    episodes: int,
    seed: int,
    summarise: Summarise = lambda state: {},
    blame: Blame | None = None,
    progress: Callable[[int], None] = lambda episodes: None,
) -> Check:
    """Play at least `episodes` whole episodes on both sides and compare every field after every step."""
    params = env.default_params
    reference.reset()
    obs, replay = _begin(env, reference, summarise, params)
    seen = Seen(reference)
    bits_apart, place = compare(seen.fields, {"observation": obs, **_fields(replay)})
    parting = None if place is None else seen.parting(place, None)
    replay_chunk = jax.jit(lambda *tape: _replay(env, summarise, params, *tape))
    for recording in _record(reference, act, np.random.default_rng(seed)):
        if parting is not None or seen.finished >= episodes:
            break
        replay, outcome = replay_chunk(replay, recording.actions, recording.chance)
        bits_apart, place = compare(recording.outcome, outcome)
        parting = None if place is None else seen.parting(place, recording)
        seen.go_on(recording)
        progress(min(seen.finished, episodes))
    detail = (
        f"{seen.finished:,} games to their end, {seen.steps * reference.num_envs:,} steps, "
        f"{len(seen.fields) + 2} columns, {bits_apart:,} bits differ"
    )
    if parting is None:
        return Check("L3", NAME, "pass", detail, seen.finished)
    found = blame(parting) if blame else as_divergence(parting, "dynamics")
    return Check("L3", NAME, "fail", f"{detail} in the {CHUNK} steps around the first", seen.finished, (found,))


def as_divergence(parting: Parting, module: str, **more: Any) -> Divergence:
    """A parting as a verdict shows it."""
    about = {"input": {**parting.before, "action": _plain(parting.action), "chance": _plain(parting.chance)}, **more}
    return Divergence(
        module, parting.column, _plain(parting.expected), _plain(parting.got), episode=parting.episode,
        step=parting.step, **about,
    )  # fmt: skip


class Seen:
    """How far the reference has come: its fields now, and for each game which episode and which step of it."""

    def __init__(self, reference: LockstepReference) -> None:
        self.fields = {"observation": reference.obs.copy(), **{n: v.copy() for n, v in reference.fields.items()}}
        self.episode = np.zeros(reference.num_envs, np.int64)
        self.step = np.zeros(reference.num_envs, np.int64)
        self.steps = 0

    @property
    def finished(self) -> int:
        return int(self.episode.sum())

    def go_on(self, recording: Recording) -> None:
        ended = recording.outcome["terminated"]
        self.episode += ended.sum(axis=0)
        since = np.argmax(ended[::-1], axis=0)
        self.step = np.where(ended.any(axis=0), since, self.step + len(ended))
        self.steps += len(ended)
        self.fields = {name: recording.outcome[name][-1] for name in self.fields}

    def parting(self, place: Place, recording: Recording | None) -> Parting:
        """What there is to know of the step at `place`."""
        column = place.name if place.name in OUTCOMES or "." in place.name else f"state.{place.name}"
        if recording is None:
            return Parting(column, place.at[0], 0, -1, place.expected, place.got, {}, None, None, False)
        step, game = place.at[:2]
        ended = recording.outcome["terminated"][:step, game]
        begun = int(self.step[game]) + step if not ended.any() else int(np.argmax(ended[::-1]))
        fields = self.fields if step == 0 else {n: recording.outcome[n][step - 1] for n in self.fields}
        return Parting(
            column, game, int(self.episode[game] + ended.sum()), begun, place.expected, place.got,
            {name: _plain(values[game]) for name, values in fields.items()}, recording.actions[step, game],
            recording.chance[step, game], bool(recording.outcome["terminated"][step, game]),
        )  # fmt: skip


OUTCOMES = ("observation", "reward", "terminated")


def _record(reference: LockstepReference, act: Act, rng: np.random.Generator) -> Iterator[Recording]:
    """Play for ever, a chunk at a time."""
    while True:
        rows: list[tuple[Any, ...]] = []
        for _ in range(CHUNK):
            actions = act(reference.obs, rng)
            reference.step(actions)
            outcome = {
                "observation": reference.obs.copy(),
                "reward": reference.reward.copy(),
                "terminated": reference.terminated.copy(),
                **{name: values.copy() for name, values in reference.fields.items()},
            }
            rows.append((actions, reference.chance, outcome))
        actions, chances, outcomes = zip(*rows, strict=True)
        stacked = {name: np.stack([outcome[name] for outcome in outcomes]) for name in outcomes[0]}
        yield Recording(np.stack(actions), np.stack(chances), stacked)


def _begin(
    env: Env[Any, Any], reference: LockstepReference, summarise: Summarise, params: Any
) -> tuple[jax.Array, Replay]:
    """The candidate's first states, from the luck of the reference's reset."""
    obs, state = jax.jit(jax.vmap(env.start, in_axes=(0, None)))(jnp.asarray(reference.chance), params)
    totals = jax.tree.map(jnp.zeros_like, jax.vmap(summarise)(state))
    return obs, Replay(state, totals)


def _replay(
    env: Env[Any, Any], summarise: Summarise, params: Any, replay: Replay, actions: jax.Array, chance: jax.Array
) -> tuple[Replay, dict[str, jax.Array]]:
    """The candidate through a recording; where an episode ends it goes on as the reference did, with the same luck."""

    def one(state: Any, totals: Any, action: jax.Array, luck: jax.Array) -> Any:
        step = env.apply(state, action, luck, params)
        totals = jax.tree.map(
            lambda a, b: a + jnp.where(step.done, b, jnp.zeros_like(b)), totals, summarise(step.state)
        )
        step = restart(env, step, env.start(luck, params))
        outcome = {"observation": step.obs, "reward": step.reward, "terminated": step.terminated}
        return Replay(step.state, totals), outcome

    def body(replay: Replay, tape: tuple[jax.Array, jax.Array]) -> tuple[Replay, dict[str, jax.Array]]:
        replay, outcome = jax.vmap(one)(replay.state, replay.totals, *tape)
        return replay, outcome | _fields(replay)

    return jax.lax.scan(body, replay, (actions, chance))


def _fields(replay: Replay) -> dict[str, jax.Array]:
    return {**vars(replay.state), **replay.totals}


def compare(expected: dict[str, NDArray[Any]], got: dict[str, Any]) -> tuple[int, Place | None]:
    """How many bits differ, and the first place by step; within a step fields of the state explain what is seen."""
    apart, first = 0, None
    for name, want in expected.items():
        have = np.asarray(got[name])
        if have.dtype != want.dtype or have.shape != want.shape:
            kinds = (f"{a.dtype} of shape {a.shape}" for a in (want, have))
            return apart + want.size, Place(name, (0,) * max(want.ndim, 2), *kinds)
        unequal = bits(want) ^ bits(have)
        if not unequal.any():
            continue
        apart += int(np.bitwise_count(unequal).sum())
        index = tuple(int(i) for i in np.argwhere(unequal)[0])
        earlier = first is None or index[0] < first.at[0]
        same_step = first is not None and index[:2] == first.at[:2]
        if earlier or (same_step and first is not None and first.name in OUTCOMES and name not in OUTCOMES):
            first = Place(name, index, want[index], have[index])
    return apart, first


def bits(array: NDArray[Any]) -> NDArray[Any]:
    """An array's bits as unsigned integers of the same width."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else value
