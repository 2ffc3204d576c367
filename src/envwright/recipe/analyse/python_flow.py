"""What the attributes of an environment lead to: a call, followed statement by statement with tokens for values.

It is followed for what may be: all ways through a function, all names of a thing, conditions as well as values. So what
is not found to lead anywhere leads nowhere. Where that cannot be followed, `LostError` is raised.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envwright.recipe.analyse.flow_values import NONE, FlowState, Things, Token, Tokens, Value, join, join_states
from envwright.recipe.analyse.gather import is_left_out
from envwright.recipe.analyse.python_files import FunctionNode
from envwright.recipe.analyse.python_types import Scope, Types

MOST = 30_000  # statements that are followed
_LEAVES = ast.Return | ast.Raise | ast.Break | ast.Continue


class LostError(Exception):
    """The program does something that is not followed."""


@dataclass
class FlowFrame:
    """A function that is being followed."""

    scope: Scope
    own: str | None  # its name for the environment
    path: tuple[object, ...]  # the calls that led here
    pc: Tokens = NONE  # what decides whether it is here at all
    exits: list[FlowState] = field(default_factory=list)
    results: list[Value] = field(default_factory=list)
    inner: dict[str, FunctionNode] = field(default_factory=dict)  # functions inside of it
    loops: list[list[FlowState]] = field(default_factory=list)  # where a break or continue goes on
    shared: set[str] = field(default_factory=set)  # names of the file that it may set


class DataFlow:
    """Statements. What expressions are, `evaluate` says, which `python_flow_calls` gives."""

    def __init__(self, types: Types, evaluate: Any) -> None:
        self.types, self.evaluate = types, evaluate
        self.things = Things()
        self.sunk: set[Token] = set()  # what decides what is drawn at random, or whether there is an error
        self.read: set[str] = set()  # attributes that are read before they are set
        self.watched: list[set[Token]] = []  # what is read in the bodies of `try`
        self.steps = 0

    def sink(self, tokens: Iterable[Token]) -> None:
        self.sunk.update(tokens)

    def tokens(self, value: Value) -> Tokens:
        return self.things.tokens(value)

    def follow(self, function: FunctionNode, frame: FlowFrame, state: FlowState) -> tuple[Value, FlowState | None]:
        """What a function gives back, and what it leaves."""
        for node in ast.walk(function):
            if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.Nonlocal):
                raise LostError
        end = self.block(function.body, state, frame)
        value = Value() if end is not None or not frame.results else frame.results[0]
        for result in frame.results:
            value = join(value, result)
        return value, join_states([*frame.exits, end])

    def block(self, statements: Sequence[ast.stmt], state: FlowState | None, frame: FlowFrame) -> FlowState | None:
        for statement in statements:
            if state is None:
                return None
            self.steps += 1
            if self.steps > MOST:
                raise LostError
            state = self.statement(statement, state, frame)
        return state

    def statement(self, node: ast.stmt, state: FlowState, frame: FlowFrame) -> FlowState | None:
        if isinstance(getattr(node, "value", None), ast.GeneratorExp):
            raise LostError  # who knows when it is gone through
        match node:
            case ast.Assign(targets=targets, value=value):
                given = self.evaluate(self, value, state, frame)
                for target in targets:
                    self.assign(target, given, state, frame)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.assign(target, self.evaluate(self, value, state, frame), state, frame)
            case ast.AugAssign():
                self._augment(node, state, frame)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=holder, attr=name))) if is_left_out(
                name
            ) and self.is_own(holder, frame):
                pass  # it draws on a screen
            case ast.Expr(value=value):
                self.evaluate(self, value, state, frame)
            case ast.Return(value=value):
                given = Value() if value is None else self.evaluate(self, value, state, frame)
                frame.results.append(given.under(frame.pc))
                frame.exits.append(state)
                return None
            case ast.If(test=test, body=body, orelse=other):
                return self._branches(self.evaluate(self, test, state, frame), [body, other], state, frame)
            case ast.Match(subject=subject, cases=cases):
                return self._match(subject, cases, state, frame)
            case ast.For() | ast.While():
                return self._loop(node, state, frame)
            case ast.Break() | ast.Continue():
                frame.loops[-1].append(state)
                return None
            case ast.Raise(exc=error):
                said = NONE if error is None else self.tokens(self.evaluate(self, error, state, frame))
                self.sink(frame.pc | said)
                return None
            case ast.Assert(test=test):
                self.sink(frame.pc | self.tokens(self.evaluate(self, test, state, frame)))
            case ast.Try():
                return self._try(node, state, frame)
            case ast.With(items=items, body=body):
                for item in items:
                    held = self.evaluate(self, item.context_expr, state, frame)
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, held, state, frame)
                return self.block(body, state, frame)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.assign(target, Value(), state, frame)
            case ast.FunctionDef(name=name):
                frame.inner[name] = node
            case ast.Import() | ast.ImportFrom():
                self.types.bind(node, frame.scope)
            case ast.Global(names=names):
                frame.shared.update(names)
            case ast.Pass():
                pass
            case _:
                raise LostError
        return state

    # ---- what is set ----

    def assign(self, target: ast.expr, value: Value, state: FlowState, frame: FlowFrame) -> None:
        value = value.under(frame.pc)
        match target:
            case ast.Name(id=name) if name in frame.shared:
                state.attributes[f"{frame.scope.file.path.stem}.{name}"] = value
            case ast.Name(id=name):
                state.names[name] = value
            case ast.Attribute(value=holder, attr=name) if self.is_own(holder, frame):
                self._set_own(name, value, state)
            case ast.Attribute(value=holder) | ast.Subscript(value=holder):
                held = self.evaluate(self, holder, state, frame)
                where = NONE
                if isinstance(target, ast.Subscript):
                    where = self.tokens(self.evaluate(self, target.slice, state, frame))
                self.things.mark(held.sites, self.tokens(value) | where | frame.pc, self.things.reach(value))
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                starred = any(isinstance(part, ast.Starred) for part in parts)
                for i, part in enumerate(parts):
                    known = value.items is not None and len(value.items) == len(parts) and not starred
                    self.assign(part, value.items[i] if known and value.items else self.element(value), state, frame)
            case ast.Starred(value=inner):
                self.assign(inner, value, state, frame)
            case _:
                raise LostError

    def _set_own(self, name: str, value: Value, state: FlowState) -> None:
        if self.types.methods(self.types.leading[0], name):  # a property with a setter
            raise LostError
        state.attributes[name] = value

    def _augment(self, node: ast.AugAssign, state: FlowState, frame: FlowFrame) -> None:
        given = self.evaluate(self, node.value, state, frame)
        loaded = ast.copy_location(_loaded(node.target), node.target)
        held = self.evaluate(self, loaded, state, frame)
        tokens = self.tokens(given) | frame.pc
        self.things.mark(held.sites, tokens, self.things.reach(given))  # a list or an array changes in place
        self.assign(node.target, Value(held.of | tokens, held.sites), state, frame)

    def element(self, value: Value) -> Value:
        """Something out of a list."""
        return Value(self.tokens(value), self.things.within(value))

    def is_own(self, node: ast.expr, frame: FlowFrame) -> bool:
        """Whether this is the environment, or its class."""
        match node:
            case ast.Name(id=name):
                if frame.own is not None and name == frame.own:
                    return True
                leading = self.types.leading[0]
                return self.types.resolve(node, frame.scope) in self.types.mro(leading)
            case ast.Call(func=ast.Name(id="type"), args=[inner]) | ast.Attribute(value=inner, attr="__class__"):
                return self.is_own(inner, frame)
        return False

    # ---- ways through ----

    def _branches(
        self, test: Value, blocks: Sequence[Sequence[ast.stmt]], state: FlowState, frame: FlowFrame
    ) -> FlowState | None:
        before, decided = frame.pc, self.tokens(test)
        ends: list[FlowState | None] = []
        stayed = decided
        for block in blocks:
            frame.pc = before | decided
            ends.append(self.block(block, state.copy(), frame))
            stayed |= frame.pc
        frame.pc = before | stayed if _leave(statement for block in blocks for statement in block) else before
        return join_states(ends)

    def _match(
        self, subject: ast.expr, cases: Sequence[ast.match_case], state: FlowState, frame: FlowFrame
    ) -> FlowState | None:
        held = self.evaluate(self, subject, state, frame)
        ends: list[FlowState | None] = [state.copy()]
        before = frame.pc
        for case in cases:
            inner = state.copy()
            for node in ast.walk(case.pattern):
                if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
                    inner.names[node.name] = join(held, self.element(held)).under(frame.pc)
            frame.pc = frame.pc | self.tokens(held)
            if case.guard is not None:
                frame.pc |= self.tokens(self.evaluate(self, case.guard, inner, frame))
            ends.append(self.block(case.body, inner, frame))
        if not _leave(statement for case in cases for statement in case.body):
            frame.pc = before
        return join_states(ends)

    def _loop(self, node: ast.For | ast.While, state: FlowState, frame: FlowFrame) -> FlowState | None:
        outer = frame.pc
        frame.loops.append([])
        now = state
        while True:
            turn, decided_before = now.copy(), frame.pc
            if isinstance(node, ast.For):
                gone = self.evaluate(self, node.iter, turn, frame)
                frame.pc = frame.pc | self.tokens(gone)
                self.assign(node.target, self.element(gone), turn, frame)
            else:
                decided = self.tokens(self.evaluate(self, node.test, turn, frame))
                self.sink(decided)  # a loop that does not end
                frame.pc = frame.pc | decided
            end = self.block(node.body, turn, frame)
            after = join_states([now, end, *frame.loops[-1]])
            assert after is not None
            if after == now and frame.pc == decided_before:
                break
            now = after
        frame.loops.pop()
        if not _leave(node.body):
            frame.pc = outer
        return self.block(node.orelse, now, frame)

    def _try(self, node: ast.Try, state: FlowState, frame: FlowFrame) -> FlowState | None:
        if node.finalbody and _leave([node]):
            raise LostError
        self.watched.append(set())
        outer = frame.pc
        now: FlowState | None = state.copy()
        seen: list[FlowState | None] = [state]
        for statement in node.body:
            now = self.block([statement], now, frame)
            seen.append(now.copy() if now else None)
        read = frozenset(self.watched.pop())
        for begun in (now, *seen):  # how far it got is decided by all that was read
            _decide(begun, state, read)
        ends = [self.block(node.orelse, now, frame)]
        frame.pc = frame.pc | read
        for handler in node.handlers:
            begun = join_states(seen)
            assert begun is not None
            begun = begun.copy()
            if handler.name:
                begun.names[handler.name] = Value(read)
            ends.append(self.block(handler.body, begun, frame))
        if not _leave([node]):
            frame.pc = outer
        return self.block(node.finalbody, join_states(ends), frame)


def _leave(statements: Iterable[ast.stmt]) -> bool:
    """Whether one of these may end a function or a turn of a loop: what follows is there for those who stay."""
    return any(isinstance(node, _LEAVES) for statement in statements for node in ast.walk(statement))


def _decide(state: FlowState | None, before: FlowState, tokens: Tokens) -> None:
    """What has changed may as well not have: these decide it."""
    if state is None:
        return
    for name, value in state.names.items():
        if before.names.get(name) != value:
            state.names[name] = value.under(tokens)
    for name, value in state.attributes.items():
        if before.attributes.get(name) != value:
            state.attributes[name] = value.under(tokens)


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(name, ast.Load())
        case ast.Attribute(value=value, attr=name):
            return ast.Attribute(value, name, ast.Load())
        case ast.Subscript(value=value, slice=where):
            return ast.Subscript(value, where, ast.Load())
    raise LostError
