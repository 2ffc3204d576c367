"""Numbers on the command line, refused in one sentence when they are none."""

import argparse
from collections.abc import Callable

LARGEST_SEED = 2**32 - 1


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """A type for `add_argument`: a whole number within bounds."""

    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
            bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number {bounds}")
        return int(text)

    return parse


def dollars_given(text: str) -> float:
    """A type for `add_argument`: an amount of money."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1_000_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not an amount of dollars")
    return value
