"""What Pong remembers, and the numbers of its court."""

import jax
import numpy as np

from envwright.core import Record, scalar


class Params(Record):
    """The court. Lengths in pixels, speeds in pixels a frame; defaults are PufferLib's."""

    width: jax.Array = scalar(500)
    height: jax.Array = scalar(640)
    paddle_width: jax.Array = scalar(20)  # drawn, never part of a collision
    paddle_height: jax.Array = scalar(70)
    ball_width: jax.Array = scalar(32)
    ball_height: jax.Array = scalar(32)
    paddle_speed: jax.Array = scalar(8)
    ball_initial_speed_x: jax.Array = scalar(10)
    ball_initial_speed_y: jax.Array = scalar(1)
    ball_max_speed_y: jax.Array = scalar(13)
    ball_speed_y_increment: jax.Array = scalar(3)
    max_score: jax.Array = scalar(21, np.uint32)


class State(Record):
    """One game. Field for field the C struct; y grows upwards, paddles and ball are held by their lower left corner."""

    paddle_yl: jax.Array  # () float32, the opponent's
    paddle_yr: jax.Array  # () float32, the agent's
    ball_x: jax.Array  # () float32
    ball_y: jax.Array  # () float32
    ball_vx: jax.Array  # () float32
    ball_vy: jax.Array  # () float32
    score_l: jax.Array  # () uint32, points of the opponent
    score_r: jax.Array  # () uint32, points of the agent
    paddle_dir: jax.Array  # () float32, what the agent last did: 1 up, -1 down
    tick: jax.Array  # () int32, steps in this round
    n_bounces: jax.Array  # () int32, paddle hits in this round
    win: jax.Array  # () int32, 1 if the agent took the last point


class Summary(Record):
    """What PufferLib logs of a finished game."""

    perf: jax.Array  # () float32, share of the points that went to the agent
    score: jax.Array  # () float32, points of the agent minus points of the opponent
    episode_return: jax.Array  # () float32, the same again
    episode_length: jax.Array  # () float32, steps of the last round only
