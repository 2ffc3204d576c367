"""Statements; an if becomes a select, returns and breaks become exits."""

import ast
import importlib
from collections.abc import Sequence

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval
from envwright.compiler.ir.code import Note
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.operators import truth
from envwright.compiler.ir.phi import join_memories
from envwright.compiler.ir.values import as_array
from envwright.compiler.middle.assignment import assign, assign_all, augment, hints_of
from envwright.compiler.middle.control_flow import ControlFlow, Exit
from envwright.compiler.middle.expressions import evaluate, index_parts
from envwright.compiler.middle.list_methods import pop
from envwright.compiler.middle.loops import loop
from envwright.compiler.middle.match_statement import as_ifs
from envwright.compiler.middle.poison import poison
from envwright.compiler.refusal import InternalError, RefusedError


def execute(frame: CallFrame, body: Sequence[ast.stmt]) -> ControlFlow:
    """Read statements; `frame.memory` is the store after them."""
    flow, guards = ControlFlow(frame.memory), frame.guards
    try:
        return _execute(frame, body, flow)
    finally:
        frame.guards = guards


def _execute(frame: CallFrame, body: Sequence[ast.stmt], flow: ControlFlow) -> ControlFlow:
    for statement in body:
        frame.line = statement.lineno
        _comments(frame, statement)
        try:
            inner = _read(frame, statement)
        except RefusedError as why:
            if why.node is None:
                why.node = statement
            poison(frame, statement, frame.placed(why))
            continue
        if inner is not None:
            flow.take(inner)
            if inner.memory is None:
                flow.memory = None
                return flow
            frame.memory = inner.memory
            frame.guards += tuple(code.negated(e.when.code) for e in inner.exits if e.when is not None)
    flow.memory = frame.memory
    return flow


def _read(frame: CallFrame, statement: ast.stmt) -> ControlFlow | None:
    """A statement; an exception that is no refusal is a bug of the compiler's, and reported as one."""
    try:
        return _statement(frame, statement)
    except RefusedError:
        raise
    except Exception as error:
        raise InternalError(error, statement) from error


def _comments(frame: CallFrame, statement: ast.stmt) -> None:
    for text in frame.comments.get(statement.lineno, ()):
        frame.emit(Note(text, end=statement.end_lineno or 0))


def _statement(frame: CallFrame, node: ast.stmt) -> ControlFlow | None:
    match node:
        case ast.Assign():
            assign_all(frame, node)
        case ast.AnnAssign():
            if node.value is not None:
                assign(frame, node.target, evaluate(frame, node.value, hints_of(node.target)))
        case ast.AugAssign():
            augment(frame, node)
        case ast.Expr():
            if not isinstance(node.value, ast.Constant):
                evaluate(frame, node.value)
        case ast.Return():
            value = ir.NONE if node.value is None else evaluate(frame, node.value)
            return ControlFlow(None, [Exit("return", None, value, frame.memory)])
        case ast.If():
            return _if(frame, node)
        case ast.Match():
            return execute(frame, as_ifs(node))
        case ast.For() | ast.While():
            return loop(frame, node, execute)
        case ast.Break():
            return ControlFlow(None, [Exit("break", None, ir.NONE, frame.memory)])
        case ast.Continue():
            return ControlFlow(None, [Exit("continue", None, ir.NONE, frame.memory)])
        case ast.Pass() | ast.Assert() | ast.Import() | ast.ImportFrom() | ast.Global() | ast.Nonlocal():
            return _import(frame, node)
        case ast.Raise():
            return ControlFlow(None)  # the original stops there; no game that is compared goes on after it
        case ast.Delete():
            _delete(frame, node)
        case ast.FunctionDef():
            frame.memory.names[node.name] = ir.Closure(node, frame)
        case ast.Try():
            return _try(frame, node)
        case ast.With():
            return _with(frame, node)
        case _:
            raise RefusedError(f"the statement {type(node).__name__.lower()} is not supported")
    return None


def _import(frame: CallFrame, node: ast.stmt) -> None:
    """Imports inside a function are executed at compile time."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            try:
                module = importlib.import_module(alias.name)
            except ImportError as error:
                raise RefusedError(f"{alias.name} cannot be imported: {error}") from None
            name = alias.asname or alias.name.partition(".")[0]
            frame.memory.names[name] = ir.Static(module if alias.asname else importlib.import_module(name))
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        module = importlib.import_module(node.module)
        for alias in node.names:
            frame.memory.names[alias.asname or alias.name] = ir.Static(getattr(module, alias.name))
    if isinstance(node, ast.Global | ast.Nonlocal):
        raise RefusedError("a global or nonlocal variable is written")


def _try(frame: CallFrame, node: ast.Try) -> ControlFlow:
    """The body of a try is taken to succeed; the verifier finds games in which it does not."""
    flow = execute(frame, node.body)
    for more in (node.orelse, node.finalbody):
        if flow.memory is not None and more:
            frame.memory = flow.memory
            later = execute(frame, more)
            flow.take(later)
            flow.memory = later.memory
    return flow


def _with(frame: CallFrame, node: ast.With) -> ControlFlow:
    for item in node.items:
        text = ast.unparse(item.context_expr)
        if not text.startswith(("np.errstate", "warnings.catch_warnings", "contextlib.suppress")):
            raise RefusedError(
                f"`with {text}` is not supported" + (", for it opens a file" if text.startswith("open(") else "")
            )
    return execute(frame, node.body)


def _delete(frame: CallFrame, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.memory.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            pop(frame, evaluate(frame, target.value), index_parts(frame, target.slice)[0])
        else:
            raise RefusedError("an attribute is deleted")


def _if(frame: CallFrame, node: ast.If) -> ControlFlow:
    asked = truth(frame, evaluate(frame, node.test))
    if isinstance(asked, ir.Static):
        return execute(frame, node.body if asked.value else node.orelse)
    when = ir.Array(frame.condition(as_array(asked).code), Aval(BOOL))
    otherwise = ir.Array(code.negated(when.code), Aval(BOOL))
    before = frame.memory
    sides: list[ControlFlow] = []
    guards = frame.guards
    for body, condition in ((node.body, when), (node.orelse, otherwise)):
        frame.memory = before.copy()
        frame.depth += 1
        frame.guards = (*guards, condition.code)
        try:
            sides.append(execute(frame, body))
        finally:
            frame.depth -= 1
            frame.guards = guards
    frame.memory = before
    yes, no = sides
    flow = ControlFlow(None)
    flow.take(yes, when)
    flow.take(no, otherwise)
    if yes.memory is None or no.memory is None:
        flow.memory = no.memory if yes.memory is None else yes.memory
    else:
        flow.memory = join_memories(frame, when, yes.memory, no.memory)
    return flow
