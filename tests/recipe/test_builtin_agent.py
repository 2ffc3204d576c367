"""The builtin agent: what it gives, what it refuses, and who goes on then."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import rule_based
from rule_based import GAP, OTHER_GAP, WALK, builtin, lesson
from scripted import ScriptedAgent, ScriptedVerifier, briefing, interface

import envwright
from envwright.agents.find import all_agents, find_agent
from envwright.agents.protocol import DOLLAR, Task
from envwright.cli import main
from envwright.cli.resume import _asked_before
from envwright.core.errors import EnvwrightError
from envwright.recipe import builtin as rules
from envwright.recipe.builtin import Asked, BuiltinAgent, BuiltinTranslation
from envwright.recipe.events import Began, HandedOver, Judged, Kept, Reserved, Settled
from envwright.recipe.journal import open_journal, read_journal
from envwright.recipe.journaled_run import PERSON, JournaledRun, TaskRefusedError
from envwright.recipe.ledger import Ledger
from envwright.recipe.recorded import make_recording
from envwright.recipe.repair_loop import LoopRules, translate
from envwright.recipe.view import current_files
from envwright.references.protocol import ReferenceFailedError
from envwright.verifier.contract import Contract

CARDS = Task("translate-cards", "", ("fast_game/cards.py", "tests/test_cards.py"))
NEEDS = {"cards": [], "rules": ["cards"]}


def go(folder: Path, agents):
    """A run from the start or where it was left; gives its files and its events."""
    journal = open_journal(folder / "journal.jsonl", clock=lambda: 0.0)
    try:
        run = JournaledRun(folder, journal, Ledger(journal, DOLLAR), ScriptedVerifier(), agents, grant=DOLLAR)  # pyright: ignore[reportArgumentType]
        return translate(run, briefing(NEEDS), LoopRules(together=1)), journal.events
    finally:
        journal.close()


def asked(events) -> list[str]:
    return [e.call for e in events if isinstance(e, Reserved)]


# ---- the agent ----


def test_it_is_known_ready_and_free():
    agent = find_agent("builtin")
    assert all_agents()[0] == agent.name == "builtin"
    assert agent.readiness() == (True, "rule-based, free, needs no key")
    assert not agent.costs
    with pytest.raises(EnvwrightError, match=r"\[agents.builtin\] has an option 'model'; this kind has none"):
        find_agent("builtin", {"model": "x"})


def test_a_module_without_gaps_is_done_and_one_with_gaps_is_refused_with_what_there_is(tmp_path: Path):
    agent = builtin({"cards": "ok", "rules": "half"}, {"rules": (GAP, OTHER_GAP)})
    done = agent.run(CARDS, tmp_path, 0, 0)
    assert (done.stop, done.files, done.cost) == ("done", {"fast_game/cards.py": "ok"}, 0)
    refused = agent.run(Task("translate-rules", "", ("fast_game/rules.py",)), tmp_path, 0, 0)
    assert (refused.stop, refused.files) == ("refused", {"fast_game/rules.py": "half"})
    assert refused.sentence.splitlines() == [GAP, OTHER_GAP]
    assert agent.refusals() == (GAP, OTHER_GAP)


def test_a_module_that_was_not_written_for_gaps_elsewhere_is_refused_too(tmp_path: Path):
    outcome = builtin({}, {"rules": (GAP,)}).run(CARDS, tmp_path, 0, 0)
    assert (outcome.stop, outcome.files, outcome.sentence) == ("refused", {}, GAP)


def test_the_translation_is_made_once(tmp_path: Path):
    calls: list[tuple] = []

    def beside(work, *arguments):
        calls.append((work, *arguments))
        return BuiltinTranslation({}, {})

    agent, told = BuiltinAgent(), lesson(BuiltinTranslation({}, {}))
    agent.learn(rules.Lesson(told.contract, told.interface, told.plan, "jax", "python", beside))
    for name in ("translate-cards", "translate-rules"):
        agent.run(Task(name, "", ()), tmp_path, 0, 0)
    modules = (Asked("cards", ("cards.f",)), Asked("rules", ("rules.f",)))
    assert calls == [(rules._translate, told.contract, told.interface, modules)]


@pytest.mark.parametrize(
    ("target", "language", "sentence"),
    [
        ("rust", "python", "it translates to JAX, not to rust"),
        ("jax", "c", "it translates from Python, and game.py:Game is in c"),
    ],
)
def test_it_says_what_it_is_not_made_for(target: str, language: str, sentence: str, tmp_path: Path):
    agent = BuiltinAgent()
    agent.learn(lesson(BuiltinTranslation({}, {}), target, language))
    outcome = agent.run(CARDS, tmp_path, 0, 0)
    assert outcome.stop == "refused"
    assert outcome.sentence.startswith(sentence)


def test_a_repair_is_refused(tmp_path: Path):
    outcome = builtin({"cards": "ok"}).run(Task("repair-cards-1", "", ()), tmp_path, 0, 0)
    assert (outcome.stop, outcome.sentence) == ("refused", "it follows rules and has no second answer")


def test_a_reference_that_dies_meanwhile_is_a_refusal(tmp_path: Path):
    def beside(work, *arguments):
        raise ReferenceFailedError("The reference's process died.")

    agent, told = BuiltinAgent(), lesson(BuiltinTranslation({}, {}))
    agent.learn(rules.Lesson(told.contract, told.interface, told.plan, "jax", "python", beside))
    assert agent.run(CARDS, tmp_path, 0, 0).sentence == "The reference's process died."


# ---- beside the reference ----


def compiled(monkeypatch: pytest.MonkeyPatch, work) -> BuiltinTranslation:
    monkeypatch.setattr(envwright, "compiler", SimpleNamespace(translate=work), raising=False)
    reference, contract = SimpleNamespace(), Contract("game.py:Game", "x")
    return rules._translate(reference, contract, interface(["rules"]), (), lambda: None)  # pyright: ignore[reportArgumentType]


def test_what_the_compiler_gives_is_taken_as_plain_texts(monkeypatch: pytest.MonkeyPatch):
    refusal = SimpleNamespace(sentence="game.py:1 in f:\n no.", function="f", file="game.py", line=1)
    made = compiled(monkeypatch, lambda *a: SimpleNamespace(files={"a": "b"}, refusals={"rules": (refusal,), "x": ()}))
    assert made == BuiltinTranslation({"a": "b"}, {"rules": ("game.py:1 in f: no.",)})


def test_a_mistake_in_the_compiler_is_a_refusal_with_its_place(monkeypatch: pytest.MonkeyPatch):
    def broken(*arguments):
        raise KeyError("node")

    made = compiled(monkeypatch, broken)
    assert made.broke.startswith("its rules broke with KeyError: 'node' (test_builtin_agent.py:")


# ---- in the loop ----


def test_alone_it_translates_a_game_for_nothing(tmp_path: Path):
    files, events = go(tmp_path, [builtin({"cards": "ok", "rules": "ok"})])
    assert files["fast_game/rules.py"] == "ok"
    assert asked(events) == ["translate-cards.builtin.1", "translate-rules.builtin.1"]
    assert not any(path.startswith("tests/") for path in files)


def test_what_it_refuses_goes_to_the_next_with_the_file_and_the_gaps(tmp_path: Path):
    first = builtin({"cards": "ok", "rules": "half"}, {"rules": (GAP, OTHER_GAP)})
    second = ScriptedAgent({"translate-rules": "whole"}, name="second")
    files, events = go(tmp_path, [first, second])
    assert second.asked == ["translate-rules"]
    told = second.prompts["translate-rules"]
    assert f"- {GAP}\n- {OTHER_GAP}\n" in told.split("## What is there already")[1]
    assert "`fast_game/rules.py` in your folder" in told
    assert (tmp_path / "work" / "translate-rules" / "fast_game" / "rules.py").read_text() == "half"
    assert files["fast_game/rules.py"] == "whole"
    assert current_files(briefing(NEEDS).scaffold, events) == files


def test_a_next_one_who_changes_nothing_leaves_what_was_there(tmp_path: Path):
    first = builtin({"cards": "ok", "rules": "half"}, {"rules": (GAP,)})
    files, events = go(tmp_path, [first, ScriptedAgent({}, name="second")])
    assert files["fast_game/rules.py"] == "half"
    assert current_files(briefing(NEEDS).scaffold, events) == files
    assert go(tmp_path, [builtin({}), ScriptedAgent({})])[0] == files  # resumed: all of it is in the journal


def test_a_recording_has_what_all_of_them_wrote():
    events = [
        _settled("refused", {"a.py": "half", "b.py": "left"}),
        _settled("done", {"a.py": "whole"}),
    ]
    began = SimpleNamespace(hashes={"source": ""}, seed=0, secret=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("envwright.recipe.recorded.Began", SimpleNamespace)
        answers = make_recording([began, *events], {})["answers"]  # pyright: ignore[reportArgumentType]
    assert answers["translate-x"]["files"] == {"a.py": "whole", "b.py": "left"}


def _settled(stop: str, files: dict[str, str]) -> Settled:
    return Settled("translate-x.a.1", "translate-x", 0, "free", stop, files)


def test_alone_it_stops_at_a_gap_and_can_be_resumed_with_another(tmp_path: Path):
    agents = [builtin({"cards": "ok", "rules": "half"}, {"rules": (GAP, OTHER_GAP)})]
    with pytest.raises(TaskRefusedError) as stopped:
        go(tmp_path, agents)
    assert str(stopped.value).startswith(f"The builtin agent refuses the module rules: {GAP[:-1]}. Let a coding agent")
    assert f"envwright resume {tmp_path} --agent builtin,claude; or change contract.toml" in str(stopped.value)
    with pytest.raises(TaskRefusedError):  # as long as nobody else is asked
        go(tmp_path, [builtin({})])
    together, alone = (ScriptedAgent({"translate-rules": "whole"}, name=n) for n in ("second", "third"))
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "journal.jsonl").write_bytes((tmp_path / "journal.jsonl").read_bytes())
    go(tmp_path, [builtin({}), together])
    files, _ = go(tmp_path / "copy", [alone])  # asked the same; and what was done is not asked again
    assert alone.prompts == together.prompts
    assert list(alone.prompts) == ["translate-rules"]
    assert files["fast_game/cards.py"] == "ok"


def test_a_wrong_translation_is_not_accepted_nor_asked_for_again(tmp_path: Path):
    with pytest.raises(TaskRefusedError) as stopped:
        go(tmp_path, [builtin({"cards": "ok", "rules": "wrong:whole"})])
    said = "The builtin translation is wrong and was not accepted: rules is wrong: wrong:whole. Let a coding agent"
    assert str(stopped.value).startswith(said)
    events = read_journal(tmp_path / "journal.jsonl")
    assert asked(events) == ["translate-cards.builtin.1", "translate-rules.builtin.1", "repair-rules-1.builtin.1"]
    assert not any(isinstance(e, HandedOver) for e in events)
    second = ScriptedAgent({"repair-rules-1": "ok"}, name="second")
    files, _ = go(tmp_path, [builtin({}), second])
    assert second.asked == ["repair-rules-1"]
    assert files["fast_game/rules.py"] == "ok"


# ---- the command ----


def test_resuming_asks_whoever_the_run_was_resumed_with_before():
    began = Began("game", "m:Game", "jax", ("builtin",), 0, {}, 0, 0)
    later = [Reserved(f"x.{name}.1", "x", name, 0) for name in ("builtin", "claude", PERSON, "claude")]
    assert _asked_before(began, later) == ("builtin", "claude")


def command(tmp_path: Path, made, capsys, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The walk, translated by rules that give this; the exit code and what was said."""
    monkeypatch.setattr(rules, "_translate", made)
    code = main(["translate", str(WALK), "--agent", "builtin", "--out", str(tmp_path / "run")])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.mark.slow
def test_a_right_translation_becomes_a_package(tmp_path: Path, capsys, monkeypatch):
    code, text = command(tmp_path, rule_based.right, capsys, monkeypatch)
    assert code == 0, text
    assert "Verified" in text
    events = read_journal(tmp_path / "run" / "journal.jsonl")
    assert asked(events) == ["translate-moves.builtin.1", "translate-rules.builtin.1"]
    assert [e.stage for e in events if isinstance(e, Judged)] == ["module moves", "whole", "hidden 1"]
    assert [e.module for e in events if isinstance(e, Kept)] == ["moves", "rules"]


def test_refusals_are_printed_a_line_each_and_the_exit_code_is_2(tmp_path: Path, capsys, monkeypatch):
    code, text = command(tmp_path, rule_based.partly, capsys, monkeypatch)
    assert code == 2
    lines = text.strip().splitlines()
    assert lines[-4:-1] == ["  walk.py:3 in clip: no.", "  walk.py:5 in clip: no.", f"  {GAP}"]
    assert lines[-1].startswith("envwright: The builtin agent refuses the module moves: walk.py:3 in clip: no. Let a")
    assert "Traceback" not in text
    assert main(["status", str(tmp_path / "run")]) == 0
    assert "moves  refused" in capsys.readouterr().out


def test_a_wrong_translation_ends_with_exit_code_2(tmp_path: Path, capsys, monkeypatch):
    code, text = command(tmp_path, rule_based.wrong, capsys, monkeypatch)
    assert code == 2
    last = text.strip().splitlines()[-1]
    assert last.startswith("envwright: The builtin translation is wrong and was not accepted: L1 function worth: ")
    assert "--agent builtin,claude" in last
