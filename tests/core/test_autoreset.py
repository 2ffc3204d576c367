"""What follows an ended episode, strategy by strategy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counting import Counting, CountParams, same_bits

import envwright
from envwright import Step
from envwright.core import Discrete, Env, Record, Space, autoreset
from envwright.core.autoreset import STRATEGIES, AutoReset, Cached, Fresh, Optimistic, strategy
from envwright.core.cost import cost
from envwright.core.errors import BatchError

ENV = Counting()
N = 8
ZEROS = jnp.zeros(N, jnp.int32)
KEYS = jax.random.split(envwright.key(3), N)
PARAMS = CountParams(length=np.int32(3))
ALL = [Fresh(), Cached(), Optimistic(4)]


def play(how: object, steps: int) -> tuple[object, list[Step]]:
    """The first state, and each step."""
    how = strategy(how)  # pyright: ignore[reportArgumentType]
    _, state = how.reset(ENV, KEYS, PARAMS)
    first, seen = state, []
    for t in range(steps):
        seen.append(how.step(ENV, jax.vmap(jax.random.fold_in, (0, None))(KEYS, t), state, ZEROS, PARAMS))
        state = seen[-1].state
    return first, seen


def counts(step: Step) -> list[int]:
    return getattr(step.state, "state", step.state).count.tolist()


def born(step: Step) -> list[int]:
    return getattr(step.state, "state", step.state).born.tolist()


@pytest.mark.parametrize("how", ALL, ids=repr)
def test_every_strategy_restarts_after_the_last_step_and_keeps_the_last_sight(how: object) -> None:
    _, steps = play(how, 7)
    assert [counts(step)[0] for step in steps] == [1, 2, 0, 1, 2, 0, 1]
    assert [bool(step.terminated[0]) for step in steps] == [False, False, True, False, False, True, False]
    assert [step.info["final_observation"][0, 0].item() for step in steps] == [1, 2, 3, 1, 2, 3, 1]
    assert [step.obs[0, 0].item() for step in steps] == [1, 2, 0, 1, 2, 0, 1]
    assert all(step.obs.shape == (2, N) for step in steps)  # the environments are the last axis


@pytest.mark.parametrize("how", ALL, ids=repr)
def test_every_strategy_carries_over_what_inherit_says(how: object) -> None:
    _, steps = play(how, 6)
    last = getattr(steps[-1].state, "state", steps[-1].state)
    assert last.episodes.tolist() == [2] * N


@pytest.mark.parametrize("how", ALL, ids=repr)
def test_only_the_environments_that_ended_restart(how: object) -> None:
    strategy_ = strategy(how)  # pyright: ignore[reportArgumentType]
    _, state = strategy_.reset(ENV, KEYS, PARAMS)
    inner = getattr(state, "state", state).replace(count=jnp.arange(N, dtype=jnp.int32) % 3)
    state = state.replace(state=inner) if isinstance(how, Cached) else inner
    step = strategy_.step(ENV, KEYS, state, ZEROS, PARAMS)
    assert counts(step) == [1, 2, 0, 1, 2, 0, 1, 2]
    kept = np.arange(N) % 3 != 2
    assert np.array_equal(np.asarray(born(step))[kept], np.asarray(inner.born)[kept])


def test_fresh_is_the_environments_own_step() -> None:
    _, state = Fresh().reset(ENV, KEYS, PARAMS)
    theirs = jax.vmap(ENV.step, in_axes=(0, 0, 0, None), out_axes=-1)(KEYS, state, ZEROS, PARAMS)
    assert same_bits(Fresh().step(ENV, KEYS, state, ZEROS, PARAMS), theirs)


def test_fresh_draws_a_start_of_its_own_for_every_episode() -> None:
    _, steps = play("fresh", 6)
    assert len({*born(steps[0]), *born(steps[2]), *born(steps[5])}) == 3 * N


def test_cached_goes_back_to_the_first_start_for_ever() -> None:
    _, steps = play("cached", 6)
    assert born(steps[0]) == born(steps[2]) == born(steps[5])
    assert len(set(born(steps[0]))) == N


def test_cached_still_draws_new_luck_for_every_step() -> None:
    _, steps = play("cached", 6)
    assert len({luck for t in (0, 1, 3, 4) for luck in steps[t].state.state.luck.tolist()}) == 4 * N


def test_optimistic_shares_a_start_within_a_group_and_only_there() -> None:
    _, steps = play(Optimistic(4), 6)
    assert len(set(born(steps[0]))) == N
    for t in (2, 5):
        groups = np.asarray(born(steps[t])).reshape(2, 4)
        assert (groups == groups[:, :1]).all()
        assert groups[0, 0] != groups[1, 0]
    assert born(steps[2]) != born(steps[5])


def test_optimistic_with_groups_of_one_is_fresh() -> None:
    assert same_bits(play(Optimistic(1), 4), play("fresh", 4))


def test_a_group_must_divide_the_batch() -> None:
    _, state = Optimistic(3).reset(ENV, KEYS, PARAMS)
    with pytest.raises(BatchError, match=r"among 3, but 8 step together\.$"):
        Optimistic(3).step(ENV, KEYS, state, ZEROS, PARAMS)


@pytest.mark.parametrize("how", ALL, ids=repr)
def test_a_strategy_steps_in_a_scan(how: object) -> None:
    """The carry keeps its shapes and dtypes."""
    chosen = strategy(how)  # pyright: ignore[reportArgumentType]
    _, state = chosen.reset(ENV, KEYS, PARAMS)
    last, _ = jax.lax.scan(lambda s, _: (chosen.step(ENV, KEYS, s, ZEROS, PARAMS).state, None), state, length=3)
    assert jax.tree.structure(last) == jax.tree.structure(state)


def test_strategies_have_names_and_a_wrong_one_lists_them() -> None:
    assert list(STRATEGIES) == ["fresh", "cached", "optimistic"]
    assert strategy("cached") == Cached()
    assert strategy(Optimistic(2)) == Optimistic(2)
    with pytest.raises(BatchError, match="no auto-reset strategy 'lazy'; choose one of fresh, cached, optimistic"):
        strategy("lazy")


@pytest.mark.parametrize("games", [1, 8, 40, 600])
@pytest.mark.parametrize("ended", ["none", "one", "some", "all"])
def test_starts_made_where_they_are_needed_are_those_made_everywhere(games, ended, monkeypatch) -> None:
    keys = jax.random.split(envwright.key(5), games)
    _, state = Fresh().reset(ENV, keys, PARAMS)
    last = {"none": [], "one": [games - 1], "some": range(0, games, 3), "all": range(games)}[ended]
    state = state.replace(count=jnp.zeros(games, jnp.int32).at[jnp.array(last, jnp.int32)].set(2))
    found = []
    for cheap in (False, True):
        monkeypatch.setattr(autoreset, "_is_cheap", lambda *_, cheap=cheap: cheap)
        found.append(jax.jit(Fresh().step, static_argnums=0)(ENV, keys, state, jnp.zeros(games, jnp.int32), PARAMS))
    assert same_bits(*found)
    assert int(found[0].terminated.sum()) == len(last)


class Nothing(Record):
    """No field at all."""


class Coin(Env[Nothing, Nothing]):
    """A game that remembers nothing: every step is the last."""

    @property
    def default_params(self) -> Nothing:
        return Nothing()

    def observation_space(self, params: Nothing) -> Space:
        return Discrete(2)

    def action_space(self, params: Nothing) -> Space:
        return Discrete(2)

    def draw_start(self, key: jax.Array, params: Nothing) -> Nothing:
        return Nothing()

    def start(self, chance: Nothing, params: Nothing) -> tuple[jax.Array, Nothing]:
        return jnp.int32(0), Nothing()

    def draw(self, key: jax.Array, state: Nothing, action: jax.Array, params: Nothing) -> jax.Array:
        return jax.random.randint(key, (), 0, 2)

    def apply(self, state: Nothing, action: jax.Array, chance: jax.Array, params: Nothing) -> Step:
        return Step(chance, state, jnp.float32(chance == action), jnp.bool_(True), jnp.bool_(False), {})


@pytest.mark.parametrize("how", ALL, ids=repr)
@pytest.mark.parametrize("cheap", [True, False])
def test_a_game_that_remembers_nothing_goes_on(how: AutoReset, cheap: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autoreset, "_is_cheap", lambda *_: cheap)
    _, state = how.reset(Coin(), KEYS, Nothing())
    step = how.step(Coin(), KEYS, state, ZEROS, Nothing())
    assert step.obs.tolist() == [0] * N
    assert step.info["final_observation"].tolist() == [1 - int(r) for r in step.reward.tolist()]


def test_what_does_not_hang_on_luck_costs_nothing() -> None:
    key = jax.ShapeDtypeStruct((), envwright.key(0).dtype)
    assert cost(lambda key: jnp.sin(jnp.arange(100.0)), key) == (0, 100)
    drawn = cost(lambda key: jax.random.uniform(key, (100,)), key).operations
    assert drawn > 1000
    assert cost(lambda key: jnp.sin(jax.random.uniform(key, (100,))), key).operations == drawn + 2000
    turned = cost(lambda key: jax.lax.fori_loop(0, 3, lambda i, x: jnp.sin(x), jax.random.uniform(key)), key)
    assert turned.operations < drawn
