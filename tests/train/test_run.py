"""Runs: interrupted or not, the same bytes; what does not belong together is not mixed."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import Bandit, register_tiny, tiny

from envwright.core.errors import EnvwrightError
from envwright.training import checkpoint, metrics
from envwright.training.checkpoint import CheckpointError
from envwright.training.config import Config, ConfigError
from envwright.training.ppo import Trainer
from envwright.training.run import Progress, TrainingRun, _open, load_player, resume, train

register_tiny()
pytestmark = pytest.mark.usefixtures("eager")
CONFIG = tiny(total_steps=32 * 10, env_options={"length": 3}, normalise_observations=True)


class StoppedError(Exception):
    """Raised from the progress callback, as a user's interrupt would be."""


def run_in(folder: Path, config: Config = CONFIG, **kwargs: Any) -> TrainingRun:
    return TrainingRun(folder, "TinyBandit-v0", config, **{"devices": 1, **kwargs})


def until(chunks: int) -> Any:
    def stop(now: Progress) -> None:
        if now.steps >= chunks * 32:
            raise StoppedError

    return stop


def arrays(folder: Path) -> dict[str, bytes]:
    path = checkpoint.newest(folder / "checkpoints")
    assert path is not None
    return {name: array.tobytes() for name, array in checkpoint.load(path).arrays.items()}


@pytest.fixture(scope="module")
def whole(eager: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    seen: list[Progress] = []
    train(run_in(folder), progress=seen.append)
    assert [now.steps for now in seen] == [32 * i for i in range(1, 11)]
    assert np.isnan(seen[0].rate)
    assert seen[-1].rate > 0
    return folder


def test_a_run_leaves_a_line_an_update_and_its_state(whole: Path) -> None:
    rows = metrics.read(whole)
    assert [(row["update"], row["steps"], row["seed"]) for row in rows] == [(i, 32 * i, 0) for i in range(1, 11)]
    found = checkpoint.load(whole / "checkpoints" / "000000010.ckpt")
    assert found.header["env"] == "TinyBandit-v0"
    assert found.header["devices"] == 1
    assert json.loads((whole / "config.json").read_text())["config"] == found.header["config"]
    player, header = load_player(whole)
    assert player.name == "TinyBandit-v0, 320 steps"
    assert header["seeds"] == [0]
    assert len(list(whole.glob("events.out.tfevents.*"))) == 1
    assert len((whole / "timing.jsonl").read_text().splitlines()) == 10


def test_progress_tells_the_last_return_of_a_chunk() -> None:
    rows = metrics.rows_of({"return": np.array([[1.0], [2.0], [np.nan]])}, 0, 32, (0,))
    assert metrics.last_with_episodes(rows)["return"] == 2
    assert metrics.last_with_episodes(rows[2:]) == rows[2], "no episode has ended yet"


def test_a_finished_run_is_left_as_it_is(whole: Path) -> None:
    before = {path: path.read_bytes() for path in [whole / "metrics.jsonl", *(whole / "checkpoints").iterdir()]}
    train(run_in(whole), progress=until(0))
    assert {path: path.read_bytes() for path in before} == before


def test_an_interrupted_run_goes_on_to_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    """Twice: once before a checkpoint of the last chunk was written, once with lines that a killed process left."""
    run = run_in(tmp_path / "run")
    with pytest.raises(StoppedError):
        train(run, progress=until(4))
    assert [row["update"] for row in metrics.read(run.folder)] == [1, 2, 3, 4]
    kept = checkpoint.newest(run.folder / "checkpoints")
    assert kept is not None
    assert kept.name == "000000003.ckpt"
    lines = run.folder / "metrics.jsonl"
    forged = json.dumps({**metrics.read(run.folder)[-1], "update": 5}) + "\n"
    lines.write_text(lines.read_text() + forged + '{"update": 6, "st')  # the last one cut short
    went_on: list[int] = []
    train(run, progress=lambda now: went_on.append(now.steps))
    assert went_on[0] == 4 * 32
    assert lines.read_bytes() == (whole / "metrics.jsonl").read_bytes()
    assert arrays(run.folder) == arrays(whole)
    assert len(list(run.folder.glob("events.out.tfevents.*"))) == 1


def test_a_damaged_checkpoint_can_be_deleted_for_the_one_before_it(whole: Path, tmp_path: Path) -> None:
    run = run_in(tmp_path / "run")
    shutil.copytree(whole, run.folder)
    last = run.folder / "checkpoints" / "000000010.ckpt"
    last.write_bytes(last.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="is damaged"):
        train(run)
    last.unlink()
    assert resume(run, Trainer(Bandit(3), CONFIG, devices=1))[1] == 9


def test_another_run_in_the_same_folder_is_refused_by_the_setting(whole: Path) -> None:
    other = tiny(total_steps=320, env_options={"length": 4}, normalise_observations=True, gamma=0.5)
    with pytest.raises(ConfigError) as refused:
        train(run_in(whole, other))
    assert "gamma is 0.99 there and 0.5 here; env_options.length is 3 there and 4 here" in str(refused.value)
    assert "give another --out, or --fresh" in str(refused.value)
    with pytest.raises(ConfigError, match=r"seeds is \[0\] there and \[1\] here"):
        train(run_in(whole, seeds=(1,)))


def test_another_number_of_devices_is_refused(whole: Path) -> None:
    with pytest.raises(CheckpointError, match="was begun on 1 devices, and on 2 its sums would round differently"):
        train(run_in(whole, devices=2))


@pytest.mark.parametrize("content", ['{"architectures": ["Bert"]}', "[1, 2]", "not json", b"\xff"])
def test_fresh_deletes_nothing_that_is_not_a_run(tmp_path: Path, content: str | bytes) -> None:
    """Many a program keeps a config.json."""
    (tmp_path / "config.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "thesis.tex").write_text("years of work")
    for fresh in (True, False):
        with pytest.raises(EnvwrightError, match=r"config\.json is"):
            train(run_in(tmp_path), fresh=fresh)
    assert (tmp_path / "thesis.tex").read_text() == "years of work"


def test_fresh_begins_again(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    other = run_in(tmp_path / "run", tiny(total_steps=320, gamma=0.5))
    _open(other, 1, fresh=True)
    assert [path.name for path in sorted(other.folder.iterdir())] == ["checkpoints", "config.json"]
    assert resume(other, Trainer(Bandit(3), other.config, devices=1))[1] == 0
    assert json.loads((other.folder / "config.json").read_text())["config"]["gamma"] == 0.5


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvwrightError, match="cannot be used: Not a directory; give another --out"):
        train(run_in(tmp_path / "file" / "run"))


@pytest.mark.parametrize(("updates", "chunk"), [(1, 1), (20, 1), (40, 2), (100, 5), (2000, 100), (1999, 99)])
def test_chunks_are_short_and_even_where_they_can_be(updates: int, chunk: int) -> None:
    assert run_in(Path(), tiny(total_steps=32 * updates)).chunk == chunk
