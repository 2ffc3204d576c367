"""`envwright translate` from beginning to end with every kind of agent: fake programs, a provider on this machine."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from agents_kinds import MODELS, PRICE
from agents_server import Reply, Step, serve

from envwright.agents import conversation
from envwright.cli import main
from envwright.recipe.events import Settled
from envwright.recipe.journal import read_journal

WALK = Path(__file__).parent.parent / "recipe" / "walk"
ANSWERS = json.loads((WALK / "recording.json").read_text())["answers"]
COMMAND = [sys.executable, "-S", "-E", str(Path(__file__).parent / "fakes" / "command.py"), "{prompt_file}"]
OPTIONS: dict[str, dict[str, Any]] = {
    "claude": {},
    "gemini": {"model": "gemini-2.5-flash", "price": PRICE},
    "codex": {"model": "gpt-5.2", "price": PRICE},
    "command": {"argv": COMMAND, "charge": 0.05},
}


def project(folder: Path, agent: str, options: dict[str, Any], notes: str) -> Path:
    """The walk, to be translated by an agent with these options; a module at a time, so that answers come in order."""
    folder.mkdir()
    for name in ("contract.toml", "plan.toml", "walk.py"):
        (folder / name).write_text((WALK / name).read_text())
    settings = (
        (WALK / "envwright.toml").read_text().replace('agent = "handoff"', f'agent = "{agent}"\nnotes = "{notes}"')
    )
    lines = [f"{key} = {_toml(value)}" for key, value in options.items()]
    table = "\n".join([f"[agents.{agent}]", *lines, "", "[rules]", "together = 1"])
    (folder / "envwright.toml").write_text(f"{settings}\n{table}\n")
    return folder


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def translated(folder: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> list[Settled]:
    """Run it; gives the calls that were paid."""
    code = main(["translate", str(folder), "--out", str(out), "--budget", "5"])
    assert code == 0, capsys.readouterr().err
    assert "Verified" in capsys.readouterr().out
    calls = [e for e in read_journal(out / "journal.jsonl") if isinstance(e, Settled)]
    assert [e.stop for e in calls] == ["done"] * len(calls)
    assert calls[0].task == "translate-moves"
    assert list((out / "dist").glob("*.whl"))
    return calls


@pytest.mark.slow
@pytest.mark.parametrize("kind", OPTIONS)
def test_a_program_translates(kind: str, programs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = f"[fake: answer] [answers: {WALK / 'recording.json'}]"
    folder = project(tmp_path / "walk", kind, OPTIONS[kind], notes)
    calls = translated(folder, tmp_path / "run", capsys)
    assert all(call.amount > 0 for call in calls)
    if kind != "command":
        assert calls[0].usage[3] > 0  # tokens it wrote


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_a_model_behind_an_api_translates(
    kind: str, keys: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a provider that is overloaded, and one answer that is lost, on the way."""
    script: list[Step] = ["529" if kind == "anthropic" else 500, "cut"]
    for answer in ANSWERS.values():
        calls = tuple(("write_file", {"path": path, "content": text}) for path, text in answer["files"].items())
        script += [Reply("I write.", calls), Reply("Done.")]
    monkeypatch.setattr(conversation, "BACKOFF", 0.0)
    with serve(script) as server:
        options: dict[str, Any] = {"model": MODELS[kind], "price": PRICE, "key": "OPENAI_API_KEY"}
        if kind != "openai":
            options["base_url"] = f"{server.address}/v1" if kind == "chat" else server.address
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        folder = project(tmp_path / "walk", "api", options, "")
        calls = translated(folder, tmp_path / "run", capsys)
    assert calls[0].amount > calls[1].amount  # the lost answer was paid for
    assert sum(call.amount for call in calls) <= 5_000_000
