"""A program ends with everything it started, at the deadline or before, and sees only what it is meant to see."""

import gc
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from envwright.agents.process import DEADLINE, EXITED, FLOOD, UNSTARTED, run_program

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
PYTHON = (sys.executable, "-S", "-E", "-c")


def soon(seconds: float = 300.0) -> float:
    return time.monotonic() + seconds


def is_running(pid: int) -> bool:
    """Whether a process is alive; one that is dead and not yet buried is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_gone(pid: int) -> bool:
    for _ in range(200):  # a signal takes a moment
        if not is_running(pid):
            return True
        time.sleep(0.01)
    return False


def test_output_and_exit_code_are_given(tmp_path: Path) -> None:
    ended = run_program(
        [*PYTHON, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"], tmp_path, soon()
    )
    assert ended == (EXITED, 3, "out\n", "err\n")
    assert ended.sentence == "exited with 3"


def test_it_runs_in_the_folder(tmp_path: Path) -> None:
    run_program([*PYTHON, "open('made', 'w').close()"], tmp_path, soon())
    assert (tmp_path / "made").exists()


def test_a_long_prompt_arrives_whole_while_the_program_talks(tmp_path: Path) -> None:
    # more than both pipes hold, in both directions at once
    code = "import sys\nfor line in sys.stdin: sys.stdout.write(line)"
    text = "".join(f"line {n} äöü\n" for n in range(50_000))
    assert run_program([*PYTHON, code], tmp_path, soon(), stdin=text).stdout == text


def test_a_program_that_does_not_read_is_no_problem(tmp_path: Path) -> None:
    ended = run_program([*PYTHON, "print('done')"], tmp_path, soon(), stdin="x" * 1_000_000)
    assert (ended.how, ended.stdout) == (EXITED, "done\n")


def test_standard_input_ends(tmp_path: Path) -> None:
    assert run_program([*PYTHON, "import sys; print(len(sys.stdin.read()))"], tmp_path, soon()).stdout == "0\n"


def test_what_is_printed_last_is_not_lost(tmp_path: Path) -> None:
    ended = run_program([*PYTHON, "import os; os.write(1, b'x' * 60_000 + b'end'); os._exit(0)"], tmp_path, soon())
    assert ended.stdout == "x" * 60_000 + "end"


def test_it_has_a_session_of_its_own(tmp_path: Path) -> None:
    assert run_program([*PYTHON, "import os; print(os.getsid(0) == os.getpid())"], tmp_path, soon()).stdout == "True\n"


# one that leaves the group, and one of the group that forgets its environment
CHILDREN = """
import subprocess, sys, time
sleep = [sys.executable, "-SE", "-c", "import time; time.sleep(60)"]
print(subprocess.Popen(sleep, start_new_session=True).pid, subprocess.Popen(sleep, env={}).pid, flush=True)
"""


@LINUX
def test_the_deadline_kills_it_and_its_children(tmp_path: Path) -> None:
    ended = run_program([*PYTHON, f"{CHILDREN}\ntime.sleep(60)"], tmp_path, soon(2.0))
    assert ended.how == DEADLINE
    assert "deadline" in ended.sentence
    pids = [int(line) for line in ended.stdout.split()]
    assert len(pids) == 2
    assert all(is_gone(pid) for pid in pids)


@LINUX
def test_children_do_not_outlive_a_program_that_ends_by_itself(tmp_path: Path) -> None:
    ended = run_program([*PYTHON, CHILDREN], tmp_path, soon())
    assert ended.how == EXITED  # though its children still hold its standard output
    pids = [int(line) for line in ended.stdout.split()]
    assert len(pids) == 2
    assert all(is_gone(pid) for pid in pids)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_stopped_and_bounded(tmp_path: Path, stream: str) -> None:
    ended = run_program(
        [*PYTHON, f"import sys\nwhile True: sys.{stream}.write('x' * 10_000)"], tmp_path, soon(), most=100_000
    )
    assert ended.how == FLOOD
    assert len(getattr(ended, stream)) == 100_000


def test_a_signal_is_named(tmp_path: Path) -> None:
    ended = run_program([*PYTHON, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"], tmp_path, soon())
    assert ended.sentence == "was killed by SIGSEGV"


def test_what_cannot_be_started_says_so(tmp_path: Path) -> None:
    assert run_program(["no-such-program"], tmp_path, soon()).how == UNSTARTED
    assert run_program(["\0"], tmp_path, soon()).how == UNSTARTED
    assert run_program(["ls"], tmp_path / "missing", soon()).sentence.startswith("could not be started: No such file")


def test_the_environment_is_clean(tmp_path: Path, keys: dict[str, str]) -> None:
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    ended = run_program([*PYTHON, code], tmp_path, soon(), names=("GEMINI_API_KEY", "NOT_SET"), extra={"MORE": "1"})
    seen = json.loads(ended.stdout)
    assert seen["GEMINI_API_KEY"] == keys["GEMINI_API_KEY"]
    assert seen["TERM"] == "dumb"
    assert seen["HOME"] == os.environ["HOME"]
    assert not Path(seen["TMPDIR"]).exists()  # its own, and gone with it
    others = {"PATH", "LANG", "HOME", "TERM", "TMPDIR", "MORE", "GEMINI_API_KEY", "ENVWRIGHT_CALL", "LC_CTYPE"}
    assert set(seen) <= others


@LINUX
def test_nothing_is_left_behind(tmp_path: Path) -> None:
    def held() -> tuple[int, int, str]:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()  # zombies too
        return len(os.listdir("/proc/self/fd")), threading.active_count(), children

    before = held()
    for seconds in (30.0, 0.2):
        run_program([*PYTHON, "import time; time.sleep(1)"], tmp_path, soon(seconds))
    gc.collect()
    assert held() == before
