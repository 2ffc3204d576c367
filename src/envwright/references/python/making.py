"""Making originals alike: what chance decides when one is made, or its module imported, is the same for all of them, so
that every process has the same game. Chance in play is not touched."""

import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.random import bit_generator

SEED = 0


@contextmanager
def alike(seed: int = SEED) -> Iterator[None]:
    """While this is open, the generators that everybody shares begin at the same place, and so does each new one that
    is given no seed: the first like all first ones, the second like all second ones."""
    entropy = itertools.count(seed * 2**32)
    unseeded, seed_python = bit_generator.randbits, random.Random.seed  # pyright: ignore[reportAttributeAccessIssue]

    def seed_again(self: random.Random, a: Any = None, version: int = 2) -> None:
        seed_python(self, next(entropy) if a is None else a, version)

    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    bit_generator.randbits = lambda _: next(entropy)  # pyright: ignore[reportAttributeAccessIssue]
    random.Random.seed = seed_again
    try:
        np.random.seed(seed)  # noqa: NPY002
        random.seed(seed)
        yield
    finally:
        bit_generator.randbits = unseeded  # pyright: ignore[reportAttributeAccessIssue]
        random.Random.seed = seed_python
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])


def made_alike(make: Callable[[], Any], seed: int = SEED) -> Any:
    with alike(seed):
        return make()
