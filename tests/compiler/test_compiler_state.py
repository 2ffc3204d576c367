"""Attributes of the original as the state of the translation: whole games, step by step."""

import pytest
from before_and_after import body_of
from small_games import Refused, assert_plays_the_same, game


def test_numbers_flags_texts_none_and_tuples() -> None:
    pair = game(
        """
        self.turn += 1
        if action == 0:
            self.mode, self.last = "walk", None
        elif action == 1:
            self.mode, self.last = "run", self.turn
        self.seen = self.seen or action == 3
        self.at = (self.at[1], (self.at[0] + action) % 5)
        self.speed = self.speed * 0.5 + (2 if self.mode == "run" else 1)
        if self.last is not None and self.turn - self.last > 3:
            self.last = None
        """,
        turn="0", mode='"walk"', last="None", seen="False", at="(0, 3)", speed="1.0",
    )  # fmt: skip
    columns = assert_plays_the_same(pair)
    assert {name for name in columns if name.startswith("state.")} >= {"state.turn", "state.mode", "state.last"}


def test_lists_grow_and_shrink() -> None:
    pair = game(
        """
        if action == 0 and len(self.pile) < 6:
            self.pile.append(self.turn % 7)
        elif action == 1 and len(self.pile) > 0:
            self.got = self.pile.pop()
        elif action == 2 and len(self.pile) > 0:
            self.got = self.pile.pop(0)
        elif action == 3:
            self.pile = [c for c in self.pile if c != self.got]
        self.turn += 1
        """,
        pile="[]", turn="0", got="0",
    )  # fmt: skip
    assert_plays_the_same(pair, steps=60)


def test_a_flag_and_a_list() -> None:
    pair = game(
        "if action == 1 and self.pile:\n    self.n += 1\nself.pile = [1] if action > 1 else []", pile="[]", n="0"
    )
    assert_plays_the_same(pair)


def test_returns_that_are_all_known() -> None:
    pair = game(
        """
        self.n += 1
        if action == 0:
            return 0, 1.0, False, False, {}
        return 0, 0.0, False, False, {}
        """,
        n="0",
    )
    assert_plays_the_same(pair)


def test_a_list_that_cannot_grow_beyond_its_guard() -> None:
    pair = game("if len(self.hand) < 4:\n    self.hand.append(action)", hand="[]")
    assert_plays_the_same(pair)


def test_a_list_of_the_places_that_fit_takes_no_more_than_its_length() -> None:
    def length(size: int) -> int:
        step = f"free = []\nfor i in range({size}):\n    if self.a[i] == 0:\n        free.append((i, 2 * i))\n"
        return len(game(step + "self.a[action] = len(free)", a="np.zeros(8, int)").step)

    assert length(8) < 4 * length(4)


def test_a_snake() -> None:
    pair = game(
        """
        head = self.body[0]
        dr, dc = MOVES[action]
        new = ((head[0] + dr) % 4, (head[1] + dc) % 4)
        if new in self.body:
            self.body = [new]
            return 0, -1.0, True, False, {}
        self.body.insert(0, new)
        if len(self.body) > 5 or (new[0] + new[1]) % 2:
            self.body.pop()
        return 0, float(len(self.body)), False, False, {}
        """,
        top="MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}",
        body="[(0, 0), (0, 1)]",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_views_and_aliases_of_the_state() -> None:
    pair = game(
        """
        row = self.grid[action % 3]
        row[self.turn % 3] += 1
        whole = self.grid
        whole[0, 0] = self.turn
        old = self.grid.copy()
        self.grid[1] = old[2]
        self.same = self.grid[2].copy()
        self.grid[2, 1] = old[0, 1]
        self.turn += 1
        """,
        grid="np.zeros((3, 3), int)", same="np.zeros(3, int)", turn="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_methods_change_the_state_and_give_values() -> None:
    pair = game(
        """
        if self._move(action) and self._is_free(self.pos):
            self._take()
        self.score += self._bonus(self.pos) + self.taken_now
        return 0, float(self.score), self._over(), False, {}
        """,
        methods="""
        def _move(self, way):
            if way == 3:
                return False
            old = self.pos
            self.pos = (self.pos + (1, -1, 2)[way]) % 6
            self.taken_now = 0
            return self.pos != old

        def _is_free(self, place):
            return not self.taken[place]

        def _take(self):
            self.taken[self.pos] = True
            self.taken_now = self._count()

        def _count(self):
            return int(sum(self.taken))

        def _bonus(self, place):
            return 2 if place == 5 else 0

        def _over(self):
            return self._count() >= 4
        """,
        pos="0", taken="[False] * 6", taken_now="0", score="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_the_state_is_read_after_a_call_has_changed_it() -> None:
    pair = game(
        """
        before = self.x
        self._add(action)
        middle = self.x
        self._add(self.x)
        self.y = before * 100 + middle * 10 + self.x
        """,
        methods="def _add(self, n):\n    self.x = (self.x + n) % 7",
        x="1", y="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_early_returns_leave_the_state_as_it_is_then() -> None:
    pair = game(
        """
        self.a += 1
        if action == 0:
            return 0, 0.0, False, False, {}
        self.b += self.a
        if self.b % 3 == 0:
            self.c = self.b
            return 0, 1.0, False, False, {}
        for _ in range(action):
            self.c += 1
            if self.c % 5 == 0:
                return 0, 2.0, False, False, {}
        self.a = 0
        return 0, float(self.b), False, False, {}
        """,
        a="0", b="0", c="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_loops_over_the_state() -> None:
    pair = game(
        """
        self.cells[action] += 1
        for i in range(4):
            if self.cells[i] > 2:
                self.cells[i] = 0
                for j in (i - 1, i + 1):
                    if 0 <= j < 4:
                        self.cells[j] += 1
                self.falls += 1
        while sum(self.cells) > 6:
            self.cells[self.cells.index(max(self.cells))] -= 1
        """,
        cells="[0, 0, 0, 0]", falls="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_methods_that_try_something_in_a_loop_and_take_it_back() -> None:
    pair = game(
        """
        if self.board[action] == 0:
            self.board[action] = 1
        move = self._best(2)
        if move is None:
            move = self._best(1)
        if move is not None:
            self.board[move] = 2
        self.sum = 0
        while self._total() < 4 and self.n < 900:
            self.n += 1
            self.sum += 1
        if 0 not in self.board:
            self.board = [0] * 6
        """,
        methods="""
        def _total(self):
            total = 0
            for x in self.board:
                total += x
            return total + self.sum
        def _lines(self, player):
            count = 0
            for a, b, c in [(0, 1, 2), (3, 4, 5), (0, 2, 4)]:
                if self.board[a] == self.board[b] == self.board[c] == player:
                    count += 1
            return count
        def _best(self, player):
            for i in [j for j, x in enumerate(self.board) if x == 0]:
                self.board[i] = player
                wins = self._lines(player) > 0
                self.board[i] = 0
                if wins:
                    return i
            return None
        """,
        board="[0, 2, 0, 0, 0, 1]", n="0", sum="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_observations_rewards_and_info() -> None:
    pair = game(
        """
        self.pos = max(0, min(4, self.pos + (1 if action == 1 else -1)))
        done = self.pos == 4
        info = {"where": self.pos}
        reward = 1.0 if done else -0.1 * self.pos
        obs = 1 if self.pos > 2 else 0
        return obs, reward, done, False, info
        """,
        pos="2",
    )
    assert_plays_the_same(pair)


def test_objects_inside_of_the_environment() -> None:
    pair = game(
        """
        self.ball.move(action)
        if self.ball.is_out():
            self.ball.pos = 0
            self.outs += 1
        """,
        top="""
        class Ball:
            def __init__(self):
                self.pos = 0
                self.speed = 1
            def move(self, way):
                self.pos += self.speed * (1 if way > 1 else -1)
                self.speed = 3 - self.speed
            def is_out(self):
                return abs(self.pos) > 3
        """,
        start="self.ball = Ball()",
        outs="0",
    )
    assert_plays_the_same(pair)


def test_a_list_of_the_class() -> None:
    pair = game(
        """
        if action and len(self.bag) < 6:
            self.bag.append(action)
        elif len(Game.bag) > 2:
            self.n += type(self).bag.pop()
        """,
        methods="bag = []\ntimes = [1, 2]", start="self.bag.clear()", n="0",
    )  # fmt: skip
    columns = assert_plays_the_same(pair)
    assert columns["state.bag_count"].max() > 2


def test_numbers_kept_as_float32() -> None:
    pair = game(
        """
        self.x += np.float32(0.1) * (action - 1)
        self.near = bool(self.x > 0.35)
        self.v = np.clip(self.v + np.array([0.1, -0.1]) * action, -1, 1)
        """,
        x="np.float32(0)", v="np.zeros(2)", near="False",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_negative_places_and_borders() -> None:
    pair = game(
        """
        self.at = self.at - 1 if action < 2 else self.at + 1
        self.at = max(-4, min(3, self.at))
        self.cells[self.at] += 1
        self.seen = int(self.cells[self.at - 1]) if self.at > -4 else -1
        self.letter = "abcd"[self.at]
        self.price = [5, 6, 7, 8][self.at]
        """,
        at="0", cells="np.zeros(4, int)", seen="0", letter='"a"', price="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


@pytest.mark.parametrize("view", ["self.grid[1:][0]", "self.grid[0] if action > 1 else self.grid[1]"])
def test_views_that_are_hard_to_follow(view: str) -> None:
    pair = game(f"row = {view}\nrow[action] += 1\nself.n += 1", grid="np.zeros((3, 4), int)", n="0")
    assert_plays_the_same(pair)


def test_what_every_way_out_computes_is_computed_once() -> None:
    pair = game(
        """
        self.x = (self.x + action) % 7
        if self.x == 3:
            self.y += 1
            return self.sight(), 1.0, False, False, {}
        if self.y > 2:
            self.y = 0
            return self.sight(), 0.0, False, False, {}
        return self.sight(), -1.0, False, False, {}
        return 0, 0.0, False, False, {}
        """,
        methods="def sight(self):\n    return (self.x * 3 + self.y) % 2",
        x="0", y="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
    assert body_of(pair.text, "apply").count("sight(") == 1


def test_cells_by_the_places_in_a_list() -> None:
    pair = game(
        """
        self.spots = [((r + action) % 3, c) for r, c in self.spots]
        self.plane[:] = 0
        for spot in self.spots:
            self.plane[1][spot] += 1
        self.sum = int(sum(self.plane[1][spot] for spot in self.spots))
        """,
        spots="[(0, 1), (2, 2)]", plane="np.zeros((2, 3, 4), int)", sum="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_row_that_may_be_a_list_is_no_index() -> None:
    with pytest.raises(Refused, match="whether that is a tuple is not known"):
        game(
            "self.plane[self.spots[0]] = 1\nself.spots = [[(r + action) % 3, c] for r, c in self.spots]",
            spots="[[0, 1], [2, 2]]", plane="np.zeros((3, 4), int)",
        )  # fmt: skip


def test_a_tuple_or_none() -> None:
    pair = game(
        """
        spot = (action, self.turn % 3)
        self.score += 1 if self.last == spot else 0
        self.score += 10 if self.last is not None and self.last[0] > action else 0
        self.score += 100 if self.last == self.first else 0
        self.score += 1000 if self.last != self.first else 0
        if self.first is None and action == 2:
            self.first = spot
        if action == 3:
            self.last = None
        else:
            self.last = spot
        if self.last:
            row, column = self.last
            self.grid[self.last] += row + column
        self.turn += 1
        """,
        last="None", first="None", score="0", turn="0", grid="np.zeros((4, 3), int)",
    )  # fmt: skip
    steps = assert_plays_the_same(pair)
    assert (steps["state.last"] == -1).any()


def test_two_numbers_or_none() -> None:
    pair = game(
        """
        self.same += int(self.a == self.b) + 10 * int(self.a != self.b)
        self.a = None if action == 0 else action
        self.b = None if action < 2 else 3
        """,
        a="None", b="None", same="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
