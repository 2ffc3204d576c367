"""Arrays changed without scatter do what NumPy's assignment does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwright.core.arrays import compact, put, select
from envwright.core.numerics import round_down, round_up

BOARD = np.arange(12, dtype=np.int32).reshape(3, 4)
INDICES = [
    0, 2, -1, -3, (1, 2), (-1, -1), (0, -4), slice(1, 3), slice(None),
    (slice(None), 1), (1, slice(2)), (slice(0, 2), -1),
]  # fmt: skip


def assigned(index: object, value: object) -> np.ndarray:
    board = BOARD.copy()
    board[index] = value  # pyright: ignore
    return board


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_put_is_assignment(index: object) -> None:
    assert np.array_equal(put(jnp.asarray(BOARD), index, 99), assigned(index, 99))


@pytest.mark.parametrize("index", [1, (1,), (slice(None), 2), slice(1, 3), (1, slice(1, 3)), (0, slice(None))], ids=str)
def test_put_of_a_row_is_assignment(index: object) -> None:
    row = np.arange(100, 100 + BOARD[index].size, dtype=np.int32).reshape(BOARD[index].shape)  # pyright: ignore
    assert np.array_equal(put(jnp.asarray(BOARD), index, row), assigned(index, row))


def test_put_where_a_condition_does_not_hold_changes_nothing() -> None:
    assert np.array_equal(put(jnp.asarray(BOARD), (1, 2), 99, when=jnp.asarray(False)), BOARD)
    assert np.array_equal(put(jnp.asarray(BOARD), slice(1, 3), BOARD[:2], when=False), BOARD)
    assert np.array_equal(put(jnp.asarray(BOARD), 1, 99, when=True), assigned(1, 99))


@pytest.mark.parametrize("index", [3, -4, (0, 4), (3, 0), (-4, 0)], ids=str)
def test_put_outside_changes_nothing(index: object) -> None:
    assert np.array_equal(put(jnp.asarray(BOARD), index, 99), BOARD)


def test_put_keeps_the_type_of_the_array() -> None:
    flags = jnp.zeros(3, jnp.bool_)
    assert put(flags, 1, True).dtype == flags.dtype
    assert put(jnp.zeros(3, jnp.float32), 1, 2).dtype == jnp.float32


def test_put_takes_places_that_are_not_known_before() -> None:
    many = jax.jit(jax.vmap(lambda r, c, v: put(jnp.asarray(BOARD), (r, c), v)))
    rows, columns = np.meshgrid(np.arange(-3, 3), np.arange(-4, 4), indexing="ij")
    rows, columns = rows.ravel().astype(np.int32), columns.ravel().astype(np.int32)
    values = np.arange(len(rows), dtype=np.int32) + 50
    expected = [assigned((r, c), v) for r, c, v in zip(rows, columns, values, strict=True)]
    assert np.array_equal(many(rows, columns, values), expected)


@pytest.mark.parametrize("room", [6, 40])
def test_compact_moves_what_is_kept_to_the_front(room: int) -> None:
    rng = np.random.default_rng(0)
    values, keep = rng.integers(1, 9, (50, room)).astype(np.int32), rng.random((50, room)) < 0.5
    front, count = jax.vmap(compact)(jnp.asarray(values), jnp.asarray(keep))
    for i in range(50):
        kept = values[i][keep[i]]
        assert np.array_equal(front[i], np.pad(kept, (0, room - len(kept))))
        assert count[i] == len(kept)


@pytest.mark.parametrize("more", [0, 30])
def test_compact_moves_whole_rows(more: int) -> None:
    rows = np.pad(BOARD, ((0, more), (0, 0)))
    front, count = compact(jnp.asarray(rows), jnp.array([False, True, True] + [False] * more))
    assert np.array_equal(front, [BOARD[1], BOARD[2], *[[0, 0, 0, 0]] * (more + 1)])
    assert count == 2


def test_compact_keeps_the_type() -> None:
    assert compact(jnp.array([1, 2], jnp.int8), jnp.array([True, True]))[0].dtype == jnp.int8
    assert compact(jnp.array([0.5, 1.5]), jnp.array([False, True]))[0].tolist() == [1.5, 0.0]


# ---- thresholds ----

NUMBERS = st.floats(-1e30, 1e30, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-30)


@given(NUMBERS)
@settings(max_examples=200, deadline=None)
def test_thresholds_are_the_float32_next_to_a_number(number: float) -> None:
    low, high = np.float32(round_down(number)), np.float32(round_up(number))
    assert float(low) <= number <= float(high)
    assert high == low or high == np.nextafter(low, np.float32(np.inf))
    assert (low == high) == (float(np.float32(number)) == number)


@given(NUMBERS, st.integers(-3, 3))
@settings(max_examples=200, deadline=None)
def test_of_a_float32_a_rounded_threshold_asks_the_same(number: float, away: int) -> None:
    x = np.float32(number)
    for _ in range(abs(away)):
        x = np.nextafter(x, np.float32(np.inf if away > 0 else -np.inf))
    down, up = np.float32(round_down(number)), np.float32(round_up(number))
    assert (float(x) > number) == (x > down)
    assert (float(x) <= number) == (x <= down)
    assert (float(x) >= number) == (x >= up)
    assert (float(x) < number) == (x < up)


def test_select_takes_the_first_that_holds() -> None:
    x = jnp.arange(5)
    found = select([x > 3, x > 1, x > 2], [10, x * 2, 30], -1)
    assert found.tolist() == jnp.select([x > 3, x > 1, x > 2], [10, x * 2, 30], -1).tolist() == [-1, -1, 4, 6, 10]
