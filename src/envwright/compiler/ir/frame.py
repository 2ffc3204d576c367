"""A function of the original while it is read, and the function of the translation that is written for it."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Code, Statement
from envwright.compiler.ir.store import Store
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.refusal import RefusedError

_WORDS = {
    ast.Eq: "is", ast.NotEq: "is_not", ast.Lt: "below", ast.LtE: "at_most", ast.Gt: "above", ast.GtE: "at_least",
}  # fmt: skip


@dataclass
class Writer:
    """Where statements are emitted; loops push a block."""

    blocks: list[list[Statement]] = field(default_factory=lambda: [[]])
    bases: dict[str, str] = field(default_factory=dict)  # of each name, the one that was wanted
    meanings: dict[str, Code] = field(default_factory=dict)  # of each name, the expression it was bound to
    maybe_unbound: set[str] = field(default_factory=set)  # names that are given a value in one branch only
    parameters: list[tuple[str, str]] = field(default_factory=list)
    chance: dict[str, str] = field(default_factory=dict)  # chance field -> the parameter that has it
    start: bool = False  # whether it begins an episode: then there is no state yet
    top: bool = False  # whether it is the function that begins or steps the game, which has all the chance
    drawing: bool = False  # whether it draws random numbers, instead of using chance fields
    drawn: int = 0  # how often
    early: dict[str, str] = field(default_factory=dict)  # chance fields that are drawn before all else, by their names
    most: dict[str, float] = field(default_factory=dict)  # chance field -> how often it may be drawn, at most
    loops: bool = False  # whether there is a loop that ends only by its condition
    passing: bool = False  # whether it reads what goes from place to place within a step, and is not in the state
    rewritten: set[Any] = field(default_factory=set)  # attributes that functions change which it calls
    renewed: set[Any] = field(default_factory=set)  # those to which they give other lists
    collected: list[tuple[str, Any]] = field(default_factory=list)  # how the chance fields that it uses are drawn

    @property
    def when(self) -> str:
        """Whose random draws it uses: those of the start of an episode, or of a step."""
        return "start" if self.start else "step"

    def fresh(self, base: str, own: bool = True) -> str:
        """A unique name; in the end it becomes the one wanted, if it can (`cleanup.renamed`)."""
        base = base if base.isidentifier() else "value"
        base = f"{base}_" if own and base in RESERVED else base
        found = f"{base}{MARK}{len(self.bases)}"
        self.bases[found] = base
        return found

    def meaning(self, value: Code) -> Code:
        """The expression behind a name."""
        while isinstance(value, ast.Name) and value.id in self.meanings:
            value = self.meanings[value.id]
        return value


MARK = "\u00b7"  # in names of variables until they get their final ones

RESERVED = {
    "jax", "jnp", "np", "state", "chance", "put", "compact", "choose", "key", "action", "Step", "State",
    "StartChance", "StepChance", "lambda", "None", "True", "False", "in", "is", "not", "and", "or", "if", "else",
    "for", "while", "def", "return", "del", "from", "import", "class", "pass", "with", "try", "as", "int", "float",
    "bool", "len", "range", "round_up", "round_down", "select", "normal", "random_order",
}  # fmt: skip


@dataclass
class CallFrame:
    """One call of one function of the original."""

    program: TranslationUnit
    writer: Writer
    memory: Store
    function: str = ""  # its name, under which draws are recorded
    qualified: str = ""
    file: str = ""
    globals: Mapping[str, Any] = field(default_factory=dict)
    nonlocals: Mapping[str, Any] = field(default_factory=dict)
    owner: type | None = None  # the class that the function stands in
    node: ast.AST | None = None  # its source
    outer: "CallFrame | None" = None  # of a lambda or inner function: where it was made
    line: int = 0
    depth: int = 0  # of ifs and loops
    inlined: bool = False  # functions of the state are read where they are called: in a loop it has no record
    guards: tuple[Code, ...] = ()  # the conditions under which the original comes here
    comments: Mapping[int, list[str]] = field(default_factory=dict)
    orderless: set[ast.AST] = field(default_factory=set)  # comprehensions whose order does not matter
    taken: set[ast.AST] = field(default_factory=set)  # calls of which all that they yield is taken at once
    call: ast.Call | None = None  # the one that is made
    direct: ast.AST | None = None  # a call whose value an attribute is set to
    calling: tuple[Any, ...] = ()  # the functions that are being read, for recursion

    @property
    def block(self) -> list[Statement]:
        return self.writer.blocks[-1]

    def emit(self, statement: Statement) -> None:
        statement.line, statement.file = self.line, self.file
        self.block.append(statement)

    def bind(self, hint: str, value: Code, auto: bool = False) -> str:
        """Give a value a name."""
        if isinstance(value, ast.Name) and MARK in value.id:
            return value.id
        found = self.writer.fresh(hint)
        self.emit(Assign([found], value, auto=auto or self.depth > 0))
        self.writer.meanings[found] = value
        return found

    def named(self, hint: str, value: Code, auto: bool = True) -> Code:
        """The value under a name, unless it is short."""
        return value if code.size(value) <= 2 else code.name(self.bind(hint, value, auto))

    def condition(self, value: Code) -> Code:
        """A condition under a descriptive name."""
        return self.named(condition_name(value), value)

    def placed(self, why: RefusedError) -> RefusedError:
        line = getattr(why.node, "lineno", 0) or self.line
        return why.at(self.qualified or self.function, self.file, line)


def condition_name(value: Code) -> str:
    """`timer == 0` is called timer_is_0."""
    if isinstance(value, ast.Compare) and len(value.ops) == 1 and type(value.ops[0]) in _WORDS:
        left, right = (_spoken(side) for side in (value.left, value.comparators[0]))
        found = f"{left}_{_WORDS[type(value.ops[0])]}_{right}".lower()
        if found.isidentifier() and len(found) <= 32:
            return found
    return "condition"


def _spoken(side: Code) -> str:
    """An expression as part of a name: `state.pos` is pos."""
    plain = re.sub(rf"{MARK}\d+", "", code.text(side))
    return re.sub(r"\W+", "_", re.sub(r"\bstate\.", "", plain)).strip("_")
