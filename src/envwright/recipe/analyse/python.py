"""Python: everything that the reset and step of a class can reach, found in the source without importing it."""

import ast
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from envwright.recipe.analyse import python_meanings as meanings
from envwright.recipe.analyse.facts import Analysis, AnalysisError, Definition
from envwright.recipe.analyse.gather import Scanned, gather, is_left_out
from envwright.recipe.analyse.python_files import (
    FunctionNode,
    Outside,
    Package,
    PyClass,
    PyFile,
    PyFunction,
    PyImport,
)
from envwright.recipe.analyse.python_kept import follow_calls
from envwright.recipe.analyse.python_scan import PyScan
from envwright.recipe.analyse.python_types import Scope, Types, parameters

ENTRY = ("reset", "step")
WRAPPED = ("observation", "reward", "action")  # what Gymnasium's wrappers call, whose own reset and step are not read
_NOT_PLAYED = {"__repr__", "__str__", "__format__", "__del__", "__reduce__", "__getstate__", "__setstate__"}


class Target(NamedTuple):
    """A class whose methods are played."""

    file: Path
    name: str
    entry: Sequence[str] = ()  # reset and step


def analyse_python(
    file: Path, class_name: str, package_root: Path | None = None, entry: Sequence[str] = ()
) -> Analysis:
    """What the entry methods of a class reach, in its own package or beside its own file."""
    return analyse_classes([Target(file, class_name, entry)], package_root)


def analyse_classes(targets: Sequence[Target], package_root: Path | None = None) -> Analysis:
    """Of several classes that play together; the first is the environment itself."""
    reader = _Reader(Package(targets[0].file, package_root))
    entries = [function for target in targets for function in reader.enter(target)]
    leading = reader.types.leading
    setup = [function for cls in leading for function in reader.types.methods(cls, "__init__")]
    reader.read([*entries, *setup])
    drawing = [f for cls in leading for base in reader.types.mro(cls) for f in base.functions()]
    reader.read([function for function in drawing if is_left_out(function.node.name)])
    files = reader.types.package.files.values()
    found = gather(
        reader.scanned,
        [function.id for function in entries],
        [function.id for function in setup],
        root=reader.types.package.base,
        sources=[found.source() for found in files],
        definitions=reader.definitions,
        behind=reader.behind,
        variables=[f"{found.path.stem}.{name}" for found in files for name in found.statements],
        say_outside=meanings.outside_hazard,
    )
    kept = follow_calls(reader.types, entries, found.left_out)
    return replace(
        found,
        idle=tuple(sorted(kept.idle.items())),
        left=tuple(sorted(kept.left)),
        read_at=tuple(sorted(kept.read_at.items())),
    )


class _Reader:
    """Reads functions, and what they use, until there is nothing new. The `World` of a `Scan`."""

    def __init__(self, package: Package) -> None:
        self.types = Types(package)
        self.scanned: dict[str, Scanned] = {}
        self.definitions: dict[str, Definition] = {}
        self.behind: dict[str, Scanned] = {}  # the code of definitions
        self._waiting: list[PyFunction] = []
        self._scopes: dict[str, tuple[Scope, str]] = {}  # of functions inside of others: the scope and id outside
        self._mentioned: dict[PyClass, None] = {}
        self._unknown: dict[tuple[str, str], tuple[Scanned, int]] = {}  # unit and method

    def enter(self, target: Target) -> list[PyFunction]:
        """Make a class one of those that are played, and find its entry methods."""
        package = self.types.package
        file = package.open(target.file)
        cls = package.lookup(file, target.name)
        if not isinstance(cls, PyClass):
            raise AnalysisError(_no_class(file, target.name, cls))
        self.types.leading.append(cls)
        self._mentioned[cls] = None
        found = {name: self.types.methods(cls, name) for name in target.entry or ENTRY}
        if not target.entry and not any(found.values()):
            found |= {name: methods for name in WRAPPED if (methods := self.types.methods(cls, name))}
        missing = [name for name, methods in found.items() if not methods]
        if missing and (target.entry or len(missing) == len(found)):
            own = sorted({f.node.name for base in self.types.mro(cls) for f in base.functions()})
            raise AnalysisError(
                f"{file.path.name}: {target.name} has no method {missing[0]}; name the methods that play it, of "
                f"{', '.join(own) or 'which it has none'}."
            )
        return [function for methods in found.values() for function in methods]

    def read(self, functions: Iterable[PyFunction]) -> None:
        """Read functions and all they may call."""
        self._waiting += functions
        while self._waiting:
            while self._waiting:
                function = self._waiting.pop()
                if function.id not in self.scanned:
                    self._scan(function)
            for (_, method), (unit, line) in list(self._unknown.items()):
                for function in self._by_name(method, unit):
                    self.call(function, unit, line)

    def _scan(self, function: PyFunction) -> None:
        file, node = function.file, function.node
        outer, parent = self._scopes.get(function.id, (None, ""))
        first = _first_line(file, node)
        last = node.end_lineno or node.lineno
        unit = Scanned(
            file=file.name,
            name=node.name,
            qualified=function.qualified,
            first=first,
            last=last,
            code_lines=len(file.code & set(range(first, last + 1))),
            parameters=parameters(node),
            parent=parent,
        )
        self.scanned[function.id] = unit
        if function.owner:
            self._use_class(function.owner, unit)
        scan = PyScan(self, unit, self.types.scope(function, outer))
        for statement in node.body:
            scan.visit(statement)
        for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            scan.visit(default)

    # ---- what a Scan tells ----

    def call(self, function: PyFunction, unit: Scanned, line: int) -> None:
        unit.calls.setdefault(function.id, line)
        if function.id not in self.scanned:
            self._waiting.append(function)

    def nested(self, function: PyFunction, scope: Scope) -> None:
        self._scopes[function.id] = (scope, function.id.rpartition(".")[0])

    def unknown(self, unit: Scanned, method: str, line: int) -> None:
        if method not in meanings.COMMON and method not in meanings.DRAWS:
            self._unknown.setdefault((unit.id, method), (unit, line))

    def mention(self, cls: PyClass, unit: Scanned) -> None:
        self._mentioned[cls] = None
        self._use_class(cls, unit)
        if any(cls in self.types.mro(leading) for leading in self.types.leading):
            return
        names = {f.node.name for base in self.types.mro(cls) for f in base.functions()} - _NOT_PLAYED
        is_called_back = self.types.is_called_back(cls)
        for name in sorted(name for name in names if name.startswith("__") or is_called_back):
            for function in self.types.methods(cls, name, exact=True):
                self.call(function, unit, function.node.lineno)

    def use(self, file: PyFile, name: str, unit: Scanned) -> None:
        if name not in file.statements:
            return
        id = f"{file.name}:{name}"
        self._define(file, name)
        unit.uses.setdefault(id, 0)
        for call, line in self.behind[id].calls.items():
            unit.calls.setdefault(call, line)

    # ---- definitions ----

    def _define(self, file: PyFile, name: str) -> None:
        """Read the statements that give a name its value; they may use others, and call functions."""
        id = f"{file.name}:{name}"
        if id in self.behind:
            return
        statements = file.statements[name]
        code = self.behind[id] = Scanned(file.name, name, name, statements[0].lineno, statements[-1].lineno, 0)
        for statement in statements:
            PyScan(self, code, Scope(file)).visit(statement)
        kind = "import" if isinstance(file.names.get(name), PyImport) else "constant"
        spans = tuple(_span(file, statement, comment=kind == "constant") for statement in statements)
        self.definitions[id] = Definition(file.name, name, kind, spans, tuple(u for u in code.uses if u != id))

    def _use_class(self, cls: PyClass, unit: Scanned) -> None:
        for base in self.types.mro(cls):
            self._define_class(base)
            unit.uses.setdefault(base.id, 0)

    def _define_class(self, cls: PyClass) -> None:
        if cls.id in self.behind:
            return
        node, file = cls.node, cls.file
        code = self.behind[cls.id] = Scanned(file.name, cls.qualified, cls.qualified, node.lineno, node.lineno, 0)
        scan = PyScan(self, code, Scope(file))
        spans = [(_first_line(file, node), _header_end(node))]
        for base in [*node.bases, *node.decorator_list]:
            scan.visit(base)
        for statement in node.body:
            if not isinstance(statement, FunctionNode | ast.ClassDef) and not _is_docstring(statement):
                scan.visit(statement)
                spans.append(_span(file, statement))
        uses = tuple(use for use in code.uses if use != cls.id)
        self.definitions[cls.id] = Definition(file.name, cls.qualified, "class", tuple(spans), uses)

    # ---- the rest ----

    def _by_name(self, method: str, unit: Scanned) -> list[PyFunction]:
        """The methods that an object of unknown class may have: of classes in use, else of any that was read."""
        own = unit.qualified.rpartition(".")[0]
        for classes in (self._mentioned, self.types.package.classes()):
            bases = dict.fromkeys(base for cls in classes for base in self.types.mro(cls))
            hits = [f for base in bases for f in base.methods.get(method, ()) if not f.qualified.endswith(".setter")]
            others = [f for f in hits if f.owner and f.owner.qualified != own]  # an object seldom holds its like
            if hits:
                return others or hits
        return []


def _no_class(file: PyFile, name: str, found: object | None) -> str:
    if isinstance(found, Outside):
        return f"{file.path.name} takes {name} from {found.path}, which is not in the package; give its own file."
    classes = [key for key, node in file.names.items() if isinstance(node, ast.ClassDef)]
    close = difflib.get_close_matches(name, classes, 1)
    hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(classes) or 'none'}."
    return f"{file.path.name} has no class {name}; {hint}"


def _first_line(file: PyFile, node: FunctionNode | ast.ClassDef) -> int:
    """With the decorators, and the comment above."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return _above(file, first)


def _above(file: PyFile, first: int) -> int:
    while first > 1 and file.lines[first - 2].lstrip().startswith("#") and first - 1 not in file.code:
        first -= 1
    return first


def _span(file: PyFile, statement: ast.stmt, comment: bool = True) -> tuple[int, int]:
    first = _above(file, statement.lineno) if comment else statement.lineno
    return first, statement.end_lineno or statement.lineno


def _header_end(node: ast.ClassDef) -> int:
    return max([node.lineno, *(part.end_lineno or 0 for part in [*node.bases, *(k.value for k in node.keywords)])])


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
