"""Liveness: which names are read after a loop, before they are assigned again."""

import ast
from collections.abc import Iterable, Sequence

SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
Loop = ast.For | ast.While


def read_later(function: ast.AST, loop: Loop, names: Iterable[str]) -> set[str]:
    """The names that are read after the loop, through all blocks around it."""
    alive, needed = set(names), set[str]()
    _pass(loop.orelse, alive.copy(), needed)
    for block, place, owner in reversed(_way(function, loop)):
        _pass(block[place + 1 :], alive, needed)
        if isinstance(owner, Loop):  # another iteration may follow
            before = alive.copy()
            needed |= _loads(owner.test if isinstance(owner, ast.While) else owner.iter) & before
            _pass(block[:place], before, needed)
    return needed


def _way(node: ast.AST, loop: Loop) -> list[tuple[Sequence[ast.stmt], int, ast.AST]]:
    """The blocks around a loop, from the outermost: each with the place in it, and whose block it is."""
    for _, block in ast.iter_fields(node):
        if not isinstance(block, list):
            continue
        for place, inner in enumerate(block):
            if inner is loop:
                return [(block, place, node)]
            if isinstance(inner, ast.stmt | ast.ExceptHandler) and (found := _way(inner, loop)):
                return [(block, place, node), *found]
    return []


def _pass(block: Sequence[ast.stmt], alive: set[str], needed: set[str]) -> None:
    """Walk statements: a read name is needed, an assigned one is dead."""
    for statement in block:
        needed |= _loads(statement) & alive
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                alive -= {part.id for part in parts if isinstance(part, ast.Name)}


def _loads(node: ast.AST) -> set[str]:
    """The names that are read, but for those that a loop or an inner function has for itself."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    found = set().union(*(_loads(child) for child in ast.iter_child_nodes(node)))
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    if isinstance(node, ast.For):
        inside = set().union(*(_loads(s) for s in node.body)) - _bound(node.target)
        return inside | _loads(node.iter) | set().union(*(_loads(s) for s in node.orelse))
    if isinstance(node, SCOPES):
        return found - _bound(node)
    return found


def _bound(node: ast.AST) -> set[str]:
    """The names that are given a value somewhere in it, arguments included."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names | {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}


def assigned(body: Sequence[ast.stmt]) -> set[str]:
    """The names that statements give a value, those of inner scopes not among them."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found


def own_breaks(loop: Loop) -> bool:
    """Whether the loop itself can be broken off; a break of a loop inside of it is not one."""
    waiting: list[ast.AST] = list(loop.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, Loop):
            waiting += node.orelse
        elif not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)
    return False
