"""The contracts and the findings that come with envwright, about environments that others ship."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from envwright.verifier import contract as contracts
from envwright.verifier import pairs, regressions
from envwright.verifier.engine import verify
from envwright.verifier.replay import replay
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict

SHIPPED = sorted(pairs.SHIPPED.glob("*.toml"))
FINDINGS = sorted((Path(__file__).parents[2] / "docs" / "findings").glob("*.json"))
PACKAGES = {"gymnasium": ("gymnasium",), "gymnax": ("gymnax",), "minatar": ("minatar",), "pgx": ("pgx",)}
QUICK = ("cartpole-phys2d", "mountain-car-gymnax")  # the others compile for long
SMALL = Effort(episodes=6, limit=300, states=300, corners=100, pool=200, draws=400)
KNOWN = {"cliff-walking-tabular": {"action space"}}  # names that do not fit, which is a finding


def installed(contract: contracts.Contract) -> contracts.Contract:
    for side in (contract.reference, contract.candidate):
        kind = side.partition(":")[0]
        for package in (*PACKAGES[kind], *(("jax", "flax") if "2d/" in side or "tabular/" in side else ())):
            if find_spec(package) is None:
                pytest.skip(f"{package} is not installed")
    return contract


def judged(name: str, effort: Effort, levels: tuple[str, ...] = ("L0", "L1", "L2", "L3"), **options: Any) -> Verdict:
    contract = installed(contracts.load(pairs.SHIPPED / f"{name}.toml"))
    host = pairs.make_host(contract)
    try:
        return verify(contract, host, pairs.make_candidate(contract), effort=effort, levels=levels, **options)
    finally:
        host.close()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_pair_finds_its_contract(path: Path) -> None:
    contract = contracts.load(path)
    assert pairs.find_contract([contract.reference, contract.candidate]).sha256 == contract.sha256
    assert contract.state


@pytest.mark.parametrize(
    "name",
    [pytest.param(p.stem, marks=() if p.stem in QUICK else pytest.mark.slow) for p in SHIPPED],
)
def test_its_names_fit_both_sides(name: str) -> None:
    if name.startswith("space-invaders") and "fusion" in os.environ.get("XLA_FLAGS", ""):
        pytest.skip("XLA of jaxlib 0.10.2 aborts on this game with multi-output fusion, which tune_cpu turns on")
    verdict = judged(name, Effort(episodes=3, limit=60, pool=50, draws=50), ("L0",))
    wrong = {d.column for check in verdict.checks for d in check.divergences}
    assert wrong == KNOWN.get(name, set()), verdict.text()
    assert all(check.passed or check.divergences for check in verdict.checks), verdict.text()


def test_pairs_that_agree_pass() -> None:
    verdict = judged("pendulum-phys2d", SMALL)
    assert verdict.passed, verdict.text()


def test_pairs_that_differ_name_what_and_where(tmp_path: Path) -> None:
    verdict = judged("cartpole-phys2d", SMALL, regressions=tmp_path)
    assert not verdict.passed
    assert verdict.modules == ("dynamics",)
    kept = sorted(tmp_path.glob("*.json"))
    assert kept
    assert replay(kept[0]).status == "fail"


def test_findings_are_kept() -> None:
    assert FINDINGS
    for path in FINDINGS:
        assert "/" not in path.read_text().replace("phys2d/", ""), f"{path.name} holds a path of some machine"


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=p.stem, marks=pytest.mark.slow if "seaquest" in p.stem else ()) for p in FINDINGS],
)
def test_findings_are_found_again(path: Path) -> None:
    installed(pairs.find_contract([regressions.load(path)["pair"][side] for side in ("reference", "candidate")]))
    check = replay(path)
    assert check.status == "fail"
    assert check.divergences, check.detail
