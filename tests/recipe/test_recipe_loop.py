"""The loop: order, repair, rolling back, giving up, going on."""

from pathlib import Path

import pytest
from scripted import ScriptedAgent, ScriptedVerifier, briefing

from envwright.agents.protocol import DOLLAR
from envwright.recipe.events import HandedOver, Judged, Kept, RolledBack, Settled
from envwright.recipe.journal import open_journal
from envwright.recipe.journaled_run import AgentFailedError, JournaledRun, WaitingError
from envwright.recipe.ledger import BudgetError, Ledger
from envwright.recipe.repair_loop import LoopRules, NotConvergedError, translate

TWO = {"cards": [], "rules": ["cards"]}
ONE_BY_ONE = LoopRules(together=1)


def go(folder: Path, agents, needs=TWO, budget=10 * DOLLAR, rules=ONE_BY_ONE, looks_ahead=False):
    """A run from the start or where it was left; gives its files, its events and the verifier."""
    verifier = ScriptedVerifier(looks_ahead=looks_ahead)
    journal = open_journal(folder / "journal.jsonl", clock=lambda: 0.0)
    try:
        ledger = Ledger(journal, budget)
        ledger.settle_the_dead()
        run = JournaledRun(folder, journal, ledger, verifier, agents, grant=DOLLAR)  # pyright: ignore[reportArgumentType]
        files = translate(run, briefing(needs), rules)
        return files, journal.events, verifier
    finally:
        journal.close()


def test_modules_are_translated_after_those_they_need(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "ok", "translate-rules": "ok"})
    files, _, verifier = go(tmp_path, [agent])
    assert agent.asked == ["translate-cards", "translate-rules"]
    assert files["fast_game/cards.py"] == files["fast_game/rules.py"] == "ok"
    assert [stage for stage, _ in verifier.judged] == ["module cards", "module rules", "whole", "hidden 1"]
    assert "the source of cards" in agent.prompts["translate-cards"]
    assert "ok" in agent.prompts["translate-rules"]  # it sees the module that it may call


def test_a_module_is_repaired_with_its_counterexample_until_it_is_right(tmp_path: Path):
    agent = ScriptedAgent(
        {
            "translate-cards": "wrong:module one",
            "repair-cards-1": "wrong:module two",
            "repair-cards-2": "ok",
            "translate-rules": "ok",
        }
    )
    go(tmp_path, [agent])
    assert agent.asked == ["translate-cards", "repair-cards-1", "repair-cards-2", "translate-rules"]
    assert "cards is wrong: wrong:module one" in agent.prompts["repair-cards-1"]
    assert "cards is wrong: wrong:module two" in agent.prompts["repair-cards-2"]


def test_whoever_the_whole_blames_is_repaired_and_judged_alone_first(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "wrong:whole", "translate-rules": "ok", "repair-cards-1": "better"})
    files, _, verifier = go(tmp_path, [agent])
    assert files["fast_game/cards.py"] == "better"
    stages = [stage for stage, _ in verifier.judged]
    assert stages == ["module cards", "module rules", "whole", "module cards", "whole", "hidden 1"]


def test_games_that_nobody_saw_are_judged_ahead_once(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "ok", "translate-rules": "ok"})
    _, events, verifier = go(tmp_path, [agent], looks_ahead=True)
    stages = [stage for stage, _ in verifier.judged]
    assert stages[:2] == ["module cards", "module rules"]
    assert sorted(stages[2:]) == ["hidden 1", "whole"]
    assert [e.stage for e in events if isinstance(e, Judged)] == ["module cards", "module rules", "whole", "hidden 1"]


def test_what_was_judged_ahead_and_failed_is_judged_again_when_it_is_asked_for(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "wrong:hidden_1", "translate-rules": "ok", "repair-cards-1": "ok"})
    _, events, verifier = go(tmp_path, [agent], looks_ahead=True)
    assert [stage for stage, _ in verifier.judged].count("hidden 1") == 3  # ahead, when asked, and after the repair
    assert [(e.stage, e.passed) for e in events if isinstance(e, Judged)][2:] == [
        ("whole", True), ("hidden 1", False), ("module cards", True), ("hidden 1", True), ("whole", True),
        ("hidden 2", True),
    ]  # fmt: skip


def test_what_was_judged_ahead_says_nothing_of_another_version(tmp_path: Path):
    answers = {"translate-cards": "wrong:whole", "repair-cards-1": "wrong:hidden_1", "repair-cards-2": "ok"}
    agent = ScriptedAgent(answers | {"translate-rules": "ok"})
    _, events, _ = go(tmp_path, [agent], looks_ahead=True)  # ahead, the first version passed hidden 1
    assert [e.passed for e in events if isinstance(e, Judged) and e.stage == "hidden 1"] == [False, True]


def test_a_repair_that_breaks_what_was_green_is_rolled_back_and_the_next_one_is_told(tmp_path: Path):
    agent = ScriptedAgent(
        {
            "translate-cards": "wrong:whole",
            "translate-rules": "ok",
            "repair-cards-1": "breaks:cards",
            "repair-cards-2": "better",
        }
    )
    files, events, verifier = go(tmp_path, [agent])
    assert files["fast_game/cards.py"] == "better"
    assert [stage for stage, _ in verifier.judged][2:] == ["whole", "module cards", "module cards", "whole", "hidden 1"]
    assert [e.task for e in events if isinstance(e, RolledBack)] == ["repair-cards-1"]
    assert "repair-cards-1" not in [e.task for e in events if isinstance(e, Kept)]
    assert "it broke what was right: cards broke" in agent.prompts["repair-cards-2"]
    assert "wrong:whole" in agent.prompts["repair-cards-2"].split("The file as it is now")[1]  # not the broken one


def test_a_repair_of_one_module_that_breaks_another_is_rolled_back(tmp_path: Path):
    agent = ScriptedAgent(
        {
            "translate-cards": "wrong:whole",
            "translate-rules": "ok",
            "repair-cards-1": "right breaks:rules",
            "repair-cards-2": "better",
        }
    )
    files, events, _ = go(tmp_path, [agent])
    assert files["fast_game/cards.py"] == "better"
    assert [(e.task, e.broke) for e in events if isinstance(e, RolledBack)] == [
        ("repair-cards-1", ("L1 function rules",))
    ]


def test_what_games_nobody_saw_find_is_repaired_and_other_games_decide(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "wrong:hidden_1", "translate-rules": "ok", "repair-cards-1": "ok"})
    _, _, verifier = go(tmp_path, [agent])
    stages = [stage for stage, _ in verifier.judged]
    assert stages[2:] == ["whole", "hidden 1", "module cards", "hidden 1", "whole", "hidden 2"]


def test_faults_that_never_end_are_not_accepted(tmp_path: Path):
    words = " ".join(f"wrong:hidden_{i}" for i in range(1, 9))
    answers = {"translate-cards": words, "translate-rules": "ok"}
    answers |= {f"repair-cards-{i}": " ".join(words.split()[i:]) for i in range(1, 9)}
    with pytest.raises(NotConvergedError, match="After 3 rounds"):
        go(tmp_path, [ScriptedAgent(answers)], rules=LoopRules(rounds=3))


def test_a_module_without_progress_goes_to_a_person_whose_answer_is_taken(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "wrong:module", "translate-rules": "ok"})
    rules = LoopRules(useless=2, together=1)
    with pytest.raises(WaitingError, match="The module cards needs a person, for 2 repairs in a row did not help"):
        go(tmp_path, [agent], rules=rules)
    with pytest.raises(WaitingError):  # as long as nobody answers
        go(tmp_path, [agent], rules=rules)
    asked = list(agent.asked)
    place = tmp_path / "work" / "repair-cards-3"
    (place / "fast_game" / "cards.py").write_text("by hand")
    (place / "DONE").write_text("")
    files, events, _ = go(tmp_path, [agent], rules=rules)
    assert files["fast_game/cards.py"] == "by hand"
    assert agent.asked == [*asked, "translate-rules"]
    assert [e.module for e in events if isinstance(e, HandedOver)] == ["cards"]


def test_the_limit_of_repairs_leads_to_a_person(tmp_path: Path):
    answers = {"translate-cards": "wrong:module 0", "translate-rules": "ok"}
    answers |= {f"repair-cards-{i}": f"wrong:module {i}" for i in range(1, 9)}
    with pytest.raises(WaitingError, match="4 repairs were not enough"):
        go(tmp_path, [ScriptedAgent(answers)], rules=LoopRules(repairs=4, together=1))


def test_what_one_agent_refuses_goes_to_the_next(tmp_path: Path):
    first = ScriptedAgent({"translate-cards": "refuse", "translate-rules": "ok"}, name="first")
    second = ScriptedAgent({"translate-cards": "ok"}, name="second")
    go(tmp_path, [first, second])
    assert first.asked == ["translate-cards", "translate-rules"]
    assert second.asked == ["translate-cards"]


def test_an_agent_that_cannot_be_used_stops_the_run_and_is_asked_again_on_resuming(tmp_path: Path):
    with pytest.raises(AgentFailedError, match="no key; set KEY"):
        go(tmp_path, [ScriptedAgent({"translate-cards": "fail"})])
    go(tmp_path, [ScriptedAgent({"translate-cards": "ok", "translate-rules": "ok"})])


def test_resuming_asks_and_judges_nothing_again(tmp_path: Path):
    answers = {"translate-cards": "wrong:whole", "translate-rules": "ok", "repair-cards-1": "breaks:cards"}
    answers |= {"repair-cards-2": "ok"}
    files, events, _ = go(tmp_path, [ScriptedAgent(answers)])
    agent = ScriptedAgent({})
    again, later, verifier = go(tmp_path, [agent])
    assert again == files
    assert later == events
    assert agent.asked == verifier.judged == []


def test_money_is_reserved_settled_and_when_it_is_gone_nothing_is_asked(tmp_path: Path):
    agent = ScriptedAgent({"translate-cards": "ok", "translate-rules": "ok"}, price=300_000)
    with pytest.raises(BudgetError, match="translate-rules may cost"):
        go(tmp_path, [agent], budget=310_000)
    assert agent.asked == ["translate-cards"]
    _, events, _ = go(tmp_path, [agent], budget=2 * DOLLAR)
    assert agent.asked == ["translate-cards", "translate-rules"]
    assert sum(e.amount for e in events if isinstance(e, Settled)) == 600_000


def test_independent_modules_go_at_the_same_time_and_give_the_same_result(tmp_path: Path):
    needs = {"a": [], "b": [], "c": ["a"], "rules": ["a", "b", "c"]}
    answers = {f"translate-{name}": "ok" for name in needs} | {"translate-b": "wrong:module", "repair-b-1": "fine"}
    one, _, _ = go(tmp_path / "one", [ScriptedAgent(answers)], needs=needs, rules=LoopRules(together=1))
    four, _, _ = go(tmp_path / "four", [ScriptedAgent(answers)], needs=needs, rules=LoopRules(together=4))
    assert one == four
