"""`where(c, put(x, i, v), x)` becomes `put(x, i, v, when=c)`, which touches one element and not the whole array.

So does a chain of such writes whose intermediate results have no other use.
"""

import ast
from collections import Counter
from collections.abc import Iterator

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Code, Define, Statement, defines, names_in, walk

LONGEST = 4  # a condition that is written again in each of several writes


def predicate_writes(body: list[Statement], result: Code) -> tuple[list[Statement], Code]:
    """The statements and the result of a function, with predicated writes."""
    page = _PredicatedWrites(body, result)
    for place, statement in enumerate(body):
        page.place = place
        if isinstance(statement, Define):
            statement.body, statement.result = predicate_writes(statement.body, statement.result)
        elif isinstance(statement, Assign):
            statement.value = page.visit(statement.value)
    page.place = len(body)
    return body, page.visit(result)


class _PredicatedWrites(ast.NodeTransformer):
    def __init__(self, body: list[Statement], result: Code) -> None:
        values = [s.value for s in walk(body) if isinstance(s, Assign)]
        results = [s.result for s in walk(body) if isinstance(s, Define)]
        self.reads = Counter(
            node.id for value in (*values, *results, result) for node in ast.walk(value) if isinstance(node, ast.Name)
        )
        self.assigned = {name: place for place, statement in enumerate(body) for name in defines(statement)}
        self.values = {
            s.targets[0]: s.value for s in body if isinstance(s, Assign) and len(s.targets) == 1 and not s.unpack
        }
        self.place = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if code.text(node.func) != "jnp.where" or len(node.args) != 3:
            return node
        condition, written, array = node.args
        writes = list(self._writes(written, array))
        if not writes or (len(writes) > 1 and code.size(condition) > LONGEST):
            return node
        begin = min(place for _, place in writes)
        if any(self.assigned.get(name, -1) >= begin for name in names_in(condition)):
            return node  # it is not known yet where the first of them is written
        for write, _ in writes:
            given = [k.value for k in write.keywords]
            held = code.both(condition, given[0]) if given else condition
            write.keywords = [ast.keyword("when", held)]
        self.reads[code.text(array)] -= 1
        return written

    def _writes(self, node: Code, array: Code) -> Iterator[tuple[ast.Call, int]]:
        """The writes that turn `array` into `node`, with their positions; none if there is more to it."""
        found, place = [], self.place
        while not code.same(node, array):
            if isinstance(node, ast.Name) and self.reads[node.id] == 1 and node.id in self.values:
                node, place = self.values[node.id], self.assigned[node.id]
            elif isinstance(node, ast.Call) and code.text(node.func) == "put":
                found.append((node, place))
                node = node.args[0]
            else:
                return
        yield from found
