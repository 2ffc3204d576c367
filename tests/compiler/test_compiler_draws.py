"""Luck: what the original draws, the translation is given; and its own draws look like the original's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from before_and_after import FAST, Refused, body_of
from small_games import Game, assert_plays_the_same, game


def drawn(pair: Game, count: int = 400) -> dict[str, np.ndarray]:
    """The luck of many steps from the state of a start, as the translation draws it."""
    keys = jax.random.split(jax.random.key(0), count)

    def draw(key: jax.Array) -> Any:
        _, state = pair.rules.start(pair.rules.draw_start(key))
        return pair.rules.draw(key, state, np.int32(1))

    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        luck = jax.jit(jax.vmap(draw), compiler_options=FAST)(keys)
    return {field.name: np.asarray(getattr(luck, field.name)) for field in pair.interface.step_luck}


DRAWS = {
    "random": ("self.x = self.np_random.random()", 0, 1),
    "uniform": ("self.x = self.np_random.uniform(-2, 3)", -2, 3),
    "integers": ("self.x = int(self.np_random.integers(2, 7))", 2, 6),
    "integers with the end": ("self.x = int(self.np_random.integers(2, 7, endpoint=True))", 2, 7),
    "choice of a list": ("self.x = int(self.np_random.choice([3, 4, 9]))", 3, 9),
    "weighted choice": ("self.x = int(self.np_random.choice(3, p=[0.5, 0.0, 0.5]))", 0, 2),
    "randint of the module": ("self.x = random.randint(1, 6)", 1, 6),
    "randrange": ("self.x = random.randrange(3, 9)", 3, 8),
    "choice of the module": ("self.x = random.choice([2, 5, 8])", 2, 8),
}


@pytest.mark.parametrize("name", DRAWS)
def test_one_draw_a_step(name: str) -> None:
    text, low, high = DRAWS[name]
    start = "random.seed(seed)" if "random." in text.replace("np_random", "") else ""
    pair = game(text, x="0", start=start)
    assert_plays_the_same(pair)
    (values,) = drawn(pair).values()
    assert low <= values.min() < values.max() <= high
    assert abs(values.mean() - (low + high) / 2) < (high - low) / 6


def test_a_weighted_choice_keeps_its_weights() -> None:
    pair = game("self.x = int(self.np_random.choice(3, p=[0.75, 0.0, 0.25]))", x="0")
    (values,) = drawn(pair).values()
    assert 0 < np.mean(values == 2) < 0.4
    assert not np.any(values == 1)


def test_normal_draws_of_gym() -> None:
    start = "np.random.seed(seed); random.seed(seed)"
    step = "self.v = np.random.randn(3)\nself.x = random.gauss(sigma=2, mu=5)"
    pair = game(step, x="0.0", v="np.zeros(3)", start=start)
    assert_plays_the_same(pair)
    values = drawn(pair)
    assert abs(values["step_gauss"].mean() - 5) < 0.5
    assert 1.5 < values["step_gauss"].std() < 2.5
    assert abs(values["step_randn"].mean()) < 0.2


def test_normal_draws() -> None:
    step = "self.x = self.np_random.normal(5, 2)\nself.v = self.np_random.standard_normal(3)"
    pair = game(step, x="0.0", v="np.zeros(3)")
    assert_plays_the_same(pair)
    luck = [*drawn(pair).values()]
    assert sorted(v.shape[1:] for v in luck) == [(), (3,)]
    means = [v.mean() for v in luck if v.ndim == 1]
    assert all(abs(mean - 5) < 0.5 for mean in means)


OTHERS = {  # what is drawn, and its mean
    "self.np_random.lognormal(0.5, 0.25)": np.exp(0.5 + 0.25**2 / 2),
    "self.np_random.triangular(1, 2, 6)": 3.0,
    "self.np_random.laplace(3, 0.5)": 3.0,
    "self.np_random.multivariate_normal([3, 7], [[1, 1], [1, 1]])[1]": 5.0,
    "np.random.randn(2, 2)[0, 1] + 1": 0.0,
    "random.gauss(mu=3, sigma=0.5)": 3.0,
    "random.normalvariate(3, 0.5)": 3.0,
    "random.expovariate(4)": 0.25,
    "random.betavariate(2, 6)": 0.25,
    "random.triangular(1, 6, 2)": 3.0,
    "random.sample([1, 2, 9], 2)[0]": 4.0,
    "random.choices([1, 5], weights=[3, 1], k=3)[2]": 2.0,
}


@pytest.mark.parametrize("text", OTHERS)
def test_other_distributions(text: str) -> None:
    pair = game(f"self.x = float({text})", x="0.0", start="random.seed(seed); np.random.seed(seed)")
    assert_plays_the_same(pair)
    (values,) = drawn(pair, 2000).values()
    assert abs(values.mean() - OTHERS[text]) < 0.2


def test_several_choices_from_a_list_that_changes_are_refused() -> None:
    with pytest.raises(Refused, match="several choices from a variable list are not supported"):
        game("self.v[1] = action; self.x = random.sample(self.v, 2)[0]", v="[1, 2, 3]", x="0")


def test_a_draw_made_only_sometimes() -> None:
    pair = game(
        """
        if action > 1:
            self.a = int(self.np_random.integers(10))
        if action % 2:
            self.b = int(self.np_random.integers(10))
        self.c = int(self.np_random.integers(10))
        """,
        a="0", b="0", c="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
    assert ".integers" not in pair.step


def test_draws_in_a_loop() -> None:
    pair = game(
        """
        self.sum = 0
        for i in range(action):
            roll = int(self.np_random.integers(1, 7))
            if roll == 6:
                self.sum += int(self.np_random.integers(1, 7))
            self.sum += roll
        """,
        sum="0",
    )
    assert_plays_the_same(pair)


def test_a_draw_behind_a_short_circuit() -> None:
    pair = game(
        "if action == 2 and self.np_random.random() < 0.5:\n    self.n += 1\nself.x = self.np_random.random()",
        n="0",
        x="0.0",
    )
    assert_plays_the_same(pair)


def test_draws_in_methods() -> None:
    pair = game(
        "self.n = self._roll() + self._roll() * 10\nif action == 1:\n    self.n += self._roll()",
        methods="def _roll(self):\n    return int(self.np_random.integers(1, 7))",
        n="0",
    )
    assert_plays_the_same(pair)


def test_a_range_that_depends_on_the_state_is_drawn_by_going_through_the_step() -> None:
    pair = game(
        """
        self.high = self.high % 5 + 1
        if action == 1:
            self.high += 3
        self.x = int(self.np_random.integers(self.high))
        """,
        high="3", x="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
    (values,) = drawn(pair).values()
    assert (values.min(), values.max()) == (0, 6)
    assert "high" in body_of(pair.text, "draw")


def test_a_choice_from_a_list_that_changes() -> None:
    pair = game(
        """
        free = [i for i in range(5) if not self.taken[i]]
        if free:
            self.last = int(self.np_random.choice(free))
            self.taken[self.last] = 1
        else:
            self.taken[:] = 0
        """,
        taken="np.zeros(5, int)", last="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_an_empty_cell_by_argwhere() -> None:
    pair = game(
        """
        empty = np.argwhere(self.grid == 0)
        if len(empty) > 0:
            r, c = empty[self.np_random.integers(len(empty))]
            self.grid[r, c] = action + 1
        else:
            self.grid[:] = 0
        """,
        grid="np.zeros((2, 3), int)",
    )
    assert_plays_the_same(pair)


def test_one_of_a_known_list_by_its_place() -> None:
    pair = game(
        """
        free = list(zip(*np.where(self.grid == 0)))
        if free:
            self.grid[random.choice(free)] = 2
        move = random.choice(MOVES)
        self.score += 1 if move == "paper" else -1 if move == "rock" else 0
        self.x = random.choice([("a", 3), ("b", 5)])[1] + random.choice(SPOTS)[1]
        self.grid[action % 2, 0] = 0
        """,
        top="MOVES = ['rock', 'paper', 'scissors']\nSPOTS = [(0, 4), (1, 5)]",
        start="""
        free = list(zip(*np.where(self.grid == 0)))  # known at the start, where the luck holds places all the same
        self.grid[random.choice(free)] = 1
        free = list(zip(*np.where(self.grid == 0)))
        self.grid[random.choice(free)] = 1
        """,
        grid="np.zeros((2, 3), int)", score="0", x="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_several_of_the_cells_that_are_free() -> None:
    pair = game(
        """
        free = np.argwhere(self.grid == 0)
        if free.shape[0] > 6 and free.size > 12 and free.ndim == 2:
            for r, c in free[self.np_random.choice(len(free), 2)]:
                self.grid[r, c] = 2
        spots = np.flatnonzero(self.grid == 2)
        if len(spots) > 2:
            for spot in self.np_random.choice(spots, size=3, replace=False):
                self.grid[spot // 4, spot % 4] -= 1
        self.grid[action, action] = 0
        """,
        grid="np.eye(4, dtype=int)",
    )
    assert_plays_the_same(pair)


def test_what_is_chosen_without_putting_back_is_in_use_and_different() -> None:
    pair = game(
        "free = np.flatnonzero(self.row == 0); self.row[self.np_random.choice(free, 2, replace=False)[0]] = action % 1",
        row="np.array([0, 1, 0, 0, 1, 0])",
    )
    chosen = np.sort(drawn(pair)["step"], 1)
    pairs, counts = np.unique(chosen, axis=0, return_counts=True)
    assert pairs.tolist() == [[0, 2], [0, 3], [0, 5], [2, 3], [2, 5], [3, 5]]
    assert counts.min() > 400 / 6 * 0.7


def test_one_of_the_rows_that_are_free() -> None:
    pair = game(
        """
        free = np.argwhere(self.grid == 0)
        if len(free):
            spot = self.np_random.choice(free)
            self.grid[spot[0], spot[1]] = action + 1
        else:
            self.grid[:] = 0
        """,
        grid="np.zeros((2, 3), int)",
    )
    assert_plays_the_same(pair)


def test_shuffle_and_permutation() -> None:
    pair = game(
        """
        self.order = self.np_random.permutation(4)
        cards = np.arange(5)
        self.np_random.shuffle(cards)
        self.first = int(cards[0])
        """,
        order="np.arange(4)", first="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_shuffle_of_a_list() -> None:
    pair = game("deck = [1, 2, 3, 4]\nself.np_random.shuffle(deck)\nself.card = deck[0] * 10 + deck[-1]", card="0")
    assert_plays_the_same(pair)


def test_choice_without_putting_back() -> None:
    pair = game(
        "two = self.np_random.choice(6, size=2, replace=False)\nself.a, self.b = int(two[0]), int(two[1])", a="0", b="0"
    )
    assert_plays_the_same(pair)
    (values,) = drawn(pair).values()
    assert not np.any(values[:, 0] == values[:, 1])


def test_draws_of_a_start() -> None:
    pair = game(
        "self.x = (self.x + action) % 5",
        start="""
        self.x = int(self.np_random.integers(5))
        self.grid = self.np_random.permutation(4)
        while True:
            self.y = int(self.np_random.integers(5))
            if self.y != self.x:
                break
        """,
    )
    assert_plays_the_same(pair, episodes=30, steps=2)


def test_two_kinds_of_draws_in_one_function() -> None:
    pair = game(
        "self.a = int(self.np_random.integers(4))\nself.b = self.np_random.random()\n"
        "self.c = int(self.np_random.integers(9))",
        a="0", b="0.0", c="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
    values = drawn(pair)
    assert values["step_integers"].max(0).tolist() == [3, 8]  # a and c, each within its own bounds
    assert 0.9 < values["step_random"].max() < 1


def test_an_episode_that_runs_out_of_luck_is_cut_off() -> None:
    pair = game(
        """
        spot = int(self.np_random.integers(8))
        while self.taken[spot]:
            spot = int(self.np_random.integers(8))
        self.spot = spot
        """,
        taken="np.array([1, 0, 1, 0, 1, 0, 1, 0])", spot="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
    state = pair.records.State(spot=jnp.int32(0))
    room = pair.interface.step_luck[1].shape[0]
    for places, cut in (([2] * room, True), ([2] * (room - 1) + [3], False)):
        luck = pair.records.StepChance(step=jnp.int32(2), step_2=jnp.array(places))
        step = pair.rules.apply(state, jnp.int32(0), luck)
        assert bool(step.truncated) is cut


def test_lines_of_a_loop_that_draw_in_different_ways() -> None:
    pair = game(
        """
        while True:
            x = int(self.np_random.integers(3))
            y = int(self.np_random.integers(
                1, 9))
            way = self.np_random.integers(2, size=2)
            if (x + y) % 3 == 0:
                break
        self.x, self.y, self.way = x, y, int(way[0]) * 2 + int(way[1])
        """,
        x="0", y="0", way="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
    assert [values.max() > 0 for values in drawn(pair).values()] == [True] * 3
