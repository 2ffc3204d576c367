"""Findings that nobody measured, for tests of what is made of them."""

import dataclasses
from typing import Any

from envwright.bench.job import Job
from envwright.bench.plan import PARAMETERS, PPO, RANDOM, SHARE_SIZES, BenchPlan
from envwright.bench.race import Timing
from envwright.bench.report import Findings
from envwright.bench.stages import Roof, Share, at_each_batch, final
from envwright.bench.statistics import ratio

PLAN = BenchPlan("CartPole-v1", ("gymnax", "rejax"), cores=2)
SWEPT = (
    ("gymnax", "plain", 6e6),
    ("gymnax", "processes, tuned", 2e7),
    ("envwright", "plain", 1.4e7),
    ("envwright", "sharded", 1.4e8),
    ("envwright", "processes", 1.5e8),
)
LIMITS = {"matmul": 2e11, "chain": 1.5e11, "cache": 3e11, "memory": 2e10}


def result(side: str, layout: str, num_envs: int, rate: float, what: str = RANDOM, part: str = "run") -> Timing:
    job = Job(side, PLAN.env, what, layout, PLAN.cores, num_envs)
    return Timing(job, part, [rate, 0.9 * rate, 1.05 * rate], 1.5, 2**28, {"autoreset": "fresh"})


def findings() -> Findings:
    """All parts of a benchmark."""
    found = Findings(PLAN, load=[0.5, 0.4, 0.3])
    found.sweeps[RANDOM] = [
        result(side, layout, size, rate * size / (size + 2000))
        for size in (256, 2048, 8192, 32768)
        for side, layout, rate in SWEPT
    ]
    found.batches = at_each_batch(PLAN, RANDOM, found.sweeps[RANDOM])
    found.finals[RANDOM] = [_duel(RANDOM, "1 core", 1, "gymnax", 1e7), _duel(RANDOM, "2 cores", 2, "gymnax", 2e7)]
    found.finals[PPO] = [
        _duel(PPO, "1 core, one agent", 1, "rejax", 1.4e5),
        _duel(PPO, "2 cores, an agent a core", 2, "rejax", 2e5),
    ]
    found.shares = [_share(parameters) for parameters in PARAMETERS]
    limits = {kind: result("machine", "processes", 512, rate, "roof", kind) for kind, rate in LIMITS.items()}
    found.roof = Roof(result("envwright", "sharded", 8192, 2e8), limits, flops_a_step=200.0, bytes_a_step=300.0)
    found.fastest = {RANDOM: "processes", PPO: "plain"}
    found.left_out.append("This could not be measured: gymnax, sharded: no reason.")
    return found


def _duel(what: str, label: str, cores: int, peer: str, rate: float) -> Any:
    return final(
        what, label, cores, [result(peer, "plain", 64, rate, what), result("envwright", "plain", 64, 7 * rate, what)]
    )


def _share(parameters: int) -> Share:
    sizes = {**SHARE_SIZES, "parameters": parameters}
    alone, update = (
        dataclasses.replace(r, job=dataclasses.replace(r.job, sizes=sizes), facts={"parameters": parameters})
        for r in (result("envwright", "one device", 32, rate, "share") for rate in (2e6, 1e10 / parameters))
    )
    return Share(alone, update, ratio(update.rates, alone.rates))
