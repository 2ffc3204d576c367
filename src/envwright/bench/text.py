"""Results as a person reads them in a terminal."""

from collections.abc import Sequence
from typing import Any

from envwright.bench.plan import BenchPlan
from envwright.bench.race import Timing
from envwright.bench.roof import UNITS
from envwright.bench.sides import OURS
from envwright.bench.stages import Final, Roof, Share
from envwright.bench.statistics import Ratio, Spread

A_STEP = (
    "A step is one decision of an agent: one call of the environment, whatever frames it plays. Unless said below,\n"
    "every side writes its observations, rewards and flags at every step and begins a new episode where one ended\n"
    "(auto-reset: fresh)."
)
COMPILE = (
    "Compile: seconds to build and make the first call, imports apart. Memory: the peak of all processes of a side,\n"
    "beyond that of idle ones."
)
LIMITS = {
    "matmul": "matrix product",
    "chain": "multiply-adds, cached",
    "cache": "triad, cached",
    "memory": "triad, main memory",
}
_SIZES = ((1e9, " G"), (1e6, " M"), (1e3, " k"), (0.0, ""))
_SWEEP = (-12, -23, 8, 24, 9, 10)  # widths of columns; negative ones begin on the left
_FINAL = (-26, -11, -23, 19, 20, 21)
_SHARE = (-12, 11, 14, 22, 20, 28)
_ROOF = (-24, 26, 14, 16, 22)


def heading(plan: BenchPlan, hardware: dict[str, Any], load: Sequence[float]) -> str:
    """What is measured, where, and what a step is."""
    options = "".join(f", {name} {value}" for name, value in plan.options.items())
    busy = f"; load {load[0]:.1f}" if load else ""
    return (
        f"{plan.env}{options}, against {', '.join(plan.peers) or 'nobody: no peer that has it is installed'}\n"
        f"{hardware['processor']}, {hardware['cores_used']} of {hardware['cores']} cores{busy}\n{A_STEP}\n{COMPILE}"
    )


def number(value: float) -> str:
    """Three digits and a unit: 252 M."""
    size, unit = _size(value)
    return f"{_three(value / size)}{unit}"


def spread(found: Spread, unit: str = "") -> str:
    """252 M (236-266): the median, the slowest and the fastest round."""
    size, prefix = _size(found.median)
    median, low, high = (_three(x / size) for x in (found.median, found.low, found.high))
    return f"{median}{prefix}{unit} ({low}-{high})"


def times(found: Ratio) -> str:
    """6.39 [6.06, 6.85]"""
    return f"{_three(found.median)} [{_three(found.low)}, {_three(found.high)}]"


def percent(found: Ratio) -> str:
    """3.1% [2.9, 3.3]"""
    median, low, high = (f"{100 * x:.2g}" if x < 1 else f"{100 * x:.0f}" for x in (found.median, found.low, found.high))
    return f"{median}% [{low}, {high}]"


def sweep_head() -> str:
    return _line(("side", "layout", "envs", "steps a second", "compile", "memory"), _SWEEP)


def sweep_row(result: Timing) -> str:
    job, memory = result.job, f"{result.memory / 2**20:.0f} MB"
    seconds = f"{result.compile_seconds:.1f} s"
    return _line((job.side, job.layout, f"{job.num_envs:,}", spread(result.summary), seconds, memory), _SWEEP)


def exceptions(results: Sequence[Timing]) -> list[str]:
    """Whose steps are something else than the others', a line a side."""
    counted = {r.job.side: r.facts["counted"] for r in results if "counted" in r.facts}
    return [f"  A step of {side} is {what}." for side, what in counted.items()]


def final_rows(finals: Sequence[Final]) -> list[str]:
    """A line a peer and a number of cores; without peers, ours alone."""
    rows = [_line(("", "peer", "its layout", "peer steps/s", "envwright steps/s", "ratio [95%]"), _FINAL)]
    for found in finals:
        ours = found.of(OURS)
        if ours is None:
            continue
        speed = spread(ours.summary)
        for peer in (r for r in found.results if r is not ours):
            who = peer.job.side, peer.job.layout
            cells = (found.label, *who, spread(peer.summary), speed, times(found.ratios[peer.job.side]))
            rows.append(_line(cells, _FINAL))
        if not found.ratios:
            rows.append(_line((found.label, "-", "-", "-", speed, "-"), _FINAL))
    return rows


def share_head() -> str:
    return _line(("side", "parameters", "envs x steps", "env alone steps/s", "PPO steps/s", "share of time"), _SHARE)


def share_row(found: Share) -> str:
    job = found.update.job
    batch = f"{job.num_envs} x {job.sizes['steps']}"
    alone, update = spread(found.alone.summary), spread(found.update.summary)
    return _line((job.side, number(found.parameters), batch, alone, update, percent(found.share)), _SHARE)


def roof_rows(found: Roof) -> list[str]:
    """A line a limit: what the machine can do, what a step asks of it, what our fastest run reaches."""
    rows = [_line(("limit", "the machine can", "a step asks", "ours reaches", "of the limit"), _ROOF)]
    speed = found.ours.summary.median
    for kind, limit in found.limits.items():
        unit, asked = ("FLOP", found.flops_a_step) if UNITS[kind] == "flops" else ("B", found.bytes_a_step)
        can, reached = spread(limit.summary, f"{unit}/s"), f"{number(asked * speed)}{unit}/s"
        rows.append(_line((LIMITS[kind], can, f"{asked:.0f} {unit}", reached, percent(found.reached(kind))), _ROOF))
    if found.loops:
        rows.append("  A step holds a loop, whose body XLA counts once: what is asked and reached is more than this.")
    return rows


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = (cell.rjust(width) if width > 0 else cell.ljust(-width) for cell, width in zip(cells, widths, strict=True))
    return "  " + "".join(shown).rstrip()


def _size(value: float) -> tuple[float, str]:
    size, unit = next((size, unit) for size, unit in _SIZES if abs(value) >= size)
    return size or 1.0, unit


def _three(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
