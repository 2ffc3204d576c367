"""Gymnasium's Taxi, written by hand: fetch a passenger from one of four stands and bring them to another.

`taxi.toml` says what corresponds to what in the original, tests/test_stochastic_examples.py compares the two.

The original turns float64s into the index of what happens. Here those indices are the chance, so no rounding of a
probability to 32 bits can ever decide anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from envwright.core import Discrete, Env, Record, Space, Step

# A square every other place and walls between some; the letters are the stands, in the order of STANDS.
TOWN = (
    "R .|. . G",
    ". .|. . .",
    ". . . . .",
    ".|. .|. .",
    "Y|. .|B .",
)
STANDS = "RGYB"
SIZE = len(TOWN)  # rows, and columns
IN_TAXI = len(STANDS)  # where a passenger is who is not at a stand
NO_STAND = -1

SOUTH, NORTH, EAST, WEST, PICK_UP, DROP_OFF = ACTIONS = range(6)
# Rows and columns an action adds.
MOVES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (0, 0), (0, 0)], np.int32)
# Where an action leads in the rain: straight on, to the driver's left, to the driver's right.
TURNS = np.array(
    [
        (SOUTH, EAST, WEST),
        (NORTH, WEST, EAST),
        (EAST, NORTH, SOUTH),
        (WEST, SOUTH, NORTH),
        (PICK_UP, PICK_UP, PICK_UP),
        (DROP_OFF, DROP_OFF, DROP_OFF),
    ],
    np.int32,
)

SQUARES = [(row, column) for row in range(SIZE) for column in range(SIZE)]
# (row, column): the number of the stand there, or NO_STAND.
STAND_AT = np.array([STANDS.find(TOWN[row][2 * column]) for row, column in SQUARES], np.int32).reshape(SIZE, SIZE)


def _is_open(action: int, row: int, column: int) -> bool:
    """Whether the way to the next square is inside the town and free of walls. Standing still is no way."""
    down, right = (int(step) for step in MOVES[action])
    inside = 0 <= row + down < SIZE and 0 <= column + right < SIZE
    return action <= WEST and inside and TOWN[row][2 * column + right] != "|"


# (action, row, column): whether the action leads to another square.
OPEN = np.array([_is_open(action, *square) for action in ACTIONS for square in SQUARES]).reshape(-1, SIZE, SIZE)


class Params(Record):
    """Nothing: all options are fields of the environment, as in Gymnasium."""


class State(Record):
    """Where the taxi and its passenger are, and what the passenger has in mind."""

    row: jax.Array  # () int32, 0 in the north
    column: jax.Array  # () int32, 0 in the west
    passenger: jax.Array  # () int32, the stand, or IN_TAXI
    destination: jax.Array  # () int32, the stand
    fickle: jax.Array  # () bool, the passenger will want to go elsewhere once the ride has begun


class StartChance(Record):
    """The random draws of a new episode."""

    state: jax.Array  # () int32, one of 300 codes: the passenger is at a stand that is not the destination
    fickle: jax.Array  # () bool, never true without fickle passengers


class StepChance(Record):
    """The random draws of a step."""

    slip: jax.Array  # () int32, 0 straight on, 1 left, 2 right; 0 whenever it is dry or the taxi stands
    destination: jax.Array  # () int32, the stand to go to should the passenger change their mind: not the present one


@dataclass(frozen=True)
class Taxi(Env[State, Params]):
    """Gymnasium 1.3's Taxi."""

    is_rainy: bool = False
    fickle_passenger: bool = False
    rainy_probability: float = 0.8  # how often a taxi goes straight on in the rain; the rest is for both sides alike
    fickle_probability: float = 0.3  # how many fickle passengers do change their mind

    def __post_init__(self) -> None:
        for name in ("rainy_probability", "fickle_probability"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is between 0 and 1, but is {getattr(self, name)}.")

    @property
    def default_params(self) -> Params:
        return Params()

    def observation_space(self, params: Params) -> Space:
        del params
        return Discrete(SIZE * SIZE * (IN_TAXI + 1) * IN_TAXI)

    def action_space(self, params: Params) -> Space:
        del params
        return Discrete(len(ACTIONS))

    def draw_start(self, key: jax.Array, params: Params) -> StartChance:
        del params
        where, whether = jax.random.split(key)
        square = Discrete(SIZE * SIZE).sample(jax.random.fold_in(where, 0))
        passenger = Discrete(IN_TAXI).sample(jax.random.fold_in(where, 1))
        destination = draw_other_stand(jax.random.fold_in(where, 2), passenger)
        changes = self.fickle_probability if self.fickle_passenger else 0.0
        return StartChance(
            state=encode(square // SIZE, square % SIZE, passenger, destination),
            fickle=pick(whether, (1 - changes, changes)) == 1,
        )

    def start(self, chance: StartChance, params: Params) -> tuple[jax.Array, State]:
        del params
        row, column, passenger, destination = decode(chance.state)
        state = State(row=row, column=column, passenger=passenger, destination=destination, fickle=chance.fickle)
        return observe(state), state

    def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> StepChance:
        del params
        sliding, choosing = jax.random.split(key)
        return StepChance(
            slip=jnp.where(self.slides(action), pick(sliding, self.slip_odds), 0),
            destination=draw_other_stand(choosing, state.destination),
        )

    def apply(self, state: State, action: jax.Array, chance: StepChance, params: Params) -> Step:
        del params
        driven = drive(state, steer(state, action, chance.slip))
        ridden = ride(driven, action)
        after = change_mind(state, ridden, chance.destination)
        return Step(
            obs=observe(after),
            state=after,
            reward=fare(driven, action, ridden),
            terminated=is_delivered(driven, ridden),
            truncated=jnp.bool_(False),
            info={
                "prob": self.probability(action, chance.slip),
                "action_mask": action_mask(after.row, after.column, after.passenger),
            },
        )

    def phases(
        self, state: State, action: jax.Array, chance: StepChance, params: Params
    ) -> dict[str, dict[str, jax.Array]]:
        """What is known after each phase of a step."""
        step = self.apply(state, action, chance, params)
        driven = drive(state, steer(state, action, chance.slip))
        ridden = ride(driven, action)
        return {
            "odds": {"prob": step.info["prob"]},
            "drive": {"row": driven.row, "column": driven.column},
            "ride": {"passenger": ridden.passenger},
            "fare": {"reward": step.reward},
            "ending": {"terminated": step.terminated},
            "change_of_mind": {"destination": step.state.destination, "fickle": step.state.fickle},
        }

    def slides(self, action: jax.Array) -> jax.Array:
        """Whether the taxi moves at random: in the rain, when it drives."""
        return self.is_rainy & (action <= WEST)

    @property
    def slip_odds(self) -> tuple[float, float, float]:
        """How likely a taxi goes straight on in the rain, to its left, to its right."""
        aside = (1 - self.rainy_probability) / 2
        return self.rainy_probability, aside, aside

    def probability(self, action: jax.Array, slip: jax.Array) -> jax.Array:
        """How likely it was to go where the taxi went."""
        return jnp.where(self.slides(action), jnp.asarray(self.slip_odds, jnp.float32)[slip], jnp.float32(1))


# ---- the rules ----


def encode(row: jax.Array, column: jax.Array, passenger: jax.Array, destination: jax.Array) -> jax.Array:
    """All of it as one number."""
    return ((row * SIZE + column) * (IN_TAXI + 1) + passenger) * IN_TAXI + destination


def decode(code: jax.Array) -> jax.Array:
    """(4,) int32: row, column, passenger and destination out of one number."""
    code, destination = code // IN_TAXI, code % IN_TAXI
    square, passenger = code // (IN_TAXI + 1), code % (IN_TAXI + 1)
    return jnp.stack([square // SIZE, square % SIZE, passenger, destination])


def steer(state: State, action: jax.Array, slip: jax.Array) -> jax.Array:
    """Where the taxi heads. One that faces a wall stays there, and does not slide aside either."""
    turned = jnp.asarray(TURNS)[action, slip]
    return jnp.where(jnp.asarray(OPEN)[action, state.row, state.column], turned, action)


def drive(state: State, heading: jax.Array) -> State:
    """A square further, if the way is open."""
    free = jnp.asarray(OPEN)[heading, state.row, state.column]
    down, right = jnp.where(free, jnp.asarray(MOVES)[heading], 0)
    return state.replace(row=state.row + down, column=state.column + right)


def can_board(row: jax.Array, column: jax.Array, passenger: jax.Array) -> jax.Array:
    """Whether the passenger waits where the taxi is; IN_TAXI is no stand's number."""
    return passenger == stand_at(row, column)


def can_leave(row: jax.Array, column: jax.Array, passenger: jax.Array) -> jax.Array:
    """Whether the passenger is in the taxi, and the taxi at a stand; passengers get off at any."""
    return (passenger == IN_TAXI) & (stand_at(row, column) != NO_STAND)


def stand_at(row: jax.Array, column: jax.Array) -> jax.Array:
    """The stand on a square, or NO_STAND."""
    return jnp.asarray(STAND_AT)[row, column]


def ride(state: State, action: jax.Array) -> State:
    """The passenger gets on or off, if told to and able to."""
    place = (state.row, state.column, state.passenger)
    boards = (action == PICK_UP) & can_board(*place)
    leaves = (action == DROP_OFF) & can_leave(*place)
    stand = stand_at(state.row, state.column)
    return state.replace(passenger=jnp.where(boards, IN_TAXI, jnp.where(leaves, stand, state.passenger)))


def is_delivered(before: State, after: State) -> jax.Array:
    """Whether the passenger has just got off where they wanted to."""
    return (before.passenger == IN_TAXI) & (after.passenger == after.destination)


def fare(before: State, action: jax.Array, after: State) -> jax.Array:
    """20 for a delivery, -10 for telling a passenger to get on or off who cannot, else -1."""
    in_vain = (action >= PICK_UP) & (before.passenger == after.passenger)
    usual = jnp.where(in_vain, jnp.float32(-10), jnp.float32(-1))
    return jnp.where(is_delivered(before, after), jnp.float32(20), usual)


def change_mind(before: State, after: State, destination: jax.Array) -> State:
    """A fickle passenger who was in the taxi when it moved wants to go elsewhere, once."""
    moved = (before.row != after.row) | (before.column != after.column)
    changes = before.fickle & (before.passenger == IN_TAXI) & moved
    return after.replace(
        destination=jnp.where(changes, destination, after.destination),
        fickle=after.fickle & ~changes,
    )


def observe(state: State) -> jax.Array:
    """The code of the state, without the passenger's secret."""
    return encode(state.row, state.column, state.passenger, state.destination)


def action_mask(row: jax.Array, column: jax.Array, passenger: jax.Array) -> jax.Array:
    """(6,) int8: 1 for each action that would change something, if it stays dry."""
    ways = jnp.asarray(OPEN)[:PICK_UP, row, column]
    stops = jnp.stack([can_board(row, column, passenger), can_leave(row, column, passenger)])
    return jnp.concatenate([ways, stops]).astype(jnp.int8)


def draw_other_stand(key: jax.Array, stand: jax.Array) -> jax.Array:
    """One of the other three stands."""
    return (stand + 1 + Discrete(IN_TAXI - 1).sample(key)) % IN_TAXI


def pick(key: jax.Array, probabilities: Sequence[float]) -> jax.Array:
    """An index with these probabilities, each exact to 2**-31; what is impossible never comes."""
    bounds = np.rint(np.cumsum(probabilities)[:-1] * 2**31).astype(np.uint32)
    bits = jax.random.bits(key, (), jnp.uint32) >> 1
    return (bits >= jnp.asarray(bounds)).sum(dtype=jnp.int32)
