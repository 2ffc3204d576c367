"""A batch whose games are along the last axis: the same numbers as `jax.vmap` gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core import execute, kernels, lanes
from envwright.core.arrays import put
from envwright.core.chance import random_order

GAMES = 5
X = np.random.default_rng(0).integers(-3, 9, (4, 6, GAMES)).astype(np.int32)  # a board
N = np.array([0, 3, 5, 2, 4], np.int32)  # a number of each game
TABLE = jnp.asarray([7, 1, 8, 2, 9, 3])


def _until(x: jax.Array, i: jax.Array) -> jax.Array:
    return jax.lax.while_loop(lambda c: jnp.sum(c[0]) < 40 + c[1], lambda c: (c[0] + c[1], c[1] + 1), (x, i))[0]


def _counted(x: jax.Array, i: jax.Array) -> jax.Array:
    """As many turns as each game likes, with a write in each: the counter is the same in all."""
    return jax.lax.fori_loop(0, i, lambda t, x: put(x, (t % 4, (i + t) % 6), t * 10, when=x[0, t] < 5), x)


def _nested(x: jax.Array, i: jax.Array) -> jax.Array:
    def turn(t: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, i, lambda u, x: put(x, (t, u), x[t, u] + u), x)

    return jax.lax.fori_loop(0, 4, turn, x)


def _last_place(x: jax.Array, i: jax.Array) -> jax.Array:
    """The counter is read after the loop, where it differs."""
    return x[0, jax.lax.while_loop(lambda t: t < i, lambda t: t + 1, jnp.int32(0))]


def _swap(x: jax.Array, i: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Two boards that change places in every turn: neither is made of itself by writes alone."""
    return jax.lax.fori_loop(0, i, lambda t, c: (put(c[1], (0, t), 99), put(c[0], (1, t), 77)), (x, x + 1))


FUNCTIONS = {
    "reshape": lambda x, i: (x.reshape(-1)[3], x.reshape(6, 4), x.T, x[:, None].repeat(2, 1)),
    "a place of each": lambda x, i: (x[i % 4, i], x[:, i], x[i % 4], TABLE[i], x[jnp.array([2, 0])]),
    "a slice of each": lambda x, i: jax.lax.dynamic_slice(x, (i % 4, 0), (1, 3)),
    "an update of each": lambda x, i: jax.lax.dynamic_update_slice(x, x[:1, :2], (i % 4, i)),
    "an update of all": lambda x, i: jax.lax.dynamic_update_slice(x, i[None, None], (1, 2)),
    "concatenate": lambda x, i: jnp.concatenate([x, jnp.zeros((1, 6), jnp.int32), i + x[:1]]),
    "first": lambda x, i: (jnp.argmax(x, axis=1), jnp.argmin(x), jnp.argmax(x[0] == i), jnp.argmax(x / (x - i))),
    "sums": lambda x, i: (
        jnp.sum(x),
        jnp.sum(x.astype(float) * 0.5),
        jnp.sum(x[0] > i),
        jnp.sum(x, axis=1),
        jnp.sum(x[:2, :3]),
    ),
    "extremes": lambda x, i: (
        jnp.max(x),
        jnp.min(x, axis=0),
        jnp.max(x.astype(float) * 0.5),
        jnp.max(x > i),
        jnp.min(x.astype("uint8")),
    ),
    "any and all": lambda x, i: (
        jnp.any(x == i),
        jnp.all(x > i),
        jnp.any(x[0] == i),
        jnp.all(x, axis=0),
        jnp.prod(x[1]),
    ),
    "sort": lambda x, i: (jnp.sort(x), jnp.sort(x, axis=0), jnp.argsort(x[0] - i), jnp.lexsort((x[0], x[1] % 3))),
    "sort of what is no number": lambda x, i: jnp.argsort(jnp.where(x[:, :2] < 0, jnp.nan, x[:, :2].astype(float)), 0),
    "a deck": lambda x, i: random_order(jax.random.fold_in(jax.random.key(1), i), 40),
    "scan": lambda x, i: jax.lax.scan(lambda c, row: (c + row[0], row * c), i, x),
    "scan backwards": lambda x, i: jax.lax.scan(lambda c, row: (c + 1, row * i), jnp.int32(1), x, reverse=True),
    "scan of nothing of the game": lambda x, i: jax.lax.scan(lambda c, t: (c + t, c), 0, jnp.arange(4))[1] + i,
    "while": _until,
    "while of one count": lambda x, i: jax.lax.fori_loop(0, jnp.max(TABLE), lambda t, c: c * 3 + t, i),
    "turns of each": _counted,
    "a loop in a loop": _nested,
    "a counter that is read": _last_place,
    "two boards": _swap,
    "cond of each": lambda x, i: jax.lax.cond(i > 2, lambda: x + 1, lambda: x * i),
    "cond of all": lambda x, i: jax.lax.cond(TABLE[0] > 2, lambda: (x, i), lambda: (x + 1, jnp.int32(3))),
    "switch": lambda x, i: jax.lax.switch(i - 1, [lambda: x, lambda: x + 1, lambda: -x]),
    "luck": lambda x, i: jax.random.randint(jax.random.fold_in(jax.random.key(1), i), (3,), 0, 9),
    "the same in all": lambda x, i: (TABLE, i, 3),
    "jit": lambda x, i: jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda t, x: x + x[t, 0], x))(x),
    "a batch in a game": lambda x, i: jax.vmap(lambda row, t: put(row, t % 6, i))(x, jnp.arange(4) + i),
}


@pytest.mark.parametrize("kernel", [False, True], ids=["plain", "one kernel"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_as_vmap(name: str, kernel: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envwright.core.arrays.SMALL", 4)  # of these boards writes go through the games as well
    monkeypatch.setattr("envwright.core.lane_rules.MANY", 4)
    function = FUNCTIONS[name]
    wanted = jax.vmap(function, in_axes=-1, out_axes=-1)(X, N)
    each = lambda x, i: lanes.each(function, x, i)  # noqa: E731
    found = jax.jit(execute.one_kernel(each) if kernel else each)(X, N)
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_no_array_is_turned_on_the_way_into_a_loop() -> None:
    text = str(jax.make_jaxpr(lambda x, i: lanes.each(_until, x, i))(X, N))
    assert "transpose" not in text
    assert "transpose" in str(jax.make_jaxpr(jax.vmap(_until, in_axes=-1, out_axes=-1))(X, N))


def test_a_board_that_is_only_written_to_is_not_looked_at_in_every_turn() -> None:
    def drawn(i: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, i, lambda t, x: put(x, (t, i), True), jnp.zeros((6, 9), bool))

    with kernels.traced():
        text = str(jax.make_jaxpr(lambda i: lanes.each(drawn, i))(N))
    assert "select_n" in text  # whether a place is inside
    assert "bool[6,9,5] = select_n" not in text.replace("pred", "bool")


def test_what_has_effects_is_left_to_vmap() -> None:
    seen = []

    def tells(i: jax.Array) -> jax.Array:
        jax.debug.callback(seen.append, i)
        return i + 1

    np.testing.assert_array_equal(lanes.each(tells, N), N + 1)
    jax.effects_barrier()
    assert sorted(int(n) for n in seen) == sorted(N)


def test_a_write_in_a_kernel_can_be_differentiated() -> None:
    def loss(x: jax.Array, i: jax.Array) -> jax.Array:
        return jnp.sum(put(x, (i % 4, i), 2 * x[0, 0]) ** 2)

    board = jnp.asarray(X[..., 0], float)
    with kernels.traced():
        found = jax.grad(loss)(board, jnp.int32(3))
    np.testing.assert_allclose(found, jax.grad(loss)(board, jnp.int32(3)))
