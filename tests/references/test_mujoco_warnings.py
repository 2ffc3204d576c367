"""What MuJoCo's compiler says of a reference's XML."""

import logging
from pathlib import Path
from typing import Any

import pytest

from envwright.references.gymnasium_env import gymnasium_reference

mujoco: Any = pytest.importorskip("mujoco")


def test_warnings_of_the_compiler_are_logged_and_not_printed(
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = mujoco.get_mju_user_warning()
    with caplog.at_level(logging.INFO):
        gymnasium_reference("HalfCheetah-v5")
    assert "settotalmass" in caplog.text  # otherwise this test shows nothing
    assert "settotalmass" not in "".join(capfd.readouterr())
    assert not list(tmp_path.iterdir())
    assert mujoco.get_mju_user_warning() is before
