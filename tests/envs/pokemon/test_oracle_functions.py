"""Functions of the rules alone, against Showdown's: random numbers, stats after boosts, damage."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core.errors import ReferenceUnavailableError
from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon import effects, prng, rules, tables
from envwright.envs.pokemon.columns import as_state
from envwright.envs.pokemon.fighter import load
from envwright.envs.pokemon.move_context import MoveContext
from envwright.envs.pokemon.reference import SEED, TEAMS, ShowdownBattle
from envwright.references.protocol import Draw
from envwright.verifier import pairs
from envwright.verifier.host import Here
from envwright.verifier.levels.l1_functions import check_functions
from envwright.verifier.session import Effort, Session

BODY_SLAM = tables.move("bodyslam")


@pytest.fixture(scope="module")
def battle() -> Iterator[ShowdownBattle]:
    try:
        found = ShowdownBattle()
    except ReferenceUnavailableError as error:
        pytest.skip(str(error))
    yield found
    found.close()


def test_random_numbers_are_showdowns(battle: ShowdownBattle) -> None:
    rng = np.random.default_rng(0)
    seeds = rng.integers(2**32, size=(200, 2), dtype=np.uint32)
    bounds = rng.choice([2, 4, 8, 39, 256], (200, 12))
    cases = [{"seed": seed.tolist(), "bounds": row.tolist()} for seed, row in zip(seeds, bounds, strict=True)]
    expected = np.array(battle.call("random", [cases]))

    def draws(seed: jax.Array, row: jax.Array) -> tuple[jax.Array, jax.Array]:
        def one(now: Any, bound: jax.Array) -> tuple[Any, jax.Array]:
            word, now = prng.draw(now, jnp.bool_(True))
            return now, prng.below(word, bound)

        now, found = jax.lax.scan(one, (seed[0], seed[1]), row)
        return found, jnp.stack(now)

    found, after = jax.jit(jax.vmap(draws))(seeds, bounds.astype(np.int32))
    np.testing.assert_array_equal(found, expected[:, :12])
    np.testing.assert_array_equal(after, expected[:, 12:])


def test_every_stat_after_every_boost_is_showdowns(battle: ShowdownBattle) -> None:
    """All stored stats and all boosts, and those that are at a limit already."""
    stored = np.arange(1, 1000)
    hundredths = np.array([25, 28, 33, 40, 50, 66, 100, 150, 200, 250, 300, 350, 400])
    cases, ours = [], []
    for boost in range(-6, 7):
        for by in (-2, -1, 1, 2):
            if not -6 < boost < 6:
                continue
            modified = np.clip(stored * hundredths[boost + 6] // 100, 1, 999)
            grid = np.stack([stored, modified, np.full_like(stored, boost), np.full_like(stored, by)], axis=1)
            ours.append(grid)
            cases += [dict(zip(("stored", "modified", "boost", "by"), row, strict=True)) for row in grid.tolist()]
    expected = np.array(battle.call("boostBy", [cases]))
    grid = np.concatenate(ours)
    after, boosts = jax.jit(jax.vmap(boosted))(jnp.asarray(grid, jnp.int32))
    np.testing.assert_array_equal(after, expected[:, 0])
    np.testing.assert_array_equal(boosts, expected[:, 1])


def boosted(row: jax.Array) -> tuple[jax.Array, jax.Array]:
    """One's own attack raised or lowered by the effect of a move."""
    stored, modified, boost, by = row
    state = as_state({name: np.zeros(shape, kind) for name, (kind, shape) in layout.STATE.items()})
    me = load(state, 0, jnp.int32(0), jnp.bool_(False))
    me = me.replace(
        hp=jnp.int32(1),
        stored=(stored, *me.stored[1:]),
        modified=(modified, *me.modified[1:]),
        boosts=(boost, *me.boosts[1:]),
    )
    move = tables.row(jnp.int32(tables.move("swordsdance")))
    move["boost_by"] = by
    moment = MoveContext(me, me, (jnp.uint32(0), jnp.uint32(0)), jnp.int32(0), jnp.int32(0))
    after = effects.boost(moment, move, jnp.bool_(True), jnp.bool_(False))[0].me
    return after.modified[0], after.boosts[0]


def test_damage_is_showdowns(battle: ShowdownBattle) -> None:
    """As the first level of verification asks it."""
    contract = pairs.find_contract(["pokemon"])
    session = Session(contract, Here(battle), pairs.make_candidate(contract), Effort(calls=3000))
    (check,) = check_functions(session)
    assert (check.status, check.count) == ("pass", 3000)


def test_each_move_of_the_pool_hits_and_misses_as_in_showdown(battle: ShowdownBattle) -> None:
    """Each move alone: two Mews that have it, with and without substitutes, statuses and damage done before."""
    stats = [403, 298, 298, 298, 298]
    rng = np.random.default_rng(0)
    snapshots: list[dict[str, Any]] = []
    seeds: list[list[int]] = []
    team = {
        "species": [151, 113, 0, 0, 0, 0],
        "level": [100, 100, 0, 0, 0, 0],
        "stats": [stats, [703, 108, 108, 198, 308], *[[0] * 5] * 4],
        "speed_points": [93, 93, 0, 0, 0, 0],
    }
    for number in tables.POOL:
        nothing = [[0] * 4] * 4
        moves = [*[[number, BODY_SLAM, 0, 0]] * 2, *nothing]  # with Transform alone it would be a tie at once
        pp = [*[[5, 5, 0, 0]] * 2, *nothing]
        teams = [{**team, "moves": moves, "pp": pp}] * 2
        battle.reset(0, [Draw(SEED, "seed", [number, 7]), Draw(TEAMS, "teams", teams)])
        base = battle.snapshot()
        for i in range(6):
            state: dict[str, Any] = {name: np.array(value) for name, value in base.items()}
            state["hp"][:, 0] = rng.choice([403, 300, 148, 101, 40], 2)
            state["substitute"][:] = rng.choice([0, 0, 30], 2)
            state["status"][:, 0] = rng.choice([0, 0, 3, 5], 2)
            state["last_damage"] = np.int32(rng.choice([0, 90]))
            snapshots.append(state)
            seeds.append([int(rng.integers(2**32)), i])
    expected = []
    for state, seed in zip(snapshots, seeds, strict=True):
        battle.restore(state)
        battle.step(np.array([0, 0]), (Draw(SEED, "seed", seed),))
        expected.append(battle.snapshot())
    before = as_state({name: np.stack([one[name] for one in snapshots]) for name in layout.STATE})
    actions = np.zeros((len(seeds), 2), np.int32)
    after = jax.jit(jax.vmap(rules.advance))(before, actions, np.array(seeds, np.uint32))
    for name in layout.STATE:
        wrong = [i for i, one in enumerate(expected) if (np.asarray(getattr(after, name))[i] != one[name]).any()]
        assert not wrong, (name, tables.MOVES[int(snapshots[wrong[0]]["moves"][0, 0, 0])])
