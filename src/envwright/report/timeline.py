"""The story of a run: every call of an agent in order, what the verifier said of it, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from envwright.recipe.events import Accepted, Event, HandedOver, Judged, Kept, Reserved, RolledBack, Settled
from envwright.recipe.summary import MODULE, AgentCall, call_of, stage_kind

KEPT, BACK = "kept", "rolled back"


@dataclass
class Entry:
    """A call of an agent; or, without one, what the verifier said of all modules, or a person that is needed."""

    call: AgentCall | None = None
    handed: HandedOver | None = None
    judged: list[Judged] = field(default_factory=list)
    edited: tuple[str, ...] = ()  # artefacts of a creation, by a person
    fate: str = ""  # kept, rolled back; empty: nothing came of it
    broke: tuple[str, ...] = ()
    changes: dict[str, tuple[str, str]] = field(default_factory=dict)  # path -> the text before, and after


def timeline(events: Sequence[Event]) -> list[Entry]:
    """The story. Modules may be worked on at the same time, so what belongs together is found by module and task."""
    agents = {e.call: e.agent for e in events if isinstance(e, Reserved)}
    entries: list[Entry] = []
    latest: dict[str, Entry] = {}  # of each module, its last call
    waiting: Entry | None = None  # the call that the verifier is to look at
    current: dict[str, str] = {}  # the files as they are
    accepted: dict[str, str] = {}  # the artefacts of a creation as they are
    for event in events:
        if isinstance(event, Settled):
            call = call_of(event, agents.get(event.call, ""))
            entry = latest[call.module] = Entry(call, changes=_changes(current, event.files))
            waiting = entry if entry.changes else None  # the verifier does not look at what changes nothing
            entries.append(entry)
        elif isinstance(event, Accepted) and event.edited:
            waiting = Entry(edited=tuple(event.files), changes=_changes(accepted, event.files))
            entries.append(waiting)
        elif isinstance(event, HandedOver):
            entries.append(Entry(handed=event))
        elif isinstance(event, Judged):
            module = event.stage.partition(" ")[2] if stage_kind(event) == MODULE else ""
            entry = latest.get(module) if module else waiting
            if entry is None:
                entries.append(entry := Entry())
            entry.judged.append(event)
        elif isinstance(event, Kept | RolledBack):
            entry = _of_task(entries, event.task)
            if entry is None or entry.call is None:
                continue
            entry.fate = KEPT if isinstance(event, Kept) else BACK
            entry.broke = event.broke if isinstance(event, RolledBack) else ()
            if isinstance(event, Kept):
                current |= entry.call.settled.files
            waiting = None if entry is waiting else waiting
        if isinstance(event, Accepted):
            accepted |= event.files
    return entries


def _of_task(entries: Sequence[Entry], task: str) -> Entry | None:
    """The last call for a task; earlier ones of the same task were refused or failed."""
    return next((e for e in reversed(entries) if e.call is not None and e.call.settled.task == task), None)


def _changes(current: Mapping[str, str], files: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    return {path: (current.get(path, ""), text) for path, text in files.items() if current.get(path) != text}
