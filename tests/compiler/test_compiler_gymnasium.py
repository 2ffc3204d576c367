"""What Gymnasium asks of an environment, or adds to it: resets, spaces, wrappers."""

import pytest
from before_and_after import body_of
from small_games import Refused, assert_plays_the_same, game, game_of


def test_a_reset_that_sets_what_is_in_an_array_a_board_a_dict_or_a_set() -> None:
    pair = game(
        """
        self.board[action, self.turn % 3] = 1
        self.names[action] = "X"
        self.stock[action] -= 1
        self.turn += 1 if self.seen.__contains__(action) else 2
        self.seen.add(action)
        obs = int(self.board.sum()) % 2
        return obs, float(self.stock[0]), len(self.seen) > 3, False, {}
        """,
        made={
            "board": "np.pad(np.zeros((4, 1), int), ((0, 0), (0, 2)), constant_values=7)",
            "names": "['.'] * 4",
            "stock": "{0: 3, 1: 3, 2: 3, 3: 3}",
            "seen": "set()",
        },
        start="""
        self.board[:, :2] = 0  # the last column is as it was made, until a step changes it
        self.board[:, 2] = 7
        for i in range(4):
            self.names[i] = "."
            self.stock[i] = 3
        self.seen.clear()
        """,
        turn="0",
    )
    assert_plays_the_same(pair)


def test_an_action_that_is_asked_whether_it_is_one() -> None:
    pair = game(
        """
        if not self.action_space.contains(action):
            raise ValueError("no such action")
        self.x += 1 if action - 1 in self.action_space else 10
        self.x += 0 if action + 1 in self.action_space else 100
        self.seen = spaces.MultiDiscrete([3, 4]).contains(np.array([action, self.x % 5]))
        """,
        x="0", seen="False",
    )  # fmt: skip
    assert_plays_the_same(pair)
    assert "raise" not in pair.step


def test_a_space_that_cannot_be_asked() -> None:
    with pytest.raises(Refused, match="membership in a space of the class Box"):
        game("self.x = float(spaces.Box(0, 1, (1,)).contains(np.array([self.x * action])))", x="0.5")


def test_a_reset_that_gives_two_numbers_and_no_info() -> None:
    """As before Gymnasium; the second number is no info."""
    pair = game(
        """
        self.at = (self.at[0] + 1) % 4, (self.at[1] + action) % 4
        obs = self.at
        return obs, 0.0, False, {}
        """,
        made={"observation_space": "spaces.Tuple((spaces.Discrete(4), spaces.Discrete(4)))"},
        methods="""
        def reset(self):
            self.at = (3, 1)
            return self.at
        """,
        at="(0, 0)",
    )
    assert "jnp.array([3, 1], jnp.int32)" in body_of(pair.text, "start")
    assert_plays_the_same(pair)


def test_a_wrapper_and_what_it_wraps_are_one_game() -> None:
    """With another between the two, which is no part of the rules."""
    pair = game_of(
        """
        import gymnasium as gym

        class Inner(gym.Env):
            action_space = observation_space = gym.spaces.Discrete(7)

            def reset(self, *, seed=None, options=None):
                self.at = 1
                return self.at, {}

            def step(self, action):
                self.at = (self.at + action) % 7
                return self.at, 1.0 * self.at, self.at == 6, False, {}

        class Game(gym.Wrapper):
            def __init__(self):
                super().__init__(gym.wrappers.OrderEnforcing(Inner()))

            def reset(self, **options):
                self.turn = 0
                return self.env.reset(**options)

            def step(self, action):
                obs, reward, terminated, truncated, info = self.env.step(action)
                self.turn += 1
                return obs, 2 * reward - self.turn, terminated, self.turn > 5, info
        """
    )
    assert_plays_the_same(pair)
    assert {field.name for field in pair.interface.state} == {"at", "turn"}
