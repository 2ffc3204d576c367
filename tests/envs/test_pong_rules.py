"""Each phase of a frame of Pong, from states written by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.envs.pong import Params, State, rules

PARAMS = Params()


def court(**fields: float) -> State:
    """A court at rest, but for the fields given."""
    state = rules.new_game(jnp.int32(0), PARAMS)
    return state.replace(**{name: jnp.asarray(value, getattr(state, name).dtype) for name, value in fields.items()})


@pytest.mark.parametrize(("serve", "ball_vy"), [(0, 0.0), (-1, -1.0)])
def test_a_game_begins_nil_nil_with_a_level_or_sinking_ball(serve, ball_vy):
    state = rules.new_game(jnp.int32(serve), PARAMS)
    assert (state.score_l, state.score_r) == (0, 0)
    assert (state.ball_x, state.ball_y, state.ball_vx, state.ball_vy) == (100, 304, 10, ball_vy)
    assert (state.paddle_yl, state.paddle_yr) == (285, 285)


def test_the_opponent_chases_the_lower_edge_of_the_ball_at_paddle_speed():
    assert rules.move_paddles(court(ball_y=600), PARAMS).paddle_yl == 285 + 8
    assert rules.move_paddles(court(ball_y=321), PARAMS).paddle_yl == 286  # its centre was one below the ball's edge


def test_half_a_paddle_may_leave_the_court_and_no_more():
    assert rules.move_paddles(court(paddle_yr=-34, paddle_dir=-1), PARAMS).paddle_yr == -35
    assert rules.move_paddles(court(paddle_yr=604, paddle_dir=1), PARAMS).paddle_yr == 605


def test_walls_turn_the_ball_without_moving_it_back():
    state = rules.bounce_off_walls(court(ball_y=-3, ball_vy=-5), PARAMS)
    assert (state.ball_y, state.ball_vy) == (-3, 5)
    assert rules.bounce_off_walls(court(ball_y=608, ball_vy=5), PARAMS).ball_vy == 5  # touching is not crossing


def test_the_opponent_returns_a_ball_it_reaches_and_loses_one_it_does_not():
    state, won = rules.meet_left_edge(court(ball_x=-1, ball_vx=-10, ball_y=300), PARAMS)
    assert (state.ball_vx, state.n_bounces, won) == (10, 1, False)
    _, won = rules.meet_left_edge(court(ball_x=-1, ball_vx=-10, ball_y=0), PARAMS)
    assert won


def test_the_agents_return_moves_the_ball_back_and_spins_it():
    state, bounced, lost = rules.meet_right_edge(court(ball_x=475, ball_y=300, ball_vy=2, paddle_dir=1), PARAMS)
    assert (state.ball_x, state.ball_vx, state.ball_vy, bounced, lost) == (468, -10, 5, True, False)


@pytest.mark.parametrize(
    ("ball_vy", "direction", "after"),
    [
        (12, 1, 13),  # no faster than that
        (-3, 1, 3),  # a level ball is sent up
        (0.01, 0, 3),  # the float nearest 0.01 counts as level, as in C
        (np.nextafter(np.float32(0.01), np.float32(1)), 0, np.nextafter(np.float32(0.01), np.float32(1))),
    ],
)
def test_spin_is_bounded_and_never_leaves_a_level_ball(ball_vy, direction, after):
    assert rules.spin(jnp.float32(ball_vy), jnp.float32(direction), PARAMS) == np.float32(after)


def test_a_point_ends_the_step_and_its_frame_is_not_shown():
    # The ball passes the right edge in the second frame; the paddle is far away.
    state = court(ball_x=455, ball_y=10, paddle_yr=500)
    shown, event = rules.play(state, jnp.float32(0), 8, PARAMS)
    assert event.lost
    assert shown.ball_x == 465
    assert rules.count(shown, event).score_l == 1


@pytest.mark.parametrize("frameskip", [1, 2, 5, 8])
def test_frameskip_is_that_many_frames_while_no_point_falls(frameskip):
    state = court(ball_vy=-1)
    at_once, event = rules.play(state, jnp.float32(1), frameskip, PARAMS)
    for _ in range(frameskip):
        state, _ = rules.play(state, jnp.float32(1), 1, PARAMS)
    assert not event.point
    assert jax.tree.all(jax.tree.map(lambda a, b: a == b, at_once.replace(tick=0), state.replace(tick=0)))


def test_the_game_is_over_only_when_the_point_just_made_is_the_last():
    event = rules.FrameEvents(won=jnp.bool_(True), lost=jnp.bool_(False), bounced=jnp.bool_(False))
    assert rules.is_over(rules.count(court(score_r=20), event), event, PARAMS)
    assert not rules.is_over(rules.count(court(score_r=19, score_l=21), event), event, PARAMS)
