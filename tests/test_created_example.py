"""The recorded creation that ships: a game from a two-page rulebook, made and verified anew; then edited."""

import shutil
import zipfile
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.recipe.create.rule_coverage import exercised, why_not
from envwright.recipe.events import Began, Finished, Judged, Measured, RulesCovered, Settled, of_translation
from envwright.recipe.journal import read_journal

EXAMPLES = Path(__file__).parent.parent / "examples"
RECORDED = EXAMPLES / "recorded" / "night_ferry"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recording, played once from documents to wheel."""
    folder = tmp_path_factory.mktemp("played") / "night_ferry"
    assert main(["create", str(RECORDED), "--out", str(folder)]) == 0
    return folder


def test_the_documents_are_those_of_the_example():
    for name in ("rules.md", "crates.csv"):
        assert (RECORDED / "documents" / name).read_bytes() == (EXAMPLES / "night_ferry" / name).read_bytes()


def test_from_documents_to_a_wheel_in_one_journal(played: Path):
    events = read_journal(played / "journal.jsonl")
    tasks = [e.task for e in events if isinstance(e, Settled)]
    assert tasks == ["write-specification", "write-reference", "write-tests", "translate-rules"]
    judged = [e.stage for e in events if isinstance(e, Judged) and e.passed]
    assert judged == ["specification", "reference", "tests", "agreement", "whole", "hidden 1"]
    assert [sorted(e.hashes)[-1] for e in events if isinstance(e, Began)] == ["rulebook", "source"]
    (wheel,) = (played / "dist").iterdir()
    assert "fast_night_ferry/rules.py" in zipfile.ZipFile(wheel).namelist()


def test_every_rule_is_exercised_or_listed_as_not(played: Path):
    (covered,) = [e for e in read_journal(played / "journal.jsonl") if isinstance(e, RulesCovered)]
    missing = {row.rule: why_not(row) for row in covered.rows if not exercised(row)}
    assert missing == {"5.2": "no line of the reference is marked with it."}
    assert len(covered.rows) == 20
    assert covered.episodes == 300
    noticed = {row.rule for row in covered.rows if row.noticed}
    assert noticed == {row.rule for row in covered.rows} - {"2.4", "5.2"}  # 2.4 is in a line that returns a value
    page = (played / "report.html").read_text()
    assert "Verified" in page
    assert "5.2: no line of the reference is marked with it." in page
    assert "What the documents leave open" in page
    assert "nothing is paid, the load is lost" in page


def test_resuming_a_finished_run_does_nothing_again(played: Path):
    before = (played / "journal.jsonl").read_bytes()
    assert main(["resume", str(played)]) == 0
    assert (played / "journal.jsonl").read_bytes() == before


def test_kept_again_it_is_the_same_recording(played: Path, tmp_path: Path):
    assert main(["record", str(played), "--out", str(tmp_path / "kept")]) == 0
    kept, shipped = tmp_path / "kept", RECORDED
    names = {path.relative_to(kept) for path in kept.rglob("*") if path.is_file()}
    assert names == {path.relative_to(shipped) for path in shipped.rglob("*") if path.is_file()}
    for name in ("plan.toml", "contract.toml", "envwright.toml"):
        assert (kept / name).read_text() == (shipped / name).read_text()


@pytest.mark.slow
def test_an_edited_reference_is_translated_anew_in_the_same_journal(played: Path, tmp_path: Path):
    folder = Path(shutil.copytree(played, tmp_path / "edited"))
    path = folder / "created" / "night_ferry.py"
    text = path.read_text()
    path.write_text(text.replace("self.load = max(self.load - 1, 0)", "self.load -= min(self.load, 1)"))
    assert path.read_text() != text
    assert main(["resume", str(folder), "--agent", "builtin,handoff"]) == 0
    events = read_journal(folder / "journal.jsonl")
    assert sum(isinstance(e, Began) for e in events) == 3
    now = of_translation(events)
    assert [type(e) for e in now if isinstance(e, Measured | Finished)] == [Measured, Finished]
    assert [e.call for e in now if isinstance(e, Settled)] == ["translate-rules.builtin.2"]
    assert (folder / "contract.before.toml").exists()
    rules = Path("package", "fast_night_ferry", "rules.py")
    assert (folder / rules).read_text() != (played / rules).read_text()
