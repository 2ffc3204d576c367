"""Candidates that draw the luck of a step themselves are judged by what a step can lead to."""

from dataclasses import replace
from pathlib import Path

import jax

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort
from envwright.verifier.verdict import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples"


def keyed(steady: bool) -> Verdict:
    """FrozenLake as a candidate that takes keys only; a steady one slips half as often as it should."""
    contract = contracts.load(EXAMPLES / "frozen_lake.toml")
    contract = replace(contract, functions=(), phases=())
    full = pairs.make_candidate(contract)
    assert isinstance(full, JaxCandidate)
    rules, split = full.rules, full.rules.split
    assert split is not None

    def step(key, state, action, params):
        chance = split.draw(key, state, action, params)
        if steady:
            held = jax.random.bernoulli(jax.random.fold_in(jax.random.PRNGKey(0), jax.random.bits(key)), 0.5)
            chance = chance.replace(slip=jax.numpy.where(held, 1, chance.slip).astype(chance.slip.dtype))
        return split.apply(state, action, chance, params)

    host = pairs.make_host(contract, apart=False)
    candidate = JaxCandidate(replace(rules, split=None, phases=None, step=step))
    effort = Effort(episodes=10, draws=1000, states=100, corners=50)
    try:
        return verify(contract, host, candidate, effort=effort, levels=["L1", "L3"])
    finally:
        host.close()


def test_a_right_one_passes_and_says_how() -> None:
    verdict = keyed(steady=False)
    assert verdict.passed, verdict.text()
    assert any(check.name == "outcomes of a step, in distribution" for check in verdict.checks)
    assert next(check for check in verdict.checks if check.level == "L3").status == "skip"


def test_one_that_slips_too_little_is_found() -> None:
    verdict = keyed(steady=True)
    check = next(check for check in verdict.checks if check.name == "outcomes of a step, in distribution")
    assert check.status == "fail"
    assert "move" in verdict.modules
    assert check.divergences[0].input["action"] in range(4)
