"""Dicts and members of enumerations in the state of a game."""

import pytest
from small_games import Refused, assert_plays_the_same, game


def test_one_of_two_dicts_with_arrays_that_were_changed() -> None:
    pair = game(
        "seen, how = self._tried(action); self.last = seen['mask'] * how + seen['n']",
        methods="""
        def _look(self):
            mask = np.zeros(3, int)
            mask[self.n % 3] = 1
            return {"mask": mask, "n": self.n}
        def _tried(self, action):
            if action == 0:
                return self._look(), -1
            self.n += action
            return self._look(), 1
        """,
        last="np.zeros(3, int)", n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_dict_and_an_enum() -> None:
    pair = game(
        """
        self.stock["wood"] += action
        if self.stock["wood"] > 5:
            self.stock["wood"] -= 5
            self.stock["iron"] += 1
        self.side = Side.LEFT if self.side == Side.RIGHT else Side.RIGHT
        if self.side is Side.LEFT:
            self.n += self.side.value
        """,
        top="class Side(Enum):\n    LEFT = 1\n    RIGHT = 2",
        stock='{"wood": 0, "iron": 0}', side="Side.LEFT", n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


WINDS = """
class Wind(IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2

    def after(self, turns):
        return Wind((self + turns) % 3)

    @property
    def step(self):
        return [(0, 1), (1, 0), (0, -1)][self]

class Mood(Enum):
    CALM = 3
    WILD = 7

    def other(self):
        return Mood.WILD if self is Mood.CALM else Mood.CALM

    @property
    def is_wild(self):
        return self.name == "WILD"
"""


def test_methods_and_properties_of_members_of_an_enumeration() -> None:
    pair = game(
        """
        wanted = Wind(action % 3) if self.n % 2 else [Wind.SOUTH, Wind.NORTH, Wind.EAST][action % 3]
        if wanted != self.wind.after(1):
            self.wind = wanted
        if action == 3 or self.mood.is_wild:
            self.mood = self.mood.other()
        dx, dy = self.wind.step
        self.x, self.y = self.x + dx, self.y + dy * self.mood.value
        self.n += 5 * (self.mood.name == "CALM") + wanted.after(self.n).value
        self._turn()
        """,
        methods="def _turn(self):\n    if self.n % 4 == 0:\n        self.wind = self.wind.after(self.n)",
        top=WINDS, wind="Wind.EAST", mood="Mood.CALM", n="0", x="0", y="0",
    )  # fmt: skip
    columns = assert_plays_the_same(pair)
    assert {3, 7} == set(columns["state.mood"].tolist())


def test_the_name_of_a_member_of_which_only_the_number_is_known() -> None:
    with pytest.raises(Refused, match="`name` is read of a value of which only the number is known"):
        game(
            "self.balls[0].wind = Wind(action % 3); self.n += self.balls[0].wind.name == 'EAST'",
            top=f"{WINDS}\nclass Ball:\n    def __init__(self):\n        self.wind = Wind.EAST",
            balls="[Ball()]", n="0",
        )  # fmt: skip


def test_a_dict_that_is_changed_on_one_side_only_or_by_a_method() -> None:
    pair = game(
        """
        if action == 0:
            self.n += 1
        else:
            for name in PAIRS[self.n % 2]:
                if self.stock[name] > 0:
                    self.stock[name] -= 1
        before = self.stock["iron"]
        self._take(action)
        self.n += self.stock["iron"] * 2 + before + (self.stock["wood"] > 1)
        """,
        top='PAIRS = {0: ("wood", "iron"), 1: ("iron", "gold")}',
        methods="def _take(self, n):\n    self.stock['iron'] = (self.stock['iron'] + n) % 7",
        stock='{"wood": 2, "iron": 3, "gold": 1}', n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_dict_that_is_copied_and_updated() -> None:
    pair = game(
        """
        stock = dict(self.stock)
        stock["wood"] += action
        self.n += self.stock["wood"]
        if action:
            self.stock.update(stock)
        else:
            self.stock.update({"iron": self.n % 5})
        self._spoil()
        """,
        methods="def _spoil(self):\n    self.n += self.stock['wood']",
        stock='{"wood": 0, "iron": 0}', n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_a_key_that_is_taken_out_of_a_dict_of_the_state() -> None:
    with pytest.raises(Refused, match="a key is removed from a dict of the state"):
        game(
            "self.n += self.stock.pop('wood') if self.n > 900 else action; self.stock['wood'] += 1",
            stock='{"wood": 0}',
            n="0",
        )


BY_NUMBER = """
[state]
first = "stock[0]"
second = "stock[1]"
behind = "stock[-1]"
waiting = "pad(queues[1, 2], 8)"
waiting_count = "len(queues[1, 2])"
n = "n"

[outcome]
observation = "obs"
"""


def test_a_dict_by_whole_numbers_and_tuples_of_them() -> None:
    pair = game(
        """
        self.stock[action % 2] += action
        if self.stock[self.n % 3 - 1] > 5:
            self.stock[-1] = self.stock[0] - 2
        for place, stock in self.stock.items():
            self.n += place * stock % 3
        queue = self.queues[(1, 2)]
        if action and len(queue) < 6:
            queue.append(action)
        elif queue:
            self.n += self.queues[1, 2].pop(0)
        """,
        contract=BY_NUMBER, stock="{0: 1, 1: 0, -1: 0}", queues="{(1, 2): []}", n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)
