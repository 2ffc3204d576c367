"""Runs that cannot go on: they say why, and what there is to go on from."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from tiny import Bandit, register_tiny, tiny

from envwright.core.errors import EnvwrightError
from envwright.training import checkpoint, metrics
from envwright.training.ppo import Trainer
from envwright.training.run import TrainingRun, _open, save, train
from full_disk import disk_of

register_tiny()
pytestmark = pytest.mark.usefixtures("eager")


def test_what_is_no_longer_a_number_stops_the_run_at_the_last_good_checkpoint(tmp_path: Path) -> None:
    """From the sixth update on the bandit pays too much for float32: each chunk is one update here."""
    run = TrainingRun(tmp_path, "TinyBandit-v0", tiny(env_options={"length": 1000, "explodes": 23}), devices=1)
    with pytest.raises(EnvwrightError) as broken:
        train(run)
    last = tmp_path / "checkpoints" / "000000005.ckpt"
    sentence = str(broken.value)
    assert sentence.startswith("Training broke in update 6 (seed 0, 192 steps): 'policy' is ")
    assert sentence.endswith(f"the last good checkpoint is {last}.")
    assert "\n" not in sentence
    assert [row["update"] for row in metrics.read(tmp_path)] == [1, 2, 3, 4, 5]
    learner = [array for name, array in checkpoint.load(last).arrays.items() if "learner" in name]
    assert learner
    assert all(np.isfinite(array).all() for array in learner)


def test_a_state_that_would_break_the_next_update_is_not_written(tmp_path: Path) -> None:
    """One infinite observation ruins the moments by which all later ones are normalised, but no loss yet."""
    config = tiny(normalise_observations=True)
    trainer = Trainer(Bandit(), config, devices=1)
    state = trainer.start()
    statistics = state.learner.statistics
    infinite = statistics.replace(mean=jnp.full_like(statistics.mean, jnp.inf))
    ruined = state.replace(learner=state.learner.replace(statistics=infinite))
    run = TrainingRun(tmp_path, "TinyBandit-v0", config, devices=1)
    (tmp_path / "checkpoints").mkdir()
    save(run, trainer, state, 1)
    with pytest.raises(EnvwrightError, match=r"broke by update 2: statistics\.mean is not finite.*000000001\.ckpt\.$"):
        save(run, trainer, ruined, 2)
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["000000001.ckpt"]


def test_a_disk_that_is_full_from_the_start_is_a_sentence(tmp_path: Path) -> None:
    run = TrainingRun(tmp_path / "run", "TinyBandit-v0", tiny(), devices=1)
    with disk_of(10), pytest.raises(EnvwrightError, match="cannot be used: File too large; give another"):
        train(run)
    _open(run, 1, fresh=False)
    with disk_of(10), pytest.raises(EnvwrightError, match=r"Metrics cannot be written to .*: File too large"):
        train(run)


@pytest.mark.slow
def test_a_disk_that_fills_up_is_a_sentence_and_the_run_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """The first update's line and events fit, the second's do not; its checkpoint would not either."""
    run = TrainingRun(tmp_path, "TinyBandit-v0", tiny(total_steps=64), devices=1)
    _open(run, 1, fresh=False)
    with disk_of(500), pytest.raises(EnvwrightError) as full:
        train(run)
    assert "File too large" in str(full.value)
    assert "Make room, then run the same command again to go on from" in str(full.value)
    train(run)
    assert [row["update"] for row in metrics.read(tmp_path)] == [1, 2]
    assert not list(tmp_path.rglob("*.part"))
