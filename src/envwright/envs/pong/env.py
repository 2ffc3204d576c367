"""Pong as a reinforcement-learning environment: what is seen, what is rewarded, what is left to chance."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import Box, Discrete, Env, Space, Step, choose
from envwright.core.numerics import clamp, divide
from envwright.envs.pong import rules
from envwright.envs.pong.render import draw_court
from envwright.envs.pong.state import Params, State

STILL, UP, DOWN = 0, 1, 2

# Each feature once: the observation and the table in card.md follow this list.
FEATURES = {
    "paddle_yl": "the opponent's paddle, 0 bottom, 1 top",
    "paddle_yr": "the agent's paddle, 0 bottom, 1 top",
    "ball_x": "the ball, in widths of the court",
    "ball_y": "the ball, in heights of the court",
    "ball_vx": "0 towards the opponent, 1 towards the agent",
    "ball_vy": "0 falling at full speed, 1 rising at full speed",
    "score_l": "the opponent's points divided by max_score as integers: always 0",
    "score_r": "the agent's points divided by max_score as integers: always 0",
}


@dataclass(frozen=True)
class Pong(Env[State, Params]):
    """PufferLib 3.0.0's Pong: one agent, on the right, against a paddle that follows the ball."""

    frameskip: int = 1
    continuous: bool = False

    def __post_init__(self) -> None:
        if self.frameskip < 1:
            raise ValueError(f"frameskip must be at least 1, but is {self.frameskip}.")

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Box(0.0, 1.0, (len(FEATURES),))

    def action_space(self, params: Params) -> Space:
        del params
        return Box(-1.0, 1.0, (1,)) if self.continuous else Discrete(3)

    def draw_start(self, key: jax.Array, params: Params) -> jax.Array:
        """() int32: 0 for a level serve, -1 for a sinking one."""
        del params
        return -(jax.random.bits(key, (), jnp.uint32) >> 31).astype(jnp.int32)

    def start(self, chance: jax.Array, params: Params) -> tuple[jax.Array, State]:
        # There are two openings. Observing both once is cheaper than one in every game at every step.
        level, sinking = (observe(rules.new_game(jnp.int32(serve), params), params) for serve in (0, -1))
        return choose(chance == 0, level, sinking), rules.new_game(chance, params)

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> jax.Array:
        """The serve of the next round, should this step end one."""
        del state, action
        return self.draw_start(key, params)

    def apply(self, state: State, action: jax.Array, chance: jax.Array, params: Params) -> Step:
        shown, event = rules.play(state, self.direction(action), self.frameskip, params)
        counted = rules.count(shown, event)
        over = rules.is_over(counted, event, params)
        return Step(
            obs=observe(shown, params),
            state=choose(event.point & ~over, rules.serve(counted, chance, params), counted),
            reward=reward(event),
            terminated=over,
            truncated=jnp.bool_(False),
            info={},
        )

    def phases(
        self, state: State, action: jax.Array, chance: jax.Array, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """What each phase decides, in the order of a frame; nothing of a step of several frames, which has many.

        Some are only meant where C comes by: `spin` after a hit, and whatever follows a point.
        """
        if self.frameskip > 1:
            return {}
        aimed = state.replace(paddle_dir=self.direction(action), tick=state.tick + 1)
        moved = rules.move_paddles(aimed, params)
        flown = rules.move_ball(moved)
        bounced = rules.bounce_off_walls(flown, params)
        left, won = rules.meet_left_edge(bounced, params)
        right, _, lost = rules.meet_right_edge(left, params)
        shown, event = rules.play(state, aimed.paddle_dir, 1, params)
        counted = rules.count(shown, event)
        return {
            "action": _pick(aimed, "paddle_dir", "tick"),
            "paddles": _pick(moved, "paddle_yl", "paddle_yr"),
            "ball": _pick(flown, "ball_x", "ball_y"),
            "walls": _pick(bounced, "ball_vy"),
            "past the left edge": {"won": won},
            "left edge": _pick(left, "ball_vx", "n_bounces") | {"won": won},
            "past the right edge": {"lost": lost},
            "spin": {"ball_vy": rules.spin(left.ball_vy, left.paddle_dir, params)},
            "right edge": _pick(right, "ball_x", "ball_y", "ball_vx", "ball_vy", "n_bounces") | {"lost": lost},
            "point won": _pick(counted, "score_l", "score_r", "win"),
            "point lost": _pick(counted, "score_l", "score_r", "win"),
            "reward": {"reward": reward(event)},
            "ending": {"terminated": rules.is_over(counted, event, params)},
            "serve": vars(rules.serve(counted, chance, params)),
        }

    def direction(self, action: jax.Array) -> jax.Array:
        """Which way the agent's paddle goes, 1 being up."""
        if self.continuous:
            return clamp(action[0], -1, 1)
        return jnp.float32(action == UP) - jnp.float32(action == DOWN)

    def summary(self, final: State, params: Params) -> dict[str, jax.Array]:
        del params
        return {**vars(rules.summary(final)), "n": jnp.float32(1)}

    def inherit(self, old: State, new: State) -> State:
        """The reference's reset forgets to clear these two."""
        return new.replace(win=old.win, paddle_dir=old.paddle_dir)

    def render(self, state: State, params: Params) -> Any:
        return draw_court(state, params)


def _pick(state: State, *names: str) -> dict[str, jax.Array]:
    return {name: getattr(state, name) for name in names}


def observe(state: State, params: Params) -> jax.Array:
    """The eight features."""
    p = params
    lowest, highest = rules.paddle_range(p)
    # The scores are divided as integers in C; no score passes max_score, so the quotient is 0 or 1.
    features = {
        "paddle_yl": divide(state.paddle_yl - lowest, highest - lowest),
        "paddle_yr": divide(state.paddle_yr - lowest, highest - lowest),
        "ball_x": divide(state.ball_x, p.width),
        "ball_y": divide(state.ball_y, p.height),
        "ball_vx": divide(state.ball_vx + p.ball_initial_speed_x, 2 * p.ball_initial_speed_x),
        "ball_vy": divide(state.ball_vy + p.ball_max_speed_y, 2 * p.ball_max_speed_y),
        "score_l": (state.score_l >= p.max_score).astype(jnp.float32),
        "score_r": (state.score_r >= p.max_score).astype(jnp.float32),
    }
    return jnp.stack([features[name] for name in FEATURES])


def reward(event: rules.FrameEvents) -> jax.Array:
    """1 for a point won, -1 for one lost, 0.1 for hitting the ball."""
    point = event.won.astype(jnp.float32) - event.lost.astype(jnp.float32)
    return jnp.where(event.point, point, jnp.where(event.bounced, jnp.float32(0.1), jnp.float32(0)))
