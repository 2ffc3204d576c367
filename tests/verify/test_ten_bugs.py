"""Ten bugs of the kinds that translators write, each planted by hand: found, blamed on its module, and replayed."""

from dataclasses import dataclass

import pytest
from planting import Replacement, divergences, kept_at, plant, put_to_the_engine

from envwright.verifier.replay import replay


@dataclass(frozen=True)
class Bug:
    """What is planted where, and the module that must be named for it, and no other."""

    name: str
    example: str
    module: str
    levels: str  # those that must each find it by themselves
    code: tuple[Replacement, ...]
    contract: tuple[Replacement, ...] = ()
    undone: bool = False  # whether the replay is also tried without the bug


WRONG_SIGN = Bug(
    "wrong sign", "cartpole", "accelerations", "L1 L2 L3",
    (("x_acc = pushed - moment", "x_acc = pushed + moment"),),
)  # fmt: skip

STALE_STATE = Bug(
    "stale state", "blackjack", "observation", "L1 L3",
    (("obs=observe(after)", "obs=observe(state)"),),
)  # fmt: skip

IGNORED_SEED = Bug(
    "ignored seed", "frozen_lake", "chance", "L1",
    (("pick(key, self.slip_odds)", "pick(jax.random.key(0), self.slip_odds)"),),
)  # fmt: skip

# It shows in where the walker goes, which is not the fault of `move`: the phases tell.
OFF_BY_ONE = Bug(
    "off by one", "frozen_lake", "slip", "L1 L2 L3",
    (("(action + chance.slip - 1) % 4", "(action + chance.slip) % 4"),),
    undone=True,
)  # fmt: skip

DROPPED_BRANCH = Bug(
    "dropped branch", "taxi", "riding", "L1 L3",
    (("jnp.where(leaves, stand, state.passenger)", "state.passenger"),),
)  # fmt: skip

SWAPPED_FIELDS = Bug(
    "swapped fields", "cartpole", "observation", "L1 L3",
    (("for name in FEATURES]", 'for name in ("x", "theta", "x_dot", "theta_dot")]'),),
)  # fmt: skip

WRONG_RESET = Bug(
    "wrong reset", "taxi", "reset", "L1 L3",
    (("fickle=chance.fickle)", "fickle=jnp.bool_(False))"),),
    undone=True,
)  # fmt: skip

LATE_TERMINATION = Bug(
    "late termination", "frozen_lake", "ending", "L1 L2 L3",
    (("terminated=self.has_ended(after)", "terminated=self.has_ended(state)"),),
    undone=True,
)  # fmt: skip

CLIPPED_TOO_EARLY = Bug(
    "clipped too early", "cartpole", "push", "L1 L2 L3",
    (("x_dot, theta_dot = s.x_dot + tau * x_acc,", "x_dot, theta_dot = jnp.clip(s.x_dot + tau * x_acc, -0.9, 0.9),"),),
)  # fmt: skip

# The fare is kept in the state, and paid a step later.
REWARD_ON_THE_WRONG_STEP = Bug(
    "reward on the wrong step", "taxi", "fare", "L1 L2 L3",
    (
        ("    destination: jax.Array  # () int32, the stand\n",
         "    destination: jax.Array  # () int32, the stand\n    owed: jax.Array\n"),
        ("fickle=chance.fickle)", "fickle=chance.fickle, owed=jnp.float32(0))"),
        ("state=after,", "state=after.replace(owed=fare(driven, action, ridden)),"),
        ("reward=fare(driven, action, ridden),", "reward=state.owed,"),
    ),
    (("[ignored]", '[ignored]\n"candidate.owed" = "the reference keeps no fare from step to step"'),),
)  # fmt: skip

BUGS = (
    WRONG_SIGN, STALE_STATE, IGNORED_SEED, OFF_BY_ONE, DROPPED_BRANCH, SWAPPED_FIELDS, WRONG_RESET, LATE_TERMINATION,
    CLIPPED_TOO_EARLY, REWARD_ON_THE_WRONG_STEP,
)  # fmt: skip


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_planted_bug_is_found_blamed_and_replayed(bug: Bug, tmp_path):
    planted = plant(tmp_path, bug.example, bug.code, bug.contract)
    verdict = put_to_the_engine(planted, keep=tmp_path / "kept")
    assert not verdict.passed
    assert verdict.modules == (bug.module,), verdict.text()
    assert {check.level for check in verdict.checks if not check.passed} >= set(bug.levels.split()), verdict.text()
    found = divergences(verdict)
    assert all(divergence.input for divergence in found), verdict.text()
    again = replay(kept_at(found[0]))
    assert again.status == "fail"
    assert {divergence.module for divergence in again.divergences} == {bug.module}
    if bug.undone:
        planted.undo()
        assert replay(kept_at(found[0])).status == "pass"
