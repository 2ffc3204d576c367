"""Originals that cannot be the law: said in one sentence before anything is paid."""

import textwrap
from pathlib import Path

import pytest

from envwright.cli import main

GAME = """
    import itertools
    import gymnasium as gym

    clock = itertools.count()


    class Game(gym.Env):
        observation_space = gym.spaces.Discrete(100)
        action_space = gym.spaces.Discrete(2)

        def __init__(self):
            self.best = 0

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.position = 0
            return self.position, {{}}

        def step(self, action):
            {step}
            return self.position % 100, 0.0, self.position > 9, False, {{}}
"""


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("self.position += 1 + next(clock) % 3", "is not deterministic given its tape"),
        ("self.position += 1 + self.best % 2; self.best += 1", "keeps best over a reset"),
        ("self.position += 1; raise OSError('no display')", "no display"),
    ],
    ids=["not reproducible", "survives", "raises"],
)
def test_an_original_that_cannot_be_the_law_is_refused(
    step: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "game.py"
    file.write_text(textwrap.dedent(GAME).format(step=step))
    assert main(["init", f"{file}:Game", "--out", str(tmp_path / "project")]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "project" / "envwright.toml").exists()


def test_an_original_that_is_compiled_has_no_source_to_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    library = tmp_path / "game.cpython-311-x86_64-linux-gnu.so"
    library.write_bytes(b"")
    assert main(["init", f"{library}:Game", "--out", str(tmp_path / "project")]) == 2
    assert "game.cpython" in capsys.readouterr().err
