"""Claude Code, Gemini CLI, Codex and other programs: what they are told, what they may see, what they are charged."""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents_kinds import GRANT, PRICE, PROGRAMS, act, run
from test_agents_process import LINUX, is_gone

from envwright.agents.claude import make_claude
from envwright.agents.command import CommandError, make_command
from envwright.agents.find import find_agent
from envwright.agents.protocol import CHARGED, DOLLAR, DONE, FAILED, FREE, PRICED, REPORTED, SPENT, TIMEOUT, Task, Usage

pytestmark = pytest.mark.usefixtures("programs")

OWN_KEY = {"claude": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY", "codex": "CODEX_API_KEY", "command": ""}


@pytest.mark.parametrize("kind", [*PROGRAMS, "command"])
def test_it_sees_its_own_key_and_no_other(kind: str, workspace: Path, task: Task, keys: dict[str, str]) -> None:
    seen = json.loads(act(kind, "environment", workspace, task).files["rules.py"])
    assert {key for key in keys if key in seen} == {OWN_KEY[kind]} - {""}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_further_variables_are_passed_if_named(kind: str, workspace: Path, task: Task) -> None:
    options: dict[str, Any] = {"environment": ["SECRET_OF_THE_SHELL"], "free": True, "arguments": ["--more"]}
    outcome = run(kind, options, "environment", workspace, task, 0, 20)
    assert "SECRET_OF_THE_SHELL" in json.loads(outcome.files["rules.py"])
    told = json.loads(run(kind, options, "arguments", workspace, task, 0, 20).files["rules.py"])
    assert told["argv"][-1] == "--more"


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_prompt_may_be_longer_than_arguments_can_be(kind: str, workspace: Path, task: Task) -> None:
    long = replace(task, prompt="x" * 500_000)
    told = json.loads(act(kind, "arguments", workspace, long).files["rules.py"])
    assert told["stdin"] == f"{long.prompt} [fake: arguments]"


def test_claude_is_given_the_grant_as_its_budget(workspace: Path, task: Task) -> None:
    outcome = run("claude", {"model": "opus"}, "arguments", workspace, task, 123_456, 20)
    argv = json.loads(outcome.files["rules.py"])["argv"]
    assert argv[argv.index("--max-budget-usd") + 1] == "0.123456"
    assert argv[argv.index("--permission-mode") + 1] == "acceptEdits"
    assert argv[argv.index("--model") + 1] == "opus"
    assert "Task" not in argv[argv.index("--tools") + 1]


def test_claude_says_what_it_cost(workspace: Path, task: Task) -> None:
    outcome = act("claude", "succeed", workspace, task)
    assert (outcome.cost, outcome.cost_source) == (12_346, REPORTED)  # 0.0123451 dollars, rounded up
    assert outcome.usage == Usage(12_012, 9000, 3000, 800)
    assert outcome.model == "claude-sonnet-5-5"


@pytest.mark.parametrize("kind", ["gemini", "codex"])
def test_tokens_are_priced(kind: str, workspace: Path, task: Task) -> None:
    outcome = act(kind, "succeed", workspace, task)
    assert (outcome.cost, outcome.cost_source) == (4000 * 3 + 8000 * 3 // 10 + 1054 * 15, PRICED)
    assert outcome.usage[:4] == (12_000, 8000, 0, 1054)
    assert outcome.model == {"gemini": "gemini-2.5-flash", "codex": "gpt-5.2"}[kind]


@pytest.mark.parametrize(
    ("kind", "what", "stop", "cost", "source", "sentence"),
    [
        ("claude", "error", FAILED, 12_346, REPORTED, "claude failed: the tool broke."),
        ("claude", "budget", SPENT, 12_346, REPORTED, "claude stopped because its budget was used up."),
        ("claude", "key", FAILED, 0, REPORTED, "set ANTHROPIC_API_KEY"),
        ("claude", "hang_after", TIMEOUT, 12_346, REPORTED, "claude was stopped at the deadline."),
        ("claude", "crash", FAILED, GRANT, CHARGED, "claude was killed by SIGSEGV"),
        ("claude", "exit", FAILED, GRANT, CHARGED, "claude exited with 1: something is wrong with the machine."),
        ("claude", "prose", FAILED, GRANT, CHARGED, "printed no report that can be read: I wrote the file and it is"),
        ("claude", "flood", FAILED, GRANT, CHARGED, "claude was stopped because it printed more than 16 MB"),
        ("gemini", "error", FAILED, GRANT, CHARGED, "gemini failed: the tool broke."),
        ("gemini", "key", FAILED, GRANT, CHARGED, "set GEMINI_API_KEY"),
        ("gemini", "crash", FAILED, GRANT, CHARGED, "gemini was killed by SIGSEGV"),
        ("gemini", "flood", FAILED, GRANT, CHARGED, "gemini was stopped because it printed more than 16 MB"),
        ("codex", "error", FAILED, GRANT, CHARGED, "codex failed: the tool broke."),
        ("codex", "key", FAILED, GRANT, CHARGED, "set CODEX_API_KEY"),
        ("codex", "hang_after", TIMEOUT, 30_210, PRICED, "codex was stopped at the deadline."),
        ("codex", "crash", FAILED, GRANT, CHARGED, "codex was killed by SIGSEGV"),
        ("codex", "flood", FAILED, GRANT, CHARGED, "codex was stopped because it printed more than 16 MB"),
        ("command", "crash", FAILED, 50_000, PRICED, "was killed by SIGSEGV."),
        ("command", "hang", TIMEOUT, 50_000, PRICED, "was stopped at the deadline."),
        ("command", "exit", FAILED, 50_000, PRICED, "exited with 1"),
    ],
)
def test_money_when_things_go_wrong(
    kind: str, what: str, stop: str, cost: int, source: str, sentence: str, workspace: Path, task: Task
) -> None:
    seconds = {"hang": 1.5, "hang_after": 5.0}.get(what, 300.0)  # time to say something before it hangs
    outcome = act(kind, what, workspace, task, seconds=seconds)
    assert (outcome.stop, outcome.cost, outcome.cost_source) == (stop, cost, source)
    assert sentence in outcome.sentence


@LINUX
@pytest.mark.parametrize("kind", [*PROGRAMS, "command"])
def test_nothing_it_started_is_left_running(kind: str, workspace: Path, task: Task) -> None:
    outcome = act(kind, "children", workspace, task)
    assert outcome.stop == DONE
    pids = json.loads(outcome.files["rules.py"])
    assert len(pids) == 2
    assert all(is_gone(pid) for pid in pids)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_what_is_free_is_never_charged(kind: str, workspace: Path, task: Task) -> None:
    agent = find_agent(kind, {"free": True})
    assert not agent.costs
    for what in ("succeed", "prose"):
        outcome = run(kind, {"free": True}, what, workspace, task, 0, 20)
        assert (outcome.cost, outcome.cost_source) == (0, FREE)
        assert outcome.stop == (DONE if what == "succeed" else FAILED)


def test_a_model_that_is_not_known_cannot_be_priced(workspace: Path, task: Task) -> None:
    outcome = run("codex", {}, "succeed", workspace, task, GRANT, 20)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)
    assert "state one as model = ..." in outcome.sentence
    outcome = run("codex", {"model": "no-such-model"}, "succeed", workspace, task, GRANT, 20)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)
    assert "state one as price" in outcome.sentence


def test_what_cannot_be_priced_afterwards_is_not_started(
    workspace: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = run("gemini", {"price": {"input": 1}}, "succeed", workspace, task, GRANT, 20)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)
    assert "A price needs input and output" in outcome.sentence
    monkeypatch.setattr("envwright.agents.headless.has_list", lambda: False)
    monkeypatch.setattr("envwright.agents.prices.has_list", lambda: False)
    outcome = run("gemini", {}, "succeed", workspace, task, GRANT, 20)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)
    assert "pip install 'envwright[agents]'" in outcome.sentence


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_missing_program_says_how_to_install_it(
    kind: str, workspace: Path, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install it with: npm install -g @" in find_agent(kind, {"free": True}).readiness().sentence
    outcome = run(kind, {"free": True}, "succeed", workspace, task, GRANT, 20)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)
    assert "npm install" in outcome.sentence


VERSIONS = {"claude": "claude 2.1.325 (Claude Code)", "gemini": "gemini 0.61.0", "codex": "codex codex-cli 0.166.0"}
SIGNED_IN = {"claude": ".claude/.credentials.json", "gemini": ".gemini/oauth_creds.json", "codex": ".codex/auth.json"}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_readiness_says_what_was_found(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = find_agent(kind, {"free": True})
    assert agent.readiness() == (True, f"{VERSIONS[kind]}, with a key")
    monkeypatch.delenv(OWN_KEY[kind])
    assert not agent.readiness().ready
    assert f"set {OWN_KEY[kind]}" in agent.readiness().sentence
    file = Path.home() / SIGNED_IN[kind]
    file.parent.mkdir()
    file.touch()
    assert agent.readiness() == (True, f"{VERSIONS[kind]}, signed in")


@pytest.mark.parametrize(("kind", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")])
def test_a_folder_elsewhere_is_looked_at_and_passed_on(
    kind: str, variable: str, workspace: Path, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(OWN_KEY[kind])
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / Path(SIGNED_IN[kind]).name).touch()
    assert find_agent(kind, {"free": True}).readiness().ready
    assert json.loads(act(kind, "environment", workspace, task).files["rules.py"])[variable] == str(tmp_path)


def test_a_program_that_does_not_run_is_not_ready(programs: Path) -> None:
    (programs / "claude").write_text("#!/bin/sh\nexit 127\n")
    readiness = make_claude().readiness()
    assert not readiness.ready
    assert readiness.sentence.startswith("claude --version exited with 127; reinstall it")


@pytest.mark.parametrize(
    "text", ['{"type": "result"}', '{"type":"result","modelUsage":[1],"total_cost_usd":"x"}', "[1]"]
)
def test_a_strange_report_does_not_break_anything(programs: Path, workspace: Path, task: Task, text: str) -> None:
    (programs / "claude").write_text(f"#!/bin/sh\ncat > /dev/null\necho '{text}'\n")
    outcome = make_claude().run(task, workspace, GRANT, time.monotonic() + 300)
    assert (outcome.stop, outcome.cost, outcome.cost_source) == (FAILED, GRANT, CHARGED)


def test_a_gemini_report_is_found_behind_warnings(programs: Path, workspace: Path, task: Task) -> None:
    (programs / "gemini").write_text(
        "#!/bin/sh\ncat > /dev/null\necho 'Loaded cached credentials.'\n"
        'echo \'{"response": "fine", "stats": {"models": {"m": {"tokens": {"prompt": 10, "candidates": 2}}}}}\'\n'
    )
    outcome = run("gemini", {"price": PRICE}, "succeed", workspace, task, GRANT, 20)
    assert (outcome.stop, outcome.cost, outcome.sentence) == (DONE, 60, "fine")


def test_places_in_a_command_are_filled_in(workspace: Path, task: Task) -> None:
    code = "import sys; open('rules.py', 'w').write('|'.join(sys.argv[1:]))"
    argv = [sys.executable, "-c", code, "--file={prompt_file}", "{workspace}", "{grant}", '{"json": 1}']
    outcome = make_command(argv=argv, free=True).run(task, workspace, DOLLAR, time.monotonic() + 300)
    wanted = f'--file={workspace / "PROMPT.md"}|{workspace}|1.000000|{{"json": 1}}'
    assert outcome.files["rules.py"] == wanted
    assert (workspace / "PROMPT.md").read_text() == task.prompt
    assert outcome.strays == ()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"free": True}, "has no command; state it as argv"),
        ({"argv": ["x"]}, "either charge = dollars, or free = true"),
        ({"argv": ["x"], "charge": 0.1, "free": True}, "either charge = dollars, or free = true"),
        (
            {"argv": ["x", "{promt_file}"], "free": True},
            "has a place {promt_file}; there are {prompt_file}, {workspace}",
        ),
    ],
)
def test_a_wrong_command_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CommandError) as caught:
        make_command(**options)
    assert sentence in str(caught.value)


def test_a_command_that_is_not_there(workspace: Path, task: Task) -> None:
    agent = make_command(argv=["no-such-program"], charge=0.1)
    assert not agent.readiness().ready
    outcome = agent.run(task, workspace, DOLLAR, time.monotonic() + 300)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)
    assert make_command(argv=["sh"], charge=0.1).readiness().sentence.endswith("/sh, $0.10 a call")
