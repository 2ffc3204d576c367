"""Packages that a contract was written for: one sentence before anything is run where they are not there."""

from pathlib import Path

import pytest
from test_settings import TERMS

from envwright.cli.main import main
from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.verifier import contract as contracts
from envwright.verifier import requirements
from envwright.verifier.contract import Contract, ContractError


def needing(text: str) -> Contract:
    return contracts.read(TERMS + f"\n[requires]\n{text}", Path("roots.toml"))


def test_what_is_there_is_named_in_the_verdict() -> None:
    import gymnasium

    contract = needing(f'gymnasium = "{gymnasium.__version__}"\njax = "*"')
    requirements.check(contract)
    assert requirements.versions(contract).startswith(f"gymnasium {gymnasium.__version__}, jax 0.")


def test_another_version_is_one_sentence() -> None:
    with pytest.raises(EnvwrightError, match=r"needs gymnasium 0.1.0, but gymnasium .+ is installed; run: pip install"):
        requirements.check(needing('gymnasium = "0.1.0"'))


def test_a_missing_package_is_one_sentence() -> None:
    with pytest.raises(MissingExtraError, match=r"needs snail 4.0.0, which is not installed; run: pip install 'snail="):
        requirements.check(needing('snail = "4.0.0"'))


def test_a_missing_package_of_an_extra_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "_installed", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'envwright\[mujoco\]' 'mujoco==4.0.0'$"):
        requirements.check(needing('mujoco = "4.0.0"'))
    with pytest.raises(MissingExtraError, match=r"needs mujoco, which .* pip install 'envwright\[mujoco\]'$"):
        requirements.check(needing('mujoco = "*"'))


def test_versions_are_text() -> None:
    with pytest.raises(ContractError, match=r"\[requires\] jax: give the version as text"):
        needing("jax = 4.0")


def test_the_command_ends_with_2_and_runs_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "roots.toml"
    path.write_text(TERMS + '\n[requires]\nsnail = "4.0.0"')
    assert main(["verify", str(path), "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert "needs snail 4.0.0, which is not installed" in said.err + said.out
    assert "Traceback" not in said.err
