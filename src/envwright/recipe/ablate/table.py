"""Many trials, and what they say: repairs until green with every level, and with whole episodes alone."""

import json
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from envwright.recipe.ablate.trial import ARMS, AblationTrial, Judge, try_arm
from envwright.recipe.verifier import EPISODES, WHOLE

RESAMPLES = 2000
NAMES = {WHOLE: "all levels", EPISODES: "episodes alone"}


@dataclass(frozen=True)
class Arm:
    """What the trials of one arm came to; intervals are 95%, by bootstrap over trials."""

    name: str
    trials: int
    repairs: tuple[
        float, float, float
    ]  # mean, low, high; a trial that did not get there counts with all it was allowed
    right: tuple[float, float, float]  # share that ended without a fault
    deceived: int  # ended green, but not right
    seconds: float  # of judging, the mean of a trial


def run_trials(
    judge_for: Callable[[str, int], Judge],
    files: Mapping[str, str],
    modules: Mapping[str, str],
    *,
    trials: int,
    count: int,
    most: int,
    tell: Callable[[AblationTrial], None] = lambda trial: None,
) -> list[AblationTrial]:
    """Every arm on the same faults; `judge_for` gives an arm a verifier of its own for each trial."""
    found: list[AblationTrial] = []
    for seed in range(trials):
        for arm in ARMS:
            trial = try_arm(arm, seed, judge_for(arm, seed), files, modules, count, most)
            found.append(trial)
            tell(trial)
    return found


def summarise(trials: Sequence[AblationTrial], most: int) -> list[Arm]:
    """A row an arm."""
    rows: list[Arm] = []
    for arm in ARMS:
        own = [t for t in trials if t.arm == arm]
        rows.append(
            Arm(
                NAMES[arm],
                len(own),
                _interval([float(t.iterations if t.right else most) for t in own]),
                _interval([float(t.right) for t in own]),
                sum(t.green and not t.right for t in own),
                statistics.fmean(t.seconds for t in own),
            )
        )
    return rows


def ratio(trials: Sequence[AblationTrial], most: int) -> tuple[float, float, float]:
    """How many times the repairs of the full ladder episodes alone need, trial by trial on the same faults."""
    pairs = [_spent(trials, seed, most) for seed in sorted({t.seed for t in trials})]
    rng = random.Random(0)

    def of(sample: Sequence[tuple[float, float]]) -> float:
        return sum(b for _, b in sample) / max(sum(a for a, _ in sample), 1.0)

    resampled = sorted(of(rng.choices(pairs, k=len(pairs))) for _ in range(RESAMPLES))
    return of(pairs), resampled[int(0.025 * RESAMPLES)], resampled[int(0.975 * RESAMPLES)]


def _spent(trials: Sequence[AblationTrial], seed: int, most: int) -> tuple[float, float]:
    by_arm = {t.arm: float(t.iterations if t.right else most) for t in trials if t.seed == seed}
    return by_arm[WHOLE], by_arm[EPISODES]


def text(rows: Sequence[Arm], times: tuple[float, float, float]) -> str:
    """The table."""
    lines = [
        f"  {'':15} {'trials':>6}  {'repairs until right':>21}  {'ended right':>19}  {'green but wrong':>15}  judging"
    ]
    for row in rows:
        repairs = f"{row.repairs[0]:.1f} [{row.repairs[1]:.1f}, {row.repairs[2]:.1f}]"
        right = f"{row.right[0]:.0%} [{row.right[1]:.0%}, {row.right[2]:.0%}]"
        lines.append(
            f"  {row.name:15} {row.trials:6}  {repairs:>21}  {right:>19}  {row.deceived:15}  {row.seconds:5.0f} s"
        )
    lines.append(f"  episodes alone take {times[0]:.1f} [{times[1]:.1f}, {times[2]:.1f}] times the repairs")
    return "\n".join(lines)


def write(trials: Sequence[AblationTrial], rows: Sequence[Arm], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"arms": [asdict(row) for row in rows], "trials": [asdict(trial) for trial in trials]}
    path.write_text(json.dumps(content, indent=1) + "\n")


def _interval(values: Sequence[float]) -> tuple[float, float, float]:
    rng = random.Random(0)
    means = sorted(statistics.fmean(rng.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return statistics.fmean(values), means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]
