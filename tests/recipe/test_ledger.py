"""The budget cannot be exceeded, whatever goes wrong in whatever order."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envwright.agents.protocol import CHARGED, DOLLAR, DONE, FAILED, REPORTED, AgentOutcome
from envwright.recipe.events import Settled
from envwright.recipe.journal import Journal, open_journal, read_journal
from envwright.recipe.ledger import BudgetError, Ledger, balance

FAST = Path("/dev/shm") if Path("/dev/shm").is_dir() else None  # forcing a file to a disk thousands of times is slow

ACTIONS = st.one_of(
    st.tuples(st.just("call"), st.integers(0, 4 * DOLLAR), st.floats(0, 1)),  # reserve, answer, settle a part
    st.tuples(st.just("open"), st.integers(0, 4 * DOLLAR), st.just(0.0)),  # reserve; it is still under way
    st.tuples(st.just("end"), st.integers(0, 5), st.floats(0, 1)),  # one of those under way answers
    st.tuples(st.just("silent"), st.integers(0, 4 * DOLLAR), st.just(0.0)),  # nobody knows what it cost
    st.tuples(st.just("kill"), st.integers(0, 400), st.just(0.0)),  # kill -9, perhaps in the middle of a line
)


@settings(max_examples=2500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(budget=st.integers(0, 10 * DOLLAR), schedule=st.lists(ACTIONS, max_size=25))
def test_the_budget_holds_over_any_schedule_of_faults(budget, schedule):
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        path = Path(folder) / "journal"
        journal = open_journal(path)
        ledger = Ledger(journal, budget)
        under_way: list[tuple[str, int]] = []
        calls = 0
        paid = 0  # by the agents' own count: what they were given leave to spend, and spent
        for what, amount, share in schedule:
            calls += 1
            name = f"task.{calls}"
            if what in ("call", "open", "silent"):
                try:
                    ledger.reserve(name, "task", "agent", amount)
                except BudgetError:
                    assert amount > ledger.balance.left
                    continue
                under_way.append((name, amount))
            if what == "call":
                cost = int(under_way[-1][1] * share)
                ledger.settle(under_way.pop()[0], "task", AgentOutcome(DONE, cost=cost, cost_source=REPORTED))
                paid += cost
            elif what == "silent":
                call, grant = under_way.pop()
                ledger.settle(call, "task", AgentOutcome(FAILED, cost=grant, cost_source=CHARGED))
                paid += grant
            elif what == "end" and under_way:
                call, grant = under_way.pop(amount % len(under_way))
                cost = int(grant * share)
                ledger.settle(call, "task", AgentOutcome(DONE, cost=cost, cost_source=REPORTED))
                paid += cost
            elif what == "kill":
                paid += sum(grant for _, grant in under_way)  # at worst
                under_way.clear()
                journal.close()
                with path.open("ab") as file:
                    file.write(b'{"at": 1, "event": "Reserved", "call": "x"'[:amount])
                journal = open_journal(path)
                ledger = Ledger(journal, budget)
                ledger.settle_the_dead()
            now = ledger.balance
            assert now.spent + now.reserved <= budget
            assert now.spent >= paid
            assert now.reserved == sum(grant for _, grant in under_way)
            assert now == balance(budget, read_journal(path))  # what is on the disk is what counts
        journal.close()


@pytest.fixture
def journal(tmp_path: Path):
    with open_journal(tmp_path / "j") as opened:
        yield opened


def test_threads_that_reserve_at_the_same_time_do_not_overdraw(journal: Journal):
    ledger = Ledger(journal, 100)

    def one(i: int) -> bool:
        try:
            ledger.reserve(f"call.{i}", "task", "agent", 30)
        except BudgetError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(one, range(40))) == 3
    assert ledger.balance.left == 10


def test_a_refused_reservation_leaves_no_trace(journal: Journal):
    ledger = Ledger(journal, 5 * DOLLAR)
    with pytest.raises(BudgetError, match=r"may cost \$6\.00, but only \$5\.00 of \$5\.00 is left; raise it with"):
        ledger.reserve("a.1", "a", "claude", 6 * DOLLAR)
    assert ledger.journal.events == ()


def test_a_call_that_was_under_way_when_the_run_was_killed_is_charged_in_full(tmp_path: Path):
    with open_journal(tmp_path / "j") as journal:
        Ledger(journal, 10 * DOLLAR).reserve("a.1", "a", "claude", 3 * DOLLAR)
    with open_journal(tmp_path / "j") as journal:
        ledger = Ledger(journal, 10 * DOLLAR)
        assert ledger.settle_the_dead() == ["a.1"]
        assert (ledger.balance.spent, ledger.balance.reserved) == (3 * DOLLAR, 0)
        assert ledger.settle_the_dead() == []
        last = journal.events[-1]
    assert isinstance(last, Settled)
    assert (last.source, last.stop) == (CHARGED, FAILED)


def test_an_agent_that_says_it_cost_more_than_its_grant_is_believed(journal: Journal):
    ledger = Ledger(journal, 2 * DOLLAR)
    ledger.reserve("a.1", "a", "other", 1 * DOLLAR)
    ledger.settle("a.1", "a", AgentOutcome(DONE, cost=3 * DOLLAR, cost_source=REPORTED))
    assert ledger.balance.left == -1 * DOLLAR
    with pytest.raises(BudgetError):
        ledger.reserve("a.2", "a", "other", 1)
