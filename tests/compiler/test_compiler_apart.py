"""A few lists or objects in a list that are always the same ones: queues, hands, players."""

import pytest
from before_and_after import Refused
from small_games import assert_plays_the_same, game

PLAYER = """
class Player:
    def __init__(self, number, gold=3):
        self.number = number
        self.gold = gold
        self.hand = []
        self.effects = {"burn": 0, "slow": 0}

    def draw(self, card):
        if len(self.hand) < 5:
            self.hand.append(card)
        self.gold += 1

    def total(self):
        return sum(self.hand)
"""
FILL = """
self.t += 1
if len(self.queues[action % 2]) < 4:
    self.queues[action % 2].append(self.t)
elif action == 3:
    self.queues[1].clear()
"""
QUEUES = {
    "their lengths": "self.n = sum(len(q) for q in self.queues)",
    "their lengths, mapped": "self.n = sum(map(len, self.queues))",
    "the longest": "self.n = max(len(q) for q in self.queues)\nself.m = [len(q) for q in self.queues]",
    "what is in them": "self.n = sum(x for q in self.queues for x in q)",
    "whether one has any": "self.n = int(any(self.queues)) + len(self.queues)",
    "another list": "if len(self.queues[1]) > 3:\n    self.queues[1] = []",
    "other lists": "if self.t > 9:\n    self.queues = [[self.t], [action]]\n    self.t = 0",
    "from one to another": "if self.queues[0] and action < 2:\n    self.queues[1] = [self.queues[0].pop(0)]",
    "the shortest": "k = min(range(2), key=lambda j: len(self.queues[j]))\nif k:\n    self.queues[k].append(1)",
    "each": "for i, q in enumerate(self.queues):\n    if q and action == i:\n        q.pop(0)",
}


@pytest.mark.parametrize("step", QUEUES.values(), ids=QUEUES)
def test_lists(step: str) -> None:
    assert_plays_the_same(game(FILL + step, queues="[[], []]", n="0", m="[0, 0]", t="1"))


PLAYERS = {
    "all of them": """
        self.t += 1
        for p in self.players:
            p.draw(self.t % 7)
        me = self.players[0]
        if action == 2 and me.hand:
            me.hand.pop()
            me.effects["burn"] = 3
        self.n = sum(p.total() for p in self.players) + me.effects["burn"] - self.players[1].gold
        """,
    "by turns": """
        self.t += 1
        me, other = self.players[self.t % 3], self.players[(self.t + 1) % 3]
        me.draw(self.t % 7)
        if action == 2 and other.hand:
            other.gold -= other.hand.pop(0)
        if action == 1:
            me.effects["burn"] += 1
        self.n = me.total() - other.total() + me.effects["burn"] * 3
        """,
    "one of three": """
        self.t += 1
        me, target = self.players[self.t % 3], self.players[(self.t + 1 + action) % 3]
        me.draw(self.t % 7)
        me.effects["slow"] += action
        if target is not me and target.hand:
            target.gold -= target.hand.pop(0)
        self.n = me.total() - target.total() + me.effects["slow"] * 3
        """,
    "dicts in them": """
        for p in self.players:
            if action == 1:
                p.effects["burn"] = 2
            elif p.effects["burn"] > 0:
                p.effects["burn"] -= 1
        self.n = self.players[0].effects["burn"]
        """,
}


@pytest.mark.parametrize("step", PLAYERS.values(), ids=PLAYERS)
def test_objects(step: str) -> None:
    players = "[Player(0), Player(1, gold=5), Player(2)]"
    assert_plays_the_same(game(step, top=PLAYER, players=players, n="0", t="1"))


def test_one_of_two_objects() -> None:
    step = """
        me = self.one if self.t % 2 else self.two
        if action == 3:
            me = self.one
        me.draw(action)
        me.effects["burn"] = max(me.effects["burn"], action)
        me.gold += 2
        self.t += 1
        self.n = self.one.gold + self.one.effects["burn"] - self.two.gold
        """
    assert_plays_the_same(game(step, top=PLAYER, one="Player(0)", two="Player(1)", n="0", t="0"))


@pytest.mark.parametrize(
    ("deck", "counted"),
    [
        ("[(r, s) for r in range(8) for s in 'ab']", 'sum(r for r, s in self.hands[0] if s == "a")'),
        ("['x', 'y', 'z'] * 5", 'self.hands[0].count("x") - self.hands[1].count("y")'),
    ],
    ids=["tuples", "texts"],
)
def test_hands(deck: str, counted: str) -> None:
    step = f"""
        hand = self.hands[action % 2]
        if self.deck and len(hand) < 6:
            hand.append(self.deck.pop())
        elif hand:
            hand.pop(0)
        self.n = {counted}
        """
    start = "random.shuffle(self.deck)\nself.hands = [[self.deck.pop()], []]"
    assert_plays_the_same(game(step, start=start, deck=deck, n="0"))


@pytest.mark.parametrize(
    "step",
    [
        "self.players.reverse()",
        "self.players[0], self.players[1] = self.players[1], self.players[0]",
        "self.players.append(Player(2))\n    self.players.pop(0)",
        "random.shuffle(self.players)",
        "self.queues.reverse()",
        "self.queues[:] = [[1], [2]]",
    ],
)
def test_what_is_known_by_its_place_stays_there(step: str) -> None:
    change = "self.players[0].draw(action)\nself.players[1].draw(1)\nself.queues[action % 2].append(1)\n"
    change += f"self.queues[1 - action % 2].clear()\nself.t += 1\nif self.t == 50:\n    {step}"
    with pytest.raises(Refused, match=r"separate fields of the state|only one list|draws with"):
        game(change, top=PLAYER, players="[Player(0), Player(1)]", queues="[[], []]", t="0")
