"""A large minibatch is learned from in pieces that fit a cache; the gradient is the same up to rounding."""

import jax
import numpy as np
import pytest

from envwright.core import make
from envwright.training import learn
from envwright.training.config import Config, Network
from envwright.training.ppo import Trainer

CONFIG = Config(num_envs=8, steps=16, epochs=1, minibatches=2, total_steps=8 * 16, network=Network(hidden=(16,)))


def weights_after_an_update(monkeypatch: pytest.MonkeyPatch, piece: int):
    monkeypatch.setattr(learn, "PIECE", piece)
    trainer = Trainer(make("cartpole"), CONFIG, devices=1)
    state, metrics = trainer.run(trainer.start(), 1)
    return jax.device_get((state.learner.weights, {name: metrics[name] for name in ("policy", "value", "entropy")}))


def test_pieces_give_the_gradient_of_the_whole(monkeypatch: pytest.MonkeyPatch):
    whole, in_pieces = (weights_after_an_update(monkeypatch, piece) for piece in (1000, 16))
    # Sums of 64 terms in another order differ in a few last bits; a step of Adam is 2.5e-4 long.
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5), whole, in_pieces)


def test_pieces_are_made_at_all(monkeypatch: pytest.MonkeyPatch):
    def scans(piece: int) -> int:
        monkeypatch.setattr(learn, "PIECE", piece)
        trainer = Trainer(make("cartpole"), CONFIG, devices=1)
        return str(jax.make_jaxpr(lambda s: trainer._many_updates(s, 1, False))(trainer.start())).count("scan[")

    assert scans(16) == scans(1000) + 1
