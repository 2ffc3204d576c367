"""Attributes that a contract leaves out, and that go from place to place within a step."""

from small_games import Game, assert_plays_the_same, game

STATE = '[state]\nat = "at"\n\n[ignored]\n"reference.k" = "every reset and step sets it before reading it"\n'


def played(step: str, *, methods: str = "", first: str = "0") -> Game:
    """A game of `at`, which its reset sets, and of `k`, which it leaves as it was."""
    pair = game(step, methods=methods, made={"k": first}, at="0", contract=STATE)
    assert_plays_the_same(pair)
    assert {field.name for field in pair.interface.state} == {"at"}
    return pair


def test_what_a_method_sets_and_the_step_reads() -> None:
    played(
        """
        self._judge(action)
        if self.k > 1:
            self.k *= 2
        self.at = (self.at + self.k) % 11
        return 0, float(self.k), self.k == 4, False, {}
        """,
        methods="""
        def _judge(self, action):
            if action > self.at % 3:
                self.k = action
            else:
                self.k = 0
        """,
    )


def test_a_method_is_read_anew_for_each_value() -> None:
    played(
        """
        self.k = 1
        one = self._more(action)
        self.k = 2
        self.at = (one + 3 * self._more(action)) % 17
        """,
        methods='def _more(self, n):\n    """More."""\n    return self.at + n * self.k\n',
    )


def test_each_branch_has_its_own_though_one_replaces_the_state_as_a_whole() -> None:
    played(
        """
        if action == 1:
            self.k = self.at % 2
            self._move(action)
        else:
            self.k = 5 - action
        return 0, float(self.k), False, False, {}
        """,
        methods='def _move(self, n):\n    """Move."""\n    self.at = (self.at + n) * 2 % 7\n',
    )


def test_a_list_that_is_made_anew_in_each_step() -> None:
    played(
        """
        self._find()
        self._move(action)
        return 0, float(sum(self.k)), False, False, {}
        """,
        methods='''
        def _find(self):
            self.k = []
            for i in range(4):
                if (self.at + i) % 3:
                    self.k.append(i)

        def _move(self, action):
            """Move."""
            self.at = (self.at + len(self.k) + (1 if action in self.k else 0)) % 9
        ''',
        first="None",
    )


def test_what_a_loop_changes() -> None:
    played(
        """
        self.k = 0
        for i in range(6):
            if (self.at + i) % 2:
                self.k += i
        self.at = (self.at + action + self.k) % 8
        return 0, float(self.k), False, False, {}
        """
    )


def test_one_number_in_an_array_is_a_number() -> None:
    pair = game(
        """
        self.at = (self.at + action) % 9
        return 0, np.array([self.at * 0.5]), np.array([self.at > 7]), int(self.at == 5), {}
        """,
        at="0",
    )
    assert_plays_the_same(pair)
