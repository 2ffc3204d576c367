"""All of a benchmark, in order, and told as it goes."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from envwright.bench import text
from envwright.bench.job import Job
from envwright.bench.plan import PPO, RANDOM, ROOF, SHARE, BenchPlan, best, sweep_jobs
from envwright.bench.report import Findings
from envwright.bench.sides import OURS, can
from envwright.bench.stages import Final, Watch, at_each_batch, fastest_layout, finals, roof, shares, sweep
from envwright.core import layouts
from envwright.core.errors import EnvwrightError

TITLES = {RANDOM: "Random actions", PPO: "PPO"}


def bench(
    plan: BenchPlan, parts: Sequence[str], progress: Callable[[str], None], show: Callable[[str], None]
) -> Findings:
    """Measure the parts; `progress` gets what is going on, `show` every line that is ready to be read."""
    with tempfile.TemporaryDirectory(prefix="envwright-bench-") as compiled:
        return _bench(plan, parts, progress, show, Path(compiled))


def _bench(
    plan: BenchPlan,
    parts: Sequence[str],
    progress: Callable[[str], None],
    show: Callable[[str], None],
    compiled: Path,
) -> Findings:
    found = Findings(plan)
    watch = Watch(
        progress,
        measured=lambda result: show(text.sweep_row(result)),
        shared=lambda share: show(text.share_row(share)),
        left_out=found.left_out,
        compiled=compiled,
    )
    for what in (RANDOM, PPO):
        if what in parts and can(plan.sides, what):
            _race(plan, what, found, watch, show)
    if SHARE in parts:
        _share(plan, found, watch, show)
    if ROOF in parts and not plan.native:
        _roof(plan, found, watch, show)
    for reason in found.left_out:
        show(f"Left out: {reason}")
    return found


def _race(plan: BenchPlan, what: str, found: Findings, watch: Watch, show: Callable[[str], None]) -> None:
    cores = "1 core" if plan.cores == 1 else f"{plan.cores} cores"
    show(f"\n{TITLES[what]}, every layout and batch, {cores}; median (slowest-fastest) of {plan.rounds} rounds")
    show(text.sweep_head())
    swept = found.sweeps[what] = sweep(plan, what, watch)
    if not swept:
        raise EnvwrightError(f"Nothing could be measured. {found.left_out[0] if found.left_out else ''}".strip())
    for line in text.exceptions(swept):
        show(line)
    if what == RANDOM:
        found.batches = at_each_batch(plan, what, swept)
        _rows(f"Random actions at each batch, the best layout of each side, {plan.rounds} rounds", found.batches, show)
    found.finals[what] = finals(plan, what, swept, watch)
    _rows(
        f"{TITLES[what]}, the best of each side against each other, {plan.final_rounds} rounds",
        found.finals[what],
        show,
    )
    if layout := fastest_layout(what, swept):
        found.fastest[what] = layout
        layouts.remember(plan.env, what, layout)
        show(f"  The fastest layout of ours here is '{layout}'; remembered for this machine.")


def _rows(title: str, finals: Sequence[Final], show: Callable[[str], None]) -> None:
    if finals:
        show(f"\n{title}")
        for row in text.final_rows(finals):
            show(row)


def _share(plan: BenchPlan, found: Findings, watch: Watch, show: Callable[[str], None]) -> None:
    show("\nThe environment's share of PPO's time, by the size of the network (one epoch, one minibatch)")
    show(text.share_head())
    found.shares = shares(plan, watch)


def _roof(plan: BenchPlan, found: Findings, watch: Watch, show: Callable[[str], None]) -> None:
    winner = best(found.sweeps.get(RANDOM, []), OURS)
    ours = winner.job if winner else _likely_fastest(plan)
    found.roof = roof(plan, ours, watch)
    if found.roof is not None:
        show(f"\nHow far from the roof: {ours.label}; flops and bytes of a step by XLA's count")
        for row in text.roof_rows(found.roof):
            show(row)


def _likely_fastest(plan: BenchPlan) -> Job:
    """Without a sweep: the layout remembered, else sharded, at the middle batch."""
    batches = plan.batches(RANDOM)
    layout = layouts.recall(plan.env, RANDOM) or layouts.SHARDED
    jobs = sweep_jobs(plan, RANDOM, batches[len(batches) // 2])
    return next(job for job in jobs if job.side == OURS and job.layout == layout)
