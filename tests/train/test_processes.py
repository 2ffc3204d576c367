"""Several processes as one run: they meet, share the work, and write what one process would."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from envwright.training import checkpoint

ARGS = ["train", "cartpole", "--steps", "2560", "--games", "1"]
for setting in ("num_envs=8", "steps=32", "minibatches=2", "network.hidden=[8]"):
    ARGS += ["--set", setting]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(folder: Path, *args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "envwright", *ARGS, "--out", str(folder), *map(str, args)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [1, 2])
def test_two_processes_learn_what_two_devices_do(tmp_path: Path, seeds: int) -> None:
    """With one seed they share its environments; with two, each trains one, and the first gathers all for the files."""
    alone, together = tmp_path / "alone", tmp_path / "together"
    by_itself = start(alone, "--devices", 2, "--seeds", seeds)
    out, err = by_itself.communicate()
    assert by_itself.returncode == 0, (out, err)
    meet = ("--seeds", seeds, "--coordinator", f"127.0.0.1:{free_port()}", "--processes", 2)
    processes = [start(together, *meet, "--process", i) for i in range(2)]
    said = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], said
    assert "mean return" in said[0][0]
    assert "mean return" not in said[1][0], "one of them says it"
    assert (together / "metrics.jsonl").read_bytes() == (alone / "metrics.jsonl").read_bytes()
    ends = [checkpoint.load(folder / "checkpoints" / "000000010.ckpt") for folder in (alone, together)]
    assert ends[0].header["devices"] == ends[1].header["devices"] == 2
    assert {name: array.tobytes() for name, array in ends[0].arrays.items()} == {
        name: array.tobytes() for name, array in ends[1].arrays.items()
    }
