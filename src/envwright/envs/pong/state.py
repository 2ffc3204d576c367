"""What Pong remembers, and the numbers of its court."""

import jax
import numpy as np
from jax.typing import ArrayLike

from envwright.core import Record


class Params(Record):
    """The court. Lengths in pixels, speeds in pixels a frame; defaults are PufferLib's."""

    width: ArrayLike = np.float32(500)
    height: ArrayLike = np.float32(640)
    paddle_width: ArrayLike = np.float32(20)  # drawn, never part of a collision
    paddle_height: ArrayLike = np.float32(70)
    ball_width: ArrayLike = np.float32(32)
    ball_height: ArrayLike = np.float32(32)
    paddle_speed: ArrayLike = np.float32(8)
    ball_initial_speed_x: ArrayLike = np.float32(10)
    ball_initial_speed_y: ArrayLike = np.float32(1)
    ball_max_speed_y: ArrayLike = np.float32(13)
    ball_speed_y_increment: ArrayLike = np.float32(3)
    max_score: ArrayLike = np.uint32(21)


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
