"""A whole run, played again from its recording: the real verifier, the real processes, killed and resumed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.core.errors import EnvwrightError
from envwright.recipe.events import Began, Judged, RolledBack, Settled
from envwright.recipe.journal import read_journal
from envwright.recipe.new_project import begin
from envwright.recipe.recorded import FILE

WALK = Path(__file__).parent / "walk"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording, played once from beginning to end."""
    folder = tmp_path_factory.mktemp("played") / "walk"
    assert main(["translate", str(WALK), "--out", str(folder)]) == 0
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    """What a run leaves behind for its user, the report apart, in which times are."""
    found = [*(folder / "package").rglob("*"), *(folder / "dist").iterdir()]
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(found) if p.is_file()}


def test_a_recording_is_a_whole_run_with_its_mistakes(played: Path):
    events = read_journal(played / "journal.jsonl")
    tasks = [e.task for e in events if isinstance(e, Settled)]
    assert tasks == ["translate-moves", "repair-moves-1", "translate-rules", "repair-rules-1", "repair-rules-2"]
    judged = [(e.stage, e.passed) for e in events if isinstance(e, Judged)]
    assert judged[0] == ("module moves", False)
    assert judged[-1] == ("hidden 2", True)
    assert [e.task for e in events if isinstance(e, RolledBack)] == ["repair-rules-1"]
    first = next(e for e in events if isinstance(e, Judged))
    assert "module moves, moves.worth(): expected -1.0, got 0.0" in first.counterexample
    assert "position = -5" in first.counterexample


def test_the_result_is_a_package_a_wheel_and_a_report(played: Path):
    (wheel,) = (played / "dist").iterdir()
    names = zipfile.ZipFile(wheel).namelist()
    assert {"fast_walk/rules.py", "fast_walk/moves.py", "fast_walk/card.md", "fast_walk/tests/test_moves.py"} <= set(
        names
    )
    assert "Verified" in (played / "report.html").read_text()


def test_status_of_a_finished_run_says_so(played: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["status", str(played)]) == 0
    out = capsys.readouterr().out
    assert "walk: walk.py:Walk to jax   $0.00 spent, $0.00 reserved, $10.00 left" in out
    assert "verified" in out
    assert "1 rolled back" in out


def test_resuming_a_finished_run_does_nothing_again(played: Path):
    before = (played / "journal.jsonl").read_bytes()
    result = bytes_of(played)
    assert main(["resume", str(played)]) == 0
    assert (played / "journal.jsonl").read_bytes() == before
    assert bytes_of(played) == result


def test_a_recording_holds_no_line_of_the_original():
    """But for lines that any program might have."""
    texts = " ".join(json.dumps(a["files"]) for a in json.loads((WALK / FILE).read_text())["answers"].values())
    original = [line.strip() for line in (WALK / "walk.py").read_text().splitlines()]
    assert not [line for line in original if len(line) > 20 and line in texts]


def test_another_original_than_was_recorded_is_refused(tmp_path: Path):
    project = begin(str(WALK), tmp_path / "walk")
    path = project.folder / "walk.py"
    path.write_text(path.read_text().replace("FAR = 5", "FAR = 6"))
    with pytest.raises(EnvwrightError, match=r"walk\.py"):
        main_raising(["resume", str(project.folder)])


def main_raising(arguments: list[str]) -> None:
    """The command, with its error as an error."""
    from envwright.cli.main import build_parser

    args = build_parser().parse_args(arguments)
    if arguments[0] == "resume":  # as a run that was begun with the other original
        from envwright.cli.running import carry_out
        from envwright.recipe.new_project import load_project

        carry_out(load_project(args.folder))


def killed_run(folder: Path, after: float) -> bool:
    """Start the run, or go on with it, and kill it with all it started; says whether it came to its end before."""
    command = [sys.executable, "-m", "envwright", "translate", str(WALK), "--out", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(after) == 0
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return False


def check_resumed(folder: Path, expected: dict[str, bytes]) -> None:
    assert main(["translate", str(WALK), "--out", str(folder)]) == 0
    assert bytes_of(folder) == expected
    answers = [e.task for e in read_journal(folder / "journal.jsonl") if isinstance(e, Settled) and e.stop == "done"]
    assert len(answers) == len(set(answers)) == 5  # no answer was asked for twice
    assert sum(isinstance(e, Began) for e in read_journal(folder / "journal.jsonl")) == 1


@pytest.mark.slow
def test_killed_at_random_moments_every_resume_ends_with_the_same_bytes(played: Path, tmp_path: Path):
    """Each run is killed once, somewhere; WALK_KILLS says how often, 50 having been tried."""
    expected = bytes_of(played)
    took = time.monotonic()
    assert killed_run(tmp_path / "whole", 600)
    took = time.monotonic() - took
    rng = random.Random(int(os.environ.get("WALK_SEED", "0")))
    killed = 0
    for number in range(int(os.environ.get("WALK_KILLS", "5"))):
        folder = tmp_path / f"run{number}"
        killed += not killed_run(folder, rng.uniform(0.02, 0.98) * took)
        check_resumed(folder, expected)
    assert killed


@pytest.mark.slow
def test_killed_again_and_again_a_run_still_ends_with_the_same_bytes(played: Path, tmp_path: Path):
    folder, rng = tmp_path / "walk", random.Random(3)
    for _ in range(6):
        if killed_run(folder, rng.uniform(4, 14)):
            break
    check_resumed(folder, bytes_of(played))
