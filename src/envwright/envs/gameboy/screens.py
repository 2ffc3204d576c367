"""A screen of shades in the layouts that can be observed."""

import numpy as np
from numpy.typing import NDArray


def drawn(kind: str, shades: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(144, 160) of 0 to 3 as `grey`, `half`, `packed` or `half_packed`."""
    some = shades[..., ::2, ::2] if kind.startswith("half") else shades
    return packed(some) if kind.endswith("packed") else GREYS[some]


def packed(shades: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Four dots a byte, the leftmost in the two high bits."""
    four = shades.reshape(*shades.shape[:-1], -1, 4)
    return (four[..., 0] << 6 | four[..., 1] << 4 | four[..., 2] << 2 | four[..., 3]).astype(np.uint8)


def unpacked(screen: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The shades of a packed screen."""
    dots = np.stack([screen >> shift & 3 for shift in (6, 4, 2, 0)], axis=-1)
    return dots.reshape(*screen.shape[:-1], 4 * screen.shape[-1]).astype(np.uint8)


GREYS = np.array([255, 153, 85, 0], np.uint8)  # of the shades 0 to 3, as PyBoy has them
