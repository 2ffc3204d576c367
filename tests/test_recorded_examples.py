"""The recorded runs that ship: each fits the installed original, holds none of it, and is verified anew when played."""

import shutil
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.recipe.analyse.find import analyse
from envwright.recipe.new_project import load_project
from envwright.recipe.plan import read_plan
from envwright.recipe.recorded import copied_lines, load_recording

RECORDED = Path(__file__).parent.parent / "examples" / "recorded"
NAMES = ("blackjack", "breakout", "cart_pole", "frozen_lake", "pong", "space_invaders")


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_holds_no_line_of_its_original(name: str):
    """Of lines long enough to be somebody's; declarations that any translation has in common are short."""
    project = load_project(RECORDED / name)
    analysis = analyse(project.reference)
    read_plan(RECORDED / name / "plan.toml", analysis)  # the hashes are those of the installed original
    lines = [line for source in analysis.sources for line in analysis.text(source.path).splitlines()]
    assert not copied_lines(load_recording(RECORDED / name), lines)


def test_a_line_of_the_original_in_an_answer_is_noticed():
    content = {
        "answers": {
            "translate-rules": {"files": {"a.py": "x = 1\n    a_line(that, is_long, enough_to_be, somebodys)\n"}}
        }
    }
    assert copied_lines(content, ["x = 1", "  a_line(that, is_long, enough_to_be, somebodys)"])
    assert not copied_lines(content, ["x = 1", "a_line(that, is_long, enough_to_be, another)"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_verified_anew(name: str, tmp_path: Path):
    if load_project(RECORDED / name).target == "rust" and shutil.which("cargo") is None:
        pytest.skip("needs cargo")
    assert main(["translate", str(RECORDED / name), "--out", str(tmp_path / name)]) == 0
    assert list((tmp_path / name / "dist").glob("*.whl"))
    assert "Verified" in (tmp_path / name / "report.html").read_text()
