"""The example of docs/translate.md: what is shown of it exists, and it is translated, verified and playable."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from envwright.cli import main

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "treasure_hunt.py"
GAME, RULES, USE = 0, 1, 2  # the excerpts on the page, in order


def excerpts() -> list[str]:
    """Code on the page that is an excerpt of a file: marked py, not python."""
    return re.findall(r"```py\n(.*?)```", (ROOT / "docs" / "translate.md").read_text(), re.DOTALL)


def missing(excerpt: str, text: str) -> list[str]:
    """The lines of an excerpt that are not in a text; dots stand for what is left out."""
    there = text.splitlines()
    return [line for line in excerpt.splitlines() if line.strip() not in ("", "...") and line not in there]


def test_the_page_shows_the_game_as_it_is():
    assert len(excerpts()) == 3
    assert missing(excerpts()[GAME], EXAMPLE.read_text()) == []


@pytest.mark.slow
def test_it_is_translated_and_its_wheel_is_stepped_through_gymnasium(tmp_path: Path):
    assert main(["translate", f"{EXAMPLE}:TreasureHunt", "--out", str(tmp_path / "run")]) == 0
    (wheel,) = (tmp_path / "run" / "dist").glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    use = [sys.executable, str(ROOT / "examples" / "step_wheel.py"), "fast_treasure_hunt", "fast/TreasureHunt-v0"]
    path = {"PYTHONPATH": str(tmp_path / "installed")}
    stepped = subprocess.run(use, env={**os.environ, **path}, capture_output=True, text=True, timeout=120)
    assert "fast/TreasureHunt-v0: 1,000 steps" in stepped.stdout, stepped.stderr
    many = "import gymnasium as gym\n" + excerpts()[USE] + "assert envs.reset(seed=0)[0].shape == (4096, 8, 8)"
    subprocess.run([sys.executable, "-c", many], env={**os.environ, **path}, check=True, timeout=120)
    rules = (tmp_path / "installed" / "fast_treasure_hunt" / "rules.py").read_text()
    assert missing(excerpts()[RULES], rules) == [], "the page shows rules that are written otherwise now"
