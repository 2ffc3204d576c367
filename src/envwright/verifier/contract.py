"""The contract: what must be equal, and who is to blame where it is not. Read from `contract.toml`."""

import difflib
import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Watchpoint
from envwright.verifier.clauses import Function, Invariant, Loop, Module, Phase, Reach, Tolerance
from envwright.verifier.expression import Expression, parse
from envwright.verifier.transfer import terms

VERSION = 1
OUTCOME = {"observation": "obs", "reward": "reward", "terminated": "terminated", "truncated": "truncated"}
OWNERS = {  # where no module of the contract owns a column
    "observation": "observation", "reward": "reward", "terminated": "termination", "truncated": "time limit",
    "legal_actions": "legal actions", "acting": "turns", "start": "reset", "chance": "chance", "info": "info",
    "log": "summary",
}  # fmt: skip


class ContractError(EnvwrightError, ValueError):
    """A contract cannot be read, or does not fit the environments it is about."""


@dataclass(frozen=True)
class Contract:
    """What must be equal. Everything the user wrote, checked as far as it can be without running anything."""

    reference: str
    candidate: str
    base: Path | None = None  # the folder that relative names are relative to
    path: Path | None = None
    text: str = ""  # as it was read
    sha256: str = ""
    requires: dict[str, str] = field(default_factory=dict)  # packages and their versions; "*": any
    reference_options: dict[str, Any] = field(default_factory=dict)
    candidate_options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)  # of the reference's attributes, by name
    setting: str = ""  # which of them it gets; none: it is as it is made
    state: dict[str, Expression] = field(default_factory=dict)
    params: dict[str, Expression] = field(default_factory=dict)
    outcome: dict[str, Expression] = field(default_factory=dict)
    chance_start: dict[str, Expression] = field(default_factory=dict)
    chance_step: dict[str, Expression] = field(default_factory=dict)
    chance_ignored: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)  # what chance decides when a reference is made
    ignored: dict[str, str] = field(default_factory=dict)
    domain: dict[str, dict[str, Any]] = field(default_factory=dict)
    together: tuple[tuple[str, ...], ...] = ()  # parts of the state that are taken from one recorded state
    states: str | None = None  # "file.py:function" that makes possible states
    oracle: str | None = None  # "file.py:function" that says what is wrong with a step of either side
    policies: tuple[str, ...] = ()
    coverage: dict[str, str] = field(
        default_factory=dict
    )  # "file.py:function" that counts, and that says what there is
    reachable: tuple[Reach, ...] = ()
    tolerances: tuple[Tolerance, ...] = ()
    modules: tuple[Module, ...] = ()
    functions: tuple[Function, ...] = ()
    phases: tuple[Phase, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    transfer: terms.Terms = field(default_factory=terms.Terms)

    @property
    def columns(self) -> tuple[str, ...]:
        """Everything that is compared after a step."""
        return (*(f"state.{name}" for name in self.state), *self.outcome)

    @cached_property
    def looks_back(self) -> bool:
        """Whether any expression reads the state before the step."""
        tables = (self.state, self.outcome, self.chance_step)
        return any("before" in e.names for table in tables for e in table.values())

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The phases, those in a row together that are gone through equally often."""
        rows = groupby(self.phases, key=lambda phase: phase.substeps and phase.substeps.text)
        return tuple(Loop(tuple(row)) for _, row in rows)

    def rounds(self, column: str) -> bool:
        """Whether a column is only equal up to rounding."""
        return any(column in t.columns or column.split(".")[0] in t.columns for t in self.tolerances)

    def owner(self, column: str) -> str:
        """The module to blame for a column, if nothing more precise is known."""
        for name in (column, column.split(".")[0]):
            for module in self.modules:
                if name in module.owns:
                    return module.name
        return OWNERS.get(column.split(".")[0], "dynamics")


def load(path: Path) -> Contract:
    """Read a contract from a file."""
    try:
        text = path.read_text()
    except OSError as error:
        raise ContractError(f"The contract {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ContractError(f"The contract {path} is not text.") from None
    return read(text, path)


def read(text: str, path: Path | None = None) -> Contract:
    """Read a contract from text."""
    name = path.name if path else "contract"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ContractError(f"{name} is not valid TOML: {error}.") from None
    version = table.pop("version", None)
    if version != VERSION:
        raise ContractError(f"{name} is of version {version}; this envwright reads version {VERSION}.")
    known = {
        "reference", "candidate", "reference_options", "candidate_options", "state", "params", "outcome", "chance",
        "ignored", "domain", "policies", "reachable", "tolerance", "module", "function", "phase", "invariant",
        "transfer", "made", "states", "settings", "setting", "requires", "coverage", "oracle",
    }  # fmt: skip
    _only(table, known, name)
    _shaped(table, name)
    chance = table.get("chance", {})
    _only(chance, {"start", "step", "ignored"}, f"{name}, [chance]")
    outcome, domain = {**OUTCOME, **table.get("outcome", {})}, table.get("domain", {})
    settings = _settings(table.get("settings", {}), name)
    return Contract(
        reference=_text(table, "reference", name),
        candidate=_text(table, "candidate", name),
        base=path.parent if path else None,
        path=path,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        requires=_requires(table.get("requires", {}), name),
        reference_options=_options(table.get("reference_options", {})),
        candidate_options=table.get("candidate_options", {}),
        settings=settings,
        setting=_setting(table, settings, name),
        state=_expressions(table.get("state", {}), f"{name}, [state]"),
        params=_expressions(table.get("params", {}), f"{name}, [params]"),
        outcome={
            key: parse(value, f"{name}, [outcome] {key}")
            for key, value in _flat(outcome).items()
            if f"candidate.{key}" not in table.get("ignored", {})
        },
        chance_start=_expressions(chance.get("start", {}), f"{name}, [chance.start]"),
        chance_step=_expressions(chance.get("step", {}), f"{name}, [chance.step]"),
        chance_ignored=_reasons(chance.get("ignored", {}), f"{name}, [chance.ignored]"),
        made=_reasons(table.get("made", {}), f"{name}, [made]"),
        ignored=_ignored(table.get("ignored", {}), f"{name}, [ignored]"),
        domain={key: value for key, value in domain.items() if key != "together"},
        together=_together(domain.get("together", []), f"{name}, [domain] together"),
        states=_text(table, "states", name) if "states" in table else None,
        oracle=_text(table, "oracle", name) if "oracle" in table else None,
        policies=tuple(table.get("policies", ())),
        coverage=_coverage(table.get("coverage", {}), f"{name}, [coverage]"),
        reachable=tuple(_reach(row, name) for row in table.get("reachable", ())),
        tolerances=tuple(_tolerance(row, settings, name) for row in table.get("tolerance", ())),
        modules=tuple(_module(row, name) for row in table.get("module", ())),
        functions=tuple(_function(row, name) for row in table.get("function", ())),
        phases=tuple(_phase(row, table.get("state", {}), name) for row in table.get("phase", ())),
        invariants=tuple(_invariant(row, name) for row in table.get("invariant", ())),
        transfer=_transfer(table.get("transfer", {}), f"{name}, [transfer]"),
    )


def _options(value: Any) -> Any:
    """Options of a constructor; `{ none = true }` stands for None, for which TOML has no word."""
    if isinstance(value, dict):
        return None if value == {"none": True} else {key: _options(inner) for key, inner in value.items()}
    return [_options(inner) for inner in value] if isinstance(value, list) else value


def _reach(row: dict[str, Any], name: str) -> Reach:
    where = f"{name}, [[reachable]]"
    _only(row, {"holds", "reason"}, where)
    return Reach(parse(row.get("holds"), where), _text(row, "reason", where))


def _requires(table: dict[str, Any], name: str) -> dict[str, str]:
    for package, version in table.items():
        if not isinstance(version, str) or not version:
            raise ContractError(f'{name}, [requires] {package}: give the version as text, or "*" for any.')
    return dict(table)


def _settings(table: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    for key, values in table.items():
        if not isinstance(values, dict):
            raise ContractError(f"{name}: write [settings.NAME], and {key} beneath it.")
    return {key: _flat(values) for key, values in table.items()}


def _setting(row: dict[str, Any], settings: dict[str, Any], where: str) -> str:
    chosen = row.get("setting", "")
    if chosen and chosen not in settings:
        raise ContractError(f"{where}: there is no [settings.{chosen}]; it has {', '.join(settings) or 'none'}.")
    return chosen


def _tolerance(row: dict[str, Any], settings: dict[str, Any], name: str) -> Tolerance:
    where = f"{name}, [[tolerance]]"
    _only(row, {"columns", "reason", "setting"}, where)
    reason = _text(row, "reason", where)
    return Tolerance(tuple(row.get("columns", ())), reason, _setting(row, settings, where))


def _module(row: dict[str, Any], name: str) -> Module:
    where = f"{name}, [[module]]"
    _only(row, {"name", "owns"}, where)
    return Module(_text(row, "name", where), tuple(row.get("owns", ())))


def _function(row: dict[str, Any], name: str) -> Function:
    where = f"{name}, [[function]] {row.get('reference', '')}"
    _only(row, {"module", "reference", "candidate", "arguments", "result", "cases"}, where)
    return Function(
        _text(row, "module", where),
        _text(row, "reference", where),
        _text(row, "candidate", where),
        tuple(parse(argument, where) for argument in row.get("arguments", ())),
        parse(row.get("result", "result"), where),
        _text(row, "cases", where) if "cases" in row else None,
    )


def _phase(row: dict[str, Any], state: dict[str, Any], name: str) -> Phase:
    where = f"{name}, [[phase]] {row.get('name', '')}"
    _only(row, {"name", "module", "function", "line", "occurrence", "values", "without", "substeps"}, where)
    point = Watchpoint(
        _text(row, "name", where), _text(row, "function", where), row.get("line", ""), row.get("occurrence", 1)
    )
    values = _expressions(_phase_values(row, state, where), where)
    module = _text(row, "module", where) if "module" in row else ""
    return Phase(module, point, values, _substeps(row.get("substeps"), where))


def _phase_values(row: dict[str, Any], state: dict[str, Any], where: str) -> dict[str, Any]:
    """What a phase shows: a table, or the [state] without some of it."""
    values, without = row.get("values", {}), row.get("without", [])
    if values != "state":
        if without or not isinstance(values, dict):
            raise ContractError(f'{where}: values is a table, or "state"; only of that may some be left out.')
        return values
    if unknown := [key for key in without if key not in state]:
        raise ContractError(f"{where}: without names {unknown[0]}, which [state] has not.")
    return {key: value for key, value in state.items() if key not in without}


def _substeps(value: Any, where: str) -> Expression | None:
    """A number, or what says it among the reference's names."""
    if value is None or isinstance(value, str):
        return None if value is None else parse(value, f"{where} substeps")
    if type(value) is not int or value < 1:
        raise ContractError(
            f"{where}: substeps is a number from 1, or a name of the reference's, but this is {value!r}."
        )
    return parse(str(value), where)


def _invariant(row: dict[str, Any], name: str) -> Invariant:
    where = f"{name}, [[invariant]]"
    _only(row, {"module", "name", "holds"}, where)
    return Invariant(_text(row, "module", where), _text(row, "name", where), parse(row.get("holds"), where))


def _together(groups: Any, where: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(groups, list) or not all(
        isinstance(group, list) and all(isinstance(part, str) for part in group) for group in groups
    ):
        raise ContractError(f'{where}: give lists of parts of the state, such as [["board", "turn"]].')
    return tuple(map(tuple, groups))


def _coverage(table: dict[str, Any], where: str) -> dict[str, str]:
    _only(table, {"count", "possible"}, where)
    return {key: _text(table, key, where) for key in table}


def _transfer(table: dict[str, Any], where: str) -> terms.Terms:
    _only(table, {field.name for field in fields(terms.Terms)}, where)
    if problem := terms.problem(table):
        raise ContractError(f"{where}: {problem}")
    return terms.Terms(**table)


def _expressions(table: dict[str, Any], where: str) -> dict[str, Expression]:
    return {key: parse(value, f"{where} {key}") for key, value in _flat(table).items()}


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables as dotted names: TOML reads `inner.x = 1` as a table."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def _reasons(table: dict[str, Any], where: str) -> dict[str, str]:
    for key, reason in table.items():
        if not isinstance(reason, str) or not reason.strip():
            raise ContractError(f"{where} {key}: give the reason as a sentence; what is skipped has to say why.")
    return dict(table)


def _ignored(table: dict[str, Any], where: str) -> dict[str, str]:
    """`candidate.state.NAME` is a field that is called like an outcome, which goes on being compared."""
    return {key.replace("candidate.state.", "candidate.", 1): why for key, why in _reasons(table, where).items()}


def _shaped(table: dict[str, Any], name: str) -> None:
    """[key] and [[key]] are easily confused."""
    for key, value in table.items():
        if key in ("reachable", "tolerance", "module", "function", "phase", "invariant"):
            if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
                raise ContractError(f"{name}: {key} is a list of tables; write [[{key}]].")
        elif key not in ("reference", "candidate", "policies", "states", "setting", "oracle") and not isinstance(
            value, dict
        ):
            raise ContractError(f"{name}: {key} is a table; write [{key}].")


def _text(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ContractError(f"{where}: {key} is missing.")
    return value


def _only(table: dict[str, Any], known: set[str], where: str) -> None:
    if problem := unknown_key(table, known):
        raise ContractError(f"{where}: {problem}")


def unknown_key(table: Iterable[str], known: set[str]) -> str:
    """The sentence on the first key that is not known; empty if there is none."""
    for key in table:
        if key not in known:
            close = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(known))}."
            return f"unknown key {key}; {hint}"
    return ""
