"""Tables that the game looks things up in: lists, dicts, sets."""

import pytest
from before_and_after import Cases
from list_examples import X, Y

TABLES = {
    "a dict by a number": "{0: 5, 1: 7, 2: -1, 3: 4, 4: 4, 5: 9}[x]",
    "a named dict": "MOVES[x % 4][0] * 10 + MOVES[x % 4][1]",
    "a dict with other numbers": "SPARSE[10 if x > 3 else -5]",
    "get": "SPARSE.get(y, 77)",
    "get without a default": "1 if SPARSE.get(y) is None else 2",
    "get of pairs": "WINS.get((x % 3, y % 3), 0)",
    "a pair": "WINS[0, 1] + WINS.get((y % 3, x % 3), 5)",
    "membership": "y in SPARSE",
    "membership of pairs": "(x % 3, y % 3) in WINS",
    "set of pairs": "(x % 3, y % 3) in WALLS",
    "values and items": "sum(v * x for v in MOVES_OF.values()) + sum(k for k, _ in SPARSE.items())",
    "texts": "PRICES['apple'] * x + PRICES[NAMES[x % 3]]",
    "nested": "NESTED[x % 2]['gain'] * 10 + NESTED[y % 2]['loss']",
    "a local dict": "d = {'a': x, 'b': y}; d['a'] += 1; d['c'] = 3; return d['a'] * 100 + d['b'] * 10 + d['c']",
    "a local dict by a number": "d = {0: x, 1: y}; return d[x % 2]",
    "an enum": "Side(x % 3).value * 10 + int(Side(x % 3) == Side.RIGHT)",
    "an enum by name": "int(Side.LEFT.value == x % 3) + Side['RIGHT'].value",
    "an int enum": "Level.HIGH + x * (x == Level.LOW)",
    "texts compared": "name = 'up' if x > 3 else 'down'; return 1 if name == 'up' else 2",
    "texts in a list": "name = NAMES[x % 3]; return 1 if name in ('apple', 'fig') else 2",
    "texts' length": "len(NAMES[x % 3])",
    "a text indexed": "int('31415'[x % 5])",
    "a match": """
        match x:
            case 0:
                r = 5
            case 1 | 2:
                r = 6
            case _:
                r = y
        return r""",
    "a match of pairs": """
        match (x % 3, y):
            case (0, 1) | (1, _) if y > 0:
                r = 5
            case (2, v):
                r = v * 2
            case other:
                r = other[0] + 7
        return r""",
    "get of one of several texts": "PRICES.get(NAMES[x % 3], 7) + PRICES.get('figs' if y > 2 else 'fig', x)",
    "two texts compared": "(NAMES[x % 3] == NAMES[y % 3]) + 2 * (NAMES[x % 3] != ('fig' if y > 2 else 'pear'))",
    "a text from the end": "1 if NAMES[y % 3 - 3] == 'pear' else 2",
    "None or a number": """
        best = None
        for v in (x, y, 2):
            if v > 3 and (best is None or v < best):
                best = v
        return -1 if best is None else best""",
    "a list or a text": "isinstance(MIXED[x % 3], list) * 2 + isinstance(NAMES[x % 3], str)",
    "a number or None": "a = x if x > 2 else None; return isinstance(a, int) + 2 * isinstance(a, (str, type(None)))",
    "a member or a number": "a = Side(x % 3); return isinstance(a, Side) + 2 * isinstance(a, int) + 4 * (a.value > 0)",
    "a member that is a number": "a = Level.LOW if x > 2 else Level.HIGH; return isinstance(a, int) * x + (a is a)",
    "None and truth": "a = x if x > 2 else None; return y if a is None else a + y",
}
TABLES_TOP = """
from enum import Enum, IntEnum
class Side(Enum):
    MIDDLE = 0
    LEFT = 1
    RIGHT = 2
class Level(IntEnum):
    LOW = 1
    HIGH = 5
MOVES = {0: (0, 1), 1: (1, 0), 2: (0, -1), 3: (-1, 0)}
MOVES_OF = {'up': 1, 'down': 3}
SPARSE = {10: 3, -5: 8, 2: 1, 0: 6}
WINS = {(0, 1): 4, (1, 2): -3, (2, 2): 9}
WALLS = {(0, 0), (1, 2)}
PRICES = {'apple': 3, 'pear': 4, 'fig': 9}
MIXED = [[1, 2], 'fig', [3]]
NAMES = ['apple', 'pear', 'fig']
NESTED = [{'gain': 1, 'loss': 2}, {'gain': 3, 'loss': 4}]
"""


TABLES_WRONG: dict[str, str] = {}
TABLES_GAPS: dict[str, str] = {}
TABLES_CASES = Cases(TABLES, top=TABLES_TOP, x=X, y=Y)


@pytest.mark.parametrize("name", TABLES_CASES.parameters(TABLES_WRONG, TABLES_GAPS))
def test_tables(name: str) -> None:
    TABLES_CASES.assert_same(name)
