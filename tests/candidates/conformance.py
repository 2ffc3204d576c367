"""What every candidate owes the verifier, whoever wrote it."""

import sys
from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from envwright.candidates.protocol import Candidate, Columns
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete

SEEDS = np.arange(3, dtype=np.uint32)


def check(candidate: Candidate, steps: int = 4) -> None:
    """All of it, on a few short games."""
    kinds = candidate.kinds()
    assert {"reward", "terminated", "truncated"} <= set(kinds)
    assert any(name.startswith("state.") for name in kinds)
    assert any(name.split(".")[0] == "observation" for name in kinds)

    new = candidate.init(SEEDS)
    seen = {name for name in kinds if name.split(".")[0] in ("state", "observation", "legal_actions", "acting")}
    assert set(new) == seen
    assert {name: column.shape for name, column in new.items()} == {name: (3, *kinds[name].shape) for name in seen}
    assert same(new, candidate.init(SEEDS))
    assert same(rows(new, [1]), candidate.init(SEEDS[1:2])), "a batch of one is a row of a batch of many"

    state, actions = state_of(new), some_actions(candidate, (3, steps))
    chance = candidate.draw(SEEDS, state, actions[:, 0]) if candidate.takes_chance else None
    stepped = candidate.step(state, actions[:, 0], chance)
    assert {name: (column.shape, column.dtype) for name, column in stepped.items()} == {
        name: ((3, *kind.shape), kind.dtype) for name, kind in kinds.items()
    }
    assert same(stepped, candidate.step(state, actions[:, 0], chance)), "a step is a function"
    first = candidate.step(rows(state, [0]), actions[:1, 0], rows(chance, [0]) if chance else None)
    assert close(rows(stepped, [0]), first), "a batch of one is a row of a batch of many"

    check_play(candidate, state, actions)
    check_chance(candidate, state, actions[:, 0])
    with pytest.raises(EnvwrightError, match="no field surely_not"):
        candidate.step({**state, "surely_not": SEEDS}, actions[:, 0])
    with pytest.raises(EnvwrightError, match="no param surely_not"):
        candidate.with_params({"surely_not": np.ones(())})
    assert candidate.provenance()


def check_play(candidate: Candidate, state: Columns, actions: NDArray[Any]) -> None:
    """Games played on and on are steps one after the other, as far as luck can be made the same."""
    games, steps = actions.shape[:2]
    chance = None
    if candidate.takes_chance:
        chance = {
            name: np.stack([column] * steps, 1) for name, column in candidate.draw(SEEDS, state, actions[:, 0]).items()
        }
    played = candidate.play(state, actions, chance)
    assert {column.shape[:2] for column in played.values()} == {(games, steps)}
    now, ignores_seeds = state, candidate.takes_chance or not _draws(candidate, state, actions[:, 0])
    for step in range(steps if ignores_seeds else 0):
        luck = {name: column[:, step] for name, column in chance.items()} if chance else None
        outcome = candidate.step(now, actions[:, step], luck)
        assert close({name: column[:, step] for name, column in played.items()}, outcome)
        now = state_of(outcome)


def check_chance(candidate: Candidate, state: Columns, actions: NDArray[Any]) -> None:
    """Luck that can be handed in can be drawn too, and gives the game that `init` gives; other luck is refused."""
    if not candidate.takes_chance:
        assert candidate.chance_kinds() == ({}, {})
        with pytest.raises(EnvwrightError, match="random numbers"):
            candidate.start({}, 3)
        return
    start, step = candidate.chance_kinds()
    drawn = candidate.draw_start(SEEDS)
    assert {name: (column.shape, column.dtype) for name, column in drawn.items()} == {
        name: ((3, *kind.shape), kind.dtype) for name, kind in start.items()
    }
    assert same(candidate.start(drawn, 3), candidate.init(SEEDS))
    luck = candidate.draw(SEEDS, state, actions)
    assert {name: column.shape for name, column in luck.items()} == {n: (3, *kind.shape) for n, kind in step.items()}


def _draws(candidate: Candidate, state: Columns, actions: NDArray[Any]) -> bool:
    """Whether a step of the same game comes out otherwise with another seed."""
    many = {name: np.repeat(column[:1], 64, axis=0) for name, column in state.items()}
    outcome = candidate.step(many, np.repeat(actions[:1], 64, axis=0))
    return not close(rows(outcome, [0] * 64), outcome)


def some_actions(candidate: Candidate, lead: tuple[int, ...], seed: int = 0) -> NDArray[Any]:
    rng, space = np.random.default_rng(seed), candidate.action_space
    lead = (*lead, candidate.players) if candidate.players > 1 else lead
    if space is None or isinstance(space, Discrete):
        return rng.integers(0, space.n if space else 2, lead)
    low, high = np.asarray(space.low), np.asarray(space.high)
    if np.issubdtype(space.dtype, np.integer):
        return rng.integers(low.astype(int), high.astype(int) + 1, (*lead, *space.shape))
    return rng.uniform(low, high, (*lead, *space.shape)).astype(space.dtype)


def state_of(outcome: Columns) -> Columns:
    return {name.removeprefix("state."): column for name, column in outcome.items() if name.startswith("state.")}


def rows(columns: Columns, which: list[int]) -> Columns:
    return {name: column[which] for name, column in columns.items()}


def same(one: Columns, other: Columns) -> bool:
    """Bit for bit."""
    return set(one) == set(other) and all(one[name].tobytes() == other[name].tobytes() for name in one)


def close(one: Columns, other: Columns, tolerance: float = 1e-5) -> bool:
    """The same names and the same values, but for last bits, which depend on how XLA fuses."""
    return set(one) == set(other) and all(
        np.allclose(one[name], other[name], rtol=tolerance, atol=tolerance, equal_nan=True)
        if one[name].dtype.kind == "f"
        else np.array_equal(one[name], other[name])
        for name in one
    )


def leaf(tree: Any, name: str) -> Any:
    """The part of a tree that a dotted name means, found without our own code."""
    for part in name.split(".") if name else ():
        inside = tree[part] if isinstance(tree, dict) else None
        tree = inside if inside is not None else tree[int(part)] if part.isdigit() else getattr(tree, part)
    return tree


def as_columns(names: Iterable[str], obs: Any, state: Any, **others: Any) -> Columns:
    """What a library handed out itself, for many games, under the names that a candidate gave."""
    found = {}
    for name in names:
        root, _, rest = name.partition(".")
        tree = {"state": state, "observation": obs}.get(root, others.get(root))
        found[name] = np.asarray(tree if rest == "value" and not hasattr(tree, "value") else leaf(tree, rest))
    return found


def keys(games: int) -> jax.Array:
    """The keys of a step without given luck."""
    return jax.vmap(jax.random.PRNGKey)(jnp.arange(games, dtype=jnp.uint32))


def forget(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Make `package` one that is not installed."""
    for name in list(sys.modules):
        if name.partition(".")[0] == package:
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
