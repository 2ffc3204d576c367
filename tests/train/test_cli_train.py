"""`envwright train`, `eval` and `watch`: from nothing to a film, and one sentence for every mistake."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from envwright.cli.main import main
from envwright.training import checkpoint, metrics

SMALL = ["--steps", "512", "--games", "3", "--devices", "1"]
for setting in ("num_envs=8", "steps=32", "epochs=1", "minibatches=1", "network.hidden=[8]"):
    SMALL += ["--set", setting]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two seeds on CartPole; far from good."""
    folder = tmp_path_factory.mktemp("cli") / "run"
    assert main(["train", "cartpole", "--seed", "5", "--seeds", "2", "--out", str(folder), *SMALL]) == 0
    return folder


def said(capsys: pytest.CaptureFixture[str], *args: object) -> str:
    """What a command that works prints."""
    assert main([str(arg) for arg in args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *args: object) -> str:
    """The one sentence of a command that does not."""
    try:
        code: object = main([str(arg) for arg in args])
    except SystemExit as left:  # how the parser ends
        code = left.code
    assert code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    return err


def test_training_leaves_checkpoints_metrics_and_a_curve(trained: Path) -> None:
    assert [(row["update"], row["seed"]) for row in metrics.read(trained)] == [(1, 5), (1, 6), (2, 5), (2, 6)]
    last = checkpoint.newest(trained / "checkpoints")
    assert last is not None
    assert checkpoint.load(last).header["config"]["network"]["hidden"] == [8]
    assert (trained / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_command_again_says_how_good_it_is(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "train", "cartpole", "--seed", 5, "--seeds", 2, "--out", trained, *SMALL)
    assert "1,024 steps in " in out
    assert "seed 5: mean return " in out
    assert "seed 6: mean return " in out
    assert "over 3 games" in out
    assert f"Learning curve: {trained}/curve.png" in out


def test_eval_plays_games_here_and_in_the_original(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "eval", trained, "--games", 4, "--likeliest")
    assert out.startswith("CartPole-v1, 512 steps, on envwright: mean return ")
    assert "over 4 games" in out
    one, other = (said(capsys, "eval", trained, "--games", 4, "--of-seed", seed) for seed in (5, 6))
    assert one != other
    pytest.importorskip("gymnasium", reason="the original is Gymnasium's")
    there = said(capsys, "eval", trained, "--games", 2, "--on", "reference")
    assert there.startswith("CartPole-v1, 512 steps, on reference: mean return ")


def test_watch_films_a_game(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film = tmp_path / "film.gif"
    out = said(capsys, "watch", trained, "--out", film, "--steps", 3)
    assert out == f"4 frames of CartPole-v1, 512 steps in {film}\n"
    assert film.read_bytes().startswith(b"GIF89a")


def test_wrong_words_to_train(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begin = ("--out", tmp_path / "run")
    assert "did you mean 'CartPole-v1'?" in complaint(capsys, "train", "cartpol", *begin)
    assert "there is no setting 'stepps'" in complaint(capsys, "train", "cartpole", *begin, "--set", "stepps=3")
    assert "is not a setting; write NAME=VALUE" in complaint(capsys, "train", "cartpole", *begin, "--set", "steps")
    assert "cannot be read" in complaint(capsys, "train", "cartpole", *begin, "--config", tmp_path / "none.toml")
    assert "JAX has 2 devices, not 3" in complaint(capsys, "train", "cartpole", *begin, "--devices", 3)
    assert "needs --coordinator HOST:PORT" in complaint(capsys, "train", "cartpole", *begin, "--process", 1)
    assert "needs --coordinator HOST:PORT" in complaint(capsys, "train", "cartpole", *begin, "--processes", 2)
    several = ("train", "cartpole", *begin, "--processes", 2, "--process")
    assert "from 0 to 1 here, but --process is 2" in complaint(capsys, *several, 2, "--coordinator", "here:1")
    assert "'here' is not an address" in complaint(capsys, *several, 0, "--coordinator", "here")
    largest = ("--seed", 2**32 - 1, "--seeds", 2)
    assert "Seeds are whole numbers from 0 to 4294967295" in complaint(capsys, "train", "cartpole", *begin, *largest)
    assert not (tmp_path / "run").exists(), "nothing was begun"


def test_another_run_in_the_folder(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = complaint(capsys, "train", "cartpole", "--out", trained, *SMALL)
    assert "holds another run (seeds is [5, 6] there and [0] here)" in sentence


@pytest.mark.parametrize("command", ["eval", "watch"])
def test_wrong_words_about_a_run(
    trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert "There is no checkpoint in" in complaint(capsys, command, tmp_path)
    assert "There is no checkpoint in" in complaint(capsys, command, tmp_path / "none")
    assert "holds no seed 7; it has 5, 6." in complaint(capsys, command, trained, "--of-seed", 7)
    last = checkpoint.newest(trained / "checkpoints")
    assert last is not None
    damaged = Path(shutil.copy(last, tmp_path))
    content = np.frombuffer(damaged.read_bytes(), np.uint8).copy()
    content[-20] ^= 4
    damaged.write_bytes(content.tobytes())
    assert "is damaged" in complaint(capsys, command, damaged)
    (tmp_path / "other.txt").write_text("hello")
    assert "is not a checkpoint" in complaint(capsys, command, tmp_path / "other.txt")


def test_a_film_of_another_kind_is_refused(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = complaint(capsys, "watch", trained, "--out", tmp_path / "film.avi")
    assert "A film is a .gif or an .mp4" in sentence
    assert "film.avi" in sentence
