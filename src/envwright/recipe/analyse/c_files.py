"""C files, read and never compiled: their functions, structs, macros, variables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from envwright.recipe.analyse import trees
from envwright.recipe.analyse.facts import C, Definition, FixedArray, SourceFile, digest, read_text
from envwright.recipe.analyse.trees import line, text, walk
from envwright.recipe.analyse.whole import evaluate

if TYPE_CHECKING:
    from tree_sitter import Node

_BLOCKS = {"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "linkage_specification", "declaration_list"}
_STRUCTS = {"struct_specifier", "union_specifier"}
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(eq=False)
class CFile:
    path: Path
    name: str  # below the root
    text: str
    root: "Node"
    imports: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines()
        self.code = trees.code_lines(self.root)

    def source(self) -> SourceFile:
        return SourceFile(self.name, C, digest(self.text), len(self.lines), tuple(sorted(self.imports)))


@dataclass(frozen=True)
class Member:
    """A member of a struct: the name of its struct type, if it has one."""

    type: str


@dataclass
class CProgram:
    """All files together: C has one space of names."""

    files: list[CFile] = field(default_factory=list)
    functions: "dict[str, tuple[CFile, Node]]" = field(default_factory=dict)
    structs: dict[str, dict[str, Member]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)  # the names of a struct, to the one to show
    macros: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)  # name -> file's stem
    kinds: dict[str, str] = field(default_factory=dict)  # variable -> its struct type
    values: dict[str, str] = field(default_factory=dict)  # constants with a written value
    definitions: dict[str, Definition] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)  # name -> ids of its definitions
    memory: dict[str, list[FixedArray]] = field(default_factory=dict)  # definition -> arrays in it

    def struct(self, name: str) -> str:
        return self.aliases.get(name, name)

    def integer(self, node: "Node | str | None", depth: int = 0) -> int | None:
        """A whole number written in the source, with macros and constants; the size of a type counts as one."""
        if node is None or depth > 16:
            return None
        given = node if isinstance(node, str) else text(node)
        given = re.sub(r"\bsizeof\s*\([^()]*\)", "1", given)
        for name in set(_WORD.findall(re.sub(r"0[xX][0-9a-fA-F]+|\d+[uUlL]*", "", given))):
            value = self.integer(self.values.get(name) or self.macros.get(name), depth + 1)
            if value is None:
                return None
            given = re.sub(rf"\b{name}\b", str(value), given)
        return evaluate(re.sub(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]+", r"\1", given))


def read_program(paths: Sequence[Path], root: Path) -> CProgram:
    """The files, and those beside them that they include."""
    program = CProgram()
    waiting, seen = [path.resolve() for path in paths], set[Path]()
    folders = [path.parent for path in waiting]
    while waiting:
        path = waiting.pop(0)
        if path in seen:
            continue
        seen.add(path)
        content = read_text(path)
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
        file = CFile(path, name, content, trees.parse(content, C))
        program.files.append(file)
        for include in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', content, re.M):
            found = [place for folder in (path.parent, *folders) if (place := (folder / include).resolve()).is_file()]
            if found and found[0].is_relative_to(root):
                waiting.append(found[0])
                file.imports.append(found[0].relative_to(root).as_posix())
    for file in program.files:
        for node in _items(file.root):
            _collect(program, file, node)
    _link(program)
    return program


def _items(node: "Node") -> Iterator["Node"]:
    for child in node.children:
        if child.type in _BLOCKS:
            yield from _items(child)
        else:
            yield child


def _collect(program: CProgram, file: CFile, node: "Node") -> None:
    match node.type:
        case "function_definition":
            if name := declared(node.child_by_field_name("declarator")):
                program.functions.setdefault(name, (file, node))
        case "preproc_def" | "preproc_function_def":
            name = text(node.child_by_field_name("name"))
            program.macros[name] = text(node.child_by_field_name("value")).strip()
            _define(program, file, node, name, "macro")
        case "type_definition":
            names = [declared(child) for child in node.children_by_field_name("declarator")]
            shape = node.child_by_field_name("type")
            tag = text(shape.child_by_field_name("name")) if shape is not None and shape.type in _STRUCTS else ""
            for name in filter(None, names):
                _define(program, file, node, name, "type")
                if tag:
                    program.aliases[tag] = name
            _shape(program, file, node, shape, next(filter(None, names), ""))
        case "struct_specifier" | "union_specifier" | "enum_specifier":
            _shape(program, file, node, node, text(node.child_by_field_name("name")))
        case "declaration":
            _variables(program, file, node)


def _shape(program: CProgram, file: CFile, whole: "Node", shape: "Node | None", name: str) -> None:
    """A struct's members, or an enum's values; `whole` is the statement to show."""
    if shape is None or shape.child_by_field_name("body") is None:
        return
    tag = text(shape.child_by_field_name("name"))
    for given in dict.fromkeys(filter(None, (name, tag))):
        _define(program, file, whole, given, "type")
    if shape.type == "enum_specifier":
        count = "-1"
        for value in walk(shape):
            if value.type == "enumerator":
                known = text(value.child_by_field_name("value")) or f"{count} + 1"
                label = text(value.child_by_field_name("name"))
                program.values[label] = known
                count = str(program.integer(known) if program.integer(known) is not None else label)
                _define(program, file, whole, label, "constant")
        return
    members = program.structs.setdefault(tag or name, {})
    for declaration in walk(shape.child_by_field_name("body") or shape):
        if declaration.type != "field_declaration":
            continue
        for declarator in declaration.children_by_field_name("declarator"):
            if member := declared(declarator):
                members[member] = Member(type_name(declaration))
                _remember_size(program, file, declarator, member, f"{file.name}:{name or tag}")


def _variables(program: CProgram, file: CFile, node: "Node") -> None:
    shape = node.child_by_field_name("type")
    if shape is not None and shape.type in (*_STRUCTS, "enum_specifier"):
        _shape(program, file, node, shape, text(shape.child_by_field_name("name")))
    for declarator in node.children_by_field_name("declarator"):
        name = declared(declarator)
        if not name or any(part.type == "function_declarator" for part in walk(declarator)):
            continue  # a prototype
        _define(program, file, node, name, "constant")
        program.variables[name] = file.path.stem
        program.kinds[name] = type_name(node)
        if declarator.type == "init_declarator":
            program.values[name] = text(declarator.child_by_field_name("value"))
        _remember_size(program, file, declarator, name, f"{file.name}:{name}")


def _remember_size(program: CProgram, file: CFile, declarator: "Node", name: str, definition: str) -> None:
    sizes = [part.child_by_field_name("size") for part in walk(declarator) if part.type == "array_declarator"]
    counts = [program.integer(size) for size in sizes]
    if counts and None not in counts:
        total = 1
        for count in counts:
            total *= count or 0
        program.memory.setdefault(definition, []).append(FixedArray(file.name, line(declarator), name, total))


def _define(program: CProgram, file: CFile, node: "Node", name: str, kind: str) -> None:
    first, last = trees.above(file.lines, line(node)), trees.last_line(node)
    id = f"{file.name}:{name}"
    known = program.definitions.get(id)
    spans = (*(known.spans if known else ()), (first, last))
    program.definitions[id] = Definition(file.name, name, kind, tuple(dict.fromkeys(spans)))
    if id not in program.names.setdefault(name, []):
        program.names[name].append(id)


def _link(program: CProgram) -> None:
    """What definitions use: every name in their text that is one."""
    lines = {file.name: file.lines for file in program.files}
    for id, made in program.definitions.items():
        given = "\n".join("\n".join(lines[made.file][first - 1 : last]) for first, last in made.spans)
        words = dict.fromkeys(_WORD.findall(re.sub(r"//[^\n]*|/\*.*?\*/", "", given, flags=re.S)))
        uses = [use for word in words for use in program.names.get(word, ()) if use != id]
        program.definitions[id] = Definition(made.file, made.name, made.kind, made.spans, tuple(uses))


def declared(node: "Node | None") -> str:
    """The name that a declarator declares."""
    while node is not None:
        if node.type in ("identifier", "field_identifier", "type_identifier"):
            return text(node)
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "parenthesized_declarator":
            inner = next((child for child in node.children if child.is_named), None)
        node = inner
    return ""


def type_name(node: "Node") -> str:
    """The name of the type of a declaration: `Pong` of `struct Pong *env`."""
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type in _STRUCTS:
        return text(kind.child_by_field_name("name"))
    return text(kind) if kind is not None and kind.type == "type_identifier" else ""
