"""The luck that the stochastic examples draw themselves, and that they are environments like others."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chisquare

import envwright
from stochastic import ALPHA, CASES, LAKES, TOWNS, Options, Tape, blackjack, frozen_lake, make, make_reference, taxi

# ---- luck of one's own ----


def assert_fits(values: Any, probabilities: dict[int, float]) -> None:
    """Draws fit a distribution; what is impossible does not occur."""
    values = np.asarray(values).ravel()
    assert set(values.tolist()) <= {value for value, p in probabilities.items() if p > 0}
    likely = {value: p for value, p in probabilities.items() if p > 0}
    if len(likely) > 1:
        observed = [int((values == value).sum()) for value in likely]
        assert chisquare(observed, np.array(list(likely.values())) * len(values)).pvalue > ALPHA


def keys(count: int = 20_000) -> jax.Array:
    return jax.random.split(envwright.key(7), count)


@pytest.mark.parametrize("options", LAKES, ids=str)
def test_the_lake_draws_as_the_reference_does(options: Options) -> None:
    reference, lake = make_reference("frozen_lake", options, Tape(0)), make("frozen_lake", options)
    params = lake.default_params
    start = jax.vmap(lambda key: lake.draw_start(key, params))(keys())
    assert_fits(start.position, dict(enumerate(reference.initial_state_distrib)))
    goal = int(np.flatnonzero((reference.desc == b"G").ravel())[0])
    for position in (0, goal):
        state = frozen_lake.State(position=jnp.int32(position))
        luck = jax.vmap(lambda key, state=state: lake.draw(key, state, jnp.int32(1), params))(keys())
        assert_fits(luck.slip, {i: row[0] for i, row in enumerate(reference.P[position][1])})


def test_the_deck_has_four_times_as_many_tens() -> None:
    table = blackjack.Blackjack()
    deck = {card: 4 / 13 if card == 10 else 1 / 13 for card in range(1, 11)}
    dealt = jax.vmap(lambda key: table.draw_start(key, table.default_params))(keys(5000)).cards
    _, state = table.init(envwright.key(0), table.default_params)
    drawn = jax.vmap(lambda key: table.draw(key, state, jnp.int32(0), table.default_params))(keys(2000)).cards
    for cards in (dealt, drawn):
        assert_fits(cards, deck)
        neighbours = np.asarray(cards)[:, :-1] * 11 + np.asarray(cards)[:, 1:]
        assert_fits(neighbours, {a * 11 + b: deck[a] * deck[b] for a in deck for b in deck})


@pytest.mark.parametrize("options", TOWNS, ids=str)
def test_the_town_draws_as_the_reference_does(options: Options) -> None:
    reference, town = make_reference("taxi", options, Tape(0)), make("taxi", options)
    params = town.default_params
    start = jax.vmap(lambda key: town.draw_start(key, params))(keys(60_000))
    assert_fits(start.state, dict(enumerate(reference.initial_state_distrib)))
    changes = reference.fickle_probability * reference.fickle_passenger
    assert_fits(start.fickle, {1: changes, 0: 1 - changes})
    for code, action in ((262, 0), (262, 4)):
        _, state = town.start(taxi.StartChance(state=jnp.int32(code), fickle=jnp.bool_(True)), params)
        luck = jax.vmap(lambda key, state=state, action=action: town.draw(key, state, jnp.int32(action), params))(
            keys()
        )
        assert_fits(luck.slip, {i: row[0] for i, row in enumerate(reference.P[code][action])})
        assert_fits(luck.destination, {stand: (stand != code % 4) / 3 for stand in range(4)})
        assert_fits(
            luck.slip * 4 + luck.destination,
            {i * 4 + stand: row[0] / 3 for i, row in enumerate(reference.P[code][action]) for stand in (0, 1, 3)},
        )


# ---- as environments ----


@pytest.mark.parametrize(("name", "options"), [CASES[0], CASES[6], CASES[-5], CASES[-1]], ids=str)
def test_runs_compiled_and_in_batches(name: str, options: Options) -> None:
    env = make(name, options)
    assert hash(env) == hash(make(name, options))
    params = env.default_params
    some = jax.random.split(envwright.key(1), 16)
    obs, states = jax.jit(jax.vmap(env.reset, in_axes=(0, None)))(some, params)
    space = env.observation_space(params)
    assert all(space.contains(o) for o in obs)
    actions = jax.vmap(env.action_space(params).sample)(some)
    for _ in range(3):
        obs, states, _, _, _, _ = jax.jit(jax.vmap(env.step, in_axes=(0, 0, 0, None)))(some, states, actions, params)
        assert all(space.contains(o) for o in obs)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: frozen_lake.FrozenLake(map_name="5x5"), "5x5"),
        (lambda: frozen_lake.FrozenLake(success_rate=1.5), "1.5"),
        (lambda: frozen_lake.FrozenLake(desc=["FG"]), "tile S"),
        (lambda: taxi.Taxi(rainy_probability=-1), "rainy_probability"),
    ],
)
def test_impossible_options_are_refused(build: Callable[[], Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        build()
