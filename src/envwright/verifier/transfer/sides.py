"""Both sides as a learner wants them: what is trained on, by which config, and whether it can be done at all."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.candidates.protocol import Candidate
from envwright.core import Env
from envwright.core.batch import Stepping
from envwright.core.registry import make
from envwright.core.spaces import Box, Space
from envwright.references.batches import Moved, Singles, seen_as
from envwright.references.legality import Mask, seats
from envwright.references.protocol import Reference
from envwright.training.config import Config, changed, for_env, load
from envwright.verifier.contract import Contract
from envwright.verifier.pairs import kind_of
from envwright.verifier.rows import LEGAL
from envwright.verifier.session import Session
from envwright.verifier.transfer.candidate_batch import CandidateBatch
from envwright.verifier.transfer.observed import as_it_is, observe


@dataclass(frozen=True)
class Arena:
    """What both sides have in common, as far as a player can tell."""

    observations: Space
    actions: Space
    config: Config


def env_of(candidate: Candidate) -> Env[Any, Any] | None:
    """The environment behind a candidate in our own interface, which can be trained on as one compiled program."""
    if not isinstance(candidate, JaxCandidate) or not candidate.takes_chance:
        return None
    return candidate.rules.env


def config_of(contract: Contract) -> Config:
    """The tuned config of the environment, or the contract's own, with the contract's number of steps."""
    terms, (kind, _, id) = contract.transfer, contract.candidate.rpartition(":")
    if terms.config is not None:
        config = load((contract.base or Path()) / terms.config)
    else:
        config = for_env(id) if kind in ("", "envwright") else Config()
    return changed(config, total_steps=terms.steps)


def obstacle(session: Session, config: Config) -> str:
    """Why nobody can be trained on this pair; empty, if it can be done."""
    contract, candidate = session.contract, session.candidate
    if config.env_options and not _is_trained_form(contract, config):
        form = ", ".join(f"{key} {value}" for key, value in config.env_options.items())
        return f"policies are trained on the form with {form}, and compared there"
    kinds = candidate.kinds()
    if "observation" not in kinds or "observation" not in contract.outcome:
        return "PPO sees one array, but an observation here is made of several"
    if any(name not in contract.outcome for name in ("reward", "terminated", "truncated")):
        return "PPO needs a reward and an end, which the contract leaves out"
    if kinds["reward"].shape != seats(candidate.players):
        return "PPO needs one reward a player, and there are several"
    space = candidate.action_space
    bounds = (space.low, space.high) if isinstance(space, Box) else ()
    if space is None or not all(np.isfinite(bound).all() for bound in bounds):
        return "PPO needs a number of actions or a box with bounds"
    return ""


def _is_trained_form(contract: Contract, config: Config) -> bool:
    kind, _, id = contract.candidate.rpartition(":")
    options, trained = contract.candidate_options, config.env_options
    if kind in ("", "envwright"):
        return make(id, **options) == make(id, **trained)
    return all(options.get(key) == value for key, value in trained.items())


def arena_of(session: Session, config: Config) -> Arena:
    """The spaces as the candidate has them; a lone integer that is seen counts as one of n only if n is known."""
    env, candidate = env_of(session.candidate), session.candidate
    assert candidate.action_space is not None
    shape = candidate.kinds()["observation"].shape[len(seats(candidate.players)) :]
    space = env.observation_space(env.default_params) if env is not None else seen_as(shape)
    return Arena(space, candidate.action_space, config)


def reference_batch(contract: Contract, many: int, observations: Space, actions: Space) -> Stepping:
    """The slow original, many times: unwatched where it can be, and where its own words are the candidate's."""
    masked = LEGAL in contract.outcome
    if as_it_is(contract):
        found = kind_of(contract).stepping(many, observations, actions, masked, **contract.reference_options)
        if found is not None:
            return found
    return Singles([_InContract(contract) for _ in range(many)], observations, actions, masked)


def candidate_batch(session: Session, arena: Arena) -> Stepping:
    """A candidate that is not in our interface."""
    many, random = arena.config.num_envs, session.draws_own_chance
    return CandidateBatch(session.candidate, many, arena.observations, arena.actions, random)


class _InContract:
    """One reference, in the candidate's words."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._reference: Reference = kind_of(contract).make(**contract.reference_options)
        self._legal: Mask | None = None

    @property
    def players(self) -> int:
        return self._reference.players

    def reset(self, seed: int | None) -> Any:
        now = observe(self._contract, self._reference, self._reference.reset(seed=seed))
        self._legal = now.legal
        return now.obs

    def step(self, action: Any) -> Moved:
        action = np.asarray(action) if np.ndim(action) else action
        now = observe(self._contract, self._reference, self._reference.step(action), action)
        self._legal = now.legal
        return Moved(now.obs, now.reward, now.terminated, now.truncated)

    def legal(self) -> Mask | None:
        return self._legal
