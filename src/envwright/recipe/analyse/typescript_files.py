"""TypeScript and JavaScript files, read and never run: functions, classes, constants, and what imports what."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from envwright.recipe.analyse import trees
from envwright.recipe.analyse.facts import JAVASCRIPT, TYPESCRIPT, Definition, SourceFile, digest, read_text
from envwright.recipe.analyse.trees import line, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

SUFFIXES = {".ts": TYPESCRIPT, ".mts": TYPESCRIPT, ".cts": TYPESCRIPT, ".tsx": "tsx", ".js": JAVASCRIPT,
            ".mjs": JAVASCRIPT, ".cjs": JAVASCRIPT, ".jsx": JAVASCRIPT}  # fmt: skip
FUNCTIONS = {
    "function_declaration", "generator_function_declaration", "arrow_function", "function_expression",
    "generator_function", "function", "method_definition",
}  # fmt: skip
_CLASSES = {"class_declaration", "abstract_class_declaration", "class"}
_TYPES = {"interface_declaration", "type_alias_declaration", "enum_declaration"}
WORD = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class TsImport:
    """A name that comes from another file: `member` of it, its "default", or "*", all of it."""

    module: str
    member: str


@dataclass(frozen=True, eq=False)
class TsFunction:
    file: "TsFile"
    qualified: str
    node: "Node"
    owner: "TsClass | None" = None

    @property
    def id(self) -> str:
        return f"{self.file.name}:{self.qualified}"

    @property
    def name(self) -> str:
        return self.qualified.rpartition(".")[2]


@dataclass(eq=False)
class TsClass:
    file: "TsFile"
    name: str
    node: "Node"
    base: str = ""
    methods: dict[str, TsFunction] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)  # field -> name of its class

    @property
    def id(self) -> str:
        return f"{self.file.name}:{self.name}"


@dataclass(eq=False)
class TsFile:
    path: Path
    name: str
    text: str
    root: "Node"
    names: "dict[str, TsFunction | TsClass | TsImport | str]" = field(default_factory=dict)  # a str is a constant
    exports: dict[str, str | TsImport] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines()
        self.code = trees.code_lines(self.root)
        for node in self.root.children:
            self._collect(node, node)

    def source(self) -> SourceFile:
        kind = SUFFIXES[self.path.suffix]
        language = TYPESCRIPT if kind == "tsx" else kind
        return SourceFile(self.name, language, digest(self.text), len(self.lines), tuple(sorted(self.imports)))

    def functions(self) -> Iterator[TsFunction]:
        for thing in self.names.values():
            if isinstance(thing, TsFunction):
                yield thing
            elif isinstance(thing, TsClass):
                yield from thing.methods.values()

    def constants(self) -> list[str]:
        """The names that it gives values to, whether or not they change."""
        return [name for name, thing in self.names.items() if isinstance(thing, str)]

    # ---- what a statement brings ----

    def _collect(self, node: "Node", whole: "Node") -> None:
        if node.type in FUNCTIONS:
            self._function(text(node.child_by_field_name("name")) or "default", node)
        elif node.type in _CLASSES:
            self._class(text(node.child_by_field_name("name")) or "default", node)
        elif node.type in _TYPES:
            self._define(text(node.child_by_field_name("name")), "type", whole)
        elif node.type == "import_statement":
            self._import(node)
        elif node.type == "export_statement":
            self._export(node)
        elif node.type in ("lexical_declaration", "variable_declaration"):
            for declarator in node.children:
                if declarator.type == "variable_declarator":
                    self._variable(declarator, whole)
        elif node.type == "expression_statement":
            self._assignment(node)
        elif node.type in ("internal_module", "module", "statement_block"):
            body = node.child_by_field_name("body") or node
            for child in body.children:
                self._collect(child, child)

    def _function(self, name: str, node: "Node") -> None:
        self.names[name] = TsFunction(self, name, node)

    def _class(self, name: str, node: "Node") -> None:
        found = self.names[name] = TsClass(self, name, node)
        spans = [(trees.above(self.lines, line(node)), line(node))]
        heritage = next((child for child in node.children if child.type == "class_heritage"), None)
        if heritage is not None:
            found.base = next(iter(WORD.findall(re.sub(r"\bextends\b", "", text(heritage)))), "")
        body = node.child_by_field_name("body")
        for member in body.children if body is not None else ():
            label = text(member.child_by_field_name("name")) or text(member.child_by_field_name("property"))
            value = member.child_by_field_name("value")
            if member.type == "method_definition":
                accessor = next((f".{c.type}ter" for c in member.children if c.type in ("set",)), "")
                found.methods[label + accessor] = TsFunction(self, f"{name}.{label}{accessor}", member, found)
            elif member.type in ("public_field_definition", "field_definition"):
                if value is not None and value.type in FUNCTIONS:
                    found.methods[label] = TsFunction(self, f"{name}.{label}", member, found)
                else:
                    found.kinds[label] = annotation(member) or made(value)
                    spans.append((trees.above(self.lines, line(member)), trees.last_line(member)))
        self.definitions[name] = Definition(self.name, name, "class", tuple(spans))

    def _variable(self, declarator: "Node", whole: "Node") -> None:
        target, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
        name = text(target)
        required = _required(value)
        if required and target is not None:
            self._define_import(whole, dict(_pattern(target, required)))
        elif value is not None and value.type in FUNCTIONS:
            self._function(name, whole if whole.type in ("lexical_declaration", "variable_declaration") else declarator)
        elif value is not None and value.type in _CLASSES:
            self._class(name, value)
        elif target is not None:
            for found in walk(target):
                if found.type in ("identifier", "shorthand_property_identifier_pattern"):
                    self.names[text(found)] = name
                    self._define(text(found), "constant", whole)
            self.values[name] = text(value)

    def _assignment(self, statement: "Node") -> None:
        """exports.x = ..., module.exports = ..., Thing.prototype.x = function ..."""
        node = next((child for child in statement.children if child.type == "assignment_expression"), None)
        left = text(node.child_by_field_name("left")) if node is not None else ""
        value = node.child_by_field_name("right") if node is not None else None
        if value is None:
            return
        name = left.rpartition(".")[2]
        if value.type in _CLASSES:
            name = text(value.child_by_field_name("name")) or "default"
            self._class(name, value)
        elif value.type in FUNCTIONS:
            owner = self.names.get(left.partition(".prototype.")[0]) if ".prototype." in left else None
            if isinstance(owner, TsClass):
                owner.methods[name] = TsFunction(self, f"{owner.name}.{name}", statement, owner)
                return
            name = "default" if left == "module.exports" else name
            self._function(name, statement)
        elif value.type == "object" and left == "module.exports":
            for word, behind in re.findall(r"([\w$]+)\s*(?::\s*([\w$]+))?\s*[,}]", text(value)):
                self.exports[word] = behind or word
            return
        else:
            name = text(value)
        if left.startswith(("module.exports", "exports")):
            self.exports["default" if left == "module.exports" else left.rpartition(".")[2]] = name

    def _import(self, node: "Node") -> None:
        module = text(node.child_by_field_name("source")).strip("'\"")
        names: dict[str, TsImport] = {}
        for found in walk(node):
            if found.type == "import_specifier":
                member = text(found.child_by_field_name("name"))
                names[text(found.child_by_field_name("alias")) or member] = TsImport(module, member)
            elif found.type == "namespace_import":
                names[text(found).rpartition(" ")[2]] = TsImport(module, "*")
            elif found.type == "identifier" and found.parent is not None and found.parent.type == "import_clause":
                names[text(found)] = TsImport(module, "default")
        self._define_import(node, names)

    def _define_import(self, node: "Node", names: dict[str, TsImport]) -> None:
        for name, target in names.items():
            self.names[name] = target
            self._define(name, "import", node)

    def _export(self, node: "Node") -> None:
        source = node.child_by_field_name("source")
        module = text(source).strip("'\"")
        clause = next((child for child in node.children if child.type == "export_clause"), None)
        if clause is not None:
            for found in walk(clause):
                if found.type == "export_specifier":
                    member = text(found.child_by_field_name("name"))
                    label = text(found.child_by_field_name("alias")) or member
                    self.exports[label] = TsImport(module, member) if module else member
        elif module:
            self.stars.append(module)
        elif (inner := node.child_by_field_name("declaration") or node.child_by_field_name("value")) is not None:
            self._collect(inner, node)
            if any(child.type == "default" for child in node.children):
                self.exports["default"] = text(inner.child_by_field_name("name")) or (
                    text(inner) if inner.type == "identifier" else "default"
                )

    def _define(self, name: str, kind: str, node: "Node") -> None:
        span = (line(node) if kind == "import" else trees.above(self.lines, line(node)), trees.last_line(node))
        self.definitions[name] = Definition(self.name, name, kind, (span,))


class TsProject:
    """Files that import each other by relative paths. What is imported otherwise is not theirs."""

    def __init__(self, paths: Sequence[Path], root: Path) -> None:
        self.root = root
        self.files: dict[Path, TsFile] = {}
        waiting = [path.resolve() for path in paths]
        while waiting:
            path = waiting.pop(0)
            if path in self.files:
                continue
            content = read_text(path)
            name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
            file = self.files[path] = TsFile(path, name, content, trees.parse(content, SUFFIXES[path.suffix]))
            modules = [n.module for n in (*file.names.values(), *file.exports.values()) if isinstance(n, TsImport)]
            for module in dict.fromkeys([*modules, *file.stars]):
                if (found := place(path, module)) and found.is_relative_to(root):
                    file.imports[found.relative_to(root).as_posix()] = None
                    waiting.append(found)
        self._link()

    def lookup(
        self, file: TsFile, name: str, depth: int = 0
    ) -> "TsFunction | TsClass | TsImport | TsFile | str | None":
        """What a name of a file stands for; a TsImport is one that leads out of the project."""
        found = file.names.get(name)
        return self.follow(file, found, depth) if isinstance(found, TsImport) else found

    def follow(
        self, file: TsFile, target: TsImport, depth: int = 0
    ) -> "TsFunction | TsClass | TsImport | TsFile | str | None":
        path = place(file.path, target.module)
        behind = self.files.get(path) if path else None
        if behind is None or depth > 16:
            return target
        if target.member == "*":
            return behind
        found = self.exported(behind, target.member, depth + 1)
        return behind if found is None and target.member == "default" else found

    def exported(
        self, file: TsFile, name: str, depth: int = 0
    ) -> "TsFunction | TsClass | TsImport | TsFile | str | None":
        """What a file gives to others under a name."""
        given = file.exports.get(name, name)
        found = self.follow(file, given, depth) if isinstance(given, TsImport) else self.lookup(file, given, depth)
        for star in file.stars if found is None and depth <= 16 else ():
            path = place(file.path, star)
            if path in self.files and (found := self.exported(self.files[path], name, depth + 1)) is not None:
                break
        return found

    def home(self, file: TsFile, name: str) -> tuple[TsFile, str] | None:
        """The file and the name that a constant has at home, if `name` stands for one of another file."""
        target = file.names.get(name)
        if not isinstance(target, TsImport) or (path := place(file.path, target.module)) not in self.files:
            return None
        behind = self.files[path]
        return (behind, target.member) if target.member in behind.definitions else self.home(behind, target.member)

    def classes(self) -> Iterator[TsClass]:
        for file in self.files.values():
            yield from (thing for thing in file.names.values() if isinstance(thing, TsClass))

    def _link(self) -> None:
        """What definitions use: every name in their text that is one."""
        for file in self.files.values():
            for name, made in list(file.definitions.items()):
                given = "\n".join("\n".join(file.lines[first - 1 : last]) for first, last in made.spans)
                words = dict.fromkeys(WORD.findall(re.sub(r"//[^\n]*|/\*.*?\*/", "", given, flags=re.S)))
                uses = {use: None for word in words if word != name for use in self.uses(file, word)}
                file.definitions[name] = Definition(file.name, name, made.kind, made.spans, tuple(uses))

    def uses(self, file: TsFile, name: str) -> list[str]:
        """The ids of the definitions behind a name: an import, and what it imports."""
        own = [f"{file.name}:{name}"] if name in file.definitions else []
        home = self.home(file, name)
        return [*own, *([f"{home[0].name}:{home[1]}"] if home else [])]


def place(importer: Path, module: str) -> Path | None:
    """The file that a relative import means."""
    if not module.startswith("."):
        return None
    base = (importer.parent / module).resolve()
    names = [base.with_suffix(s) for s in SUFFIXES] if base.suffix in SUFFIXES else []
    names = [base, *names, *(base.with_name(base.name + s) for s in SUFFIXES), *(base / f"index{s}" for s in SUFFIXES)]
    return next((path for path in names if path.is_file() and path.suffix in SUFFIXES), None)


def annotation(node: "Node | None") -> str:
    """The class that a type annotation names."""
    kind = node.child_by_field_name("type") if node is not None else None
    words = WORD.findall(text(kind)) if kind is not None else []
    return words[0] if words else ""


def made(value: "Node | None") -> str:
    """The class of which `new` makes an object."""
    while value is not None and value.type in ("parenthesized_expression", "as_expression", "non_null_expression"):
        value = next((child for child in value.children if child.is_named), None)
    return (
        text(value.child_by_field_name("constructor")) if value is not None and value.type == "new_expression" else ""
    )


def _required(value: "Node | None") -> str:
    found = re.fullmatch(r"require\(\s*['\"]([^'\"]+)['\"]\s*\)", text(value))
    return found[1] if found else ""


def _pattern(target: "Node", module: str) -> Iterator[tuple[str, TsImport]]:
    """The names of `const x = require` and `const { a, b: c } = require`."""
    if target.type == "identifier":
        yield text(target), TsImport(module, "default")
    for found in walk(target):
        if found.type == "shorthand_property_identifier_pattern":
            yield text(found), TsImport(module, text(found))
        elif found.type == "pair_pattern":
            yield text(found.child_by_field_name("value")), TsImport(module, text(found.child_by_field_name("key")))
