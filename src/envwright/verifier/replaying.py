"""Going back to a place in an episode of the reference: its seed and its policy lead there again."""

import numpy as np

from envwright.references.protocol import Reference
from envwright.verifier import policies
from envwright.verifier.contract import Contract
from envwright.verifier.record import Beat, Case
from envwright.verifier.rows import legal_after


def before_step(reference: Reference, contract: Contract, policy: str, seed: int, step: int, beat: Beat) -> Case:
    """The reference's state just before a step of an episode, the action, and the chance of that step."""
    act = policies.find(policy, reference, contract.base)
    rng = np.random.default_rng([seed, 1])
    outcome = reference.reset(seed=seed)
    for _ in range(step):
        outcome = reference.step(act(outcome.obs, rng, legal_after(contract, reference, outcome)))
        beat()
    snapshot, action = reference.snapshot(), act(outcome.obs, rng, legal_after(contract, reference, outcome))
    return Case(snapshot, action, reference.step(action).draws)
