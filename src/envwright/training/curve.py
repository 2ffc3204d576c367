"""The learning curve of a run, as a picture."""

from pathlib import Path

import numpy as np

from envwright.training import metrics


def draw_curve(folder: Path) -> Path | None:
    """Mean return of episodes over steps, a line a seed; nothing where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in metrics.read(folder) if row["return"] is not None]
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for seed in dict.fromkeys(row["seed"] for row in rows):
        mine = [row for row in rows if row["seed"] == seed]
        steps, returns = np.array([row["steps"] for row in mine]), np.array([row["return"] for row in mine])
        (line,) = axes.plot(steps, returns, linewidth=0.6, alpha=0.35)
        axes.plot(steps, smooth(returns), linewidth=1.8, color=line.get_color(), label=f"seed {seed}")
    axes.set(xlabel="steps", ylabel="mean return of an episode")
    axes.spines[["top", "right"]].set_visible(False)
    if rows and len({row["seed"] for row in rows}) > 1:
        axes.legend(frameon=False)
    path = folder / "curve.png"
    figure.savefig(path, dpi=150)
    plt.close(figure)
    return path


def smooth(values: np.ndarray, share: float = 0.02) -> np.ndarray:
    """A running mean over the given share of all values, shorter at the ends."""
    half = int(len(values) * share / 2)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    low = np.maximum(np.arange(len(values)) - half, 0)
    high = np.minimum(np.arange(len(values)) + half + 1, len(values))
    return (sums[high] - sums[low]) / (high - low)
