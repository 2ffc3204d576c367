"""Environments outside of JAX train, are saved, go on and are evaluated as those in JAX are."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import tiny

import envwright
from envwright.cli.main import main
from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec
from envwright.core.versus import vs
from envwright.training import checkpoint, metrics
from envwright.training.checkpoint import CheckpointError
from envwright.training.config import Config, ConfigError, Network
from envwright.training.evaluate import Match, evaluate, play_games
from envwright.training.host_trainer import HostTrainer
from envwright.training.ppo import Trainer
from envwright.training.run import Progress, TrainingRun, load_player, train
from envwright.training.trainers import trainer_of
from native_games import ILLEGAL_PAYS, register_native

register_native()
pytestmark = pytest.mark.usefixtures("eager")

NIM = Config(
    total_steps=60_000,
    num_envs=32,
    steps=16,
    minibatches=4,
    learning_rate=3e-3,
    gamma=1.0,
    entropy=0.02,
    network=Network(hidden=(32,)),
)
SHORT = tiny(total_steps=32 * 10, normalise_observations=True, minibatches=2)


class StoppedError(Exception):
    """Raised from the progress callback, as a user's interrupt would be."""


def stop_at(update: int) -> Any:
    def stop(now: Progress) -> None:
        if now.row["update"] == update:
            raise StoppedError

    return stop


def arrays(folder: Path) -> dict[str, bytes]:
    path = checkpoint.newest(folder / "checkpoints")
    assert path is not None
    return {name: array.tobytes() for name, array in checkpoint.load(path).arrays.items()}


@pytest.mark.parametrize("env", ["NativeCorridor-v0", "NativeNim-v0"])
@pytest.mark.parametrize("kind", ["mlp", "gru"])
def test_an_interrupted_run_goes_on_to_the_same_bytes(tmp_path: Path, env: str, kind: str) -> None:
    """With two seeds, one after the other, and once with a memory."""
    config = tiny(total_steps=320, normalise_observations=True, network=Network(kind, (8,)))
    whole, broken = (TrainingRun(tmp_path / name, env, config, seeds=(3, 5)) for name in ("whole", "broken"))
    train(whole)
    with pytest.raises(StoppedError):
        train(broken, progress=stop_at(4))
    kept = checkpoint.newest(broken.folder / "checkpoints")
    assert kept is not None
    assert kept.name == "000000003.ckpt"
    train(broken)
    assert (broken.folder / "metrics.jsonl").read_bytes() == (whole.folder / "metrics.jsonl").read_bytes()
    assert arrays(broken.folder) == arrays(whole.folder)
    rows = metrics.read(whole.folder)
    assert [(row["update"], row["seed"]) for row in rows] == [(i, seed) for i in range(1, 11) for seed in (3, 5)]
    assert rows[0]["entropy"] != rows[1]["entropy"], "the seeds differ"


def test_a_seed_trains_the_same_alone_and_among_others() -> None:
    env = envwright.make("NativeCorridor-v0")
    alone, among = (trainer_of(env, SHORT, seeds) for seeds in ((5,), (3, 5)))
    _, one = alone.run(alone.start(), 3)
    _, both = among.run(among.start(), 3)
    for name in one:
        assert np.array_equal(one[name][:, 0], both[name][:, 1], equal_nan=True), name


def test_a_checkpoint_of_another_size_is_refused(tmp_path: Path) -> None:
    run = TrainingRun(tmp_path, "NativeCorridor-v0", SHORT)
    train(run)
    other = tiny(total_steps=320, normalise_observations=True, minibatches=2, num_envs=4)
    found = checkpoint.load(tmp_path / "checkpoints" / "000000010.ckpt")
    with pytest.raises(CheckpointError, match=r"\.actors\.obs should be float32 of shape \(1, 4, 2\), but there is"):
        checkpoint.fill(found, trainer_of(envwright.make("NativeCorridor-v0"), other).template())


def test_the_corridor_is_learned_by_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PIL")
    settings = ("num_envs=16", "steps=16", "learning_rate=0.01", "network.hidden=[16]")
    sizes = [word for setting in settings for word in ("--set", setting)]
    out = str(tmp_path / "run")
    assert main(["train", "nativecorridor", "--steps", "10000", "--games", "20", "--out", out, *sizes]) == 0
    assert main(["eval", out, "--games", "20", "--likeliest"]) == 0
    assert main(["watch", out, "--steps", "5"]) == 0
    said = capsys.readouterr().out
    assert "on envwright: mean return 1.00 ± 0.00 over 20 games (from 1.00 to 1.00), mean length 3.0" in said
    assert (tmp_path / "run" / "game.gif").read_bytes().startswith(b"GIF89a")
    player, _ = load_player(tmp_path / "run")
    games = play_games(envwright.batch("NativeCorridor-v0", 20, max_episode_steps=2), player, 0)
    assert games.lengths.tolist() == [2] * 20, "a time limit is an option of the environment's own"


def test_self_play_in_c_beats_a_random_player_and_not_a_perfect_one() -> None:
    env = envwright.make("NativeNim-v0")
    trainer = trainer_of(env, NIM)
    assert isinstance(trainer, HostTrainer)
    state, found = trainer.run(trainer.start(), NIM.updates)
    assert np.nanmax(np.abs(found["return"])) < 1e-6, "one wins what the other loses; an illegal move pays 100"
    random, perfect = evaluate(spec("NativeNim-v0"), env.batch(200), trainer.player(state), 0)
    assert isinstance(random, Match)
    assert isinstance(perfect, Match)
    assert (random.opponent, perfect.opponent) == ("random", "perfect")
    assert random.games == perfect.games == 200
    assert random.interval()[0] > 0.7
    assert 0 < perfect.wins < random.wins, "who begins on a pile that is no multiple of four can win"


def test_the_illegal_moves_of_the_c_game_would_be_seen() -> None:
    batch = envwright.batch("NativeNim-v0", 4)
    batch.reset([0, 1, 2, 3])
    assert (batch.step_and_restart(np.full((4, 2), 2)).reward >= ILLEGAL_PAYS - 1).all()


def test_what_is_compiled_with_an_environment_refuses_a_native_one_in_a_sentence() -> None:
    env = envwright.make("NativeCorridor-v0")
    sentence = "needs an environment written in JAX, and Corridor is a native one; step it with envwright.batch_of"
    with pytest.raises(EnvwrightError, match=sentence):
        envwright.rollout(env, num_envs=4, steps=2)
    with pytest.raises(EnvwrightError, match=sentence):
        Trainer(env, SHORT)
    with pytest.raises(EnvwrightError, match=sentence):
        vs(env, lambda key, obs, legal: legal)  # pyright: ignore[reportArgumentType]
    with pytest.raises(EnvwrightError, match="A native environment has no params"):
        envwright.batch_of(env, 4, params=3)
    with pytest.raises(ConfigError, match="Corridor is a native environment, which trains on one device; leave"):
        trainer_of(env, SHORT, devices=2)
