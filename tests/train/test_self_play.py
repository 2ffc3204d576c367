"""Games for two: both seats learn from one network, and one seat can be given to an opponent."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from noughts import WAIT, Noughts

from envwright.core import JaxBatch, key, make, rollout
from envwright.core.errors import EnvwrightError
from envwright.core.versus import random_opponent, vs
from envwright.training.config import Config, Network
from envwright.training.evaluate import play_games
from envwright.training.ppo import Trainer

CONFIG = Config(
    total_steps=250_000,
    num_envs=64,
    steps=16,
    epochs=4,
    minibatches=4,
    learning_rate=3e-3,
    gamma=1.0,
    gae_lambda=0.9,
    entropy=0.03,
    network=Network(hidden=(64, 64)),
)


def against_random(seat: int = 0):
    env = Noughts()
    return vs(env, random_opponent(env.action_space(env.default_params)), seat)


def test_self_play_learns_to_beat_a_random_player_from_either_seat():
    trainer = Trainer(Noughts(), CONFIG)
    state = trainer.start()
    beginner = trainer.player(state)
    state, _ = trainer.run(state, CONFIG.updates)
    for seat in (0, 1):
        before = play_games(JaxBatch(against_random(seat), 200), beginner, seed=5).returns.mean()
        after = play_games(JaxBatch(against_random(seat), 200), trainer.player(state), seed=5).returns.mean()
        assert after > before + 0.3


def test_nobody_ever_moves_onto_a_taken_field_in_training():
    trainer = Trainer(Noughts(), CONFIG)
    state, metrics = trainer.run(trainer.start(), 3)
    board = np.asarray(state.actors.state.board)[0]
    turn_of_first = (board == 1).sum(axis=1) - (board == 2).sum(axis=1)
    # One mark a move, in turn: an illegal move would overwrite a mark and break the balance.
    assert set(turn_of_first.tolist()) <= {-1, 0, 1}
    assert (np.asarray(metrics["length"]) >= 5).all()
    assert (np.asarray(metrics["length"]) <= 9).all()


def test_the_other_seat_plays_by_its_own_legal_moves():
    env = against_random()
    batch = JaxBatch(env, 128)
    batch.reset(list(range(128)))
    for _ in range(4):
        batch.step_and_restart(np.asarray(batch.legal_actions()).argmax(axis=1).astype(np.int32))
    legal = np.asarray(batch.legal_actions())
    step = batch.step_and_restart(legal.argmax(axis=1).astype(np.int32))
    assert (legal.sum(axis=1) >= 1).all()
    waiting = legal[:, WAIT]
    assert waiting.any()
    assert not waiting.all()
    assert set(np.unique(step.reward).tolist()) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("autoreset", ["cached", "optimistic"])
def test_rollouts_take_legal_moves_whatever_begins_the_next_game(autoreset: str):
    run = rollout(Noughts(), num_envs=32, steps=25, autoreset=autoreset)
    last = run(key(1), run.reset(key(0)))
    board = np.asarray(getattr(last.state, "state", last.state).board)
    ahead = (board == 1).sum(axis=1) - (board == 2).sum(axis=1)
    assert set(ahead.tolist()) <= {-1, 0, 1}


def test_rewards_of_the_two_seats_are_opposite():
    env = Noughts()
    board = jnp.array([1, 1, 0, 2, 2, 0, 0, 0, 0])
    _, state = env.reset(key(0))
    state = state.replace(board=board, turn=jnp.int32(1))
    step = env.transition(key(1), state, jnp.array([WAIT, 5]), env.default_params)
    assert step.reward.tolist() == [-1.0, 1.0]
    for seat, reward in ((0, -1.0), (1, 1.0)):
        seen = vs(env, lambda k, obs, legal: jnp.int32(5 if seat == 0 else WAIT), seat)  # noqa: B023
        mine = jnp.int32(WAIT if seat == 0 else 5)
        _, begun = seen.reset(key(0))
        assert seen.transition(key(1), begun.replace(inner=state), mine, env.default_params).reward == reward


def test_an_opponent_needs_a_game_for_two():
    with pytest.raises(EnvwrightError, match="game for two"):
        vs(make("cartpole"), random_opponent(make("cartpole").action_space(make("cartpole").default_params)))


def test_luck_of_opponent_and_game_come_from_the_key_alone():
    env = against_random(seat=1)  # so that it is the opponent who begins
    _, state = env.reset(key(3))
    one, two = (env.draw(key(1), state, jnp.int32(0), env.default_params).opponent for _ in range(2))
    assert one == two
    draws = {int(env.draw(key(k), state, jnp.int32(0), env.default_params).opponent) for k in range(40)}
    assert len(draws) > 1
    assert jax.tree.structure(state) == jax.tree.structure(env.reset(key(4))[1])
