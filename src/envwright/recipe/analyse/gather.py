"""From all functions of some files, as a language's reader found them, to what a reset and a step can reach."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from envwright.recipe.analyse.facts import (
    ALLOCATES,
    DRAWS,
    ENTRY,
    SETS_UP,
    Analysis,
    Chance,
    Definition,
    FixedArray,
    Hazard,
    SourceFile,
    Unit,
)
from envwright.recipe.analyse.graph import components, reachable

SHARED = "draws from a generator that the whole program shares, which the environment's seed does not reach"
UNSEEDED = "makes a generator without a seed, so no two runs need be the same"


@dataclass(frozen=True)
class Passed:
    """A piece of state, or a parameter, that is handed to a function which may change it."""

    callee: str
    slot: int | str  # the callee's parameter, by place or by name
    what: str
    is_parameter: bool
    line: int


@dataclass
class Scanned:
    """A function, as it was read. Dicts stand for ordered sets; their values are lines."""

    file: str
    name: str
    qualified: str
    first: int
    last: int
    code_lines: int
    parameters: tuple[str, ...] = ()
    parent: str = ""
    calls: dict[str, int] = field(default_factory=dict)
    reads: dict[str, int] = field(default_factory=dict)  # for its value
    updates: dict[str, int] = field(default_factory=dict)  # changed in place: += 1, [i] = 1, append
    assigns: dict[str, int] = field(default_factory=dict)  # replaced as a whole
    bumps: set[str] = field(default_factory=set)  # those of the updates that depend on the value before, as += 1 does
    mutates: set[str] = field(default_factory=set)  # parameters
    passes: list[Passed] = field(default_factory=list)
    chance: list[tuple[int, str]] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    arms: int = 0
    hazards: list[tuple[int, str]] = field(default_factory=list)
    memory: list[FixedArray] = field(default_factory=list)
    uses: dict[str, int] = field(default_factory=dict)
    outside: dict[str, int] = field(default_factory=dict)
    draws: bool = False
    allocates: bool = False

    @property
    def id(self) -> str:
        return f"{self.file}:{self.qualified}"

    @property
    def writes(self) -> dict[str, int]:
        return {**self.updates, **self.assigns}


def words(name: str) -> list[str]:
    """A name in its parts: `c_resetRound` is c, reset, round."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3_\2\4", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]


def is_left_out(name: str) -> bool:
    """Whether a function of this name draws the environment or closes it."""
    parts = words(name)
    return "render" in parts or parts in (["close"], ["c", "close"], ["close", "client"], ["close", "window"])


def gather(
    scanned: Mapping[str, Scanned],
    entries: Sequence[str],
    setup: Iterable[str] | None,
    *,
    root: Path,
    sources: Sequence[SourceFile],
    definitions: Mapping[str, Definition],
    behind: Mapping[str, Scanned] | None = None,
    variables: Iterable[str] = (),
    say_outside: Callable[[str], str] = lambda package: "",
) -> Analysis:
    """The analysis. `setup` are the functions that make the environment; without, those are looked for that write what
    is read and what nobody reachable assigns. `behind` is the code of definitions, by their ids. `variables` are the
    files' own, which are state if a function writes them, and constants otherwise; `say_outside` has a sentence for a
    package that is to be warned of."""
    hand_back(scanned)
    constant = set(variables) - {name for unit in scanned.values() for name in unit.writes}
    for unit in scanned.values():
        unit.reads = {name: line for name, line in unit.reads.items() if name not in constant}
    graph = {
        id: [] if is_left_out(unit.name) and id not in entries else list(unit.calls) for id, unit in scanned.items()
    }
    left_out = [id for id, unit in scanned.items() if is_left_out(unit.name) and id not in entries]
    played = {id: None for id in reachable(graph, entries) if id not in left_out}
    first = _setup(scanned, graph, entries, left_out) if setup is None else setup
    reached = {**played, **{id: None for id in reachable(graph, first) if id not in left_out}}
    recursive = {id for ids in components(graph) if len(ids) > 1 or ids[0] in graph[ids[0]] for id in ids}
    units = sorted(
        (_unit(scanned[id], reached, id in recursive, id in entries, id not in played) for id in reached),
        key=lambda unit: (unit.file, unit.first, -unit.last, unit.qualified),
    )
    writers: dict[str, list[str]] = {}
    for unit in units:
        for name in unit.writes if unit.id in played else ():
            writers.setdefault(name, []).append(unit.id)
    closing = {
        id: None for id in reachable({i: list(u.calls) for i, u in scanned.items()}, left_out) if id not in reached
    }
    used = _definitions((use for unit in units for use in unit.uses), definitions)
    files = {unit.file for unit in units} | {definition.file for definition in used}
    code = [scanned[id] for id in reached] + [behind[d.id] for d in used if behind and d.id in behind]
    found = {Hazard(unit.file, *hazard) for unit in code for hazard in unit.hazards}
    found |= {
        Hazard(u.file, u.first, f"{u.qualified} calls itself, directly or through others.")
        for u in units
        if u.recursive
    }
    found |= set(_abroad(code, say_outside))
    found |= set(_survivors(scanned, graph, entries, writers))
    return Analysis(
        root=root,
        sources=tuple(
            _within(source, files) for source in sorted(sources, key=lambda s: s.path) if source.path in files
        ),
        units=tuple(units),
        entries=tuple(entries),
        state=tuple((name, tuple(writers[name])) for name in sorted(writers)),
        drawn=tuple(sorted(_drawn(scanned, writers, reached, closing))),
        left_out=tuple(sorted(closing)),
        hazards=tuple(sorted(found, key=lambda h: (h.file, h.line, h.sentence))),
        memory=tuple(sorted({m for unit in code for m in unit.memory}, key=lambda m: (m.file, m.line, m.name))),
        outside=tuple(sorted({name for unit in code for name in unit.outside})),
        definitions=tuple(used),
    )


def _within(source: SourceFile, files: set[str]) -> SourceFile:
    return replace(source, imports=tuple(path for path in source.imports if path in files))


def _unit(scanned: Scanned, reached: Mapping[str, None], recursive: bool, entry: bool, sets_up: bool) -> Unit:
    flags = [DRAWS] * scanned.draws + [ALLOCATES] * scanned.allocates + [ENTRY] * entry + [SETS_UP] * sets_up
    return Unit(
        file=scanned.file,
        name=scanned.name,
        qualified=scanned.qualified,
        first=scanned.first,
        last=scanned.last,
        code_lines=scanned.code_lines,
        calls=tuple(call for call in scanned.calls if call in reached),
        reads=tuple(sorted(scanned.reads.keys() | scanned.bumps)),
        writes=tuple(sorted(scanned.writes)),
        chance=tuple(Chance(scanned.file, line, what) for line, what in sorted(set(scanned.chance))),
        loops=tuple(scanned.loops),
        arms=scanned.arms,
        recursive=recursive,
        flags=tuple(flags),
        uses=tuple(sorted(scanned.uses)),
        parent=scanned.parent,
    )


def hand_back(scanned: Mapping[str, Scanned]) -> None:
    """What a function does to its parameters is done to what its callers hand it; until nothing more follows."""
    waiting = True
    while waiting:
        waiting = False
        for unit in scanned.values():
            for passed in unit.passes:
                callee = scanned.get(passed.callee)
                if callee is None or _slot(callee, passed.slot) not in callee.mutates:
                    continue
                if passed.is_parameter and passed.what not in unit.mutates:
                    unit.mutates.add(passed.what)
                    waiting = True
                elif not passed.is_parameter:
                    unit.updates.setdefault(passed.what, passed.line)


def _slot(callee: Scanned, slot: int | str) -> str | None:
    if isinstance(slot, str):
        return slot
    return callee.parameters[slot] if slot < len(callee.parameters) else None


def _setup(
    scanned: Mapping[str, Scanned], graph: Mapping[str, list[str]], entries: Sequence[str], left_out: Sequence[str]
) -> list[str]:
    """The functions that give the played ones what these read and no reset assigns."""
    played = reachable(graph, entries)
    renewing = reachable(graph, _resets(scanned, entries) or entries)
    assigned = {name for id in renewing for name in scanned[id].assigns}
    touched = {name for id in played for name in {**scanned[id].reads, **scanned[id].updates}}
    wanted = {name for name in touched if not covered(name, assigned)}
    return [
        id
        for id, unit in scanned.items()
        if id not in played and id not in left_out and any(covered(name, wanted) for name in unit.writes)
    ]


def _resets(scanned: Mapping[str, Scanned], entries: Sequence[str]) -> list[str]:
    return [id for id in entries if "reset" in words(scanned[id].name)]


def covered(name: str, names: Iterable[str]) -> bool:
    """Whether a piece of state, or something that it is part of, is among others."""
    parts = name.split(".")
    return any(".".join(parts[:count]) in names for count in range(1, len(parts) + 1))


def _survivors(
    scanned: Mapping[str, Scanned],
    graph: Mapping[str, list[str]],
    entries: Sequence[str],
    writers: Mapping[str, list[str]],
) -> list[Hazard]:
    """State that a step writes and reads, and that a reset leaves as it is."""
    resets = _resets(scanned, entries)
    if not resets:
        return []
    renewed = {name for id in reachable(graph, resets) for name in scanned[id].writes}
    read = {name for id in reachable(graph, entries) for name in scanned[id].reads.keys() | scanned[id].bumps}
    hazards = []
    for name, ids in writers.items():
        if not covered(name, renewed) and any(covered(name, {r}) or covered(r, {name}) for r in read):
            unit = scanned[ids[0]]
            sentence = f"{name} is written by {unit.qualified} and not by a reset, so it survives an episode."
            hazards.append(Hazard(unit.file, unit.writes[name], sentence))
    return hazards


def _abroad(code: Iterable[Scanned], say: Callable[[str], str]) -> list[Hazard]:
    """A hazard for each file and package that it calls."""
    first: dict[tuple[str, str], int] = {}
    for unit in code:
        for package, line in unit.outside.items():
            first[unit.file, package] = min(line, first.get((unit.file, package), line))
    return [Hazard(file, line, said) for (file, package), line in first.items() if (said := say(package))]


def _drawn(
    scanned: Mapping[str, Scanned],
    writers: Mapping[str, list[str]],
    reached: Mapping[str, None],
    closing: Mapping[str, None],
) -> list[str]:
    """State that nobody reachable reads, but what draws does."""
    read = {name for id in reached for name in scanned[id].reads}
    shown = {name for id in closing for name in scanned[id].reads}
    return [
        name
        for name in writers
        if any(covered(s, {name}) or covered(name, {s}) for s in shown)
        and not any(covered(r, {name}) or covered(name, {r}) for r in read)
    ]


def _definitions(roots: Iterable[str], definitions: Mapping[str, Definition]) -> list[Definition]:
    graph = {id: definition.uses for id, definition in definitions.items()}
    found = [definitions[id] for id in reachable(graph, roots)]
    return sorted(found, key=lambda d: (d.file, d.spans[0], d.name))
