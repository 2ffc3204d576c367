"""Pong against PufferLib's C: whole games in lockstep, and single steps from states no game reaches."""

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import DTypeLike

from envwright.core import key, rollout
from envwright.core.record import field_names, scalar
from envwright.envs.pong import Params, Pong, State, rules
from envwright.envs.pong.batched import PongBatchedReference
from envwright.envs.pong.env import observe
from envwright.envs.pong.reference import PongReference
from envwright.verifier.levels.l3_lockstep import act, bits_of
from envwright.verifier.run import verify_names
from envwright.verifier.verdict import DEFAULT_LEVELS
from lockstepping import lockstep

pytestmark = pytest.mark.usefixtures("pong_library")

FORMS = [(frameskip, continuous) for frameskip in (1, 3, 8) for continuous in (False, True)]


def test_whole_games_agree_in_every_bit():
    for frameskip, continuous in FORMS:
        check = lockstep(Pong(frameskip=frameskip, continuous=continuous), 300)
        assert check.passed, check
        assert check.count >= 300
        assert "21 columns; 0 bits differ" in check.detail


@pytest.mark.slow
def test_ten_thousand_games_of_each_form_agree_in_every_bit_and_every_level_passes():
    verdicts = list(verify_names(["pong"], levels=DEFAULT_LEVELS, episodes=10_000, seed=1))
    assert len(verdicts) == 4
    for verdict in verdicts:
        assert verdict.passed, verdict.text()
        assert {check.level for check in verdict.checks} == {"L0", "L1", "L2", "L3"}
        assert verdict.checks[-1].count >= 10_000


@pytest.mark.parametrize(("frameskip", "continuous"), FORMS)
def test_single_steps_from_synthetic_states_agree_in_every_bit(frameskip, continuous):
    """Rollouts keep to a few paths; states drawn from the whole domain, edges included, find what they miss."""
    n, rng = 20_000, np.random.default_rng(frameskip)
    env = Pong(frameskip=frameskip, continuous=continuous)
    params = env.default_params
    state = synthetic_states(n, rng)
    reference = PongReference(n, frameskip=frameskip, continuous=continuous)
    reference.reset()
    for name in field_names(State):
        reference.fields[name][:] = getattr(state, name)
    reference.obs[:] = jax.jit(jax.vmap(observe, in_axes=(0, None)))(state, params)  # a point leaves them as they were
    before = reference.snapshot()
    players = PongBatchedReference(1, frameskip=frameskip, continuous=continuous).policies
    actions = act(players, {"observation": reference.obs}, rng)
    reference.step(actions)
    step = jax.jit(jax.vmap(env.apply, in_axes=(0, 0, 0, None)))(state, actions, reference.chance, params)
    over = reference.terminated  # there C has begun a new game, which whole games compare
    agree("terminated", reference.terminated, step.terminated)
    agree("reward", reference.reward, step.reward)
    agree("observation", reference.obs[~over], np.asarray(step.obs)[~over])
    for name in field_names(State):
        agree(name, reference.fields[name][~over], np.asarray(getattr(step.state, name))[~over])
    assert 0.001 < over.mean() < 0.5
    assert (reference.draws > 0).mean() > 0.05  # points fall
    reference.restore(before)
    agree("restored", reference.fields["ball_x"], state.ball_x)


def synthetic_states(n: int, rng: np.random.Generator) -> State:
    """States from all over the court and just off it, with the values that rules compare against among them."""

    def pick(values: Sequence[float], dtype: DTypeLike) -> jax.Array:
        return jnp.asarray(rng.choice(np.asarray(values, dtype), n))

    def mix(low: float, high: float, special: list[float]) -> jax.Array:
        whole, part = rng.integers(int(low), int(high) + 1, n), rng.uniform(low, high, n)
        picked = rng.choice(np.array(special, np.float32), n)
        return jnp.asarray(np.choose(rng.integers(0, 3, n), [whole, part, picked]).astype(np.float32))

    return State(
        paddle_yl=mix(-35, 605, [-35, 605, 285]),
        paddle_yr=mix(-35, 605, [-35, 605, 285]),
        ball_x=mix(-20, 490, [0, 10, 458, 468, -10, 478]),
        ball_y=mix(-40, 650, [0, 608, -32, 304]),
        ball_vx=pick([-10, 10], np.float32),
        ball_vy=mix(-13, 13, [0, -0.0, 0.01, -0.01, 0.009, 3, -3, 13, -13]),
        score_l=pick(range(21), np.uint32),
        score_r=pick(range(21), np.uint32),
        paddle_dir=mix(-1, 1, [0, 1, -1]),
        tick=pick(range(5000), np.int32),
        n_bounces=pick(range(90), np.int32),
        win=pick([0, 1], np.int32),
    )


def agree(name: str, expected: np.ndarray, got) -> None:
    got = np.asarray(got)
    assert got.dtype == expected.dtype, name
    unequal = bits_of(expected) != bits_of(got)
    assert not unequal.any(), f"{name}: {expected[unequal][:3]} became {got[unequal][:3]}"


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize(
    "layout",
    [
        {"tile": 64},  # core/test_rollout.py has it that others play the same games
        pytest.param({"devices": 1}, marks=pytest.mark.slow),
        pytest.param({"fused": False}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_rollouts_as_users_run_them_are_the_games_of_c(layout, continuous):
    """The other way round: the translation plays with luck of its own, and C replays it."""
    env, n, steps = Pong(frameskip=4, continuous=continuous), 512, 400
    run = rollout(env, num_envs=n, steps=steps, collect=lambda t: t, **layout)
    last, history = run(key(1), run.reset(key(0)))
    bare = rollout(env, num_envs=n, steps=steps, **layout)  # without collecting, in tiles
    jax.tree.map(lambda a, b: agree("bare", np.asarray(a), b), last, bare(key(1), bare.reset(key(0))))
    reference = PongReference(n, frameskip=4, continuous=continuous)
    reference.reset(as_rand(run.reset(key(0)).state.ball_vy))
    history = jax.device_get(history)
    for t in range(steps):
        now = jax.tree.map(lambda leaf, t=t: leaf[t], history)
        reference.step(now.action, as_rand(now.state.ball_vy))
        agree("reward", reference.reward, now.reward)
        agree("terminated", reference.terminated, now.terminated)
        for name in field_names(State):
            agree(name, reference.fields[name], getattr(now.state, name))
    assert history.terminated.any()


def as_rand(ball_vy) -> np.ndarray:
    """What rand() must have been for a serve that left the ball with this speed; of no account without a serve."""
    return (np.asarray(ball_vy) == 0).astype(np.int32)


def test_params_given_as_arguments_give_the_same_bits_as_constants():
    """XLA folds constants, and could round differently on the way."""
    env, n = Pong(), 4096
    state = synthetic_states(n, np.random.default_rng(0))
    actions, luck = np.zeros(n, np.int32), np.zeros(n, np.int32)
    argument = jax.jit(jax.vmap(env.apply, in_axes=(0, 0, 0, None)))(state, actions, luck, env.default_params)
    constant = jax.jit(jax.vmap(lambda s, a, c: env.apply(s, a, c, env.default_params)))(state, actions, luck)
    jax.tree.map(lambda a, b: agree("leaf", np.asarray(a), b), argument, constant)


def test_another_court_agrees_too():
    factors = [0.83, 0.71, 1, 0.9, 0.77, 1.3, 0.61, 0.93, 1.7, 0.87, 1.1, 0.34]
    params = Params(
        *(scalar(value * f, value.dtype) for value, f in zip(vars(Params()).values(), factors, strict=True))
    )

    @dataclasses.dataclass(frozen=True)
    class OtherPong(Pong):
        @property
        def default_params(self) -> Params:
            return params

    check = lockstep(OtherPong(continuous=True), 300, params=params)
    assert check.passed, check


def test_an_injected_tape_decides_the_serves_and_is_recorded():
    reference = PongReference(4)
    tape = np.array([0, 1, 2, 3], np.int32)
    reference.reset(tape)
    assert reference.fields["ball_vy"].tolist() == [-1, 0, -1, 0]
    assert reference.chance.tolist() == [-1, 0, -1, 0]
    assert reference.rand.tolist() == tape.tolist()
    assert reference.draws.tolist() == [1, 1, 1, 1]
    reference.step(np.zeros(4, int))
    assert reference.draws.tolist() == [0, 0, 0, 0]


def test_a_snapshot_plays_on_the_same_in_another_batch():
    first, second = PongReference(32, frameskip=8), PongReference(32, frameskip=8)
    first.seed(1)
    first.reset()
    rng = np.random.default_rng(0)
    for _ in range(40):
        first.step(rng.integers(0, 3, 32))
    second.restore(first.snapshot())
    for _ in range(40):
        actions = rng.integers(0, 3, 32)
        first.step(actions)
        second.step(actions, serves=first.rand)
    assert (first.obs == second.obs).all()
    for name, values in first.fields.items():
        assert (values == second.fields[name]).all(), name


def test_summaries_match_by_hand():
    final = rules.new_game(jnp.int32(0), Params()).replace(
        score_l=jnp.uint32(21), score_r=jnp.uint32(7), tick=jnp.int32(99)
    )
    summary = rules.summary(final)
    assert (summary.perf, summary.score, summary.episode_length) == (0.25, -14, 99)


@pytest.mark.parametrize("frameskip", [1, 8])
def test_the_policies_between_them_win_and_lose_games(frameskip):
    """Otherwise whole games would never compare what happens when the agent wins."""
    reference, rng = PongBatchedReference(40, frameskip=frameskip), np.random.default_rng(0)
    columns, won, lost = reference.reset(0).columns, 0, 0
    for _ in range(8000 // frameskip):
        columns = reference.step(act(reference.policies, columns, rng)).columns
        won += int((columns["terminated"] & (columns["reward"] > 0)).sum())
        lost += int((columns["terminated"] & (columns["reward"] < 0)).sum())
    assert won >= 8
    assert lost >= 8
