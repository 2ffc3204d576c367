"""Before and after: what a piece of Python becomes, word by word, where the words are worth it."""

import numpy as np
from before_and_after import after, body_of, function, plain
from small_games import assert_plays_the_same, game

X, Y = np.arange(8), np.arange(8)[::-1].copy()
A = np.arange(48).reshape(8, 6)


def test_a_chain_of_elif_is_a_select() -> None:
    before = """
        if x == 0:
            n = 5
        elif x < 3:
            n = y
        elif y > 2:
            n = x * y
        else:
            n = -1
        return n
        """
    assert after(before, x=X, y=Y) == plain(
        """
        n = select([x == 0, x < 3, y > 2], [5, y, x * y], -1)
        return n
        """
    )


def test_early_returns_are_a_where() -> None:
    before = """
        if x > 4:
            return 1
        if y > 2:
            return y
        return x + y
        """
    assert after(before, x=X, y=Y) == "return jnp.where(x > 4, 1, jnp.where(y > 2, y, x + y))"


def test_a_for_loop_is_a_fori_loop() -> None:
    before = """
        n = 0
        for i in range(x):
            n += i * y
        return n
        """
    assert after(before, x=X, y=Y).strip() == plain(
        """
        def body(i, carry):
            (n,) = carry
            return (n + i * y,)

        (n,) = jax.lax.fori_loop(0, x, body, (jnp.int32(0),))
        return n
        """
    )


def test_a_break_is_a_flag_that_is_carried() -> None:
    before = """
        n = 0
        for i in range(x):
            if i == y:
                break
            n += i
        return n
        """
    assert after(before, x=X, y=Y).strip() == plain(
        """
        def body(i, carry):
            n, going_on = carry
            return (jnp.where(going_on, jnp.where(i == y, n, n + i), n), going_on & (i != y))

        n, going_on = jax.lax.fori_loop(0, x, body, (jnp.int32(0), jnp.bool_(True)))
        return n
        """
    )


def test_a_while_loop_is_a_while_loop() -> None:
    before = """
        n = x
        while n < 40:
            n = n * 2 + 1
        return n
        """
    assert after(before, x=X).strip() == plain(
        """
        def body(carry):
            (n,) = carry
            return (n * 2 + 1,)

        def test(carry):
            (n,) = carry
            return n < 40

        (n,) = jax.lax.while_loop(test, body, (x,))
        return n
        """
    )


def test_a_dict_of_moves_is_a_table() -> None:
    moves = "MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}"
    assert after("MOVES[x % 4][0] + y", top=moves, x=X, y=Y) == (
        "return jnp.array([0, 1, 0, -1], jnp.int32)[x % 4] + y"
    )


def test_a_small_set_of_pairs_is_asked_for_one_by_one() -> None:
    text = after("(x % 3, y % 3) in WALLS", top="WALLS = [(0, 0), (1, 2)]", x=X, y=Y)
    assert text == "return (x % 3 == 0) & (y % 3 == 0) | (x % 3 == 1) & (y % 3 == 2)"


def test_none_or_a_number_is_a_flag_and_a_number() -> None:
    before = """
        best = x if x > 3 else None
        return y if best is None else best + y
        """
    assert after(before, x=X, y=Y) == plain(
        """
        best_is_there = x > 3
        return jnp.where(~best_is_there, y, x + y)
        """
    )


def test_comments_stay_with_what_they_are_about() -> None:
    before = """
        # the sum
        n = x + y
        # nobody needs this
        m = n * 2
        return n * n
        """
    assert after(before, x=X, y=Y) == plain(
        """
        # the sum
        n = x + y
        return n * n
        """
    )


def test_constants_keep_their_names() -> None:
    pair = function("LIMIT * x + (y > LIMIT)", top="LIMIT = 12", x=X, y=Y)
    assert "\nLIMIT = 12\n" in pair.text
    assert body_of(pair.text, "rule") == "return LIMIT * x + (y > LIMIT).astype(jnp.int32)"


def test_a_new_value_takes_over_a_name_that_is_free() -> None:
    before = """
        n = x
        n = n * n + y
        n = n * n + 1
        return n - y
        """
    assert after(before, x=X, y=Y) == plain(
        """
        n = x * x + y
        n = n * n + 1
        return n - y
        """
    )


def test_a_function_is_a_function_with_its_documentation() -> None:
    top = '''
        def score(v):
            """What a place is worth."""
            if v > 3:
                return v * 2
            return -v
        '''
    pair = function("return score(x) + score(y)", top=top, x=X, y=Y)
    assert body_of(pair.text, "rule") == "return score(x) + score(y)"
    assert body_of(pair.text, "score") == "return jnp.where(v > 3, v * 2, -v)"
    assert '"""What a place is worth. (' in pair.text


# ---- whole steps ----


def test_the_state_is_replaced_once() -> None:
    before = """
        self.pos += 1
        self.pos = self.pos % 5
        self.n = self.n + self.pos
        """
    assert game(before, pos="0", n="0").step == plain(
        """
        pos = state.pos + 1
        pos = pos % 5
        n = state.n + pos
        state = state.replace(n=n, pos=pos)
        """
    )


def test_what_only_shows_or_checks_is_gone() -> None:
    before = """
        self.pos += 1
        self.render()
        assert self.pos > 0, "lost"
        info = {"where": self.pos}
        return 0, 0.0, False, False, info
        """
    assert game(before, methods="def render(self):\n    return str(self.pos)", pos="0").step == plain(
        """
        pos = state.pos + 1
        state = state.replace(pos=pos)
        """
    )


def test_append_is_a_put_and_a_count() -> None:
    before = """
        if action > 0:
            self.hand.append(action)
        return 0, 0.0, len(self.hand) >= 4, False, {}
        """
    text = game(before, hand="[]").step
    assert "put(state.hand, state.hand_count, action" in text
    assert "jnp.where(action > 0, state.hand_count + 1, state.hand_count)" in text


def test_a_tuple_is_an_array() -> None:
    assert game("self.at = (self.at[1], self.at[0] + action)", at="(0, 1)").step == plain(
        """
        at_0 = state.at[1]
        at_1 = state.at[0] + action
        state = state.replace(at=jnp.array([at_0, at_1], jnp.int32))
        """
    )


def test_an_enum_is_a_number() -> None:
    before = """
        self.side = Side.LEFT if action == 0 else Side.RIGHT
        if self.side is Side.LEFT:
            self.n += 1
        """
    top = """
        class Side(Enum):
            LEFT = 1
            RIGHT = 2
        """
    assert game(before, top=top, side="Side.RIGHT", n="0").step == plain(
        """
        side = jnp.where(action == 0, 1, 2)
        state = state.replace(n=jnp.where(side == 1, state.n + 1, state.n), side=side)
        """
    )


def test_a_write_into_a_row_is_a_put_into_the_board() -> None:
    before = """
        row = self.grid[action]
        row[0] = 1
        """
    text = game(before, grid="np.zeros((4, 3), int)").step
    assert "put(state.grid, (action, 0), 1)" in text


def test_a_draw_is_a_field_of_the_luck() -> None:
    pair = game("if self.np_random.random() < 0.25:\n    self.n += 1", n="0")
    assert pair.step == "state = state.replace(n=jnp.where(chance.step < 0.25, state.n + 1, state.n))"
    assert body_of(pair.text, "draw") == "return StepChance(step=jax.random.uniform(key, ()))"


def test_methods_that_change_the_state_take_it_and_give_it_back() -> None:
    methods = """
        def _free(self, way):
            return self.cells[way] == 0

        def _move(self, way):
            # one step
            self.cells[way] = 1
            self.n += 1
        """
    pair = game("if self._free(action):\n    self._move(action)", methods=methods, cells="[0, 0, 0, 0]", n="0")
    assert pair.step == plain(
        """
        state_2 = move(state, action)
        state = choose(free(state, action), state_2, state)
        """
    )
    assert body_of(pair.text, "free") == "return state.cells[way] == 0"
    assert body_of(pair.text, "move") == plain(
        """
        # one step
        cells = put(state.cells, way, 1)
        n = state.n + 1
        return state.replace(cells=cells, n=n)
        """
    )


def test_letters_and_their_codes() -> None:
    step = """
        letter = chr(ord("a") + action)
        self.n = ord(self.word[0]) - ord("a") + (10 if letter in self.word else 0)
        self.word = WORDS[(self.n + action) % 3]
        """
    assert_plays_the_same(game(step, top='WORDS = ["bee", "ad", "car"]', word="WORDS[0]", n="0"))


def test_what_the_original_puts_into_float32_is_rounded_in_double_precision_too() -> None:
    before = "return np.clip(x, -1.0, 1.0).astype(np.float32) * 10.0"
    rows = np.linspace(-2.0, 2.0, 6).reshape(2, 3)
    assert after(before, x=rows) == "return jnp.clip(x, -1.0, 1.0).astype(jnp.float32) * 10.0"
