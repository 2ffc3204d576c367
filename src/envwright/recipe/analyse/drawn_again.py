"""Which random draws of a Python source may be repeated: what stands in a `while`, or in a `for` with a `break`,
or is called from there.

    while True:
        self.food = (random.randrange(8), random.randrange(8))     # until it fits
        if self.food not in self.snake:
            break

In games that were played it may have fitted at once, so only the source tells.
"""

import ast
from collections.abc import Iterator

from envwright.recipe.analyse.facts import PYTHON, Analysis, Unit


def drawn_again(analysis: Analysis) -> frozenset[str]:
    """Functions, `f`, and lines of them, `f:12`."""
    files = [source.path for source in analysis.sources if source.language == PYTHON]
    loops = {file: [*_loops(ast.parse(analysis.text(file)))] for file in files}
    by_name: dict[str, list[Unit]] = {}
    for unit in analysis.units:
        by_name.setdefault(unit.name, []).append(unit)
    found: set[str] = set()
    waiting: list[str] = []
    for unit in analysis.units:
        for loop in loops.get(unit.file, ()):
            if unit.first <= loop.lineno <= unit.last:
                found |= {f"{unit.name}:{line}" for line in range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)}
                waiting += _called(loop)
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in found:
            found.add(name)
            waiting += [analysis.unit[id].name for unit in by_name[name] for id in unit.calls if id in analysis.unit]
    return frozenset(found)


def _loops(tree: ast.Module) -> Iterator[ast.While | ast.For]:
    """The loops of a file that end when something fits."""
    for node in ast.walk(tree):
        if isinstance(node, ast.While) or (
            isinstance(node, ast.For) and any(isinstance(inner, ast.Break) for inner in ast.walk(node))
        ):
            yield node


def _called(loop: ast.While | ast.For) -> Iterator[str]:
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield node.func.id if isinstance(node.func, ast.Name) else node.func.attr
