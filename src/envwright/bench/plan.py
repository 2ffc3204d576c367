"""What is raced: sizes, rounds, and the jobs of a sweep and of a final."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from envwright.bench.job import Job
from envwright.bench.race import Timing
from envwright.bench.sides import OURS, available, can, check, known_as, largest, side
from envwright.core.errors import EnvwrightError
from envwright.core.layouts import PROCESSES, SHARDED

RANDOM, PPO, SHARE, ROOF = "random", "ppo", "share", "roof"
PARTS = (RANDOM, PPO, SHARE, ROOF)

# One rollout and update of the PPO that is compared, the same on every side.
PPO_SIZES = {"steps": 128, "minibatches": 4, "epochs": 4, "hidden": 64}


# The environment's share of an update: one pass over a small rollout, the same at every size, so that only the network
# grows. More epochs would make the share smaller.
SHARE_SIZES = {"steps": 8, "minibatches": 1, "epochs": 1}
SHARE_ENVS = 32
PARAMETERS = (2_000_000, 20_000_000, 200_000_000)
SHARE_ROUNDS = 3  # an update of the largest takes seconds


@dataclass(frozen=True)
class BenchPlan:
    """A benchmark of one environment."""

    env: str  # one of our ids
    peers: tuple[str, ...]
    cores: int
    rounds: int = 5
    quick: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    native: bool = False  # not in JAX, so there are no devices to share it and no count of its operations

    @property
    def sides(self) -> tuple[str, ...]:
        return (*self.peers, OURS)

    @property
    def final_rounds(self) -> int:
        """More than in the sweep, because these are the figures people quote."""
        return 2 * self.rounds + 1

    def batches(self, what: str) -> tuple[int, ...]:
        """Environments over all cores (random actions) or of one agent (PPO), smallest first."""
        if what == PPO:
            return (64,) if self.quick else (64, 512)
        # What people quote, which every side can hold, and then what fills the cores.
        if self.quick:
            wanted: tuple[int, ...] = (1024, 4096 * self.cores)
        else:
            wanted = (256, 1024, 2048 * self.cores, 16384 * self.cores)
        return tuple(-(-n // self.cores) * self.cores for n in wanted)  # equal shares


def sweep_jobs(plan: BenchPlan, what: str, batch: int) -> list[Job]:
    """Every side in every layout it has, at one batch size."""
    jobs = []
    for name in plan.sides:
        if batch > largest(name, plan.env):
            continue
        for layout in side(name).layouts(what):
            if plan.native and name == OURS and layout == SHARDED:
                continue
            # Processes that train share nothing: an agent each, with a batch each.
            agents = plan.cores if what == PPO and layout.startswith(PROCESSES) else 1
            sizes = PPO_SIZES if what == PPO else {}
            jobs.append(Job(name, plan.env, what, layout, plan.cores, batch * agents, plan.options, sizes))
    return jobs


def share_jobs(plan: BenchPlan, parameters: int) -> list[Job]:
    """An update and its environments alone, of every side that trains with the networks of ours."""
    sizes = {**SHARE_SIZES, "parameters": parameters}
    return [
        Job(name, plan.env, SHARE, layout, plan.cores, SHARE_ENVS, plan.options, sizes)
        for name in plan.sides
        for layout in side(name).layouts(SHARE)
    ]


def parts_of(plan: BenchPlan, *, named: bool) -> tuple[str, ...]:
    """What is measured unless one part is asked for; `named` says that somebody chose the peers.

    Training takes longest, and is of no interest to who names peers that only step.
    """
    if plan.quick:
        return (RANDOM,)
    return PARTS if not named or can(plan.peers, PPO) else (RANDOM, ROOF)


def best(results: Sequence[Timing], name: str, *, together: bool | None = None) -> Timing | None:
    """The fastest of a side; `together` asks for layouts in which all cores work on one thing, or for the others."""
    mine = [r for r in results if r.job.side == name]
    if together is not None:
        mine = [r for r in mine if r.job.layout.startswith(PROCESSES) != together]
    return max(mine, key=lambda r: r.summary.median, default=None)


def on_cores(job: Job, cores: int) -> Job:
    """The same with another number of cores, and as many environments a core; one agent keeps its batch."""
    one_agent = job.what == PPO and not job.layout.startswith(PROCESSES)
    num_envs = job.num_envs if one_agent else job.num_envs * cores // job.cores
    return dataclasses.replace(job, cores=cores, num_envs=num_envs)


def parse_options(texts: Sequence[str]) -> dict[str, Any]:
    """`frameskip=8` as {"frameskip": 8}."""
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.isidentifier() and equals and value):
            raise EnvwrightError(f"'{text}' is not an option of an environment; write it like frameskip=8.")
        words = {"true": True, "false": False}
        options[name] = words[value] if value in words else int(value) if value.lstrip("-").isdecimal() else value
    return options


def choose_peers(env: str, against: str | None) -> tuple[str, ...]:
    """The peers named, each once, or all there are; raises for one that cannot race."""
    if against is None:
        return tuple(available(env))
    named = (name.strip().lower() for name in against.split(",") if name.strip())
    names = tuple(dict.fromkeys(known_as(name, env) for name in named))
    if not names:
        raise EnvwrightError("--against wants names of peers, such as: --against reference")
    for name in names:
        check(name, env)
    return names
