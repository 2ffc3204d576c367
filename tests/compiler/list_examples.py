"""Examples for tests of lists: lists of numbers, some of them empty, and of pairs; and numbers."""

import numpy as np

RNG = np.random.default_rng(2)
ROWS = 48
L = [RNG.integers(0, 6, RNG.integers(1, 7)).tolist() for _ in range(ROWS)]
E = [[], *([RNG.integers(0, 6, RNG.integers(0, 5)).tolist() for _ in range(ROWS - 2)]), []]  # some are empty
T = [RNG.integers(0, 3, (RNG.integers(1, 5), 2)).tolist() for _ in range(ROWS)]  # lists of pairs
X = RNG.integers(0, 6, ROWS)
Y = RNG.integers(-3, 6, ROWS)
