"""Linking: which functions are reachable, which are duplicates, and which module each is in."""

import ast
from collections.abc import Sequence
from typing import Any

from envwright.compiler.back.printing import function_text, module_text, names_of
from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Define, Written
from envwright.compiler.ir.unit import TranslationUnit

ENTRIES = ("draw_start", "start", "draw", "apply")


def reachable(program: TranslationUnit, interface: Any) -> list[Written]:
    """The functions that are reachable, callees before callers."""
    wanted = [signature.name.rpartition(".")[2] for signature in interface.functions]
    found: dict[str, Written] = {}

    def visit(name: str) -> None:
        function = program.functions.get(name)
        if function is None or name in found:
            return
        for other in sorted(names_of(function) & program.functions.keys()):
            if other != name:
                visit(other)
        found[name] = function

    for name in (*wanted, *ENTRIES):
        visit(name)
    return list(found.values())


def deduplicate(program: TranslationUnit, interface: Any) -> None:
    """Merge functions with the same text: different capacities often make no difference."""
    fixed = {*ENTRIES, *(signature.name.rpartition(".")[2] for signature in interface.functions)}
    while True:
        texts: dict[str, str] = {}
        duplicates: dict[str, str] = {}
        for name in sorted(program.functions, key=lambda n: (n not in fixed, n)):
            function = program.functions[name]
            rest = function_text(function).partition("(")[2]
            known = texts.setdefault(rest, name)
            if known != name and name not in fixed:
                duplicates[name] = known
        if not duplicates:
            return
        for name in duplicates:
            del program.functions[name]
        for function in program.functions.values():
            _rename(function, duplicates)


def _rename(function: Written, names: dict[str, str]) -> None:
    nodes: list[ast.AST] = [function.result]
    for statement in code.walk(function.body):
        if isinstance(statement, Assign):
            nodes.append(statement.value)
        elif isinstance(statement, Define):
            nodes.append(statement.result)
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in names:
                inner.id = names[inner.id]


def modules_of(
    program: TranslationUnit, interface: Any, modules: Sequence[Any], functions: Sequence[Written]
) -> dict[str, str]:
    """The files, one a module; the plan says which function goes into which module."""
    home = {qualified: module.name for module in modules for qualified in module.functions}
    last = modules[-1].name
    in_contract = {s.name.rpartition(".")[2]: s.module for s in interface.functions}
    place = {
        f.name: in_contract.get(f.name) or (last if f.name in ENTRIES else home.get(f.origin, last)) for f in functions
    }
    for _ in modules:  # a function may only call those of modules before its own
        for function in functions:
            needs = [place[n] for n in names_of(function) & place.keys()]
            order = [m.name for m in modules]
            latest = max([order.index(place[function.name]), *(order.index(n) for n in needs)])
            if function.name not in in_contract:
                place[function.name] = order[latest]
    files: dict[str, str] = {}
    for module in modules:
        own = [f for f in functions if place[f.name] == module.name]
        doc = f"{interface.title}: {module.name}."
        others = {name: where for name, where in place.items() if where != module.name}
        files[f"{interface.package}/{module.name}.py"] = module_text(
            doc, interface.package, own, program.constants, others
        )
    return files
