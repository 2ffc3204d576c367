"""A batch with its state inside: every environment plays its own seed's game, however many play beside it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counting import Counting, CountParams, same_bits

import envwright
from envwright import JaxBatch
from envwright.core.errors import ActionError, BatchError, EnvwrightError

PONG = envwright.make("Pong-v0", frameskip=8)


def counting(num_envs: int = 4, length: int = 3, **kwargs: int) -> JaxBatch:
    return JaxBatch(Counting(), num_envs, params=CountParams(length=np.int32(length)), **kwargs)


def zeros(num_envs: int) -> np.ndarray:
    return np.zeros(num_envs, np.int32)


def game(num_envs: int, place: int, devices: int, seed: int = 77) -> list[object]:
    """What one environment lives through: Pong with seed `seed` at `place` in a batch."""
    batch = JaxBatch(PONG, num_envs, devices=devices)
    seeds = np.arange(1000, 1000 + num_envs)
    seeds[place] = seed
    lived: list[object] = [np.asarray(batch.reset(seeds.tolist())[place])]
    actions = np.random.default_rng(0).integers(0, 3, 40)
    for action in actions:
        step = batch.step_and_restart(np.full(num_envs, action))
        lived.append(jax.tree.map(lambda leaf: np.asarray(leaf[place]), step))
    return lived


@pytest.mark.parametrize(("num_envs", "place", "devices"), [(2, 1, 2), (64, 37, 1), (64, 63, 2)])
def test_an_environment_plays_the_same_game_in_any_batch(num_envs: int, place: int, devices: int) -> None:
    alone = game(1, 0, 1)
    assert same_bits(alone, game(num_envs, place, devices))
    assert not same_bits(alone, game(1, 0, 1, seed=78))


def test_the_same_seeds_begin_the_same_games_and_others_do_not() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    first = batch._now().state.born.tolist()
    batch.step(zeros(4))
    batch.reset([1, 2, 3, 4])
    assert batch._now().state.born.tolist() == first
    batch.reset([5, 2, 3, 4])
    assert [a == b for a, b in zip(batch._now().state.born.tolist(), first, strict=True)] == [False, True, True, True]


def test_without_seeds_the_luck_is_new_every_time() -> None:
    batch, other = counting(), counting()
    batch.reset()
    other.reset()
    born = [*batch._now().state.born.tolist(), *other._now().state.born.tolist()]
    batch.reset()
    assert len({*born, *batch._now().state.born.tolist()}) == 12


def test_a_raw_step_goes_on_until_told_to_restart() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    steps = [batch.step(zeros(4)) for _ in range(3)]
    assert steps[-1].terminated.tolist() == [True] * 4
    step = batch.step(np.full(4, 2), restart=np.array([True, False, False, True]))
    assert step.obs[:, 0].tolist() == [0, 4, 4, 0]
    assert step.reward.tolist() == [0, 2, 2, 0]
    assert step.terminated.tolist() == [False, True, True, False]
    assert batch._now().state.episodes.tolist() == [1, 0, 0, 1]


def test_step_and_restart_keeps_the_last_sight() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    steps = [batch.step_and_restart(zeros(4)) for _ in range(4)]
    assert [step.obs[0, 0].item() for step in steps] == [1, 2, 0, 1]
    assert [step.final_obs[0, 0].item() for step in steps] == [1, 2, 3, 1]
    assert [step.terminated[0].item() for step in steps] == [False, False, True, False]
    assert set(steps[0].info) == {"count"}


def test_both_ways_of_stepping_give_the_same_tree() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    one, other = batch.step(zeros(4)), batch.step_and_restart(zeros(4))
    assert jax.tree.structure(one) == jax.tree.structure(other)
    assert [leaf.aval for leaf in jax.tree.leaves(one)] == [leaf.aval for leaf in jax.tree.leaves(other)]


def test_a_masked_reset_leaves_the_luck_of_the_others_alone() -> None:
    batch, twin = counting(length=100), counting(length=100)
    for each in (batch, twin):
        each.reset([1, 2, 3, 4])
        each.step(zeros(4))
    obs = batch.reset(mask=np.array([False, True, False, False]))
    assert obs[:, 0].tolist() == [1, 0, 1, 1]
    one, other = batch.step(zeros(4)), twin.step(zeros(4))
    assert one.obs[:, 0].tolist() == [2, 1, 2, 2]
    assert (batch._now().state.luck == twin._now().state.luck).tolist() == [True, False, True, True]
    assert other.obs[:, 0].tolist() == [2] * 4


def test_seeds_with_a_mask_reseed_only_there() -> None:
    batch, fresh = counting(), counting()
    batch.reset([1, 2, 3, 4])
    batch.step(zeros(4))
    before = batch._now().state.born
    batch.reset([9, 9, 9, 9], mask=np.array([True, False, False, True]))
    fresh.reset([9, 9, 9, 9])
    born = batch._now().state.born.tolist()
    assert born == [fresh._now().state.born[0], before[1], before[2], fresh._now().state.born[3]]


def test_a_seeded_reset_forgets_everything_with_a_mask_as_without() -> None:
    masked, whole = counting(), counting()
    for each in (masked, whole):
        each.reset([1, 2, 3, 4])
        each.step_and_restart(zeros(4))
    masked.reset([5, 6, 7, 8], mask=np.ones(4, bool))
    whole.reset([5, 6, 7, 8])
    assert same_bits(masked._now().state, whole._now().state)


def test_a_saved_environment_goes_on_bit_for_bit_elsewhere() -> None:
    """Its luck included: the state of this environment shows every word it draws."""
    batch, other = counting(4), counting(2)
    batch.reset([1, 2, 3, 4])
    other.reset([5, 6])
    for _ in range(4):
        batch.step_and_restart(zeros(4))
    other.load(1, batch.save(2))
    for _ in range(7):
        one, two = batch.step_and_restart(zeros(4)), other.step_and_restart(zeros(2))
        one, two = (batch._now(), one), (other._now(), two)
        assert same_bits(jax.tree.map(lambda leaf: leaf[2], one), jax.tree.map(lambda leaf: leaf[1], two))


def test_a_load_touches_one_environment_only() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    before = batch._now().state.born.tolist()
    batch.load(3, batch.save(0))
    assert batch._now().state.born.tolist() == [*before[:3], before[0]]


def test_saving_an_environment_that_is_not_there_is_refused() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    with pytest.raises((EnvwrightError, IndexError)):
        batch.save(10)


@pytest.mark.parametrize("seeds", [[1, 2, 3], 5, [[1, 2, 3, 4]]])
def test_a_wrong_number_of_seeds_is_refused(seeds: object) -> None:
    with pytest.raises(EnvwrightError, match=r"^4 environments need as many seeds, but got .*\.$"):
        counting().reset(seeds)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("seeds", [[0.5, 1.5, 2.5, 3.5], [2**32, 1, 2, 3]])
def test_seeds_that_would_collide_silently_are_refused(seeds: list[int]) -> None:
    with pytest.raises(EnvwrightError):
        counting().reset(seeds)


@pytest.mark.parametrize("mask", [[True], [1, 0, 0, 1], np.ones((4, 1), bool)])
def test_a_wrong_mask_is_refused(mask: object) -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    for refuse in (lambda: batch.reset(mask=mask), lambda: batch.step(zeros(4), restart=mask)):
        with pytest.raises(EnvwrightError, match=r"^A mask is 4 booleans here, but got .*\.$"):
            refuse()


def test_a_wrong_mask_is_refused_at_the_first_reset_too() -> None:
    with pytest.raises(EnvwrightError, match="mask"):
        counting().reset([1, 2, 3, 4], mask=[1, 2])


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros(4), np.zeros((4, 1), int), [True] * 4, 1])
def test_wrong_actions_are_refused_before_anything_is_compiled(actions: object) -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    for step in (batch.step, batch.step_and_restart):
        with pytest.raises(ActionError, match=r"^This batch takes integers of shape \(4,\), but got .*\.$"):
            step(actions)


def test_continuous_actions_must_be_floats() -> None:
    batch = JaxBatch(envwright.make("Pong-v0", continuous=True), 2)
    batch.reset([1, 2])
    batch.step(np.zeros((2, 1)))
    with pytest.raises(ActionError, match=r"floats of shape \(2, 1\)"):
        batch.step(np.zeros((2, 1), np.int32))


def test_a_step_before_the_first_reset_says_what_to_do() -> None:
    for call in (lambda: counting().step(zeros(4)), lambda: counting().save(0)):
        with pytest.raises(EnvwrightError, match="Reset the batch"):
            call()


@pytest.mark.parametrize(
    ("num_envs", "message"), [(3, "3 environments do not divide over 2 devices; take 4."), (0, "at least one")]
)
def test_a_batch_that_does_not_divide_over_the_devices_is_refused(num_envs: int, message: str) -> None:
    with pytest.raises(BatchError, match=message):
        counting(num_envs, devices=2)


def test_equal_batches_compile_once_whatever_the_actions_masks_and_seeds() -> None:
    batch = counting(6)
    compiled = 0

    def count(event: str, duration: float, **_: str | int) -> None:
        nonlocal compiled
        compiled += event == "/jax/core/compile/backend_compile_duration"

    batch.reset([1, 2, 3, 4, 5, 6])
    batch.step(zeros(6))
    batch.step_and_restart(zeros(6))
    batch.reset()
    jax.monitoring.register_event_duration_secs_listener(count)  # pyright: ignore[reportArgumentType]
    try:
        for t in range(5):
            batch.step(np.full(6, t % 3), restart=np.arange(6) == t)
            batch.step(np.full(6, t % 3, np.int64))
            batch.step_and_restart(zeros(6))
            batch.reset(mask=np.arange(6) != t)
            JaxBatch(Counting(), 6).reset(list(range(t, t + 6)))
    finally:
        jax.monitoring.unregister_event_duration_listener(count)  # pyright: ignore[reportArgumentType]
    assert compiled == 0


def test_the_state_stays_spread_over_the_devices() -> None:
    batch = counting(8, devices=2)
    batch.reset(list(range(8)))
    batch.step_and_restart(zeros(8))
    batch.load(0, batch.save(1))
    batch.step(zeros(8))
    batch.reset(mask=np.arange(8) < 3)
    assert {leaf.sharding.shard_shape(leaf.shape)[0] for leaf in jax.tree.leaves(batch._now())} == {4}


def test_actions_may_be_jax_arrays() -> None:
    batch = counting()
    batch.reset([1, 2, 3, 4])
    assert batch.step(jnp.array([0, 1, 2, 0])).reward.tolist() == [0, 1, 2, 0]
