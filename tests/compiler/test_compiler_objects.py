"""State that is not numbers: objects in lists, objects made anew, sets, named tuples."""

import pytest
from before_and_after import Refused
from small_games import assert_plays_the_same, game

ALIENS = """
class Thing:
    SIZE = 2

    def __init__(self, x):
        self.x = x

    @property
    def edge(self):
        return self.x + self.SIZE


class Alien(Thing):
    def __init__(self, x, kind="slow"):
        super().__init__(x)
        self.kind, self.target, self.hit = kind, None, False

    def move(self, far):
        self.x += far * (2 if self.kind == "fast" else 1)
        return self.edge > 9
"""


def test_objects_in_lists() -> None:
    pair = game(
        """
        self.turn += 1
        for alien in self.aliens:
            if alien.move(action):
                alien.hit, alien.target = True, self.turn
        if action == 0 and len(self.aliens) < 4:
            new = Alien(self.turn % 5, "fast" if self.turn % 2 else "slow")
            self.aliens.append(new)
            new.x += 1  # it is the one in the list
        elif action == 1 and self.aliens:
            first = self.aliens[0]
            self.aliens.pop(0)
            first.x = -1  # it is in no list any more
            self.gone.append(first)
        elif action == 2 and self.aliens:
            best = self.aliens[-1]
            for alien in self.aliens:
                if alien.x < best.x:
                    best = alien
            self.aliens.remove(best)
            self.score += best.x
        self.aliens = [a for a in self.aliens if not a.hit or a.x < 14]
        if len(self.gone) > 2:
            self.gone = self.gone[1:]
        late = sum(1 for a in self.aliens if a.target is not None and self.turn - a.target > 1)
        return 0, float(late), any(a.kind == "fast" and a.x == 7 for a in self.aliens), False, {}
        """,
        top=ALIENS, aliens="[Alien(i) for i in range(2)]", gone="[]", turn="0", score="0",
    )  # fmt: skip
    columns = assert_plays_the_same(pair, episodes=16)
    assert {"state.aliens_x", "state.aliens_kind", "state.aliens_target", "state.gone_count"} <= columns.keys()


def test_dataclasses_and_dicts_in_lists() -> None:
    pair = game(
        """
        self.turn += 1
        for p in list(self.waiting):
            if p.at == action and len(self.riding) < 3:
                self.waiting.remove(p)
                self.riding.append(p)
        for p in self.waiting:
            p.waited += 1
        if len(self.waiting) < 4:
            self.waiting.append(Passenger(self.turn % 4))
        if len(self.riding) == 3:
            self.riding = [Passenger(p.at, p.waited // 2) for p in self.riding if p.waited > 2]
        for coin in self.coins:
            coin["x"] -= 1
            coin["pos"] = (coin["pos"][1], coin["x"])
        if action == 3:
            self.coins = [c for c in self.coins if c["x"] > -3]
            if len(self.coins) < 3:
                self.coins.append({"x": self.turn, "pos": (1, 2)})
        return 0, float(Passenger(2) in self.waiting), False, False, {}
        """,
        top="""
        from dataclasses import dataclass

        @dataclass
        class Passenger:
            at: int
            waited: int = 0
        """,
        waiting="[]", riding="[]", coins="[{'x': 1, 'pos': (0, 0)}, {'x': 3, 'pos': (0, 1)}]", turn="0",
    )  # fmt: skip
    assert_plays_the_same(pair, episodes=16)


def test_lists_of_objects_that_change_while_they_are_gone_through() -> None:
    pair = game(
        """
        self.turn += 1
        if len(self.things) < 6:
            self.things.insert(action % 3, Thing((self.turn * 7 + action) % 5, self.turn % 3))
        for t in self.things:
            t.x += 1
            if t.x > 4 + action:
                self.things.remove(t)
            self.score = (self.score * 3 + t.x) % 1009
        for i, t in enumerate(self.other):
            if t.x == action:
                self.other.pop(i)
            else:
                t.x += i
        if action == 0:
            self.things.sort(key=lambda t: (t.x, -t.v), reverse=True)
            best = sorted(self.things, key=lambda t: t.v)[0]
            best.x = (best.x + self.turn) % 9
        for a, b in zip(self.things, self.other):
            a.x, b.x = b.x, a.x
        for t in self.things[1:3] + self.other[-1:]:
            t.v = (t.v + 2) % 9
        found = next((t for t in self.things if t.x == action), None)
        if found is not None:
            found.v = (found.v + 3) % 8
        for t in reversed(self.things):
            if t.v == 7:
                self.things.remove(t)
        if len(self.other) < 3:
            first = self.things[0]
            self.other = [*self.other[:1], Thing(action), first] if action else self.other + [Thing(self.turn % 4)]
            self.things[0] = Thing(3, 4)
            first.v = 1
        near = []
        for t in self.things:
            if abs(t.x - action) < 2:
                near.append(t)
        for t in near:
            t.x = (t.x + 1) % 6
        return 0, float(len(near)) + len({t.x for t in self.things}), False, False, {}
        """,
        top="""
        class Thing:
            def __init__(self, x, v=1):
                self.x, self.v = x, v
        """,
        things="[Thing(i * 3 % 5, i) for i in range(3)]", other="[Thing(2)]", turn="0", score="0",
    )  # fmt: skip
    assert_plays_the_same(pair, episodes=16)


def test_names_for_lists_over_a_call() -> None:
    pair = game(
        """
        self.turn += 1
        before, same = self.pos, self.marks
        self.move(action)
        before[0] += 7
        same[1] = self.turn % 4
        self.n = before[0] * 10 + same[0]
        """,
        methods='''
        def move(self, far):
            """Move."""
            self.pos = [self.turn % 5, far]
            self.marks[0] = far
        ''',
        pos="[0, 0]", marks="[0, 0]", turn="0", n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_an_object_that_is_one_of_two_cannot_be_changed() -> None:
    with pytest.raises(Refused, match="may be one of two"):
        game(
            "a, b = Alien(1), Alien(2)\nc = a if action else b\nc.x += 1\nself.n += a.x", top=ALIENS, n="0"
        )  # fmt: skip


def test_one_of_two_objects_acts_as_the_one_that_is_meant() -> None:
    pair = game(
        """
        a, b = Bag(1), Bag(2)
        one = a if action > 1 else b
        one.bump(3)
        inside = one.inside
        inside[0] += 7
        if action % 2:
            last = Bag(4)
        else:
            last = a
        act = a.bump if self.n % 2 else last.bump
        act(5)
        self.n = (self.n + a.n * 10 + b.inside[0] + last.inside[0]) % 1000
        """,
        top="""
        class Bag:
            def __init__(self, n):
                self.n, self.inside = n, [n, n + 1]

            def bump(self, by):
                self.n += by
                self.inside[0] += by
        """,
        n="0",
    )  # fmt: skip
    assert_plays_the_same(pair, episodes=16)


def test_a_part_of_a_list_does_not_become_an_object_of_another() -> None:
    with pytest.raises(Refused, match="part of something else"):
        game("parts = [{'x': 1}, {'x': action}]\nself.l = [parts[1]]\nparts[1]['x'] = 7", l="[{'x': 0}]")


NEIGHBOURS = """
def neighbours(self, at):
    if at < 0:
        return
    yield at
    for far in (-1, 2):
        if 0 <= at + far < 6:
            yield at + far
    yield from (0, 5)
"""


def test_generators_that_are_taken_at_once() -> None:
    pair = game(
        """
        self.at = (self.at + action) % 6
        for place in self.neighbours(self.at):
            self.lit[place] = not self.lit[place]
        self.n = sum(self.neighbours(action)) + len([p for p in self.neighbours(self.at - 2) if p > 2])
        """,
        methods=NEIGHBOURS, at="0", n="0", lit="[False] * 6",
    )  # fmt: skip
    assert_plays_the_same(pair)


@pytest.mark.parametrize(
    ("step", "why"),
    {
        "found = self.neighbours(action)\nself.n += sum(found)": "is a generator",
        "for p in self.counted(3):\n    self.n = (self.n + p) % 9": "reads n, which the loop may change",
        "for i, p in enumerate(self.counted(3)):\n    self.n = p % 9": "reads n, which the loop may change",
        "self.m = sum([self.add(p) for p in self.counted(3)])": "reads n, which the loop may change",
        "l = self.l\nfor p in self.listed():\n    l[1] = p": "reads l, which the loop may change",
        "for p in (v + 1 for v in self.l):\n    self.l[1] = p": "reads l, which the loop may change",
        "for p in self.drawing(3):\n    self.m += p": "is a generator with side effects",
    }.items(),
)
def test_generators_that_are_not(step: str, why: str) -> None:
    more = """
def counted(self, most):
    for i in range(most):
        yield self.n + i

def add(self, p):
    self.n = (self.n + p) % 9
    return p

def listed(self):
    yield self.l[0] + 1
    yield self.l[1] + 1

def drawing(self, most):
    for i in range(most):
        yield self.np_random.integers(4)
"""
    with pytest.raises(Refused, match=why):
        game(step, methods=NEIGHBOURS + more, n="0", m="0", l="[0, 1]")


def test_sets() -> None:
    pair = game(
        """
        self.at = ((self.at[0] + (action == 0)) % 4, (self.at[1] + (action == 1) - (action == 2)) % 3)
        new = self.at not in self.seen
        self.seen.add(self.at)
        letter = "abcd"[action]
        if letter in self.tried and self.tried:
            self.tried.discard(letter)
        else:
            self.tried.add(letter)
        if action == 3 and 2 in self.doors:
            self.doors.remove(2)
        elif len(self.doors) < 2:
            self.doors.update([2, self.at[0]])
        if len(self.seen) > 9:
            self.seen = {self.at, (0, 0)}
            self.tried.clear()
        if action == 2:
            self.doors = {r - c for r, c in self.path}
        self.path = [*self.path[-3:], self.at]
        for r, c in self.path:
            self.marked.add(r)
        if len(self.marked) > 3:
            self.marked = set(c for r, c in self.path)
        self.low = sorted(self.marked)[0] + sum(self.doors)
        far = any(r > 1 and c == 1 for r, c in self.seen) + sum(r for r, c in self.seen if c)
        lit = np.zeros((4, 3), int)
        for place in self.seen:
            lit[place] = 1
        for r, c in self.seen:
            if r == c:
                far += 1
        return 0, float(new) + far + 10 * lit[action, 1], (9, -1) in self.seen, not self.seen, {}
        """,
        at="(0, 0)", seen="set()", doors="{-1, 2}", tried="set()", marked="set()", path="[]", low="0",
    )  # fmt: skip
    columns = assert_plays_the_same(pair, episodes=16)
    assert columns["state.seen"].shape[1:] == (4, 3)


@pytest.mark.parametrize(
    "step",
    [
        "for place in self.seen:\n    self.last = place",
        "self.last = [place for place in self.seen][-1]",
        "for place in self.seen:\n    self.lit[place] = 1\n    self.lit[3 - place] = 2",
        "for place in self.seen:\n    self.lit[self.lit[0]] = 3",
    ],
)
def test_the_order_of_a_set_is_python_s_own(step: str) -> None:
    with pytest.raises(Refused, match="may matter"):
        game(f"self.seen.add(action)\n{step}", seen="{0}", last="0", lit="[0] * 4")


def test_rows_that_give_way_to_none() -> None:
    pair = game(
        """
        self.turn += 1
        for i in range(len(self.rows)):
            row = self.rows[i]
            if row is not None:
                row[0] += 1 if row[1] else -1
                if row[0] < 0 or row[0] > 6:
                    self.rows[i] = None
                if row[0:1] == [action]:  # it is still the row that it was
                    self.n += row[0] + 1
        if self.rows[action] is None:
            self.rows[action] = [self.turn % 7, self.turn % 2]
        """,
        rows="[None] * 4", turn="0", n="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


def test_none_beside_numbers_in_a_list() -> None:
    pair = game(
        """
        self.turn += 1
        if self.slots[action] is None:
            self.slots[action] = self.turn % 5
        elif 3 in self.slots:
            self.slots[self.slots.index(3)] = None
        left = list(self.marks)
        for i in range(5):
            if left[i] == action:
                left[i] = None
        for i in range(5):
            if i + 1 in left:
                left[left.index(i + 1)] = None
                self.score += {True: 2, False: 1}[i > action]
        free = sum(1 for s in self.slots if s is None)
        if free == 0:
            self.slots = [None] * 4
        self.marks[action] = self.turn % 6
        """,
        slots="[None] * 4", marks="[0, 1, 2, 3, 2]", turn="0", score="0",
    )  # fmt: skip
    assert_plays_the_same(pair)


BALL = """
class Ball:
    def __init__(self, x, lively):
        self.x, self.lively = x, lively
        self.at = (x, 0)
"""
STEADY = """
self.balls[action % 3].x += 1
rows = []
for ball in self.balls:
    if ball.lively:
        rows.append(np.array([ball.x, ball.at[0]]))
    else:
        rows.append(np.zeros(2, int))
    ball.lively = ball.x % 2 == 0
self.seen = np.concatenate([*rows, [len(self.balls)]])
"""


def test_a_list_of_objects_that_is_always_as_long_is_written_out() -> None:
    pair = game(
        STEADY, top=BALL, made={"balls": "[]"},
        balls="[Ball(int(self.np_random.integers(5)), True) for _ in range(3)]", seen="np.zeros(7, int)",
    )  # fmt: skip
    assert_plays_the_same(pair)


@pytest.mark.parametrize("change", ["self.balls.pop()", "self.balls = [b for b in self.balls if b.x < 900]"])
def test_a_list_of_objects_that_only_seems_to_be_always_as_long(change: str) -> None:
    """Random games never get there, but a rule of the game does."""
    with pytest.raises(Refused, match=r"a variable-length list|is not an array"):
        game(
            f"{STEADY}\nif self.balls[0].x > 900:\n    {change}", top=BALL, made={"balls": "[]"},
            balls="[Ball(int(self.np_random.integers(5)), True) for _ in range(3)]", seen="np.zeros(7, int)",
        )  # fmt: skip


def test_a_list_of_objects_that_is_looked_at_while_a_start_fills_it() -> None:
    """What a method sees then is shorter than what a step sees."""
    with pytest.raises(Refused):
        game(
            STEADY, top=BALL, made={"balls": "[]"},
            methods="def _total(self):\n    self.n += 1\n    return sum(np.array([b.x for b in self.balls]))",
            n="0", balls="[]", seen="np.zeros(7, int)",
            start="for i in range(3):\n    self.balls.append(Ball(self._total() + 1, True))",
        )  # fmt: skip


def test_a_part_of_a_new_object_that_is_set_after_it_was_made() -> None:
    pair = game(
        """
        self.hero.bag["key"] = self.hero.bag.get("key", 0) + action
        if action == 3:
            self.hero = Hero(2)
            self.hero.bag = {"key": 1}
        self.sum += self.hero.bag["key"]
        """,
        top="""
        from dataclasses import dataclass, field

        @dataclass
        class Hero:
            x: int = 0
            bag: dict = field(default_factory=dict)
        """,
        start="""
        self.hero = Hero(1)
        self.hero.bag = {"key": 0}
        self.sum += self.hero.bag["key"]
        """,
        sum="0",
    )
    assert_plays_the_same(pair)
