"""A real process, really killed: run again, it ends where it would have ended."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envwright.training import checkpoint

# The command itself, but it saves after every chunk and, if told, waits for its end after some of them: the time of
# death is then a place in the run and not a matter of luck.
COMMAND = """
import sys, time
from envwright.cli import main, train
from envwright.training import run
from native_games import register_native

register_native()

run.SAVE_EVERY, run.SAVE_SHARE = -1.0, float("inf")
dies_after, show = int(sys.argv[1]), train.Show.__call__

def wait(self, now):
    show(self, now)
    while now.row["update"] == dies_after:
        time.sleep(1)

train.Show.__call__ = wait
sys.exit(main(sys.argv[2:]))
"""
ARGS = ["--steps", "10240", "--games", "1"]
for setting in ("num_envs=8", "steps=32", "minibatches=2", "network.hidden=[8]"):
    ARGS += ["--set", setting]


def start(what: list[str], folder: Path, dies_after: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", COMMAND, str(dies_after), "train", *what, *ARGS, "--out", str(folder)]
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env)


def lines(folder: Path) -> list[bytes]:
    path = folder / "metrics.jsonl"
    return path.read_bytes().splitlines() if path.exists() else []


@pytest.mark.slow
@pytest.mark.parametrize("what", [["cartpole", "--devices", "2"], ["nativenim"]], ids=["JAX", "C"])
def test_a_killed_run_ends_as_one_that_was_not(tmp_path: Path, what: list[str]) -> None:
    """In JAX a chunk is two updates; games in C are looked at after each."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(what, whole, 0).wait() == 0
    assert len(lines(whole)) == 40

    process = start(what, killed, 14)
    try:
        while len(lines(killed)) < 14:
            assert process.poll() is None
            time.sleep(0.05)
    finally:
        os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    last = checkpoint.newest(killed / "checkpoints")
    assert last is not None
    assert last.name == ("000000012.ckpt" if "cartpole" in what else "000000013.ckpt")
    assert json.loads(lines(killed)[-1])["update"] == 14

    assert start(what, killed, 0).wait() == 0
    assert lines(killed) == lines(whole)
    ends = [checkpoint.load(folder / "checkpoints" / "000000040.ckpt").arrays for folder in (whole, killed)]
    assert {name: array.tobytes() for name, array in ends[0].items()} == {
        name: array.tobytes() for name, array in ends[1].items()
    }
