"""A picture as text. A character cell shows two pixels, one above the other: `▀` in one colour on another."""

import itertools

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # (height, width, 3)

RESET = "\x1b[0m"


def fit(height: int, width: int, columns: int, rows: int) -> tuple[int, int]:
    """The largest height (even) and width in half cells that keep the picture's shape and fit the cells."""
    scale = min(columns / width, 2 * rows / height)
    return max(2, 2 * int(height * scale / 2)), max(1, int(width * scale))


def resize(frame: Pixels, height: int, width: int) -> Pixels:
    """The picture at another size: smaller by averaging, larger by repeating."""
    # Four samples a side are average enough for a cell; a 640-line picture then costs a quarter.
    frame = frame[:: max(1, frame.shape[0] // (4 * height)), :: max(1, frame.shape[1] // (4 * width))]
    return _resize_axis(_resize_axis(frame, height, 0), width, 1)


def _resize_axis(frame: Pixels, size: int, axis: int) -> Pixels:
    before = frame.shape[axis]
    edges = np.arange(size + 1) * before // size
    if size >= before:
        return np.take(frame, edges[:-1], axis=axis)
    # Sums of the runs between the edges; a run is fewer than ten samples, so 16 bits hold its sum.
    sums = np.add.reduceat(frame, edges[:-1], axis=axis, dtype=np.uint16)
    counts = np.diff(edges).astype(np.uint16)
    return (sums // np.expand_dims(counts, tuple(i for i in range(3) if i != axis))).astype(np.uint8)


def text_row(top: Pixels, bottom: Pixels) -> str:
    """Two rows of pixels, each (width, 3), as one row of cells; colours are named only where they change."""
    pairs = np.concatenate([top, bottom], axis=1)
    starts = np.flatnonzero(np.any(pairs[1:] != pairs[:-1], axis=1)) + 1
    bounds = [0, *starts.tolist(), len(pairs)]
    parts = []
    for begin, end in itertools.pairwise(bounds):
        r, g, b, r2, g2, b2 = pairs[begin].tolist()
        parts.append(f"\x1b[38;2;{r};{g};{b};48;2;{r2};{g2};{b2}m" + "▀" * (end - begin))
    return "".join(parts) + RESET


def changes(before: Pixels | None, now: Pixels, row: int = 1, column: int = 1) -> str:
    """What to print so that a screen that shows `before` shows `now`, its corner at `row` and `column` (from 1)."""
    lines = []
    for i in range(0, len(now), 2):
        if before is None or not np.array_equal(before[i : i + 2], now[i : i + 2]):
            lines.append(f"\x1b[{row + i // 2};{column}H{text_row(now[i], now[i + 1])}")
    return "".join(lines)
