"""Loops that count in a dict, and do nothing else.

for v in hand:
    count[v] = count.get(v, 0) + 1       is       count = Counter([v for v in hand])
"""

import ast
from collections import Counter, defaultdict
from typing import Any

from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.tallies import tally
from envwright.compiler.ir.values import Items, Keyed, Ref, Static, Unknown
from envwright.compiler.middle.turns import Evaluate
from envwright.compiler.refusal import RefusedError


def count(frame: Frame, node: ast.For, evaluate: Evaluate) -> bool:
    """Read such a loop at once, if it is one, and its dict was empty."""
    found = _counts(node.body) if not node.orelse else None
    if found is None:
        return False
    name, key, starts = found
    ref = frame.memory.names.get(name)
    begun: Any = frame.memory.cells.get(ref.cell) if isinstance(ref, Ref) else None
    empty = (isinstance(begun, Static) and begun.value == {}) or (isinstance(begun, Keyed) and not begun.items)
    by_itself = isinstance(begun, Static) and isinstance(begun.value, Counter)
    empty = empty and not (isinstance(begun, Static) and isinstance(begun.value, defaultdict))  # grows when it is asked
    mentioned = {n.id for part in (key, node.iter) for n in ast.walk(part) if isinstance(n, ast.Name)}
    if not isinstance(ref, Ref) or not empty or not (starts or by_itself) or name in mentioned:
        return False
    things = ast.ListComp(key, [ast.comprehension(node.target, node.iter, [], 0)])
    listed = frame.memory.deep(evaluate(frame, ast.copy_location(things, node)))
    if isinstance(listed, Static) or (isinstance(listed, Items) and all(isinstance(v, Static) for v in listed.items)):
        return False  # then the dict is known as well
    frame.memory.cells[ref.cell] = tally(frame, listed)
    why = frame.placed(RefusedError("the last of what was counted is asked for after the loop"))
    for target in ast.walk(node.target):
        if isinstance(target, ast.Name):
            frame.memory.names[target.id] = Unknown(why)
    return True


def _counts(body: list[ast.stmt]) -> tuple[str, ast.expr, bool] | None:
    """The dict and the key, and whether a key that is new begins with 0 here."""
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
