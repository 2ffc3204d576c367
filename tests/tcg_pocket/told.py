"""A game of the reference as a course has it: states, actions, draws, steps."""

import functools
from typing import Any

import numpy as np
from lockstep import STEP, TapedDice, columns, fields

from envwright.core.course import StepTaken
from envwright.core.env import Step
from envwright.envs.tcg_pocket.engine.deciding import StepDraws
from envwright.envs.tcg_pocket.layout import OVER
from envwright.envs.tcg_pocket.players.seeing import Seen
from envwright.envs.tcg_pocket.players.worth import worth
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.state import State

SEED = 3


def state_of(game: PocketGame) -> State:
    whole = fields([game])
    return State(**{name: value[0] for name, value in vars(whole).items()})


@functools.cache
def told_game(seed: int = SEED) -> tuple[State, tuple[StepTaken, ...], tuple[list[int], ...]]:
    """The start of a game between two rule players, its steps, and what was legal for the first player in each."""
    game, tape = PocketGame(), TapedDice()
    game.dice = tape
    obs, _ = game.reset(seed=seed)
    tape.wind()
    start, moments, legal = state_of(game), [], []
    while game.pending != OVER:
        before, masks = state_of(game), game.action_masks()
        legal.append(np.flatnonzero(masks[0]).tolist())
        actions = np.where(masks, worth(Seen(obs)), -np.inf).argmax(-1)
        obs, reward, over, _, _ = game.step(actions)
        draws = StepDraws(**{name: value[0] for name, value in columns([tape.wind()], STEP).items()})
        made: Any = (obs, state_of(game), reward, np.bool_(over), np.bool_(False), {})
        moments.append(StepTaken(before, actions, draws, Step(*made)))
    return start, tuple(moments), tuple(legal)
