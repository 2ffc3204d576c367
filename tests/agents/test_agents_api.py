"""Models behind APIs, spoken to in their own protocols: they work through tools, and keep to what was granted."""

import importlib.util
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from agents_kinds import GRANT, MODELS, PRICE, WRITE, WRITTEN, ask
from agents_server import Reply, Step, serve
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from envwright.agents import conversation
from envwright.agents.api import ApiError, make_api
from envwright.agents.prices import cost, read_price
from envwright.agents.protocol import DOLLAR, DONE, FAILED, FREE, PRICED, REFUSED, SPENT, TIMEOUT, Task, Usage

pytestmark = pytest.mark.usefixtures("keys", "at_once")

ALL = tuple(MODELS)
END = Reply("I wrote rules.py.")
OUTPUT = 15  # millionths of a dollar a token


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No waiting before a request is repeated, unless the provider asks for it."""
    monkeypatch.setattr(conversation, "BACKOFF", 0.0)


@pytest.mark.parametrize("kind", ALL)
def test_it_reads_and_writes_through_tools(kind: str, workspace: Path, task: Task) -> None:
    look = Reply("", (("list_files", {}), ("read_file", {"path": "given.py"})))
    with serve([look, WRITE, END]) as server:
        outcome = ask(kind, server, workspace, task)
    assert (outcome.stop, outcome.files, outcome.sentence) == (DONE, {"rules.py": WRITTEN}, "I wrote rules.py.")
    assert "GIVEN = 1" in str(server.requests[1])
    assert "rules.py is written: 2 lines." in str(server.requests[2])
    assert "> read_file" in outcome.transcript
    assert all(
        name in str(server.requests[0]) for name in ("list_files", "read_file", "write_file", "edit_file", "grep")
    )
    assert outcome.usage.requests == 3


@pytest.mark.parametrize("kind", ALL)
def test_what_was_used_is_counted_and_priced(kind: str, workspace: Path, task: Task) -> None:
    with serve([Reply("Done.", output=0.5)]) as server:
        outcome = ask(kind, server, workspace, task, max_output=2000)
    assert outcome.usage.output == 1000
    assert outcome.usage.input > 100
    assert outcome.usage.cached > 0
    assert (outcome.usage.cache_written > 0) == (kind == "anthropic")
    assert outcome.cost == cost(outcome.usage, read_price(PRICE))
    assert outcome.cost_source == PRICED
    assert outcome.model == MODELS[kind]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("fault", ["429+0", 429, 500, 503, 529])
def test_a_passing_error_is_tried_again_for_nothing(kind: str, fault: Step, workspace: Path, task: Task) -> None:
    with serve([fault, fault, END]) as server:
        outcome = ask(kind, server, workspace, task)
    assert outcome.stop == DONE
    assert len(server.requests) == 3  # nobody else repeats requests behind our back
    assert outcome.cost == cost(outcome.usage, read_price(PRICE))


@pytest.mark.parametrize("kind", ALL)
def test_it_gives_up_after_four_repetitions(kind: str, workspace: Path, task: Task) -> None:
    with serve([500] * 9) as server:
        outcome = ask(kind, server, workspace, task)
    assert (outcome.stop, outcome.cost, len(server.requests)) == (FAILED, 0, 5)
    assert "500" in outcome.sentence


@pytest.mark.parametrize("kind", ALL)
def test_it_does_not_wait_longer_than_the_deadline(kind: str, workspace: Path, task: Task) -> None:
    with serve(["429+1000", END]) as server:
        outcome = ask(kind, server, workspace, task)
    assert (outcome.stop, len(server.requests)) == (TIMEOUT, 1)
    assert "no time to wait 1000 s" in outcome.sentence


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("status", "words"), [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "model"), (400, "it is a 400")]
)
def test_a_lasting_error_is_not_tried_again(kind: str, status: int, words: str, workspace: Path, task: Task) -> None:
    with serve([status, END]) as server:
        outcome = ask(kind, server, workspace, task)
    assert (outcome.stop, outcome.cost, len(server.requests)) == (FAILED, 0, 1)
    assert words in outcome.sentence
    assert status != 404 or MODELS[kind] in outcome.sentence


def test_an_empty_account_is_not_asked_again(workspace: Path, task: Task) -> None:
    with serve(["quota", END]) as server:
        outcome = ask("openai", server, workspace, task)
    assert (outcome.stop, outcome.cost, len(server.requests)) == (FAILED, 0, 1)
    assert "You exceeded your current quota" in outcome.sentence


def test_arguments_that_were_cut_off_are_answered(workspace: Path, task: Task) -> None:
    half = Reply("", (("write_file", '{"path": "rules.py", "content": "def st'),), stop="length")
    with serve([half, WRITE, END]) as server:
        outcome = ask("chat", server, workspace, task)
    assert (outcome.stop, outcome.files) == (DONE, {"rules.py": WRITTEN})
    assert "not complete JSON; write less at once" in str(server.requests[1])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("fault", ["cut", "truncated", "reset", "html"])
def test_a_lost_answer_is_paid_in_full_and_asked_for_again(kind: str, fault: str, workspace: Path, task: Task) -> None:
    with serve([fault, END]) as server:
        outcome = ask(kind, server, workspace, task, max_output=2000)
    assert (outcome.stop, len(server.requests)) == (DONE, 2)
    known = cost(outcome.usage, read_price(PRICE))
    assert outcome.cost > known + 2000 * OUTPUT
    assert outcome.cost < GRANT


@pytest.mark.parametrize("kind", ALL)
def test_silence_ends_at_the_deadline_and_is_paid(kind: str, workspace: Path, task: Task) -> None:
    with serve(["silence"]) as server:
        outcome = ask(kind, server, workspace, task, seconds=1.0, max_output=2000)
    assert (outcome.stop, len(server.requests)) == (TIMEOUT, 1)
    assert outcome.cost > 2000 * OUTPUT


@pytest.mark.parametrize("kind", ALL)
def test_whoever_does_not_count_is_paid_in_full(kind: str, workspace: Path, task: Task) -> None:
    with serve([Reply("Done.", usage=False)]) as server:
        outcome = ask(kind, server, workspace, task, max_output=2000)
    assert outcome.stop == DONE
    assert outcome.cost > 2000 * OUTPUT


@pytest.mark.parametrize("kind", ALL)
def test_the_output_is_limited_to_what_can_be_paid(kind: str, workspace: Path, task: Task) -> None:
    with serve([Reply("", WRITE.calls, output=1.0)] * 9) as server:
        outcome = ask(kind, server, workspace, task, grant=100_000, max_output=4000)
    assert outcome.stop == SPENT
    assert outcome.files == {"rules.py": WRITTEN}  # what it did before is not lost
    assert outcome.cost <= 100_000
    assert server.limits[0] == 4000
    assert 1024 <= server.limits[-1] < 4000
    assert "$0.10 is spent" in outcome.sentence


@pytest.mark.parametrize("kind", ALL)
def test_an_answer_that_is_too_long_goes_on(kind: str, workspace: Path, task: Task) -> None:
    with serve([Reply("def step", stop="length"), WRITE, END]) as server:
        outcome = ask(kind, server, workspace, task)
    assert outcome.stop == DONE
    assert "You were cut off" in str(server.requests[1])


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("said", ["I can not do that.", ""])
def test_a_filtered_answer_is_a_refusal(kind: str, said: str, workspace: Path, task: Task) -> None:
    with serve([Reply(said, stop="filter")]) as server:
        outcome = ask(kind, server, workspace, task)
    assert outcome.stop == REFUSED
    assert outcome.sentence


@pytest.mark.parametrize("kind", ALL)
def test_an_endless_conversation_ends(kind: str, workspace: Path, task: Task) -> None:
    with serve([Reply("", (("list_files", {}),))] * 9) as server:
        outcome = ask(kind, server, workspace, task, turns=3)
    assert (outcome.stop, len(server.requests)) == (FAILED, 3)
    assert "turns = ..." in outcome.sentence


@pytest.mark.parametrize("kind", ALL)
def test_misuse_of_a_tool_is_answered(kind: str, workspace: Path, task: Task) -> None:
    calls = (
        ("shell", {"command": "ls"}),
        ("read_file", {"path": "../../etc/passwd"}),
        ("write_file", {"path": "x.py"}),
    )
    with serve([Reply("", calls), END]) as server:
        outcome = ask(kind, server, workspace, task)
    assert outcome.stop == DONE
    for sentence in ("There is no tool 'shell'", "is outside of the folder", "check content"):
        assert sentence in str(server.requests[1]).replace("\\", "")


@pytest.mark.parametrize("kind", ALL)
def test_what_is_free_needs_no_grant(kind: str, workspace: Path, task: Task) -> None:
    with serve(["reset", WRITE, END]) as server:
        outcome = ask(kind, server, workspace, task, grant=0, free=True)
    assert (outcome.stop, outcome.cost, outcome.cost_source) == (DONE, 0, FREE)


@pytest.mark.parametrize("kind", ["anthropic", "chat", "google"])
@pytest.mark.parametrize("named", [True, False])
def test_a_key_is_sent_to_another_address_only_if_it_is_named(
    kind: str, named: bool, workspace: Path, task: Task, keys: dict[str, str]
) -> None:
    options: dict[str, Any] = {"key": "SECRET_OF_THE_SHELL"} if named else {}
    with serve([END]) as server:
        base_url = f"{server.address}/v1" if kind == "chat" else server.address
        agent = make_api(model=MODELS[kind], base_url=base_url, free=True, **options)
        assert agent.run(task, workspace, 0, time.monotonic() + 300).stop == DONE
    heard = " ".join(server.headers[0].values())
    assert [key for key, value in keys.items() if value in heard] == (["SECRET_OF_THE_SHELL"] if named else [])


@pytest.mark.parametrize("kind", ALL)
def test_nobody_there_costs_nothing(kind: str, workspace: Path, task: Task) -> None:
    with serve([]) as server:
        pass
    outcome = ask(kind, server, workspace, task)
    assert (outcome.stop, outcome.cost) == (FAILED, 0)


def test_a_missing_key_is_named(workspace: Path, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for model, key in (("anthropic:claude-sonnet-5-5", "ANTHROPIC"), ("google:gemini-2.5-flash", "GEMINI")):
        agent = make_api(model=model)
        outcome = agent.run(task, workspace, GRANT, time.monotonic() + 300)
        assert (outcome.stop, outcome.cost) == (FAILED, 0)
        assert outcome.sentence == agent.readiness().sentence
        assert f"set {key}_API_KEY" in outcome.sentence


def test_readiness_of_a_model() -> None:
    assert make_api(model="anthropic:claude-sonnet-5-5").readiness() == (
        True,
        "anthropic:claude-sonnet-5-5, with a key",
    )
    unknown = make_api(model="openai:none-such").readiness()
    assert not unknown.ready
    assert "state one as price" in unknown.sentence


def test_without_the_package_there_is_a_sentence(workspace: Path, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    outcome = make_api(model="openai:gpt-5.2").run(task, workspace, GRANT, time.monotonic() + 300)
    assert outcome.stop == FAILED
    assert outcome.sentence.endswith("pip install 'envwright[agents]'")


@pytest.mark.parametrize("model", ["", "gpt-5.2", "openai:", "mistral:large"])
def test_a_model_needs_its_provider(model: str) -> None:
    with pytest.raises(ApiError, match=r"write it as PROVIDER:MODEL, such as anthropic:"):
        make_api(model=model)


faults = st.sampled_from([429, "429+0", 500, 529, 400, "cut", "truncated", "reset", "html"])
answers = st.builds(
    Reply,
    text=st.sampled_from(["", "Fine.", "x" * 3000]),
    calls=st.sampled_from([(), WRITE.calls, (("list_files", {}), ("read_file", {"path": "given.py"}))]),
    stop=st.sampled_from(["end", "end", "length"]),
    output=st.floats(0, 1),
    usage=st.sampled_from([True, True, True, False]),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(ALL),
    script=st.lists(st.one_of(answers, answers, faults), max_size=8),
    grant=st.integers(0, DOLLAR // 4),
)
@example(kind="anthropic", script=["cut"] * 5, grant=200_000)
def test_the_provider_never_gets_more_than_was_granted(kind: str, script: list[Step], grant: int) -> None:
    """Whatever fails: what the provider takes is at most what we write down, which is at most the grant."""
    with tempfile.TemporaryDirectory() as folder, serve(script) as server:
        workspace = Path(folder)
        (workspace / "given.py").write_text("GIVEN = 1\n" * 300)
        outcome = ask(kind, server, workspace, Task("t", "Write rules.py.", ("rules.py",)), grant, max_output=4000)
        assert bill(server.lengths, server.limits, script) <= outcome.cost <= grant


def bill(lengths: list[int], limits: list[int], script: list[Step]) -> int:
    """What the provider takes: for an answer what it took, for one that was lost on the way all it could take."""
    price, total = read_price(PRICE), 0
    for length, limit, step in zip(lengths, limits, [*script, *[Reply("x")] * 99], strict=False):
        if isinstance(step, Reply):
            share = step.output if step.usage else 1.0
            read, written = length // 4, max(1, int(limit * share))
            total += cost(Usage(read, read, 0, written), price)
        elif step in ("cut", "truncated", "reset", "html"):
            total += cost(Usage(length // 3, 0, length // 3, limit), price)
    return total
