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
