"""The Python files of one package, read and never imported, and what the names in them stand for."""

import ast
import io
import sysconfig
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from envwright.recipe.analyse.facts import PYTHON, AnalysisError, SourceFile, digest, read_text

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

# Parts of Gymnasium that belong to every environment, and so to none.
PLUMBING = ("core", "utils", "spaces", "logger", "error", "wrappers", "vector", "envs.registration", "experimental")
_FRAMES = ("gymnasium", "gym")
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class PyImport:
    """A name that stands for a module, or for a member of one."""

    module: str
    member: str = ""


@dataclass(frozen=True)
class Outside:
    """Something that is not the package's own: "numpy.random.choice"."""

    path: str


@dataclass(frozen=True, eq=False)
class PyFunction:
    file: "PyFile"
    qualified: str
    node: FunctionNode
    owner: "PyClass | None" = None

    @property
    def id(self) -> str:
        return f"{self.file.name}:{self.qualified}"


@dataclass(frozen=True, eq=False)
class PyClass:
    file: "PyFile"
    qualified: str
    node: ast.ClassDef

    @property
    def id(self) -> str:
        return f"{self.file.name}:{self.qualified}"

    def functions(self) -> Iterator[PyFunction]:
        for node in self.node.body:
            if isinstance(node, FunctionNode):
                yield PyFunction(self.file, f"{self.qualified}.{node.name}{_accessor(node)}", node, self)

    @cached_property
    def methods(self) -> dict[str, tuple[PyFunction, ...]]:
        """Its own methods by name: one each, or a property's getter and setter."""
        found: dict[str, dict[str, PyFunction]] = {}
        for function in self.functions():
            found.setdefault(function.node.name, {})[function.qualified] = function
        return {name: tuple(functions.values()) for name, functions in found.items()}

    @cached_property
    def attributes(self) -> frozenset[str]:
        """What its own code gives its objects: `self.x = ...` in a method, or `x: int` in the class."""
        found = {n.target.id for n in self.node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
        for node in ast.walk(self.node):
            match node:
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                    found.add(name)
        return frozenset(found)


@dataclass(frozen=True, eq=False)
class Constant:
    """A name that a file gives a value to."""

    file: "PyFile"
    name: str


@dataclass(eq=False)
class PyFile:
    """A file: `names` are its functions, classes and imports, `statements` what gives values to each name."""

    path: Path
    name: str
    module: str
    text: str
    tree: ast.Module
    names: dict[str, FunctionNode | ast.ClassDef | PyImport] = field(default_factory=dict)
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    imports: dict[str, None] = field(default_factory=dict)
    classes: dict[str, PyClass] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines()
        self.code = _code_lines(self.text, self.tree)
        for statement in self.tree.body:
            self._bind(statement, statement)

    def _bind(self, node: ast.stmt, statement: ast.stmt) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.names[node.name] = node
            case ast.Import():
                for alias in node.names:
                    self._import(alias.asname or alias.name.partition(".")[0], imported(alias), statement)
            case ast.ImportFrom():
                for alias in node.names:
                    if alias.name == "*":
                        self.stars.append(self.absolute(node))
                    else:
                        target = PyImport(self.absolute(node), alias.name)
                        self._import(alias.asname or alias.name, target, statement)
            case _:
                for name in _touched(node):
                    self._give(name, statement)
                for inner in _statements_in(node):  # in an if, a try, a loop: the whole of it gives the value
                    self._bind(inner, statement)

    def _import(self, name: str, target: PyImport, statement: ast.stmt) -> None:
        self.names.setdefault(name, target)
        self._give(name, statement)

    def _give(self, name: str, statement: ast.stmt) -> None:
        known = self.statements.setdefault(name, [])
        if statement not in known:
            known.append(statement)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that a `from` names, without leading dots."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        up = node.level - (self.path.name == "__init__.py")
        return ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])

    @cached_property
    def own_classes(self) -> list["PyClass"]:
        return [class_of(self, name, node) for name, node in self.names.items() if isinstance(node, ast.ClassDef)]

    def source(self) -> SourceFile:
        return SourceFile(self.name, PYTHON, digest(self.text), len(self.lines), tuple(sorted(self.imports)))


def imported(alias: ast.alias) -> PyImport:
    """What `import a.b` and `import a.b as c` bind: the first binds `a`."""
    return PyImport(alias.name if alias.asname else alias.name.partition(".")[0])


def _accessor(node: FunctionNode) -> str:
    """A property's setter has the name of its getter."""
    kinds = [d.attr for d in node.decorator_list if isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter")]
    return f".{kinds[0]}" if kinds else ""


def _statements_in(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements one level below, those after `except` and `case` as well; the body of a lambda is none."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.stmt):
            yield inner
        elif isinstance(inner, ast.ExceptHandler | ast.match_case):
            yield from inner.body


def _touched(node: ast.stmt) -> Iterator[str]:
    """Names that a statement outside of functions gives a value to, or changes in place."""
    targets: list[ast.expr] = []
    match node:
        case ast.Assign():
            targets = node.targets
        case ast.AnnAssign() | ast.AugAssign() | ast.For():
            targets = [node.target]
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=changed))):
            targets = [changed]
    for target in targets:
        for part in ast.walk(target) if isinstance(target, ast.Tuple | ast.List) else [target]:
            while isinstance(part, ast.Subscript | ast.Attribute | ast.Starred):
                part = part.value
            if isinstance(part, ast.Name):
                yield part.id


def _code_lines(text: str, tree: ast.Module) -> frozenset[int]:
    """The numbers of lines with code on them: no blanks, comments and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if (
            isinstance(node, FunctionNode | ast.ClassDef | ast.Module)
            and ast.get_docstring(node, clean=False) is not None
        ):
            lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return frozenset(lines)


class Package:
    """Everything that counts as the reference's own. Files are read when something in them is asked for."""

    def __init__(self, file: Path, root: Path | None = None) -> None:
        self.start = file.resolve()
        self.root = (root or _top(self.start)).resolve()
        libraries = {Path(p).resolve() for p in (sysconfig.get_path(k) for k in ("purelib", "platlib", "stdlib")) if p}
        self.alone = self.root in libraries  # beside a lone file there, everything is somebody else's
        self.base = self.root.parent if (self.root / "__init__.py").exists() else self.root
        self.files: dict[Path, PyFile] = {}

    def open(self, path: Path) -> PyFile:
        """A file by its path."""
        path = path.resolve()
        if path not in self.files:
            text = read_text(path)
            name = path.relative_to(self.base) if path.is_relative_to(self.base) else Path(path.name)
            parts = name.with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            try:
                tree = ast.parse(text)
            except SyntaxError as error:
                raise AnalysisError(f"{path} is not Python {_place(error)}: {error.msg}.") from None
            self.files[path] = PyFile(path, name.as_posix(), module, text, tree)
        return self.files[path]

    def module(self, name: str) -> PyFile | None:
        """A module of the package by its dotted name; None for those of others."""
        head, _, rest = name.partition(".")
        if not name or (head in _FRAMES and any(rest == p or rest.startswith(f"{p}.") for p in PLUMBING)):
            return None
        for base in dict.fromkeys((self.base, self.root.parent)):
            place = base.joinpath(*name.split("."))
            for path in (place.with_suffix(".py"), place / "__init__.py"):
                if path.is_file() and path.is_relative_to(self.root) and (not self.alone or path == self.start):
                    return self.open(path)
        return None

    def lookup(self, file: PyFile, name: str, seen: Sequence[tuple[PyFile, str]] = ()) -> object | None:
        """What a name of a file is: a Function, Class, Constant, File, Outside, or None if it is none of its names."""
        if (file, name) in seen:
            return None
        found = file.names.get(name)
        match found:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return PyFunction(file, name, found)
            case ast.ClassDef():
                return class_of(file, name, found)
            case PyImport():
                return self.follow(found, file, [*seen, (file, name)])
        if name in file.statements:
            return Constant(file, name)
        for star in file.stars:
            if (behind := self.module(star)) and (found := self.lookup(behind, name, [*seen, (file, name)])):
                file.imports[behind.name] = None
                return found
        return None

    def follow(self, target: PyImport, file: PyFile, seen: Sequence[tuple[PyFile, str]] = ()) -> object:
        """What an import leads to."""
        dotted = f"{target.module}.{target.member}" if target.member else target.module
        if not target.member:
            behind = self.module(target.module)
            if behind:
                file.imports[behind.name] = None
            return behind or Outside(dotted)
        if (behind := self.module(target.module)) and (found := self.lookup(behind, target.member, seen)):
            file.imports[behind.name] = None
            return found
        if behind := self.module(dotted):
            file.imports[behind.name] = None
            return behind
        return Outside(dotted)

    def member(self, file: PyFile, name: str) -> object | None:
        """A member of a module of the package; of `gymnasium`, also what it does not import by that name."""
        return self.lookup(file, name) or self.module(f"{file.module}.{name}") or Outside(f"{file.module}.{name}")

    def classes(self) -> list[PyClass]:
        """The classes of all files read so far."""
        return [cls for file in self.files.values() for cls in file.own_classes]


def class_of(file: PyFile, qualified: str, node: ast.ClassDef) -> PyClass:
    """One object a class, so that classes can be compared by identity."""
    return file.classes.setdefault(qualified, PyClass(file, qualified, node))


def _top(file: Path) -> Path:
    """The folder of the outermost package that a file is in, or its own folder."""
    folder = file.parent
    while (folder.parent / "__init__.py").exists() and (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def _place(error: SyntaxError) -> str:
    return f"(line {error.lineno})" if error.lineno else ""
