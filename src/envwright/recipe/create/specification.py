"""A specification: numbered rules with their sources, questions with defaults, and what of the game can be seen.

It is a TOML file, so that people can edit it and every mistake in it has one sentence. `prompts/write-specification.md`
says what its parts mean.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.recipe.create.documents import DocumentError, SourceDocument, passage
from envwright.verifier.contract import unknown_key

CONFIDENCE = ("high", "medium", "low")
KINDS = ("int", "bool", "list")
CALLS = ("reset", "step")


class SpecificationError(EnvwrightError, ValueError):
    """A specification is not one; says what is wrong with which part."""


@dataclass(frozen=True)
class Rule:
    """One rule of the game."""

    number: str
    text: str
    sources: tuple[str, ...]  # places in the documents
    quote: str  # some of the words that stand there
    confidence: str  # one of CONFIDENCE


@dataclass(frozen=True)
class Question:
    """What the documents leave open or contradict themselves about, and what is taken until somebody decides."""

    number: str
    rules: tuple[str, ...]  # that depend on it
    text: str
    sources: tuple[str, ...]
    options: tuple[str, ...]
    default: str  # one of the options


@dataclass(frozen=True)
class StateField:
    """A part of the state: an attribute of the game that tests read and set."""

    name: str
    kind: str  # one of KINDS
    low: int
    high: int
    meaning: str
    length: int = 0  # of a list


@dataclass(frozen=True)
class GameDraw:
    """A random draw, `integers(low, high)`, in the order in which a call makes them."""

    call: str  # one of CALLS
    low: int
    high: int  # not included
    meaning: str  # what it decides, and when it is made


@dataclass(frozen=True)
class Specification:
    """All that the authors of the reference and of the tests are told of a game."""

    title: str
    summary: str
    actions: tuple[str, ...]  # what action 0, 1, ... does
    legal: str
    reward: str
    ends: str
    observation: tuple[str, ...]  # names of the state, one after the other
    state: tuple[StateField, ...]
    draws: tuple[GameDraw, ...]
    rules: tuple[Rule, ...]
    questions: tuple[Question, ...]

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(rule.number for rule in self.rules)


def read_specification(text: str, documents: Sequence[SourceDocument]) -> Specification:
    """A specification, checked; complains about the first thing that is wrong."""
    found = parse_specification(text)
    _check_numbers(found)
    _check_sources(found, documents)
    _check_game(found)
    return found


def parse_specification(text: str) -> Specification:
    """A specification with all its parts; whether they fit together is another question."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"The specification is not valid TOML: {error}.") from None
    _only(table, {"title", "summary", "game", "state", "draw", "rule", "question"}, "the specification")
    game = _table(table, "game")
    _only(game, {"actions", "legal", "reward", "ends", "observation"}, "[game]")
    return Specification(
        title=_str(table, "title", "the specification"),
        summary=_str(table, "summary", "the specification"),
        actions=_strs(game, "actions", "[game]"),
        legal=_str(game, "legal", "[game]"),
        reward=_str(game, "reward", "[game]"),
        ends=_str(game, "ends", "[game]"),
        observation=_strs(game, "observation", "[game]"),
        state=tuple(_state(row, i) for i, row in _rows(table, "state")),
        draws=tuple(_draw(row, i) for i, row in _rows(table, "draw", needed=False)),
        rules=tuple(_rule(row, i) for i, row in _rows(table, "rule")),
        questions=tuple(_question(row, i) for i, row in _rows(table, "question", needed=False)),
    )


# ---- the parts ----


def _rule(row: Mapping[str, Any], nth: int) -> Rule:
    where = f"rule {row.get('number', f'in place {nth}')}"
    _only(row, {"number", "text", "sources", "quote", "confidence"}, where)
    return Rule(
        _number(row, where), _str(row, "text", where), _strs(row, "sources", where), _str(row, "quote", where),
        _one_of(row, "confidence", CONFIDENCE, where),
    )  # fmt: skip


def _question(row: Mapping[str, Any], nth: int) -> Question:
    where = f"question {row.get('number', f'in place {nth}')}"
    _only(row, {"number", "rules", "text", "sources", "options", "default"}, where)
    if "default" not in row:
        raise SpecificationError(f"The {where} has no default; say which of its options holds until somebody decides.")
    options = _strs(row, "options", where)
    if len(options) < 2:
        raise SpecificationError(f"The {where} has one option; a question has at least two.")
    return Question(
        _number(row, where), _strs(row, "rules", where), _str(row, "text", where), _strs(row, "sources", where),
        options, _one_of(row, "default", options, where),
    )  # fmt: skip


def _state(row: Mapping[str, Any], nth: int) -> StateField:
    where = f"[[state]] {row.get('name', f'in place {nth}')}"
    _only(row, {"name", "kind", "low", "high", "meaning", "length"}, where)
    name, kind = _str(row, "name", where), _one_of(row, "kind", KINDS, where)
    if not name.isidentifier() or name.startswith("_"):
        raise SpecificationError(f"{where}: the name becomes an attribute; use letters, digits and _ only.")
    low, high = (0, 1) if kind == "bool" else (_int(row, "low", where), _int(row, "high", where))
    if low > high:
        raise SpecificationError(f"{where}: low is {low} and high is {high}; high is the largest value that it has.")
    length = _int(row, "length", where) if kind == "list" else 0
    if kind == "list" and length < 1:
        raise SpecificationError(f"{where}: length is {length}; a list always has the same length, at least 1.")
    return StateField(name, kind, low, high, _str(row, "meaning", where), length)


def _draw(row: Mapping[str, Any], nth: int) -> GameDraw:
    where = f"[[draw]] in place {nth}"
    _only(row, {"call", "low", "high", "meaning"}, where)
    low, high = _int(row, "low", where), _int(row, "high", where)
    if low >= high:
        raise SpecificationError(f"{where}: integers({low}, {high}) has no value; high itself is never drawn.")
    return GameDraw(_one_of(row, "call", CALLS, where), low, high, _str(row, "meaning", where))


# ---- what must hold between them ----


def _check_numbers(found: Specification) -> None:
    for what, numbers in (("rules", found.numbers), ("questions", tuple(q.number for q in found.questions))):
        for number in numbers:
            if numbers.count(number) > 1:
                raise SpecificationError(f"Two {what} have the number {number}; give one of them another number.")
    for question in found.questions:
        for number in question.rules:
            if number not in found.numbers:
                raise SpecificationError(f"Question {question.number} is about rule {number}, which there is not.")


def _check_sources(found: Specification, documents: Sequence[SourceDocument]) -> None:
    for what, parts in (("Rule", found.rules), ("Question", found.questions)):
        for part in parts:
            for place in part.sources:
                try:
                    passage(place, documents)
                except DocumentError as error:
                    raise SpecificationError(f"{what} {part.number}: {error}") from None
    for rule in found.rules:
        lines = [line for place in rule.sources for line in passage(place, documents)]
        if _words(rule.quote) not in _words(" ".join(line.text for line in lines)):
            under = f", under '{lines[0].heading}'" if lines[0].heading else ""
            raise SpecificationError(
                f"Rule {rule.number} quotes '{rule.quote}', which does not stand at {', '.join(rule.sources)}{under}; "
                "copy some words from there as they are, or correct the place."
            )


def _check_game(found: Specification) -> None:
    names = [field.name for field in found.state]
    for name in names:
        if names.count(name) > 1:
            raise SpecificationError(f"Two parts of the state are called {name}; rename one of them.")
    for name in found.observation:
        if name not in names:
            raise SpecificationError(
                f"The observation holds {name}, which is no part of the state; it has {_and(names)}."
            )
    if len(found.actions) < 2:
        raise SpecificationError("There is one action; a game has at least two, or there is nothing to decide.")


def _words(text: str) -> str:
    """Only the letters and digits count: lines are broken in other places, quotation marks are of several kinds."""
    return "".join(c for c in text.lower() if c.isalnum())


# ---- reading ----


def _rows(table: Mapping[str, Any], key: str, *, needed: bool = True) -> Iterable[tuple[int, Mapping[str, Any]]]:
    rows = table.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SpecificationError(f"Every {key} is a table of its own; write [[{key}]].")
    if needed and not rows:
        raise SpecificationError(f"The specification has no [[{key}]]; it needs at least one.")
    return enumerate(rows, 1)


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key)
    if not isinstance(found, dict):
        raise SpecificationError(f"The specification has no [{key}]; it says what actions, rewards and ends there are.")
    return found


def _only(row: Mapping[str, Any], known: set[str], where: str) -> None:
    if problem := unknown_key(dict(row), known):
        raise SpecificationError(f"In {where}: {problem}")


def _str(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise SpecificationError(f"In {where}, {key} is missing; it is a text.")
    return value.strip()


def _strs(row: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = row.get(key)
    if not isinstance(value, list) or not value or not all(isinstance(v, str) and v.strip() for v in value):
        raise SpecificationError(f"In {where}, {key} is missing; it is a list of texts, with at least one.")
    return tuple(v.strip() for v in value)


def _int(row: Mapping[str, Any], key: str, where: str) -> int:
    value = row.get(key)
    if type(value) is not int:
        raise SpecificationError(f"In {where}, {key} is missing; it is a whole number.")
    return value


def _number(row: Mapping[str, Any], where: str) -> str:
    value = _str(row, "number", where)
    if not all(part.isalnum() for part in value.split(".")):
        raise SpecificationError(f"In {where}, the number is written like 2 or 2.1 or Q1.")
    return value


def _one_of(row: Mapping[str, Any], key: str, known: Sequence[str], where: str) -> str:
    value = _str(row, key, where)
    if value not in known:
        raise SpecificationError(f"In {where}, {key} is '{value}'; it is one of: {'; '.join(known)}.")
    return value


def _and(names: Sequence[str]) -> str:
    return ", ".join(names)
