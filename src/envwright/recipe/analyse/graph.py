"""Small algorithms on graphs given as {node: its successors}. Every result is in a fixed order."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node")


def reachable(graph: Mapping[Node, Iterable[Node]], roots: Iterable[Node]) -> dict[Node, None]:
    """Everything that can be reached from the roots, themselves included, in the order of finding."""
    found: dict[Node, None] = {}
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        if node in graph and node not in found:
            found[node] = None
            waiting += list(graph[node])[::-1]
    return found


def components(graph: Mapping[Node, Iterable[Node]]) -> list[list[Node]]:
    """The strongly connected components, callees before callers (Tarjan's, without recursion)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    result: list[list[Node]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter([n for n in graph[root] if n in graph]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter([n for n in graph[successor] if n in graph])))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    cut = stack.index(node)
                    result.append(stack[cut:])
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
    return result


def ring(graph: Mapping[Node, Iterable[Node]]) -> list[Node]:
    """A cycle, its first node repeated at the end; empty if there is none."""
    for component in components(graph):
        inside = {node: [n for n in graph[node] if n in component] for node in component}
        start = component[0]
        if len(component) == 1 and start not in inside[start]:
            continue
        path, seen = [start], {start: 0}
        while True:
            following = next(iter(inside[path[-1]]))
            if following in seen:
                return [*path[seen[following] :], following]
            seen[following] = len(path)
            path.append(following)
    return []


def ordered(graph: Mapping[Node, Iterable[Node]]) -> list[Node]:
    """What is needed before what needs it; otherwise the order of the graph. The graph must have no cycle."""
    done: dict[Node, None] = {}
    left = list(graph)
    while left:
        ready = next(node for node in left if all(n in done for n in graph[node] if n in graph))
        done[ready] = None
        left.remove(ready)
    return list(done)
