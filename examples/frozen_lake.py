"""Gymnasium's FrozenLake, written by hand: walk over slippery ice to the goal, round the holes.

`frozen_lake.toml` says what corresponds to what in the original, tests/test_stochastic_examples.py compares the two.

The original turns a float64 into the index of what happens. Here that index is the chance, so no rounding of a
probability to 32 bits can ever decide where somebody slides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from envwright.core import Discrete, Env, Record, Space, Step

LEFT, DOWN, RIGHT, UP = range(4)  # in this order a quarter turn is 1 up or down
MOVES = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)], np.int32)  # rows and columns a heading adds

GOAL, HOLE, ICE = range(3)  # in the order of reward_schedule; the start is ice too

MAPS = {
    "4x4": ("SFFF", "FHFH", "FFFH", "HFFG"),
    "8x8": (
        "SFFFFFFF",
        "FFFFFFFF",
        "FFFHFFFF",
        "FFFFFHFF",
        "FFFHFFFF",
        "FHHFFFHF",
        "FHFFHFHF",
        "FFFHFFFG",
    ),
}


class Params(Record):
    """Nothing: all options are fields of the environment, as in Gymnasium."""


class State(Record):
    """Where the walker stands."""

    position: jax.Array  # () int32, the tile, counted along the rows from the top left


class StartChance(Record):
    """The random draws of a new episode."""

    position: jax.Array  # () int32, one of the tiles marked S


class StepChance(Record):
    """The random draws of a step."""

    slip: jax.Array  # () int32: 0, 1 or 2 on slippery ice, 1 being straight on; 0 where there is only one outcome


@dataclass(frozen=True)
class FrozenLake(Env[State, Params]):
    """Gymnasium 1.3's FrozenLake."""

    map_name: str = "4x4"  # one of MAPS
    desc: Sequence[str] | None = None  # a map of one's own, a string of S, F, H and G a row; goes before map_name
    is_slippery: bool = True
    success_rate: float = 1 / 3  # how often slippery ice leads where one wanted; the rest is for both sides alike
    reward_schedule: Sequence[float] = (1, 0, 0)  # for reaching the goal, a hole, ice

    def __post_init__(self) -> None:
        if self.desc is None and self.map_name not in MAPS:
            raise ValueError(f"map_name is one of {', '.join(MAPS)}, but is {self.map_name!r}; or give a map as desc.")
        if not 0 <= self.success_rate <= 1:
            raise ValueError(f"success_rate is a probability, but is {self.success_rate}.")
        # Lists, as a file of options has them, become tuples: an environment must be hashable.
        if self.desc is not None:
            object.__setattr__(self, "desc", tuple(self.desc))
        object.__setattr__(self, "reward_schedule", tuple(self.reward_schedule))
        if not (self.letters == "S").any():
            raise ValueError(f"A map needs a tile S to start from, but this one has none: {self.desc}.")

    @property
    def letters(self) -> NDArray[np.str_]:
        """The map, a letter a tile."""
        return np.array([list(row) for row in self.desc or MAPS[self.map_name]])

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Discrete(self.letters.size)

    def action_space(self, params: Params) -> Space:
        del params
        return Discrete(4)

    def draw_start(self, key: jax.Array, params: Params) -> StartChance:
        del params
        starts = np.flatnonzero(self.letters == "S").astype(np.int32)
        return StartChance(position=jnp.asarray(starts)[Discrete(starts.size).sample(key)])

    def start(self, chance: StartChance, params: Params) -> tuple[jax.Array, State]:
        del params
        state = State(position=chance.position)
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> StepChance:
        del action, params
        return StepChance(slip=jnp.where(self.slides(state), pick(key, self.slip_odds), 0))

    def apply(self, state: State, action: jax.Array, chance: StepChance, params: Params) -> Step:
        del params
        heading = self.slip(state, action, chance)
        after = self.move(state, heading)
        return Step(
            obs=observe(after),
            state=after,
            reward=self.reward(state, after),
            terminated=self.has_ended(after),
            truncated=jnp.bool_(False),
            info={"prob": self.probability(state, chance)},
        )

    def phases(
        self, state: State, action: jax.Array, chance: StepChance, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """What is known after each phase of a step."""
        step = self.apply(state, action, chance, params)
        return {
            "slip": {"heading": self.slip(state, action, chance)},
            "odds": {"prob": step.info["prob"]},
            "move": {"position": step.state.position},
            "reward": {"reward": step.reward},
            "ending": {"terminated": step.terminated},
        }

    # ---- the rules ----

    def tile(self, state: State) -> jax.Array:
        """What is underfoot: GOAL, HOLE or ICE."""
        letters = self.letters.ravel()
        kinds = np.select([letters == "G", letters == "H"], [GOAL, HOLE], ICE).astype(np.int32)
        return jnp.asarray(kinds)[state.position]

    def has_ended(self, state: State) -> jax.Array:
        """Whether the walker is home, or in the water."""
        return self.tile(state) != ICE

    def slides(self, state: State) -> jax.Array:
        """Whether a step slips at random: on slippery ice, while there is ice underfoot."""
        return self.is_slippery & ~self.has_ended(state)

    @property
    def slip_odds(self) -> tuple[float, float, float]:
        """How likely slippery ice turns a step by a quarter one way, not at all, or the other way."""
        aside = (1 - self.success_rate) / 2
        return aside, self.success_rate, aside

    def slip(self, state: State, action: jax.Array, chance: StepChance) -> jax.Array:
        """Where the step really goes: aside by a quarter turn, or straight on."""
        return jnp.where(self.slides(state), (action + chance.slip - 1) % 4, action)

    def probability(self, state: State, chance: StepChance) -> jax.Array:
        """How likely it was to slip like this."""
        return jnp.where(self.slides(state), jnp.asarray(self.slip_odds, jnp.float32)[chance.slip], jnp.float32(1))

    def move(self, state: State, heading: jax.Array) -> State:
        """A tile further, unless the edge of the map or the end of the episode holds the walker."""
        rows, columns = self.letters.shape
        down, right = jnp.asarray(MOVES)[heading]
        row = jnp.clip(state.position // columns + down, 0, rows - 1)
        column = jnp.clip(state.position % columns + right, 0, columns - 1)
        return State(position=jnp.where(self.has_ended(state), state.position, row * columns + column))

    def reward(self, before: State, after: State) -> jax.Array:
        """What the tile that was reached is worth; nothing after the end."""
        worth = jnp.asarray(self.reward_schedule, jnp.float32)[self.tile(after)]
        return jnp.where(self.has_ended(before), jnp.float32(0), worth)


def observe(state: State) -> jax.Array:
    """The number of the tile."""
    return state.position


def pick(key: jax.Array, probabilities: Sequence[float]) -> jax.Array:
    """An index with these probabilities, each exact to 2**-31; what is impossible never comes."""
    bounds = np.rint(np.cumsum(probabilities)[:-1] * 2**31).astype(np.uint32)
    bits = jax.random.bits(key, (), jnp.uint32) >> 1
    return (bits >= jnp.asarray(bounds)).sum(dtype=jnp.int32)
