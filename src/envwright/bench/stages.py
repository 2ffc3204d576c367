"""The races of a benchmark, in order: a sweep over batches and layouts, then a final among the winners."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envwright.bench.job import Job
from envwright.bench.plan import PARAMETERS, PPO, ROOF, SHARE_ROUNDS, BenchPlan, best, on_cores, share_jobs, sweep_jobs
from envwright.bench.race import Timing, race
from envwright.bench.roof import UNITS
from envwright.bench.sides import MACHINE, OURS, can
from envwright.bench.statistics import Ratio, ratio
from envwright.core.layouts import LAYOUTS, PROCESSES
from envwright.core.rollout import TILE


def _quiet(text: str) -> None:
    del text


@dataclass
class Watch:
    """Who is told what, while it happens; and what had to be left out."""

    progress: Callable[[str], None] = _quiet
    measured: Callable[[Timing], None] = lambda result: None
    shared: "Callable[[Share], None]" = lambda share: None
    left_out: list[str] = field(default_factory=list)
    compiled: Path | None = None  # a folder for programs: what was raced in a sweep is not compiled again for a final

    def give_up(self, job: Job, reason: str) -> None:
        del job  # the reason names it
        self.left_out.append(reason)

    def race(self, jobs: Sequence[Job], rounds: int) -> list[Timing]:
        """A race that is told to those who watch."""
        return race(jobs, rounds=rounds, progress=self.progress, give_up=self.give_up, compiled=self.compiled)


@dataclass(frozen=True)
class Final:
    """The best of every side against each other, and how many times as fast ours is."""

    what: str
    label: str
    cores: int
    results: list[Timing]
    ratios: dict[str, Ratio]  # by peer

    def of(self, name: str) -> Timing | None:
        return next((r for r in self.results if r.job.side == name), None)


@dataclass(frozen=True)
class Share:
    """How much of PPO's time goes into the environment."""

    alone: Timing  # the rollout without the network
    update: Timing
    share: Ratio

    @property
    def parameters(self) -> int:
        return self.update.facts["parameters"]


@dataclass(frozen=True)
class Roof:
    """What a step asks, by XLA's count, beside what the machine can do."""

    ours: Timing
    limits: dict[str, Timing]  # by kind of work, per second
    flops_a_step: float
    bytes_a_step: float
    loops: bool = False  # a step holds a loop, whose body XLA counts once: it asks for more than is said here

    def reached(self, kind: str) -> Ratio:
        """How much of a limit is used."""
        asked = self.flops_a_step if UNITS[kind] == "flops" else self.bytes_a_step
        return ratio([rate * asked for rate in self.ours.rates], self.limits[kind].rates)


def sweep(plan: BenchPlan, what: str, watch: Watch) -> list[Timing]:
    """All sides, layouts and batches; those of one batch take turns."""
    found: list[Timing] = []
    for batch in plan.batches(what):
        jobs = sweep_jobs(plan, what, batch)
        results = watch.race(jobs, plan.rounds)
        for result in results:
            watch.measured(result)
        found += results
    return found


def at_each_batch(plan: BenchPlan, what: str, swept: list[Timing]) -> list[Final]:
    """Each side in the layout that was best at a batch, out of the rounds in which all took turns at that batch."""
    cores = "1 core" if plan.cores == 1 else f"{plan.cores} cores"
    found = []
    for batch in dict.fromkeys(r.job.num_envs for r in swept):
        winners = [best([r for r in swept if r.job.num_envs == batch], name) for name in plan.sides]
        found.append(final(what, f"{batch:,} envs, {cores}", plan.cores, [w for w in winners if w]))
    return [one for one in found if one.ratios]


def finals(plan: BenchPlan, what: str, swept: list[Timing], watch: Watch) -> list[Final]:
    """Each side in its best layout at its best batch, measured anew: the best of many was partly fast by chance."""
    heats: list[tuple[str, int, bool | None]] = [("1 core", 1, None)]
    if plan.cores > 1:
        heats.append((f"{plan.cores} cores", plan.cores, None))
    if what == PPO:  # training one agent and training one on every core are different things
        heats = [("1 core, one agent", 1, True)]
        if plan.cores > 1:
            heats += [(f"{plan.cores} cores, one agent", plan.cores, True)]
            heats += [(f"{plan.cores} cores, an agent a core", plan.cores, False)]
    found = []
    for label, cores, together in heats:
        winners = [best(swept, name, together=together) for name in can(plan.sides, what)]
        jobs = [on_cores(winner.job, cores) for winner in winners if winner]
        results = watch.race(jobs, plan.final_rounds)
        found.append(final(what, label, cores, results))
    return found


def final(what: str, label: str, cores: int, results: list[Timing]) -> Final:
    ours = next((r for r in results if r.job.side == OURS), None)
    others = [r for r in results if r.job.side != OURS]
    ratios = {r.job.side: ratio(ours.rates, r.rates) for r in others} if ours else {}
    return Final(what, label, cores, results, ratios)


def shares(plan: BenchPlan, watch: Watch) -> list[Share]:
    """Size after size, because the largest networks fill the memory."""
    found = []
    for parameters in PARAMETERS[:1] if plan.quick else PARAMETERS:
        results = watch.race(share_jobs(plan, parameters), min(plan.rounds, SHARE_ROUNDS))
        for alone, update in zip(results[::2], results[1::2], strict=True):
            # Both are steps a second: the same steps take so much less time without the network.
            found.append(Share(alone, update, ratio(update.rates, alone.rates)))
            watch.shared(found[-1])
    return found


def roof(plan: BenchPlan, job: Job, watch: Watch) -> Roof | None:
    """Our fastest and the limits of the machine, turn by turn on the same cores."""
    limits = Job(MACHINE, plan.env, ROOF, PROCESSES, job.cores, TILE * job.cores, plan.options)
    results = watch.race([job, limits], plan.rounds)
    ours = next((r for r in results if r.job.side == OURS), None)
    found = {r.part: r for r in results if r.job.side == MACHINE}
    if ours is None or not found:
        return None
    cost = next(iter(found.values())).facts
    return Roof(ours, found, cost["flops_a_step"], cost["bytes_a_step"], cost["loops"])


def fastest_layout(what: str, swept: list[Timing]) -> str | None:
    """Ours to remember for this machine: the fastest that does the whole job, so for PPO one that trains one agent."""
    winner = best([r for r in swept if r.job.layout in LAYOUTS], OURS, together=True if what == PPO else None)
    return winner.job.layout if winner else None
