"""How a reference is set: for all of a verification, or to see how far another setting takes it from itself."""

from dataclasses import replace
from pathlib import Path

import pytest

from envwright.core.errors import EnvwrightError
from envwright.core.spec import Form
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.contract import Contract, ContractError
from envwright.verifier.engine import pair_of, verify
from envwright.verifier.replay import replay
from envwright.verifier.run import levels_of
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict

TERMS = """version = 1
reference = "roots.py:SlowRoot"
candidate = "roots.py:FastRoot"

[settings.tight]
solver.tolerance = 0

[state]
x = "x"
left = "left"

[chance.start]
value = "draws('reset', 0)"

[[tolerance]]
columns = ["state.x", "observation", "reward"]
reason = "the reference computes in float64, the candidate in float32"
"""
EXPLAINED = TERMS + 'setting = "tight"\n'
SMALL = Effort(episodes=4, limit=12, states=60, corners=20, pool=40, draws=200)


def agreed(text: str) -> Contract:
    return contracts.read(text, Path(__file__).with_name("roots.toml"))


def judged(contract: Contract, *levels: str, keep: Path | None = None) -> Verdict:
    host = pairs.make_host(contract, apart=False)
    try:
        candidate = pairs.make_candidate(contract)
        return verify(contract, host, candidate, effort=SMALL, levels=levels, regressions=keep)
    finally:
        host.close()


def failed(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.checks if not check.passed}


EPISODES = {f"episodes in {kind}, free running" for kind in ("float32", "float64")}
STEPS = {f"single steps in {kind}" for kind in ("float32", "float64")}


def test_a_solver_that_stops_early_is_not_rounding() -> None:
    assert failed(judged(agreed(TERMS), "L1", "L3")) >= EPISODES | STEPS


def test_with_its_solver_tightened_it_is_the_same() -> None:
    contract = pairs.of_form(agreed(TERMS), Form("tight solver", {}, setting="tight"))
    assert judged(contract, "L1", "L3").passed
    assert failed(judged(pairs.with_options(contract, {}, {"fault": 1e-5}), "L1", "L3")) >= EPISODES | STEPS


def test_what_its_tolerance_explains_is_allowed_and_no_more() -> None:
    assert judged(agreed(EXPLAINED), "L1", "L3").passed
    wrong = pairs.with_options(agreed(EXPLAINED), {}, {"fault": 0.05})
    assert failed(judged(wrong, "L1", "L3")) >= EPISODES | STEPS


def test_a_divergence_is_replayed_as_the_reference_was_set(tmp_path: Path) -> None:
    """With its solver as it is made, the reference would differ from a candidate without the fault as well."""
    contract = pairs.with_setting(agreed(TERMS), "tight")
    contract = pairs.with_options(contract, {}, {"fault": 1e-5})
    path = tmp_path / "roots.toml"
    path.write_text(TERMS)
    (tmp_path / "roots.py").write_text(Path(__file__).with_name("roots.py").read_text())
    contract = replace(contract, path=path, base=tmp_path)
    verdict = judged(contract, "L1", keep=tmp_path / "kept")
    assert pair_of(contract)["setting"] == "tight"
    kept = next(d.replay for check in verdict.checks for d in check.divergences).split()[-1]
    assert replay(Path(kept)).status == "fail"
    text = Path(kept).read_text()
    assert '"fault": 1e-05' in text
    Path(kept).write_text(text.replace('"fault": 1e-05', '"fault": 0.0'))
    assert replay(Path(kept)).status == "pass"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TERMS + 'setting = "loose"', r"\[\[tolerance\]\]: there is no \[settings.loose\]; it has tight"),
        ('setting = "loose"\n' + TERMS, r"there is no \[settings.loose\]"),
        (TERMS.replace("[settings.tight]", "[settings]\nx = 1\n[settings.tight]"), r"write \[settings.NAME\], and x"),
    ],
)
def test_settings_that_are_not_there_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(ContractError, match=sentence):
        agreed(text)


def test_bad_settings_are_named() -> None:
    with pytest.raises(EnvwrightError, match=r"solver.tolerence: SlowRoot has no such attribute; did you mean toler"):
        pairs.make_host(
            agreed('setting = "tight"\n' + TERMS.replace("solver.tolerance", "solver.tolerence")), apart=False
        )
    with pytest.raises(EnvwrightError, match=r"No attribute of node:game.js can be set"):
        pairs.kind_of(replace(agreed(TERMS), reference="node:game.js"))
    with pytest.raises(EnvwrightError, match=r"\[settings.loose\], which its contract lacks"):
        pairs.of_form(agreed(TERMS), Form("loose", {}, setting="loose"))


def test_policies_play_the_reference_as_it_is_made() -> None:
    asked = ["L0", "L4"]
    assert levels_of(None, asked) == levels_of(Form("as it is", {}), asked) == asked
    assert levels_of(Form("tight", {}, setting="tight"), asked) == ["L0"]
