"""What is to be said of a run, from its events: for the page, and for the card of the package."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from envwright.agents.protocol import Money, Usage
from envwright.core.spaces import Discrete, Space
from envwright.recipe.events import Event, Judged, Reserved, RolledBack, Settled
from envwright.recipe.verifier import HIDDEN as HIDDEN
from envwright.recipe.verifier import MODULE as MODULE
from envwright.recipe.verifier import TRANSFER as TRANSFER
from envwright.recipe.verifier import WHOLE as WHOLE
from envwright.recipe.versions import Files, digest
from envwright.verifier.contract import Contract

Kind = TypeVar("Kind", bound=Event)
LEVELS = {
    "L0": "Does the contract fit both sides, with nothing left out?",
    "L1": "Does each function, and each single step, give the same?",
    "L2": "Within a step, is the same known after each phase?",
    "L3": "Do whole games stay together to their end?",
    "L4": "Do policies transfer between the two sides?",
}
STAGES = {WHOLE: "games agents could know", HIDDEN: "games nobody saw", TRANSFER: "policies, trained and played"}
_TASK = re.compile(r"(translate|repair|tests|optimise|write|correct|question)-(.+?)(?:-(\d+))?")


def last(events: Iterable[Event], kind: type[Kind]) -> Kind | None:
    """The last event of a kind."""
    return next((e for e in reversed(list(events)) if isinstance(e, kind)), None)


# ---- what the verifier said ----


def stage_kind(judged: Judged) -> str:
    return judged.stage.partition(" ")[0]


def final(events: Iterable[Event], files: Files) -> dict[str, Judged]:
    """The last judgement of each stage over the whole: of these files, where they were judged, or else of the version
    that stands; what was rolled back does not."""
    version, found, before_call = digest(files), dict[str, Judged](), dict[str, Judged]()
    for event in events:
        if isinstance(event, Settled):
            before_call = dict(found)
        elif isinstance(event, RolledBack):
            found = dict(before_call)
        if not isinstance(event, Judged) or stage_kind(event) == MODULE:
            continue
        before = found.get(stage_kind(event))
        if before is None or event.version == version or before.version != version:
            found[stage_kind(event)] = event
    return found


def verified(events: Iterable[Event], files: Files) -> bool:
    """Whether just these files passed all games, those that nobody saw included."""
    judged, version = final(events, files), digest(files)
    return all(
        stage in judged and judged[stage].passed and judged[stage].version == version for stage in (WHOLE, HIDDEN)
    )


def count(checks: Iterable[Mapping[str, object]]) -> int:
    """How much was compared, in all."""
    return sum(c if isinstance(c := check.get("count", 0), int) else 0 for check in checks)


def score(judged: Judged) -> str:
    """How many checks passed, of how many."""
    return f"{len(judged.green)} of {len(judged.green | judged.red)}"


# ---- what it cost ----


@dataclass(frozen=True)
class AgentCall:
    """One call of an agent."""

    agent: str
    module: str
    kind: str  # translate, repair
    number: int  # of the repair
    settled: Settled

    @property
    def title(self) -> str:
        return f"{self.kind} {self.module}" + (f", {self.number}" if self.number else "")


@dataclass
class Spent:
    """What several calls took together."""

    calls: int = 0
    amount: Money = 0
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
    sources: set[str] = field(default_factory=set)

    def add(self, settled: Settled) -> None:
        self.calls += 1
        self.amount += settled.amount
        self.seconds += settled.seconds
        self.usage += Usage(*settled.usage)
        self.sources.add(settled.source)


def calls(events: Sequence[Event]) -> list[AgentCall]:
    """Every call that ended, in order."""
    agents = {e.call: e.agent for e in events if isinstance(e, Reserved)}
    return [call_of(e, agents.get(e.call, "")) for e in events if isinstance(e, Settled)]


def call_of(settled: Settled, agent: str) -> AgentCall:
    match = _TASK.fullmatch(settled.task)
    kind, module, number = match.groups() if match else ("", settled.task, None)
    return AgentCall(agent, module, kind, int(number or 0), settled)


def by_module(made: Iterable[AgentCall]) -> dict[str, Spent]:
    return _together((call.module, call.settled) for call in made)


def by_agent(made: Iterable[AgentCall]) -> dict[str, Spent]:
    """By agent and model: `claude, opus`."""
    return _together((", ".join(filter(None, (call.agent, call.settled.model))), call.settled) for call in made)


def _together(pairs: Iterable[tuple[str, Settled]]) -> dict[str, Spent]:
    found: dict[str, Spent] = {}
    for name, settled in pairs:
        found.setdefault(name, Spent()).add(settled)
    return found


def seconds_text(seconds: float) -> str:
    """8.2 s, 3 min 5 s, 2 h 7 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds) // 60
    return f"{minutes} min {round(seconds) % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def times_text(ratio: float) -> str:
    """How many times as fast: 4,771 or 2.35."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def bounds(space: Space) -> str:
    """What values a space holds."""
    return f"0 to {space.n - 1}" if isinstance(space, Discrete) else f"{space.low} to {space.high}"


# ---- what nobody looked at ----


def unverified(events: Sequence[Event], files: Files, contract: Contract | None) -> list[str]:
    """What a reader might take for verified and is not, a sentence each."""
    judged = final(events, files)
    said = [] if verified(events, files) else ["The whole: no version of it passed the games that nobody saw."]
    said += _unanswered(judged)
    if contract is not None:
        said += _excepted(contract)
    tests = "The tests that came with the modules were written by agents; they decided nothing."
    said += [tests] if any(path.startswith("tests/") for path in files) else []
    return [
        *said,
        "Options of the original other than those the contract names.",
        "Devices of another kind than the one it was verified on: the same code runs there, but last bits may differ.",
        "Every state there is: what was compared was recorded or drawn, and a rule that is never reached is not seen.",
    ]


def _unanswered(judged: Mapping[str, Judged]) -> list[str]:
    """Checks that were not made, or came to no result."""
    said = []
    if TRANSFER not in judged:
        said.append("L4: no policy was trained on either side and played on both.")
    words = {"skip": "was not checked", "open": "has no result", "note": "worth knowing"}
    for one in judged.values():
        for check in one.checks:
            if check["status"] in words:
                sentence = f"{check['level']} {check['name']}: {words[check['status']]}"
                said.append(f"{sentence}: {check.get('detail', '')}".rstrip(": .") + ".")
    return list(dict.fromkeys(said))


def _excepted(contract: Contract) -> list[str]:
    """What the contract leaves out, with its reasons."""
    said = [f"Equal up to rounding only: {', '.join(t.columns)} ({t.reason.rstrip('.')})." for t in contract.tolerances]
    said += [f"States outside of {r.holds.text} ({r.reason.rstrip('.')})." for r in contract.reachable]
    left_out = contract.ignored | {f"random draws in {name}": why for name, why in contract.chance_ignored.items()}
    return said + [f"Not compared: {name} ({why.rstrip('.')})." for name, why in left_out.items()]
