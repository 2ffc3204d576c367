"""`jnp.where` of two numbers, simplified where possible."""

import ast

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import BOOL, Aval, joined
from envwright.compiler.ir.code import Code
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.values import cast
from envwright.compiler.refusal import RefusedError


def select(frame: CallFrame, when: ir.Array, yes: ir.Array, no: ir.Array, hint: str = "") -> ir.Array:
    """`jnp.where(when, yes, no)`, simplified."""
    if yes.kind.of != no.kind.of:
        raise RefusedError("a value is an object or something else")
    kind = joined(yes.kind, no.kind, yes.weak, no.weak)
    loose = yes.weak and no.weak
    if code.same(yes.code, no.code):
        return no
    if _falls_through(frame, when.code, yes.code, no.code):
        return no
    if {yes.kind.dtype, no.kind.dtype} == {BOOL, kind.dtype} and kind.dtype != BOOL:
        yes, no = (cast(a, kind.dtype) if a.kind.is_bool else a for a in (yes, no))
    made = _shorter(when, yes, no, kind) or code.call("jnp.where", when.code, yes.code, no.code)
    if hint:
        made = code.name(frame.bind(hint, made, auto=True))
    natural = yes.natural and no.natural
    member = yes.member if yes.member is no.member else None
    return ir.Array(
        made, kind, yes.listed or no.listed, yes.tupled and no.tupled, loose, natural=natural, member=member
    )


def _falls_through(frame: CallFrame, when: Code, yes: Code, no: Code) -> bool:
    """Whether `no` is `yes` anyway where the condition holds, as in a chain of elif."""
    node = frame.writer.meaning(no)
    while isinstance(node, ast.Call) and code.text(node.func) in ("jnp.where", "put"):
        if code.text(node.func) == "put":
            condition = next((k.value for k in node.keywords if k.arg == "when"), None)
            rest = node.args[0]
        else:
            condition, rest = node.args[0], node.args[2]
        if condition is None or not _excludes(frame, when, condition):
            return False
        if code.same(rest, yes):
            return True
        node = frame.writer.meaning(rest)
    return False


def _excludes(frame: CallFrame, one: Code, other: Code) -> bool:
    """Whether two conditions cannot both hold: the same number equals different constants."""
    a, b = (frame.writer.meaning(c) for c in (one, other))
    if isinstance(b, ast.BinOp) and isinstance(b.op, ast.BitAnd):
        return _excludes(frame, one, b.left) or _excludes(frame, one, b.right)
    if isinstance(a, ast.BinOp) and isinstance(a.op, ast.BitAnd):
        return _excludes(frame, a.left, other) or _excludes(frame, a.right, other)
    if not (isinstance(a, ast.Compare) and isinstance(b, ast.Compare) and code.same(a.left, b.left)):
        return False
    constants = [c.comparators[0].value if isinstance(c.comparators[0], ast.Constant) else None for c in (a, b)]
    equal = all(isinstance(c.ops[0], ast.Eq) for c in (a, b))
    return equal and None not in constants and constants[0] != constants[1]


def _shorter(when: ir.Array, yes: ir.Array, no: ir.Array, kind: Aval) -> Code | None:
    """`put(x, i, v, when)` for `where(when, put(x, i, v), x)`, and boolean logic for flags."""
    inner = yes.code
    if isinstance(inner, ast.Call) and code.text(inner.func) == "put" and code.same(inner.args[0], no.code):
        given = next((k.value for k in inner.keywords if k.arg == "when"), None)
        held = when.code if given is None else code.both(when.code, given)
        return code.call("put", *inner.args, when=held)
    if kind.dtype == BOOL and kind.shape == () and when.kind.shape == ():
        flags = [a.code.value if isinstance(a.code, ast.Constant) else None for a in (yes, no)]
        if flags == [True, False]:
            return when.code
        if flags == [False, True]:
            return code.negated(when.code)
        if flags[0] is True:
            return code.binary(no.code, ast.BitOr(), when.code)
        if flags[1] is False:
            return code.both(when.code, yes.code)
        if flags[0] is False:
            return code.both(no.code, code.negated(when.code))
    return None
