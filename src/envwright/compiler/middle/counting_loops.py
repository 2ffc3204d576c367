"""Loops that do nothing but count in a dict.

for v in hand:
    count[v] = count.get(v, 0) + 1       is       count = Counter([v for v in hand])
"""

import ast
from collections import Counter, defaultdict
from typing import Any

from envwright.compiler.ir import values as ir
from envwright.compiler.ir.counter_dict import counter_of
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.middle.iteration_space import Evaluate
from envwright.compiler.refusal import RefusedError


def count(frame: CallFrame, node: ast.For, evaluate: Evaluate) -> bool:
    """Read a counting loop at once, if it is one and its dict is empty."""
    found = _counts(node.body) if not node.orelse else None
    if found is None:
        return False
    name, key, starts = found
    ref = frame.memory.names.get(name)
    begun: Any = frame.memory.locs.get(ref.loc) if isinstance(ref, ir.Ref) else None
    empty = (isinstance(begun, ir.Static) and begun.value == {}) or (isinstance(begun, ir.Keyed) and not begun.items)
    by_itself = isinstance(begun, ir.Static) and isinstance(begun.value, Counter)
    empty = empty and not (
        isinstance(begun, ir.Static) and isinstance(begun.value, defaultdict)
    )  # grows when it is asked
    mentioned = {n.id for part in (key, node.iter) for n in ast.walk(part) if isinstance(n, ast.Name)}
    if not isinstance(ref, ir.Ref) or not empty or not (starts or by_itself) or name in mentioned:
        return False
    things = ast.ListComp(key, [ast.comprehension(node.target, node.iter, [], 0)])
    listed = frame.memory.deep(evaluate(frame, ast.copy_location(things, node)))
    if isinstance(listed, ir.Static) or (
        isinstance(listed, ir.Items) and all(isinstance(v, ir.Static) for v in listed.items)
    ):
        return False  # then the dict is known as well
    frame.memory.locs[ref.loc] = counter_of(frame, listed)
    why = frame.placed(RefusedError("the loop variable of a counting loop is read after it"))
    for target in ast.walk(node.target):
        if isinstance(target, ast.Name):
            frame.memory.names[target.id] = ir.Unknown(why)
    return True


def _counts(body: list[ast.stmt]) -> tuple[str, ast.expr, bool] | None:
    """The dict and the key, and whether new keys start at 0."""
    match body:
        case [
            ast.Assign([ast.Subscript(ast.Name(name), key)], ast.BinOp(ast.Call() as got, ast.Add(), ast.Constant(1)))
        ]:
            wanted = ast.parse(f"{name}.get({ast.unparse(key)}, 0)", mode="eval").body
            return (name, key, True) if ast.unparse(got) == ast.unparse(wanted) else None
        case [ast.AugAssign(ast.Subscript(ast.Name(name), key), ast.Add(), ast.Constant(1))]:
            return name, key, False
        case [ast.If(ast.Compare(asked, [how], [ast.Name(held)]), yes, [other])]:
            yes, no = (yes, [other]) if isinstance(how, ast.In) else ([other], yes)
            match yes, no:
                case (
                    [ast.AugAssign(ast.Subscript(ast.Name(name), key), ast.Add(), ast.Constant(1))],
                    [ast.Assign([ast.Subscript() as new], ast.Constant(1))],
                ) if isinstance(how, ast.In | ast.NotIn):
                    texts = ast.unparse(new) == f"{name}[{ast.unparse(key)}]" and ast.unparse(asked) == ast.unparse(key)
                    return (name, key, True) if texts and held == name else None
    return None
