"""The command line as a person meets it: real processes, their output and their exit codes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envwright.cli.main import COMMANDS, main
from envwright.cli.screen import Status, coloured
from envwright.verifier import contract as contracts
from envwright.verifier.verdict import VERSION


def run(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "envwright", *args]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, check=False)


def one_sentence(result: subprocess.CompletedProcess[str]) -> str:
    """The complaint: exit code 2, one line on standard error, no traceback."""
    assert result.returncode == 2, result
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert "Traceback" not in result.stderr
    return lines[0]


def test_without_a_command_it_explains_itself():
    result = run()
    assert result.returncode == 2
    assert "envwright play pong" in result.stdout


@pytest.mark.parametrize("command", [command.NAME for command in COMMANDS])
def test_every_command_teaches_by_example(command, capsys):
    with pytest.raises(SystemExit, match=r"^0$"):  # here: a process for each would take most of the time
        main([command, "--help"])
    said = capsys.readouterr().out
    assert "examples:" in said
    assert f"envwright {command}" in said


def test_list_without_a_terminal_is_plain_columns():
    result = run("list")
    assert result.returncode == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert {row[0] for row in rows} >= {"Pong-v0", "CartPole-v1"}
    assert {len(row) for row in rows} == {4}
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("command", ["play", "verify", "reference"])
def test_a_wrong_id_suggests_the_nearest(command):
    assert "did you mean 'Pong-v0'?" in one_sentence(run(command, "pnog"))


def test_wrong_words_get_one_sentence():
    assert "'x' is not a whole number of at least 1" in one_sentence(run("verify", "pong", "--episodes", "x"))
    assert "'-1' is not a whole number from 0 to" in one_sentence(run("verify", "pong", "--seed=-1"))
    assert "'0' is not a whole number of at least 1" in one_sentence(run("play", "pong", "--fps", "0"))
    assert "invalid choice: 'dance'" in one_sentence(run("dance"))


def test_play_without_a_terminal_says_so():
    assert "needs a terminal" in one_sentence(run("play", "pong"))


def test_no_compiler_is_one_sentence(tmp_path, pong_library):
    complaint = one_sentence(run("reference", "pong", env={"CC": "no-such-compiler", "PATH": str(tmp_path)}))
    assert "No C compiler was found" in complaint


def test_an_archive_that_is_not_the_published_one_is_refused(tmp_path):
    fake = tmp_path / "pufferlib-3.0.0.tar.gz"
    fake.write_bytes(b"not it")
    env = {"ENVWRIGHT_CACHE": str(tmp_path / "cache")}
    assert "is not the published pufferlib==3.0.0" in one_sentence(
        run("reference", "pong", "--archive", str(fake), env=env)
    )
    missing = run("reference", "pong", "--archive", str(tmp_path / "none.tar.gz"), env=env)
    assert "cannot be read" in one_sentence(missing)
    assert not (tmp_path / "cache").exists()


def test_no_package_index_is_one_sentence_that_names_the_way_out(tmp_path):
    env = {"ENVWRIGHT_CACHE": str(tmp_path), "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    complaint = one_sentence(run("reference", "pong", env=env))
    assert "could not be downloaded" in complaint
    assert "--archive" in complaint


def verdict(path: Path) -> dict[str, Any]:
    content = json.loads(path.read_text())
    assert content["version"] == VERSION
    return content


def test_verify_compares_one_of_ours_and_writes_a_verdict(tmp_path):
    result = run("verify", "cartpole", "--episodes", "4", "--levels", "3", "--out", str(tmp_path))
    assert result.returncode == 0, result
    assert result.stdout.startswith("PASS  gymnasium:CartPole-v1 and envwright:cartpole")
    assert "\x1b" not in result.stdout
    assert result.stderr == ""
    written = verdict(tmp_path / "verdict-cartpole.json")
    assert written["passed"]
    assert {check["level"] for check in written["verdicts"][0]["checks"]} == {"L3"}
    assert written["verdicts"][0]["provenance"]["effort"]["episodes"] == 4


def test_verify_compares_a_pair_of_others(tmp_path):
    pair = ("gymnasium:CartPole-v1", "gymnax:CartPole-v1")
    result = run("verify", *pair, "--episodes", "2", "--levels", "0", "--out", str(tmp_path))
    assert result.returncode == 0, result
    assert verdict(tmp_path / "verdict-gymnasium-CartPole-v1-and-gymnax-CartPole-v1.json")["passed"]


@pytest.mark.slow  # the one above goes the same way
def test_verify_compares_pong_with_c_in_each_of_its_forms(tmp_path, pong_library):
    result = run("verify", "pong", "--episodes", "20", "--levels", "3", "--out", str(tmp_path))
    assert result.returncode == 0, result
    assert result.stdout.count("0 bits differ") == 4
    written = verdict(tmp_path / "verdict-pong.json")
    assert written["passed"]
    assert len(written["verdicts"]) == 4


def test_a_pair_without_a_contract_says_how_to_begin_one():
    complaint = one_sentence(run("verify", "gymnasium:Taxi-v4", "gymnax:CartPole-v1"))
    assert "envwright contract init gymnasium:Taxi-v4 --candidate gymnax:CartPole-v1" in complaint
    assert "Give an environment" in one_sentence(run("verify", "a", "b", "c"))
    assert "none.toml cannot be read: No such file" in one_sentence(run("verify", "none.toml"))


def test_a_contract_is_begun_and_never_written_over(tmp_path):
    path = tmp_path / "contract.toml"
    command = ("contract", "init", "gymnasium:CartPole-v1", "--candidate", "gymnax:CartPole-v1", "--out", str(path))
    result = run(*command)
    assert result.returncode == 0, result
    assert f"envwright verify {path}" in result.stdout
    assert contracts.load(path).candidate == "gymnax:CartPole-v1"
    assert "exists already; choose another name with --out" in one_sentence(run(*command))
    assert "did you mean" in one_sentence(run("contract", "init", "gymnasium:CartPol-v1", "--out", str(tmp_path / "x")))


def test_replay_wants_a_file_of_ours(tmp_path):
    assert "cannot be read: No such file" in one_sentence(run("replay", str(tmp_path / "none.json")))
    (tmp_path / "other.json").write_text('{"a": 1}')
    assert "is of version None" in one_sentence(run("replay", str(tmp_path / "other.json")))


def test_what_is_under_way_is_shown_on_one_line_in_a_terminal_and_nowhere_else(monkeypatch, capsys):
    Status().show("L1 luck")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("envwright.cli.screen.is_terminal", lambda stream: True)
    status = Status()
    status.show("L1 luck")
    status.clear()
    assert capsys.readouterr() == ("", "\r\x1b[KL1 luck ...\r\x1b[K")


def test_a_verdict_is_green_and_red_in_a_terminal_and_plain_elsewhere(monkeypatch):
    text = "FAIL  a and b\n  L1 ok   spaces\n  L1 FAIL steps\n       module m\n  L2 skip phases"
    assert coloured(text) == text
    monkeypatch.setattr("envwright.cli.screen.is_terminal", lambda stream: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    colours = [line[2:4] if line.startswith("\x1b") else "" for line in coloured(text).splitlines()]
    assert colours == ["31", "32", "31", "31", ""]
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured(text) == text


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(tmp_path):
    (tmp_path / "file").write_text("in the way")
    complaint = one_sentence(run("verify", "pong", "--out", str(tmp_path / "file" / "out")))
    assert "cannot be made" in complaint


def test_bash_completes_commands_options_and_environments():
    script = run("completion", "bash").stdout

    def complete(words: str, at: int) -> list[str]:
        ask = f"{script}\nCOMP_WORDS=({words}); COMP_CWORD={at}; _envwright; echo ${{COMPREPLY[@]}}"
        return subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout.split()

    assert complete("envwright ve", 1) == ["verify"]
    assert complete("envwright play pon", 2) == ["pong"]
    assert complete("envwright verify --ep", 2) == ["--episodes"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_script(shell):
    script = run("completion", shell).stdout
    assert "verify" in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)
