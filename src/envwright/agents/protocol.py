"""What the recipe asks of an agent, whoever it is: a model behind an API, a command-line program, a script, a person.

    task ──► agent.run(task, workspace, grant, deadline) ──► outcome
     what to do, which files      a folder of its own           files, what it cost, how it ended

An agent never decides anything. It is given a folder with all it may see, and what it wrote into the files it was asked
for is taken from there and judged; the rest is named and left behind.

Money is counted in millionths of a dollar, as whole numbers, so that sums are exact; prices are rounded up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

Money = int  # millionths of a dollar
DOLLAR: Money = 1_000_000

DONE = "done"  # it says it is finished
REFUSED = "refused"  # it says it cannot; the sentence says why
FAILED = "failed"  # it broke: a wrong key, an unknown model, a crash
TIMEOUT = "timeout"  # it was stopped at the deadline
SPENT = "spent"  # the grant is used up
WAITING = "waiting"  # a person has not answered yet
STOPS = (DONE, REFUSED, FAILED, TIMEOUT, SPENT, WAITING)

REPORTED = "reported"  # the agent says what it cost
PRICED = "priced"  # tokens, times a price list
CHARGED = "charged"  # nobody knows, so the whole grant is gone
FREE = "free"  # there is nothing to pay
SOURCES = (REPORTED, PRICED, CHARGED, FREE)


@dataclass(frozen=True)
class Task:
    """One thing to do: write these files."""

    name: str  # unique in a run, fit for a file's name: "translate-cards", "repair-cards-2"
    prompt: str  # all it is told
    writes: tuple[str, ...]  # the files it may write, relative to the workspace


class Usage(NamedTuple):
    """What was used. Cached and cache-written tokens are part of the input."""

    input: int = 0
    cached: int = 0
    cache_written: int = 0
    output: int = 0
    requests: int = 0

    def __add__(self, other: object) -> "Usage":
        if not isinstance(other, Usage):
            return NotImplemented
        return Usage(*(mine + its for mine, its in zip(self, other, strict=True)))


@dataclass(frozen=True)
class AgentOutcome:
    """How a task ended."""

    stop: str  # one of STOPS
    files: Mapping[str, str] = field(default_factory=dict)  # of those it was asked for, what they hold now
    strays: tuple[str, ...] = ()  # what it wrote or changed besides, which is not taken over
    cost: Money = 0
    cost_source: str = FREE  # one of SOURCES
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    sentence: str = ""  # what went wrong and what to do, or what it said last
    transcript: str = ""


class Readiness(NamedTuple):
    """Whether an agent can be used here and now."""

    ready: bool
    sentence: str  # what was found ("claude 2.1, signed in"), or what to do


class Agent(Protocol):
    """Someone who writes code."""

    @property
    def name(self) -> str: ...

    @property
    def costs(self) -> bool:
        """Whether money can be spent; if not, it needs no grant."""
        ...

    def readiness(self) -> Readiness:
        """Whether it can be used, found out without spending anything."""
        ...

    def run(self, task: Task, workspace: Path, grant: Money, deadline: float) -> AgentOutcome:
        """Do a task in a folder, for at most `grant`, until `deadline` on `time.monotonic`'s clock. Never raises for
        what the agent does; a user's mistake (no key, no such model) is a FAILED outcome with the way out."""
        ...


def dollars(money: Money) -> str:
    """As people write it: $0.05, $3.26; cents are not enough for less than one."""
    return f"${money / DOLLAR:.2f}" if money >= DOLLAR // 100 or money == 0 else f"${money / DOLLAR:.4f}"


def first_line(text: str) -> str:
    """The beginning of a text, fit to stand in a sentence."""
    return (text.strip().splitlines() or [""])[0][:300].rstrip(". ")
