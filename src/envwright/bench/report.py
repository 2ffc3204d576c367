"""Everything a benchmark found, in one file."""

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.bench import machine
from envwright.bench.plan import BenchPlan
from envwright.bench.race import Timing
from envwright.bench.roof import UNITS
from envwright.bench.stages import Final, Roof, Share
from envwright.bench.text import A_STEP

VERSION = 1
PACKAGES = (
    *("envwright", "jax", "jaxlib", "numpy", "gymnax", "gymnasium", "rejax", "flax", "optax"),
    *("mujoco", "mujoco-mjx", "brax", "envpool"),
)


@dataclass
class Findings:
    """What has been measured so far."""

    plan: BenchPlan
    load: list[float] = field(default_factory=machine.load)
    sweeps: dict[str, list[Timing]] = field(default_factory=dict)  # by what: random, ppo
    batches: list[Final] = field(default_factory=list)  # random actions, batch by batch
    finals: dict[str, list[Final]] = field(default_factory=dict)
    shares: list[Share] = field(default_factory=list)
    roof: Roof | None = None
    fastest: dict[str, str] = field(default_factory=dict)  # our layout, by what
    left_out: list[str] = field(default_factory=list)


def document(found: Findings) -> dict[str, Any]:
    """The findings as JSON, raw rates included."""
    return {
        "version": VERSION,
        "env": found.plan.env,
        "options": found.plan.options,
        "step": A_STEP.replace("\n", " "),
        "machine": machine.hardware(),
        "versions": machine.versions(PACKAGES),
        "load": {"before": found.load, "after": machine.load()},
        "rounds": {"sweep": found.plan.rounds, "final": found.plan.final_rounds},
        "sweeps": {what: [_result(r) for r in results] for what, results in found.sweeps.items()},
        "batches": [_final(f) for f in found.batches],
        "finals": {what: [_final(f) for f in finals] for what, finals in found.finals.items()},
        "shares": [_share(s) for s in found.shares],
        "roof": None if found.roof is None else _roof(found.roof),
        "fastest_layout": found.fastest,
        "left_out": found.left_out,
    }


def write(found: Findings, path: Path) -> None:
    """Written whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(document(found), indent=2) + "\n")
    part.replace(path)


def _result(result: Timing) -> dict[str, Any]:
    return {
        **dataclasses.asdict(result.job),
        "part": result.part,
        "steps_a_second": dataclasses.asdict(result.summary),
        "rates": result.rates,
        "compile_seconds": result.compile_seconds,
        "memory_bytes": result.memory,
        "facts": result.facts,
    }


def _final(final: Final) -> dict[str, Any]:
    return {
        "label": final.label,
        "cores": final.cores,
        "results": [_result(r) for r in final.results],
        "ratios": {peer: dataclasses.asdict(ratio) for peer, ratio in final.ratios.items()},
    }


def _share(share: Share) -> dict[str, Any]:
    return {
        "side": share.update.job.side,
        "parameters": share.parameters,
        "share": dataclasses.asdict(share.share),
        "env_alone": _result(share.alone),
        "update": _result(share.update),
    }


def _roof(roof: Roof) -> dict[str, Any]:
    return {
        "flops_a_step": roof.flops_a_step,
        "bytes_a_step": roof.bytes_a_step,
        "loops": roof.loops,
        "ours": _result(roof.ours),
        "limits": {
            kind: {"a_second": dataclasses.asdict(limit.summary), "rates": limit.rates, "unit": UNITS[kind]}
            for kind, limit in roof.limits.items()
        },
        "reached": {kind: dataclasses.asdict(roof.reached(kind)) for kind in roof.limits},
    }
