"""Every card once or more in a position of its own, on both sides, and every attack and ability with it."""

import copy

import jax
import numpy as np
from arranging import every_card
from card_fixtures import Taken, play
from lockstep import fields, stacked

from envwright.envs.tcg_pocket.engine.deciding import StepDraws
from envwright.envs.tcg_pocket.env import TcgPocket
from envwright.envs.tcg_pocket.layout import FIELDS
from envwright.envs.tcg_pocket.oracle import check
from envwright.envs.tcg_pocket.reference import met
from envwright.envs.tcg_pocket.reference.tape import STEP, columns


def test_every_card_is_used_and_equal_on_both_sides() -> None:
    before = copy.deepcopy(met.MET)
    taken = [step for card in every_card() for step in play(card)]
    for kind, names in met.possible().items():
        assert [name for name in names if met.MET[kind][name] == before[kind][name]] == [], kind
    for step in taken:
        assert check(step.before, [step.action] * 2, step.after.fields(), {}) == [], step.card
    assert {step.card for step in taken} == {card.id for card in every_card()}
    _same(taken)


def _same(taken: list[Taken]) -> None:
    """All steps at once in the engine, operation by operation: there are too few to compile for."""
    env = TcgPocket()
    params = env.default_params
    arrays = [{name: np.array(step.before[name], dtype) for name, (_, dtype) in FIELDS.items()} for step in taken]
    draws = StepDraws(**columns([step.draws for step in taken], STEP))
    actions = np.array([[step.action] * 2 for step in taken], np.int32)

    @jax.vmap
    def go(state, action, chance):  # type: ignore[no-untyped-def]
        made = env.apply(state, action, chance, params)
        return made.state, made.obs, env.legal_actions(made.state, params), made.reward

    state, obs, masks, reward = jax.jit(go)(stacked(arrays), actions, draws)
    games = [step.after for step in taken]
    want = fields(games)
    for name in FIELDS:
        _equal(taken, name, getattr(state, name), getattr(want, name))
    _equal(taken, "observation", obs, np.array([game.observations() for game in games]))
    _equal(taken, "legal actions", masks, np.array([game.action_masks() for game in games]))
    _equal(taken, "reward", reward, np.array([game.rewards() for game in games]))


def _equal(taken: list[Taken], name: str, got: object, want: np.ndarray) -> None:
    bad = np.flatnonzero((np.asarray(got) != want).reshape(len(taken), -1).any(axis=1))
    assert len(bad) == 0, f"{name}: {[(taken[i].card, taken[i].action) for i in bad[:5]]}"
