"""Pong as an environment: spaces, observations, rewards, episodes, pictures."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envwright
from envwright.core.errors import ActionError
from envwright.envs.pong import FEATURES, Pong, rules
from envwright.envs.pong import env as pong_env

ENV = Pong()
PARAMS = ENV.default_params


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("frameskip", [1, 3, 8])
def test_observations_stay_in_their_space_wherever_play_goes(frameskip, continuous):
    env = Pong(frameskip=frameskip, continuous=continuous)
    run = envwright.rollout(env, num_envs=64, steps=500, collect=lambda t: t)
    _, history = run(envwright.key(1), run.reset(envwright.key(0)))
    space = env.observation_space(PARAMS)
    # A ball may be past an edge when it is seen; PufferLib declares 0 to 1 all the same.
    assert history.obs.shape == (500, 64, *space.shape)
    assert history.obs.dtype == space.dtype
    assert history.obs.min() > -0.1
    assert history.obs.max() < 1.1


def test_rewards_are_a_point_a_loss_or_a_tenth_for_a_hit():
    run = envwright.rollout(ENV, num_envs=256, steps=400, collect=lambda t: t)
    _, history = run(envwright.key(1), run.reset(envwright.key(0)))
    seen = set(np.unique(history.reward))
    assert {np.float32(-1), np.float32(0), np.float32(0.1)} <= seen <= {np.float32(v) for v in (-1, 0, 0.1, 1)}


def test_a_game_ends_at_twenty_one_points_and_a_new_one_begins():
    run = envwright.rollout(Pong(frameskip=8), num_envs=64, steps=600, collect=lambda t: t)
    _, history = run(envwright.key(1), run.reset(envwright.key(0)))
    assert history.terminated.any()
    after = history.state.score_l[history.terminated] + history.state.score_r[history.terminated]
    assert (after == 0).all()
    assert int(history.state.score_l.max()) == 20
    assert not history.truncated.any()


def test_the_last_sight_of_a_game_is_the_moment_before_the_last_point_with_scores_still_0():
    _, state = ENV.reset(envwright.key(0))
    state = state.replace(score_l=jnp.uint32(20), ball_x=jnp.float32(465), ball_y=jnp.float32(10))
    step = ENV.transition(envwright.key(1), state, 0, PARAMS)
    assert step.terminated
    assert step.state.score_l == 21
    assert (step.obs == pong_env.observe(state, PARAMS)).all()
    assert step.obs[6:].tolist() == [0, 0]


def test_different_keys_serve_differently_and_both_serves_occur():
    states = jax.vmap(ENV.reset)(jax.random.split(envwright.key(0), 1000))[1]
    share = (states.ball_vy == 0).mean()
    assert 0.42 < share < 0.58  # five standard deviations


def test_an_auto_reset_keeps_what_the_reference_forgets_to_clear():
    old = rules.new_game(jnp.int32(0), PARAMS).replace(win=jnp.int32(1), paddle_dir=jnp.float32(-1))
    new = ENV.inherit(old, rules.new_game(jnp.int32(-1), PARAMS))
    assert (new.win, new.paddle_dir, new.ball_vy) == (1, -1, -1)


def test_any_other_discrete_action_means_still():
    assert [float(ENV.direction(jnp.int32(a))) for a in (0, 1, 2, 3, -1)] == [0, 1, -1, 0, 0]


@pytest.mark.parametrize(("env", "action"), [(ENV, 1.0), (ENV, np.zeros(3, int)), (Pong(continuous=True), 1)])
def test_an_action_of_another_kind_or_shape_is_refused(env, action):
    _, state = env.reset(envwright.key(0))
    with pytest.raises(ActionError, match=r"takes an? .* action of shape"):
        env.step(envwright.key(1), state, action)


def test_frameskip_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        Pong(frameskip=0)


@pytest.mark.parametrize("name", PARAMS.__dataclass_fields__)  # pyright: ignore[reportAttributeAccessIssue]
def test_every_param_changes_something(name):
    if name == "paddle_width":
        pytest.skip("drawn only, as in the reference")
    bent = PARAMS.replace(
        **{name: np.asarray(getattr(PARAMS, name) * 0.7).astype(np.asarray(getattr(PARAMS, name)).dtype)}
    )
    run = envwright.rollout(Pong(frameskip=8), num_envs=64, steps=400)
    other = envwright.rollout(Pong(frameskip=8), num_envs=64, steps=400, params=bent)
    start = run.reset(envwright.key(0))
    a, b = run(envwright.key(1), start), other(envwright.key(1), start)
    assert not jax.tree.all(jax.tree.map(lambda x, y: (x == y).all(), a, b))


def test_the_picture_shows_paddles_ball_and_score():
    _, state = ENV.reset(envwright.key(0))
    frame = ENV.render(state.replace(score_l=jnp.uint32(12)), PARAMS)
    assert frame.shape == (640, 620, 3)
    assert frame.dtype == np.uint8
    colours = {tuple(c) for c in frame.reshape(-1, 3)}
    from envwright.envs.pong import render

    assert {render.AGENT, render.OPPONENT, render.BALL, render.DIGIT} <= colours
    moved = ENV.render(state.replace(ball_x=state.ball_x + 50), PARAMS)
    assert (moved != frame).any()


def test_the_card_names_every_feature():
    card = (Path(pong_env.__file__).parent / "card.md").read_text()
    for index, (name, meaning) in enumerate(FEATURES.items()):
        assert f"| {index} | `{name}` | {meaning} |" in card
