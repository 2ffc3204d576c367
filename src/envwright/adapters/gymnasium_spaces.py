"""Spaces in Gymnasium's words."""

from typing import Any

import numpy as np

from envwright.core import Discrete, Space
from envwright.core.errors import missing_extra

try:
    from gymnasium import spaces
except ModuleNotFoundError:
    raise missing_extra("gymnasium", "gymnasium") from None


def to_gymnasium(space: Space) -> spaces.Space[Any]:
    """The same space, as one of Gymnasium's."""
    if isinstance(space, Discrete):
        return spaces.Discrete(space.n)
    # Bounds of the dtype itself: Gymnasium warns when it has to round them.
    low, high = (np.full(space.shape, bound, space.dtype) for bound in (space.low, space.high))
    return spaces.Box(low, high, space.shape, space.dtype.type)
