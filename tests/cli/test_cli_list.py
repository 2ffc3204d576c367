"""`envwright list` with packages that others have installed, whole and broken."""

from pathlib import Path

import pytest

from envwright.cli.main import main

PACKAGES = {
    "whole_game": 'from envwright import Spec\nSPEC = Spec("Whole-v0", "whole_game.env:Whole", summary="a game")\n',
    "broken_game": "import a_package_that_is_not_there\n",
    "raising_game": "raise RuntimeError('no display\\nsecond line')\n",
}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages as pip leaves them."""
    for name, code in PACKAGES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(code)
        (tmp_path / name / "env.py").touch()
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        id = f"{name.split('_')[0].capitalize()}-v0"
        (info / "entry_points.txt").write_text(f"[envwright.envs]\n{id} = {name}:SPEC\n")
    (tmp_path / "whole_game" / "contract.toml").write_text('reference = "gymnasium:Whole-v3"\n')
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("installed")
def test_what_others_installed_is_listed_and_what_is_broken_with_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in capsys.readouterr().out.splitlines()}
    assert rows["Whole-v0"] == ["whole", "gymnasium:Whole-v3", "a game"]
    assert rows["Pong-v0"][:2] == ["pong", "pufferlib:pong"]
    assert rows["Broken-v0"][:2] == ["broken", "-"]
    assert rows["Broken-v0"][2].startswith("broken: EnvwrightError: Broken-v0 should be at broken_game:SPEC, but: ")
    assert rows["Raising-v0"] == ["raising", "-", "broken: RuntimeError: no display"]
