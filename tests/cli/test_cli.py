"""The command line as a person meets it: real processes, their output and their exit codes."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from envwright.cli.main import COMMANDS


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
def test_every_command_teaches_by_example(command):
    result = run(command, "--help")
    assert result.returncode == 0
    assert "examples:" in result.stdout
    assert f"envwright {command}" in result.stdout


def test_list_without_a_terminal_is_plain_columns():
    result = run("list")
    assert result.returncode == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert {row[0] for row in rows} >= {"Pong-v0", "CartPole-v1"}
    assert {len(row) for row in rows} == {3}
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


def test_verify_compares_with_c_and_writes_a_verdict(tmp_path, pong_library):
    result = run("verify", "pong", "--episodes", "20", "--frameskip", "8", "--out", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("0 differing bits") == 2
    verdict = json.loads((tmp_path / "verdict-pong.json").read_text())
    assert verdict["version"] == 1
    assert verdict["passed"]
    assert verdict["verdicts"][0]["provenance"]["reference"] == "pufferlib==3.0.0"


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
    assert complete("envwright play po", 2) == ["pong"]
    assert complete("envwright verify --ep", 2) == ["--episodes"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_script(shell):
    script = run("completion", shell).stdout
    assert "verify" in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)
