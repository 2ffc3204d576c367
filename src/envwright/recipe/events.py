"""What can happen in a run. The journal holds these and nothing else; everything shown or resumed is made from them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from envwright.agents.protocol import Money


@dataclass(frozen=True)
class Began:
    """A run was set up. All that its result depends on, agents apart."""

    name: str
    reference: str
    target: str
    agents: tuple[str, ...]
    budget: Money
    hashes: Mapping[str, str]  # of the reference's source, the contract, the plan and the prompts
    seed: int  # of the games that agents may be told of
    secret: int  # of those that decide, and that no agent sees
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reserved:
    """Money was put aside for a call of an agent; the call follows."""

    call: str  # unique: the task and how often it was tried, "translate-cards.1"
    task: str
    agent: str
    amount: Money


@dataclass(frozen=True)
class Settled:
    """A call ended: what it cost, and all that it gave. What a dead one may have cost is all that was put aside."""

    call: str
    task: str
    amount: Money
    source: str
    stop: str
    files: Mapping[str, str] = field(default_factory=dict)
    strays: tuple[str, ...] = ()
    usage: tuple[int, ...] = ()
    model: str = ""
    sentence: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Judged:
    """The verifier looked at a version of the candidate."""

    version: str  # the hash of its files
    stage: str  # "module cards", "whole", "hidden 1", "transfer"
    passed: bool
    checks: tuple[Mapping[str, Any], ...]  # level, name, status, detail, count of each check
    blamed: str = ""  # the module to repair first
    counterexample: str = ""  # the smallest input, as a person reads it
    seconds: float = 0.0

    @property
    def green(self) -> frozenset[str]:
        """The checks that passed."""
        return frozenset(f"{c['level']} {c['name']}" for c in self.checks if c["status"] == "pass")

    @property
    def red(self) -> frozenset[str]:
        return frozenset(f"{c['level']} {c['name']}" for c in self.checks if c["status"] in ("fail", "open"))


@dataclass(frozen=True)
class Kept:
    """The files of a task became part of the candidate."""

    task: str
    module: str


@dataclass(frozen=True)
class RolledBack:
    """The files of a task broke what was green before, and were put away."""

    task: str
    module: str
    broke: tuple[str, ...]


@dataclass(frozen=True)
class HandedOver:
    """A module needs a person."""

    module: str
    reason: str
    page: str


@dataclass(frozen=True)
class Tested:
    """The tests that an agent wrote were run. They decide nothing; those that fail do not go into the package."""

    path: str
    passed: bool
    sentence: str


@dataclass(frozen=True)
class Measured:
    """How fast both sides are, in steps a second, in turns in one run."""

    reference: float
    candidate: float
    ratio: tuple[float, float, float]  # median, and its 95% interval
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Packaged:
    """The result was written."""

    files: Mapping[str, str]  # path in the run's folder -> hash


@dataclass(frozen=True)
class Finished:
    """The run came to an end: "verified", "handed over", "out of money"."""

    result: str
    sentence: str = ""


@dataclass(frozen=True)
class Accepted:
    """Artefacts of a creation hold from here on: written by an agent and checked, or edited by a person."""

    files: Mapping[str, str]  # by name: specification, reference, tests
    edited: bool = False  # by a person


@dataclass(frozen=True)
class RuleRow:
    """How far one numbered rule was exercised."""

    rule: str
    tests: tuple[str, ...]  # that name it, and pass
    noticed: bool | None  # whether one of them fails when its lines are taken out of the game; None: they cannot be
    tagged: bool  # whether the reference says which lines these are
    episodes: int  # of random play, in which they ran
    untested: str = ""  # why no test can show it, as the author of the tests says


@dataclass(frozen=True)
class RulesCovered:
    """Tests and random play have shown which rules they exercise."""

    version: str
    rows: tuple[RuleRow, ...]
    episodes: int
    steps: int


Event = (
    Began | Reserved | Settled | Judged | Kept | RolledBack | HandedOver | Tested | Measured | Packaged | Finished
    | Accepted | RulesCovered
)  # fmt: skip
KINDS: dict[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Began, Reserved, Settled, Judged, Kept, RolledBack, HandedOver, Tested, Measured, Packaged, Finished,
        Accepted, RulesCovered,
    )
}  # fmt: skip


def to_plain(event: Event) -> dict[str, Any]:
    return {"event": type(event).__name__, **asdict(event)}


def from_plain(plain: Mapping[str, Any]) -> Event:
    """The event that was written; raises KeyError or TypeError for anything else."""
    kind = KINDS[plain["event"]]
    known = {f.name for f in fields(kind)}
    given = {name: _frozen(value) for name, value in plain.items() if name in known}
    if kind is RulesCovered:
        given["rows"] = tuple(RuleRow(**{**row, "tests": tuple(row["tests"])}) for row in given["rows"])
    return kind(**given)


# ---- creation, and the translation after it, in one journal ----

TASKS_OF_CREATION = ("write", "correct", "question")  # how its tasks begin: write-reference
STAGES_OF_CREATION = ("specification", "reference", "tests", "agreement")


def is_of_creation(event: Event) -> bool:
    """Whether an event is about documents, specification, reference and tests, and not about the translation."""
    if isinstance(event, Reserved | Settled | Kept):
        return event.task.partition("-")[0] in TASKS_OF_CREATION
    if isinstance(event, Judged):
        return event.stage in STAGES_OF_CREATION
    return isinstance(event, Accepted | RulesCovered)


def of_translation(events: Sequence[Event]) -> tuple[Event, ...]:
    """What has happened to the translation of the reference as it is now: one that was changed began anew."""
    begun = [i for i, event in enumerate(events) if isinstance(event, Began)]
    return tuple(event for event in events[begun[-1] if begun else 0 :] if not is_of_creation(event))


def _frozen(value: Any) -> Any:
    """JSON has lists where events have tuples."""
    return tuple(_frozen(v) for v in value) if isinstance(value, list) else value
