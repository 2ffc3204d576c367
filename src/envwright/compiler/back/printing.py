"""The text of a module: imports, constants, functions."""

import ast
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.code import Assign, Define, Note, Statement, Written

WIDTH = 100
BOARD = 40  # rows of a table that are written one by one
MARGIN = 20  # for the name of a constant
_CORE = {
    "choose": "envwright.core", "Step": "envwright.core", "put": "envwright.core.arrays",
    "select": "envwright.core.arrays", "compact": "envwright.core.arrays", "normal": "envwright.core.chance",
    "random_order": "envwright.core.chance", "round_up": "envwright.core.numerics",
    "round_down": "envwright.core.numerics",
}  # fmt: skip
_RECORDS = ("StartChance", "State", "StepChance")


def module_text(
    doc: str, package: str, functions: Sequence[Written], constants: Mapping[str, Any], others: Mapping[str, str]
) -> str:
    """A module; `others` are functions in other modules, with the names of these."""
    bodies = [function_text(f) for f in functions]
    used = set().union(*(names_of(f) for f in functions)) if functions else set()
    lines = [f'"""{doc}"""', ""]
    if functions:
        lines += _imports(package, used, {f.name for f in functions}, others)
    kept = {name: value for name, value in constants.items() if name in used}
    if kept:
        lines += ["", *(f"{name} = {constant_text(value)}" for name, value in kept.items())]
    return formatted("\n".join(lines) + "\n\n\n" + "\n\n\n".join(bodies) + "\n")


def names_of(function: Written) -> set[str]:
    """All names that stand in a function."""
    found = code.names_in(function.result)
    for statement in code.walk(function.body):
        if isinstance(statement, Assign):
            found |= code.names_in(statement.value)
        elif isinstance(statement, Define):
            found |= code.names_in(statement.result)
    for _, annotation in function.parameters:
        found |= code.names_in(ast.parse(annotation))
    return found | code.names_in(ast.parse(function.returns))


def _imports(package: str, used: set[str], own: set[str], others: Mapping[str, str]) -> list[str]:
    lines = ["import jax"]
    lines += ["import jax.numpy as jnp"] if "jnp" in used else []
    lines += ["import numpy as np"] if used else []
    core: dict[str, list[str]] = {}
    for name, module in _CORE.items():
        if name in used:
            core.setdefault(module, []).append(name)
    lines += ["", *(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(core.items()))]
    mine: dict[str, list[str]] = {}
    for name, module in others.items():
        if name in used and name not in own:
            mine.setdefault(module, []).append(name)
    lines += [f"from {package}.{module} import {', '.join(sorted(names))}" for module, names in sorted(mine.items())]
    records = [name for name in _RECORDS if name in used]
    lines += [f"from {package}.state import {', '.join(records)}"] if records else []
    return lines


def constant_text(value: Any) -> str:
    """A constant as Python writes it."""
    if isinstance(value, np.ndarray | list | tuple):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            dtype = "bool" if array.dtype.kind == "b" else f"np.{array.dtype.name}"
            if array.size and array.size > 4 and (array == array.flat[0]).all():
                return f"np.full({array.shape}, {array.flat[0]!r}, {dtype})".replace("np.True_", "True").replace(
                    "np.False_", "False"
                )
            rows = f"np.array({_plain(array)}, {dtype})"
            return rows if len(rows) < WIDTH - MARGIN else _filled(array, dtype)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def _filled(array: np.ndarray, dtype: str) -> str:
    """A long table: a row a line if it is two-dimensional and small, else wrapped."""
    if array.ndim == 2 and len(array) <= BOARD:
        lines = [f"        {_plain(row)}," for row in array]
        if max(map(len, lines)) <= WIDTH:
            return "\n".join(["np.array(", "    [", *lines, "    ],", f"    {dtype},", ")  # fmt: skip"])
    wrapped = textwrap.wrap(f"{_plain(array.ravel())[1:-1]},", WIDTH - 8)
    shape = "" if array.ndim == 1 else f".reshape{array.shape}"
    lines = ["np.array(", "    [", *(f"        {line}" for line in wrapped), "    ],", f"    {dtype},"]
    return "\n".join([*lines, f"){shape}  # fmt: skip"])


def _plain(numbers: np.ndarray) -> str:
    return str(numbers.tolist()).replace("inf", "np.inf").replace("nan", "np.nan")


def function_text(function: Written) -> str:
    arguments = ", ".join(f"{name}: {kind}" for name, kind in function.parameters)
    lines = [f"def {function.name}({arguments}) -> {function.returns}:"]
    lines += textwrap.indent(_doc(function), "    ").splitlines()
    lines += textwrap.indent("\n".join(_body(function.body)), "    ").splitlines()
    lines.append(f"    return {code.text(function.result)}")
    return "\n".join(lines)


def _doc(function: Written) -> str:
    where = f"{Path(function.file).name}:{function.line}" if function.file else ""
    said = " ".join(function.doc.split("\n\n")[0].split()).replace("\\", "\\\\").replace('"""', "'''")
    if not said:
        said = f"`{function.origin}` of the original" if function.origin else ""
    said = said if said.endswith((".", "?", "!")) or not said else f"{said}."
    text = f"{said} ({where})" if where else said
    return (
        "\n".join(['"""' + line if i == 0 else line for i, line in enumerate(textwrap.wrap(text, WIDTH - 8))]) + '"""'
    )


def _body(body: Sequence[Statement]) -> list[str]:
    lines: list[str] = []
    for statement in body:
        if isinstance(statement, Note):
            lines.append(statement.text)
        elif isinstance(statement, Assign):
            targets = ", ".join(statement.targets)
            one = statement.unpack and len(statement.targets) == 1
            lines.append(f"{targets}{',' if one else ''} = {code.text(statement.value)}")
        else:
            inner = _body(statement.body)
            lines += ["", f"def {statement.name}({', '.join(statement.parameters)}):"]
            lines += textwrap.indent("\n".join([*inner, f"return {code.text(statement.result)}"]), "    ").splitlines()
            lines.append("")
    return lines


def formatted(text: str) -> str:
    """Format with ruff, if it is installed."""
    program = shutil.which("ruff") or shutil.which("ruff", path=str(Path(sys.executable).parent))
    if program is None:
        return text
    options = ["--isolated", "--line-length", str(WIDTH), "--stdin-filename", "module.py", "-"]
    try:
        done = subprocess.run([program, "format", *options], input=text, capture_output=True, text=True, timeout=30)
        sorted_ = subprocess.run(
            [program, "check", "--select", "I,F401", "--fix", "--quiet", *options],
            input=done.stdout, capture_output=True, text=True, timeout=30,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return text
    return sorted_.stdout or done.stdout or text
