"""Dicts by whole numbers, or tuples of them, whose keys are always the same: one array of the state."""

import pytest
from small_games import Refused, assert_plays_the_same, game

from envwright.recipe.drafting.fields import DraftError, fields_of


def test_a_dict_by_a_run_of_numbers() -> None:
    pair = game(
        """
        if action in self.stock and self.stock[action] < 6:
            self.stock[action] += 2
        for k, v in self.stock.items():
            if v > 4:
                self.stock[k] -= 1
                self.n += k
        self.n += self.stock.get(action, 50) + self.stock.get(action + 1, -7)
        self.n += self.stock.setdefault(2, 9)
        best = max(self.stock, key=self.stock.get)
        self.n += best + sum(self.stock.values()) + max(self.stock.values()) + len(self.stock)
        self.n += len([k for k, v in self.stock.items() if v > 0])
        before = dict(self.stock)
        self.stock[1] = 0 if action == 5 else self.stock[2]
        self.stock.update({2: before[1]})
        if all(v == 0 for v in self.stock.values()) or action == 0:
            self.stock = {k: k + self.n % 2 for k in (1, 2, 3)}
        """,
        actions=6, stock="{1: 5, 2: 3, 3: 0}", n="0",
    )  # fmt: skip
    assert pair.contract.state["stock"].text == "keyed(stock, (1,), (3,))"
    assert "state.stock[action - 1]" in pair.text
    assert_plays_the_same(pair)


def test_a_value_that_is_changed_before_its_turn() -> None:
    pair = game(
        """
        for k, v in self.heaps.items():
            self.heaps[(k + 1) % 20] = (v + self.heaps[k] + action) % 5
        for v in self.heaps.values():
            self.n = (self.n * 3 + v) % 97
        """,
        heaps="{i: i % 3 for i in range(20)}", n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_dict_by_row_and_column() -> None:
    pair = game(
        """
        dr, dc = [(-1, 0), (1, 0), (0, -1), (0, 1)][action % 4]
        target = (self.pos[0] + dr, self.pos[1] + dc)
        if target in self.boxes:
            self.pos = target
        r, c = self.pos
        if self.boxes[r, c] and action > 3:
            self.boxes[self.pos] -= 1
        elif action == 7:
            self.boxes[(r, c)] = 4
        self.n += self.boxes.get((r + 1, c), 10)
        for (i, j), v in self.boxes.items():
            self.n = (self.n + i * v - j) % 1000
        """,
        actions=8, boxes="{(r, c): r * c for r in range(3) for c in range(4)}", pos="(1, 1)", n="0",
    )  # fmt: skip
    assert pair.contract.state["boxes"].text == "keyed(boxes, (0, 0), (3, 4))"
    assert_plays_the_same(pair)


def test_a_dict_of_lists_by_numbers_with_gaps() -> None:
    pair = game(
        """
        player = PLAYERS[self.n % 3]
        mine = self.goods[player]
        mine[action % 3] += 1
        self.goods[player][0] += 2
        if sum(mine) > 9:
            self.goods[player] = [0, 1, 0]
            self.n += mine[0]
        for goods in self.goods.values():
            goods[2] = (goods[2] + 1) % 4
        for p, goods in self.goods.items():
            self.n += p * goods[1] % 5
        self.at[player] = (self.at[player][1], action)
        self.n += 1 + (player in self.goods) + (action in self.at) * 2
        """,
        top="PLAYERS = [5, 1, 2]", goods="{5: [2, 2, 0], 1: [1, 1, 1], 2: [0, 3, 1]}",
        at="{p: (0, p) for p in PLAYERS}", n="0",
    )  # fmt: skip
    assert pair.contract.state["goods"].text == "keyed(goods, [5, 1, 2])"
    assert_plays_the_same(pair)


def test_a_dict_of_texts_by_place() -> None:
    pair = game(
        """
        if self.board[action] == " ":
            self.board[action] = "X" if self.n % 2 else "O"
        self.n += 1 + sum(v == "X" for v in self.board.values()) * (self.board[0] == self.board[1])
        if " " not in self.board.values():
            self.board = {i: " " for i in range(4)}
        """,
        board='{i: " " for i in range(4)}', n="0",
    )  # fmt: skip
    assert pair.contract.state["board"].text == "letters(keyed(board, (0,), (4,)), [' ', 'O', 'X'])"
    assert_plays_the_same(pair)


def test_a_dict_that_is_filled_key_by_key() -> None:
    pair = game(
        "self.stock[action] += 1; self.n += self.stock[self.n % 4]",
        start="self.stock = {}\nfor i in range(4):\n    self.stock[i] = 2 * i", n="0", stock="{}",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_key_that_the_dict_may_not_have_ends_the_episode() -> None:
    pair = game(
        """
        self.stock[self.n % 3] = action
        self.stock[action % 3] += 1
        if action in self.stock:
            self.stock[action] = self.n
        self.n += 1
        """,
        stock="{0: 0, 1: 0, 2: 0}", n="0",
    )  # fmt: skip
    assert "truncated=jnp.bool_(False)" in pair.text  # none of these can be another key
    assert_plays_the_same(pair)
    pair = game("self.stock[self.n // 2 % 5 // 2] = action; self.n += 1", stock="{0: 0, 1: 0, 2: 0}", n="0")
    assert "truncated=~(" in pair.text
    assert_plays_the_same(pair)


def test_a_key_that_the_dict_never_had() -> None:
    with pytest.raises(Refused, match="has no key 7 in any recorded episode"):
        game("self.stock[action] += 1\nif self.stock[0] > 900: self.stock[7] = 1", stock="{i: 0 for i in range(4)}")


def test_a_key_that_is_taken_out() -> None:
    with pytest.raises(Refused, match="a key is removed from a dict of the state"):
        game("self.stock[action] += 1\nif self.stock[0] > 900: self.stock.pop(0)", stock="{i: 0 for i in range(4)}")


def test_dicts_that_are_no_array() -> None:
    with pytest.raises(DraftError, match="does not always hold the same names"):
        fields_of(("stock",), [{0: 1}, {0: 1, 1: 2}])
    with pytest.raises(DraftError, match="has the key 0"):  # the same keys in another order
        fields_of(("stock",), [{0: 1, 1: 2}, {1: 2, 0: 3}])
    counter = [{"__class__": "collections.Counter", "__items__": {0: n, 1: 2}} for n in range(3)]
    with pytest.raises(DraftError, match="has the key 0"):  # which would answer for a key that it lacks
        fields_of(("stock",), counter)
