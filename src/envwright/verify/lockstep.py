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
from envwright.verify.verdict import Divergence, Verdict

CHUNK = 256  # steps recorded before they are compared


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


Summarise = Callable[[Any], dict[str, jax.Array]]  # final state -> what the reference adds to its log
Act = Callable[[NDArray[Any], np.random.Generator], NDArray[Any]]


def verify_lockstep(
    env: Env[Any, Any],
    reference: LockstepReference,
    act: Act,
    *,
    episodes: int,
    seed: int,
    subject: str,
    summarise: Summarise = lambda state: {},
    provenance: dict[str, Any] | None = None,
    progress: Callable[[int], None] = lambda episodes: None,
) -> Verdict:
    """Play at least `episodes` whole episodes on both sides and compare every field after every step."""
    params = env.default_params
    reference.reset()
    obs, replay = _begin(env, reference, summarise, params)
    first = {"observation": reference.obs, **reference.fields}
    differing, divergence = _compare(first, {"observation": obs, **_fields(replay)}, None, 0)
    replay_chunk = jax.jit(lambda *tape: _replay(env, summarise, params, *tape))
    steps = finished = 0
    for recording in _record(reference, act, np.random.default_rng(seed)):
        replay, outcome = replay_chunk(replay, recording.actions, recording.chance)
        more, found = _compare(recording.outcome, outcome, recording, steps)
        differing += more
        divergence = divergence or found
        steps += len(recording.actions)
        finished += int(recording.outcome["terminated"].sum())
        progress(min(finished, episodes))
        if finished >= episodes or divergence is not None:
            break
    return Verdict(
        level="L3",
        subject=subject,
        steps=steps * reference.num_envs,
        episodes=finished,
        fields=("observation", "reward", "terminated", *reference.fields),
        differing_bits=differing,
        divergence=divergence,
        provenance=provenance or {},
    )


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


def _compare(
    expected: dict[str, NDArray[Any]], got: dict[str, Any], recording: Recording | None, before: int
) -> tuple[int, Divergence | None]:
    """How many bits differ, and the first place by step, then field."""
    differing, first = 0, None
    for name, want in expected.items():
        have = np.asarray(got[name])
        if have.dtype != want.dtype or have.shape != want.shape:
            return differing + want.size, Divergence(name, before, 0, str(want.dtype), str(have.dtype), "", "")
        unequal = bits(want) ^ bits(have)
        if not unequal.any():
            continue
        differing += int(np.bitwise_count(unequal).sum())
        place = tuple(int(i) for i in np.argwhere(unequal)[0])
        if first is None or place[0] < first[1][0]:
            first = (name, place, want[place], have[place])
    if first is None:
        return 0, None
    name, place, want, have = first
    if recording is None:
        return differing, Divergence(name, -1, place[0], repr(want), repr(have), "reset", "")
    action, luck = recording.actions[place[:2]], recording.chance[place[:2]]
    return differing, Divergence(name, before + place[0], place[1], repr(want), repr(have), str(action), str(luck))


def bits(array: NDArray[Any]) -> NDArray[Any]:
    """An array's bits as unsigned integers of the same width."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
