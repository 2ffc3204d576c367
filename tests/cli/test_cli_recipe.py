"""The commands of the recipe: what they print, and what they say about what they cannot do."""

import os
from pathlib import Path

import pytest

from envwright.cli import main
from envwright.cli.doctor import PACKAGES, PROGRAMS

WALK = Path(__file__).parent.parent / "recipe" / "walk"


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code, and everything that was printed."""
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out + printed.err


def test_doctor_without_keys_and_programs_says_what_to_do_about_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in [name for name in os.environ if name.endswith("_KEY")]:
        monkeypatch.delenv(name)
    code, text = said(["doctor"], capsys)
    assert code == 0
    for program, (purpose, way) in PROGRAMS.items():
        assert f"{program:13} not found; for {purpose}, {way}" in text
    for package in PACKAGES:
        assert package in text
    missing = [line for line in text.splitlines() if line.startswith("  --")]
    assert len(missing) >= len(PROGRAMS) + 3
    assert all("install" in line or "state it" in line or "write it" in line or "set" in line for line in missing)


def test_agents_are_listed_with_what_they_need(capsys: pytest.CaptureFixture[str]):
    code, text = said(["agents"], capsys)
    assert code == 0
    assert "ready  builtin   rule-based, free, needs no key" in text
    for name in ("claude", "gemini", "codex", "command", "api", "handoff"):
        assert name in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_agents_are_completed(shell: str, capsys: pytest.CaptureFixture[str]):
    code, text = said(["completion", shell], capsys)
    assert code == 0
    (line,) = [line for line in text.splitlines() if "resume" in line and "--agent" in line]
    assert "builtin" in line


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["translate", "gymnasium:NoSuchGame-v0"], "NoSuchGame"),
        (["translate", "no_such_module:Game"], "no_such_module"),
        (["translate", "{tmp}"], "has no envwright.toml; make a project with: envwright init"),
        (["translate", "math:Game"], "math"),
        (["translate", "gymnasium:CartPole-v1", "--agent", "clod"], "There is no agent 'clod'; did you mean"),
        (["resume", "{tmp}"], "is not a project, for it has no envwright.toml"),
        (["status", "{tmp}"], "There is no run in"),
        (["record", "{tmp}", "--out", "{tmp}/x"], "There is no run in"),
        (["ablate", "{tmp}"], "is not a project"),
        (["init", "gymnasium:CartPole-v1", "--out", "{walk}"], "is a project already"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(arguments, sentence, tmp_path, capsys):
    arguments = [a.format(tmp=tmp_path, walk=WALK) for a in arguments]
    out = ["--out", str(tmp_path / "run")] if arguments[0] == "translate" else []
    code, text = said([*arguments, *out], capsys)
    assert code == 2
    assert sentence in text
    assert "Traceback" not in text
    assert len(text.strip().splitlines()) == 1


@pytest.mark.parametrize("amount", ["-1", "ten", "nan", "1e9"])
def test_a_budget_is_an_amount_of_dollars(amount, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["translate", "x:Y", "--budget", amount])
    assert "is not an amount of dollars" in capsys.readouterr().err


def test_without_money_an_agent_that_costs_is_not_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A program that would leave a trace if it were started."""
    trace = tmp_path / "started"
    project = tmp_path / "walk"
    project.mkdir()
    for name in ("contract.toml", "plan.toml", "walk.py"):
        (project / name).write_text((WALK / name).read_text())
    settings = (WALK / "envwright.toml").read_text().replace('agent = "handoff"', 'agent = "mine"')
    table = f'\n[agents.mine]\nkind = "command"\nargv = ["touch", "{trace}"]\ncharge = 0.5\n'
    (project / "envwright.toml").write_text(settings + table)
    code, text = said(["translate", str(project), "--out", str(tmp_path / "run"), "--budget", "0"], capsys)
    assert code == 2
    assert "but only $0.00 of $0.00 is left; raise it with: envwright resume --budget" in text
    assert not trace.exists()
    code, text = said(["status", str(tmp_path / "run")], capsys)
    assert code == 0
    assert "$0.00 spent" in text
