"""What every kind of agent promises, whatever happens inside of it."""

from pathlib import Path

import pytest
from agents_kinds import GRANT, KINDS, MODELS, PROGRAMS, WRITTEN, act

from envwright.agents.protocol import (
    CHARGED,
    DONE,
    FAILED,
    FREE,
    REFUSED,
    SOURCES,
    SPENT,
    STOPS,
    TIMEOUT,
    WAITING,
    AgentOutcome,
    Task,
)

pytestmark = pytest.mark.usefixtures("programs")


def check(kind: str, outcome: AgentOutcome, grant: int = GRANT) -> AgentOutcome:
    """What holds of every outcome."""
    assert outcome.stop in STOPS
    assert outcome.cost_source in SOURCES
    assert outcome.cost >= 0
    assert (outcome.cost_source == FREE) <= (outcome.cost == 0)
    assert kind not in MODELS or outcome.cost <= grant
    assert kind != "handoff" or outcome.cost_source == FREE
    return outcome


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_wrote_is_collected(kind: str, workspace: Path, task: Task) -> None:
    outcome = check(kind, act(kind, "succeed", workspace, task))
    assert outcome.stop == DONE
    assert outcome.files == {"rules.py": WRITTEN}
    assert outcome.strays == ()
    assert kind == "handoff" or 0 < outcome.cost < GRANT
    assert kind == "handoff" or outcome.sentence == "I wrote rules.py."


@pytest.mark.parametrize("kind", KINDS)
def test_writing_nothing_is_an_end_like_others(kind: str, workspace: Path, task: Task) -> None:
    outcome = check(kind, act(kind, "nothing", workspace, task))
    assert (outcome.stop, outcome.files, outcome.strays) == (DONE, {}, ())


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_wrote_besides_is_named_or_was_refused(kind: str, workspace: Path, task: Task) -> None:
    outcome = check(kind, act(kind, "outside", workspace, task))
    assert outcome.files == {"rules.py": WRITTEN}
    if kind in MODELS:
        assert outcome.strays == ()
        assert (workspace / "given.py").read_text() == "GIVEN = 1\n"
    elif kind == "handoff":
        assert outcome.strays == ("given.py",)
    else:
        assert outcome.strays == ("elsewhere", "given.py", "notes/more.txt")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["exit", "key"])
def test_a_failure_is_an_outcome_with_a_sentence(kind: str, what: str, workspace: Path, task: Task) -> None:
    outcome = check(kind, act(kind, what, workspace, task))
    assert outcome.stop == (REFUSED if kind == "handoff" else FAILED)
    assert outcome.sentence
    assert "\n" not in outcome.sentence
    if kind in MODELS:
        assert outcome.cost == 0


@pytest.mark.parametrize("kind", [*PROGRAMS, *MODELS])
@pytest.mark.parametrize("what", ["prose", "truncated"])
def test_an_answer_that_cannot_be_read_is_paid_in_full(
    kind: str, what: str, workspace: Path, task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("envwright.agents.conversation.BACKOFF", 0.0)
    outcome = check(kind, act(kind, what, workspace, task))
    assert outcome.stop in (FAILED, SPENT)
    if kind in PROGRAMS:
        assert (outcome.cost, outcome.cost_source) == (GRANT, CHARGED)
    else:
        assert outcome.cost > 0


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_stopped_at_the_deadline(kind: str, workspace: Path, task: Task) -> None:
    outcome = check(kind, act(kind, "hang", workspace, task, seconds=1.5))
    assert outcome.stop == (WAITING if kind == "handoff" else TIMEOUT)
    if kind in PROGRAMS:
        assert (outcome.cost, outcome.cost_source) == (GRANT, CHARGED)
    if kind in MODELS:
        assert outcome.cost > 0


@pytest.mark.parametrize("kind", [*PROGRAMS, "command", *MODELS])
def test_without_money_nothing_is_asked(kind: str, workspace: Path, task: Task) -> None:
    outcome = check(kind, act(kind, "succeed", workspace, task, grant=0), grant=0)
    assert (outcome.stop, outcome.cost, outcome.files) == (SPENT, 0, {})
