"""The results as a picture for a paper: a panel a question, only those that were measured."""

import importlib.util
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from envwright.bench import machine
from envwright.bench.plan import PPO, RANDOM, best
from envwright.bench.race import Timing
from envwright.bench.report import Findings
from envwright.bench.sides import OURS, PEERS
from envwright.bench.stages import Final
from envwright.bench.text import LIMITS, number

# Okabe and Ito's colours, which the colour-blind can tell apart; markers tell them apart in print.
_STYLES = {OURS: ("#0072B2", "o")} | dict(
    zip(
        PEERS,
        (
            *(("#E69F00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#8C8C8C", "v")),
            *(("#D55E00", "P"), ("#56B4E9", "X"), ("#000000", "<"), ("#F0E442", ">")),
        ),
        strict=True,
    )
)
_GREY = "#555555"
_PANEL = (3.6, 2.5)  # inches; two abreast fill a page's width
_SETTINGS: dict[Any, Any] = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.linewidth": 0.6,
    "grid.linewidth": 0.4,
    "grid.color": "#DDDDDD",
    "legend.frameon": False,
    "legend.fontsize": 7,
}
_WHISKERS = {"ecolor": _GREY, "elinewidth": 0.8, "capsize": 2}


def draw(found: Findings, path: Path) -> Path | None:
    """Draw what was measured; None if nothing was, or without matplotlib. Written whole or not at all."""
    panels = _panels(found)
    if not panels or importlib.util.find_spec("matplotlib") is None:
        return None
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    columns = 1 if len(panels) == 1 else 2
    rows = -(-len(panels) // columns)
    with plt.rc_context(_SETTINGS):
        figure = plt.figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows + 0.25), layout="constrained")
        # A figure each, so that long names in one panel do not make another one narrow.
        places = figure.subfigures(rows, columns, squeeze=False).flat
        for letter, panel, place in zip("abcdef", panels, places, strict=False):
            title = panel(place.subplots())
            place.suptitle(f"({letter}) {title}", x=0.02, ha="left", fontsize=8.5, weight="bold")
        figure.suptitle(_title(found), fontsize=7 if columns > 1 else 5, color=_GREY)
        part = path.with_suffix(f".{os.getpid()}.part")
        figure.savefig(part, dpi=220, format="png")
        plt.close(figure)
    part.replace(path)
    return path


def _panels(found: Findings) -> list[Callable[[Any], str]]:
    panels: list[Callable[[Any], str]] = []
    if swept := found.sweeps.get(RANDOM):
        panels.append(lambda axes: _batches(axes, swept))
    if finals := found.finals.get(RANDOM):
        panels.append(lambda axes: _finals(axes, finals, "Random actions, best against best"))
    if trained := found.finals.get(PPO):
        panels.append(lambda axes: _finals(axes, trained, "PPO, best against best"))
    if found.shares:
        panels.append(lambda axes: _shares(axes, found))
    if swept:
        panels.append(lambda axes: _layouts(axes, swept))
    if found.roof:
        panels.append(lambda axes: _roof(axes, found))
    return panels


def _batches(axes: Any, swept: Sequence[Timing]) -> str:
    """Speed over the size of a batch, each side in the layout that is best there."""
    for name in _sides(swept):
        sizes = sorted({r.job.num_envs for r in swept if r.job.side == name})
        winners = [best([r for r in swept if r.job.num_envs == size], name) for size in sizes]
        found = [winner.summary for winner in winners if winner]
        colour, marker = _STYLES[name]
        middle = [s.median for s in found]
        spread = [[s.median - s.low for s in found], [s.high - s.median for s in found]]
        axes.errorbar(sizes, middle, spread, label=name, color=colour, marker=marker, ms=4, lw=1.3, capsize=2)
    axes.set(xscale="log", yscale="log", xlabel="environments", ylabel="steps a second")
    ticks = sorted({r.job.num_envs for r in swept})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.margins(y=0.15)
    axes.grid(axis="y")
    axes.legend()
    return "Random actions over batch size"


def _finals(axes: Any, finals: Sequence[Final], title: str) -> str:
    """Bars from top to bottom: a group a number of cores, a bar a side, and how many times as fast ours is."""
    names = _sides([r for final in finals for r in final.results])
    height, labels, places = 0.8 / len(names), [], []
    longest = max(r.summary.high for final in finals for r in final.results)
    for row, final in enumerate(finals):
        for i, name in enumerate(names):
            result = final.of(name)
            if result is None:
                continue
            place = row + (i - (len(names) - 1) / 2) * height
            _bar(axes, place, height, result, label=name if row == 0 else None)
            ratio = final.ratios.get(name)
            said = number(result.summary.median) + (f"  (ours {ratio.median:.3g}x)" if ratio else "")
            _say(axes, said, result.summary.high, place)
        labels.append(final.label.replace(", ", "\n"))
        places.append(row)
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set(xlim=(0, longest * 1.45), xlabel="steps a second")
    _count_in_words(axes)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=min(4, len(names)), handlelength=1.2)
    return title


def _layouts(axes: Any, swept: Sequence[Timing]) -> str:
    """Every layout of every side, at the batch that suits it."""
    pairs = dict.fromkeys((r.job.side, r.job.layout) for r in swept)
    winners = [best([r for r in swept if r.job.layout == layout], name) for name, layout in pairs]
    found = sorted((w for w in winners if w), key=lambda w: -w.summary.median)
    longest = max(r.summary.high for r in found)
    for row, result in enumerate(found):
        _bar(axes, row, 0.75, result)
        said = f"{number(result.summary.median)}, {result.job.num_envs:,} envs"
        _say(axes, said, result.summary.high, row)
    axes.set_yticks(range(len(found)), [f"{r.job.side}: {r.job.layout}" for r in found])
    axes.invert_yaxis()
    axes.set(xlim=(0, longest * 1.8), xlabel="steps a second")
    _count_in_words(axes)
    return "Layouts, random actions"


def _shares(axes: Any, found: Findings) -> str:
    for name in dict.fromkeys(share.update.job.side for share in found.shares):
        mine = [share for share in found.shares if share.update.job.side == name]
        middle = [100 * s.share.median for s in mine]
        below = [100 * (s.share.median - s.share.low) for s in mine]
        spread = [below, [100 * (s.share.high - s.share.median) for s in mine]]
        colour, marker = _STYLES[name]
        places = [s.parameters for s in mine]
        axes.errorbar(places, middle, spread, label=name, color=colour, marker=marker, ms=4, lw=1.3, capsize=2)
    ticks = sorted({share.update.job.sizes["parameters"] for share in found.shares})
    axes.set(xscale="log", yscale="log", xlabel="parameters", ylabel="share of PPO's time")
    axes.set_xticks(ticks, [number(tick) for tick in ticks])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}%")
    axes.margins(y=0.15)
    axes.grid(axis="y")
    axes.legend()
    return "The environment's share of training"


def _roof(axes: Any, found: Findings) -> str:
    assert found.roof is not None
    kinds = list(found.roof.limits)
    reached = [found.roof.reached(kind) for kind in kinds]
    for row, share in enumerate(reached):
        middle = 100 * share.median
        spread = [[middle - 100 * share.low], [100 * share.high - middle]]
        axes.barh(row, middle, 0.6, xerr=spread, color=_STYLES[OURS][0], error_kw=_WHISKERS)
        _say(axes, f"{middle:.0f}%", 100 * share.high, row)
    axes.axvline(100, color="black", lw=0.8, ls="--")
    axes.set_yticks(range(len(kinds)), [LIMITS[kind] for kind in kinds])
    axes.invert_yaxis()
    axes.set_xlim(0, 1.18 * max(100.0, *(100 * share.high for share in reached)))
    axes.set_xlabel("% of what the machine can do")
    return "How far from the roof"


def _bar(axes: Any, place: float, height: float, result: Timing, label: str | None = None) -> None:
    found = result.summary
    spread = [[found.median - found.low], [found.high - found.median]]
    colour = _STYLES[result.job.side][0]
    axes.barh(place, found.median, 0.92 * height, xerr=spread, color=colour, label=label, error_kw=_WHISKERS)


def _say(axes: Any, what: str, x: float, y: float) -> None:
    """A few words behind the end of a bar."""
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}  # over lines that cross
    axes.annotate(what, (x, y), (4, 0), textcoords="offset points", va="center", fontsize=6.5, bbox=paper)


def _sides(results: Sequence[Timing]) -> list[str]:
    """Ours first."""
    return sorted({r.job.side for r in results}, key=lambda name: (name != OURS, name))


def _count_in_words(axes: Any) -> None:
    axes.xaxis.set_major_formatter(lambda value, _: number(value))
    axes.locator_params(axis="x", nbins=4)


def _title(found: Findings) -> str:
    hardware = machine.hardware()
    options = "".join(f", {name} {value}" for name, value in found.plan.options.items())
    return (
        f"{found.plan.env}{options} on {hardware['processor']}, {found.plan.cores} cores. "
        "Medians; whiskers: slowest and fastest round (shares and roof: 95% bootstrap interval)."
    )
