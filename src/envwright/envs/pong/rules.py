"""The rules of Pong. They know nothing of observations, rewards, keys or batches.

A step plays `frameskip` frames, or fewer: a point ends it at once. The frame in which a point falls is never shown, so
the rules keep the last frame that was; what the agent sees after a point is the moment before it.
"""

import jax
import jax.numpy as jnp

from envwright.core import Record, choose
from envwright.core.numerics import clamp, divide, multiply
from envwright.envs.pong.state import Params, State, Summary


class FrameEvents(Record):
    """What happened in a frame, or in a step."""

    won: jax.Array  # () bool, the agent scored
    lost: jax.Array  # () bool, the opponent scored
    bounced: jax.Array  # () bool, the agent hit the ball

    @property
    def point(self) -> jax.Array:
        return self.won | self.lost


def new_game(serve_dir: jax.Array, params: Params) -> State:
    """Nil-nil, the ball about to be served."""
    zero, none, nil = jnp.float32(0), jnp.uint32(0), jnp.int32(0)
    blank = State(zero, zero, zero, zero, zero, zero, none, none, zero, nil, nil, nil)
    return serve(blank, serve_dir, params)


def serve(state: State, serve_dir: jax.Array, params: Params) -> State:
    """A new round: paddles in the middle, the ball from the left, level or, if `serve_dir` is -1, sinking."""
    p = params
    middle = p.height / 2 - p.paddle_height / 2
    return state.replace(
        paddle_yl=jnp.asarray(middle),
        paddle_yr=jnp.asarray(middle),
        ball_x=divide(jnp.asarray(p.width), 5),
        ball_y=jnp.asarray(p.height / 2 - p.ball_height / 2),
        ball_vx=jnp.asarray(p.ball_initial_speed_x),
        ball_vy=serve_dir.astype(jnp.float32) * p.ball_initial_speed_y,
        tick=jnp.int32(0),
        n_bounces=jnp.int32(0),
    )


def play(state: State, paddle_dir: jax.Array, frameskip: int, params: Params) -> tuple[State, FrameEvents]:
    """Play up to `frameskip` frames with the agent's paddle moving one way; the last frame shown, and what happened."""
    state = state.replace(paddle_dir=paddle_dir, tick=state.tick + 1)
    no = jnp.bool_(False)
    event = FrameEvents(won=no, lost=no, bounced=no)
    if frameskip == 1:
        return frame_unless_over(state, event, params)
    # A loop, not eight copies: XLA fuses the copies into one another and repeats their work.
    return jax.lax.fori_loop(0, frameskip, lambda _, now: frame_unless_over(now[0], now[1], params), (state, event))


def frame_unless_over(state: State, event: FrameEvents, params: Params) -> tuple[State, FrameEvents]:
    """The next frame, unless this step has seen a point; a frame with a point in it is not shown."""
    playing = ~event.point
    next_state, now = frame(state, params)
    shown = choose(playing & ~now.point, next_state, state)
    return shown, FrameEvents(
        won=event.won | (playing & now.won),
        lost=event.lost | (playing & now.lost),
        bounced=event.bounced | (playing & now.bounced),
    )


def frame(state: State, params: Params) -> tuple[State, FrameEvents]:
    """One frame."""
    state = move_paddles(state, params)
    state = move_ball(state)
    state = bounce_off_walls(state, params)
    state, won = meet_left_edge(state, params)
    state, bounced, lost = meet_right_edge(state, params)  # no ball is at both edges
    return state, FrameEvents(won=won, lost=lost, bounced=bounced)


def move_paddles(state: State, params: Params) -> State:
    """The agent's paddle goes its way; the opponent's chases the ball's lower edge with its centre."""
    p = params
    lowest, highest = paddle_range(p)
    chase = state.ball_y - (state.paddle_yl + p.paddle_height / 2)
    agent = state.paddle_yr + multiply(p.paddle_speed, state.paddle_dir)
    opponent = state.paddle_yl + clamp(chase, -p.paddle_speed, p.paddle_speed)
    return state.replace(
        paddle_yr=clamp(agent, lowest, highest),
        paddle_yl=clamp(opponent, lowest, highest),
    )


def move_ball(state: State) -> State:
    return state.replace(ball_x=state.ball_x + state.ball_vx, ball_y=state.ball_y + state.ball_vy)


def bounce_off_walls(state: State, params: Params) -> State:
    """Floor and ceiling turn the ball round. It is not moved back, so it may shake in the wall for a while."""
    outside = (state.ball_y < 0) | (state.ball_y + params.ball_height > params.height)
    return state.replace(ball_vy=jnp.where(outside, -state.ball_vy, state.ball_vy))


def meet_left_edge(state: State, params: Params) -> tuple[State, jax.Array]:
    """The opponent returns the ball, or the agent wins the point."""
    reached = state.ball_x < 0
    hit = reached & overlaps(state.ball_y, state.paddle_yl, params)
    state = state.replace(
        ball_vx=jnp.where(hit, -state.ball_vx, state.ball_vx),
        n_bounces=state.n_bounces + hit.astype(jnp.int32),
    )
    return state, reached & ~hit


def meet_right_edge(state: State, params: Params) -> tuple[State, jax.Array, jax.Array]:
    """The agent returns the ball, with spin if its paddle moves, or loses the point. Only here is a ball moved back."""
    p = params
    reached = state.ball_x + p.ball_width > p.width
    hit = reached & overlaps(state.ball_y, state.paddle_yr, params)
    returned = state.replace(
        ball_x=clamp(state.ball_x, 0, p.width - p.ball_width),
        ball_y=clamp(state.ball_y, 0, p.height - p.ball_height),
        ball_vx=-state.ball_vx,
        ball_vy=spin(state.ball_vy, state.paddle_dir, params),
        n_bounces=state.n_bounces + 1,
    )
    return choose(hit, returned, state), hit, reached & ~hit


def spin(ball_vy: jax.Array, paddle_dir: jax.Array, params: Params) -> jax.Array:
    """The ball's vertical speed after the agent's hit; never level."""
    p = params
    spun = ball_vy + multiply(p.ball_speed_y_increment, paddle_dir)
    spun = clamp(spun, -p.ball_max_speed_y, p.ball_max_speed_y)
    # C asks for less than 0.01 in double precision, where the float nearest to 0.01 is less: hence "at most".
    level = jnp.abs(spun) <= jnp.float32(0.01)
    return jnp.where(level, p.ball_speed_y_increment, spun)


def count(state: State, event: FrameEvents) -> State:
    """Write the point on the board."""
    return state.replace(
        score_l=state.score_l + event.lost.astype(jnp.uint32),
        score_r=state.score_r + event.won.astype(jnp.uint32),
        win=jnp.where(event.won, 1, jnp.where(event.lost, 0, state.win)).astype(jnp.int32),
    )


def is_over(state: State, event: FrameEvents, params: Params) -> jax.Array:
    """Whether the point just counted was the last."""
    return (event.won & (state.score_r == params.max_score)) | (event.lost & (state.score_l == params.max_score))


def overlaps(ball_y: jax.Array, paddle_y: jax.Array, params: Params) -> jax.Array:
    """Whether the ball and a paddle share a height."""
    return (ball_y + params.ball_height > paddle_y) & (ball_y < paddle_y + params.paddle_height)


def paddle_range(params: Params) -> tuple[jax.Array, jax.Array]:
    """Lowest and highest place of a paddle: half of it may leave the court."""
    return -params.paddle_height / 2, params.height - params.paddle_height / 2


def summary(final: State) -> Summary:
    """What PufferLib logs of a game, from its final state."""
    left, right = final.score_l.astype(jnp.float32), final.score_r.astype(jnp.float32)
    difference = right - left
    return Summary(
        perf=divide(right, left + right),
        score=difference,
        episode_return=difference,
        episode_length=final.tick.astype(jnp.float32),
    )
