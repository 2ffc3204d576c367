"""Loops carry only values that change and are used.

def body(i, carry):                             def body(i, carry):
    best, size, x = carry                           (best,) = carry
    x = a[i]                              ─►        return (jnp.maximum(best, a[i] * size),)
    return (jnp.maximum(best, x * size), size, x)
"""

import ast
from typing import NamedTuple

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Code, Define, Statement, names_in, substitute, uses

LOOPS = ("jax.lax.fori_loop", "jax.lax.while_loop")


class JaxLoop(NamedTuple):
    """A loop: its functions, then `a, b = loop(..., (first, second))`."""

    assign: Assign
    call: ast.Call
    functions: list[Define]  # each takes the carry apart at its beginning; the last is the body


def prune_carries(body: list[Statement], wanted: set[str]) -> list[Statement]:
    """The statements with smaller loop carries; `wanted` are the names that are used after them."""
    defined = {s.name: s for s in body if isinstance(s, Define)}
    after = [set(wanted)]
    for statement in reversed(body):
        after.append(after[-1] | uses(statement))
    after.reverse()
    made: list[Statement] = []
    for place, statement in enumerate(body):
        loop = _loop(statement, defined)
        if loop is None:
            made.append(statement)
            continue
        first = min(i for i, s in enumerate(made) if any(s is function for function in loop.functions))
        later = {name for s in made[first:] for name in code.defines(s)}
        made[first:first] = _fixed(loop, later)  # under the names that they had behind the loop
        if loop.assign.targets:
            _keep(loop, _needed(loop, after[place + 1]))
        if loop.assign.targets:
            made.append(statement)
        for function in loop.functions:
            function.body = prune_carries(function.body, names_in(function.result))
    return made


def _loop(statement: Statement, defined: dict[str, Define]) -> JaxLoop | None:
    if not isinstance(statement, Assign) or not isinstance(statement.value, ast.Call):
        return None
    call = statement.value
    if ast.unparse(call.func) not in LOOPS or not isinstance(call.args[-1], ast.Tuple):
        return None
    names = [arg.id for arg in call.args[:-1] if isinstance(arg, ast.Name) and arg.id in defined]
    functions = [defined[name] for name in names]
    taken = all(f.body and isinstance(f.body[0], Assign) and f.body[0].unpack for f in functions)
    if not functions or not taken or not isinstance(functions[-1].result, ast.Tuple):
        return None
    return JaxLoop(statement, call, functions)


def _fixed(loop: JaxLoop, later: set[str]) -> list[Statement]:
    """Loop invariants become names before the loop, unless they are made of what is defined `later`."""
    (*_, body) = loop.functions
    own, first = _own(body), _parts(loop.call.args[-1])
    same = [i for i, part in enumerate(_parts(body.result)) if isinstance(part, ast.Name) and part.id == own[i]]
    same = [i for i in same if not names_in(first[i]) & later]
    outer = [loop.assign.targets[i] for i in same]
    values = [first[i] for i in same]
    for function in loop.functions:
        substitute(function, {_own(function)[i]: code.name(name) for i, name in zip(same, outer, strict=True)})
    _keep(loop, [i for i in range(len(own)) if i not in same])
    return [Assign([name], value, auto=True) for name, value in zip(outer, values, strict=True)]


def _needed(loop: JaxLoop, wanted: set[str]) -> list[int]:
    """The indices of carried values that are used after the loop, in its condition, or to compute these."""
    (*tests, body) = loop.functions
    live = {i for i, name in enumerate(loop.assign.targets) if name in wanted}
    for test in tests:
        live |= {i for i, name in enumerate(_own(test)) if name in _reads(test.body[1:], names_in(test.result))}
    parts, own = _parts(body.result), _own(body)
    while True:
        read = _reads(body.body[1:], set().union(*(names_in(parts[i]) for i in live)))
        more = {i for i, name in enumerate(own) if name in read} - live
        if not more:
            return sorted(live)
        live |= more


def _reads(body: list[Statement], wanted: set[str]) -> set[str]:
    """All names that the wanted ones depend on."""
    for statement in reversed(body):
        if any(name in wanted for name in code.defines(statement)):
            wanted = wanted | uses(statement)
    return wanted


def _keep(loop: JaxLoop, places: list[int]) -> None:
    """Carry only these."""
    for function in loop.functions:
        taking = function.body[0]
        assert isinstance(taking, Assign)
        taking.targets = [taking.targets[i] for i in places]
        if not places:
            del function.body[0]
    body = loop.functions[-1]
    body.result = code.tuple_of([_parts(body.result)[i] for i in places])
    loop.call.args[-1] = code.tuple_of([_parts(loop.call.args[-1])[i] for i in places])
    loop.assign.targets = [loop.assign.targets[i] for i in places]


def _own(function: Define) -> list[str]:
    taking = function.body[0]
    assert isinstance(taking, Assign)
    return taking.targets


def _parts(value: Code) -> list[Code]:
    assert isinstance(value, ast.Tuple)
    return value.elts
