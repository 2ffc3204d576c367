"""The page on coverage says what its results say, and the results what the runs' journals say."""

import importlib.util
import json
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """benchmarks/coverage.py under another name, for a library is called like it."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("coverage_runner", BENCHMARKS / "coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules.pop("coverage_page")
    return module


def journal(folder: Path, *events: dict) -> Path:
    folder.mkdir()
    (folder / "journal.jsonl").write_text("\n".join(json.dumps(e) for e in ({"journal": 1}, *events)) + "\n")
    return folder


def answer(stop: str, sentence: str = "") -> dict:
    return {"event": "Settled", "task": "translate-rules", "stop": stop, "sentence": sentence, "seconds": 1.25}


def judged(passed: bool, **status: str) -> dict:
    return {"event": "Judged", "passed": passed, "checks": [{"level": k, "status": v} for k, v in status.items()]}


def test_the_page_is_what_the_results_say(runner: ModuleType):
    libraries = tomllib.loads((BENCHMARKS / "coverage.toml").read_text())["library"]
    results = json.loads((BENCHMARKS / "coverage.json").read_text())
    assert (ROOT / "docs" / "coverage.md").read_text() == runner.page(libraries, results)


def test_nothing_is_tried_twice_and_every_result_is_of_something_that_is_tried():
    libraries = tomllib.loads((BENCHMARKS / "coverage.toml").read_text())["library"]
    every = [run for library in libraries for run in library["runs"]]
    assert len(set(every)) == len(every)
    assert {row["run"] for row in json.loads((BENCHMARKS / "coverage.json").read_text())["rows"]} <= set(every)


def test_a_verified_run_counts_with_its_levels_and_its_speed(runner: ModuleType, tmp_path: Path):
    measured = {"event": "Measured", "reference": 1000.04, "candidate": 52_345_678.0, "ratio": [52_345.6, 5e4, 6e4]}
    folder = journal(tmp_path / "run", answer("done"), judged(True, L0="pass", L1="pass", L2="skip"), measured)
    row = runner.judge(folder, 0, "Verified")
    assert row == {
        "result": "verified", "levels": ["L0", "L1"], "translate": 1.25, "reference": 1000.0, "candidate": 52_350_000.0,
        "ratio": [52_350.0, 50_000.0, 60_000.0],
    }  # fmt: skip


def test_a_refusal_counts_with_every_sentence_once(runner: ModuleType, tmp_path: Path):
    folder = journal(tmp_path / "run", answer("refused", "a.py:3 in f: no.\nb.py:4 in g: no.\na.py:3 in f: no."))
    row = runner.judge(folder, 2, "envwright: The builtin agent refuses the module rules: ...")
    assert (row["result"], row["why"]) == ("refused", ["a.py:3 in f: no.", "b.py:4 in g: no."])


def test_what_cannot_be_begun_is_refused_with_its_last_sentence(runner: ModuleType, tmp_path: Path):
    said = "a line\nenvwright: run/contract.toml needs you: seen is a set. Then: envwright translate run.\n"
    row = runner.judge(tmp_path / "run", 2, said)
    assert (row["result"], row["why"]) == ("refused", ["contract.toml needs you: seen is a set."])


def test_a_wrong_translation_a_crash_and_a_long_run_are_told_apart(runner: ModuleType, tmp_path: Path):
    wrong = journal(tmp_path / "wrong", answer("done"), judged(False, L0="pass", L1="fail"))
    row = runner.judge(wrong, 2, "envwright: The translation is wrong: L1 steps. Let a coding agent go on with: x.")
    assert (row["result"], row["levels"], row["why"]) == ("wrong", ["L0"], ["The translation is wrong: L1 steps."])
    crashed = runner.judge(tmp_path / "none", 1, "Traceback\nKeyError: in /home/me/site-packages/game.py")
    assert (crashed["result"], crashed["why"]) == ("failed", ["KeyError: in game.py."])
    assert runner.judge(tmp_path / "none", None, "")["result"] == "out of time"
