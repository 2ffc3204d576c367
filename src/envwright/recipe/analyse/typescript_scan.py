"""What one TypeScript function reads, writes, calls and draws."""

import re
from typing import TYPE_CHECKING

from envwright.recipe.analyse import trees
from envwright.recipe.analyse.facts import FixedArray
from envwright.recipe.analyse.gather import SHARED, Passed, Scanned, words
from envwright.recipe.analyse.trees import line, text, walk
from envwright.recipe.analyse.typescript_classes import Reader
from envwright.recipe.analyse.typescript_files import (
    FUNCTIONS,
    TsClass,
    TsFile,
    TsFunction,
    TsImport,
    annotation,
    made,
)

if TYPE_CHECKING:
    from tree_sitter import Node


_GENERATOR = {"rng", "prng", "random", "rand", "mulberry32", "xorshift", "seedrandom"}
_MUTATORS = {
    "push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin", "set", "add", "delete",
    "clear",
}  # fmt: skip
_BUILTIN = _MUTATORS | {
    "map", "filter", "forEach", "reduce", "slice", "concat", "join", "includes", "indexOf", "find", "findIndex", "some",
    "every", "keys", "values", "entries", "get", "has", "toString", "split", "trim", "charAt", "charCodeAt", "flat",
    "flatMap", "at", "call", "apply", "bind", "then", "toFixed", "replace", "match", "test", "exec", "from", "of",
}  # fmt: skip
_HAZARDS = {
    "needs a display or draws": r"(document|window|canvas|ctx|PIXI|THREE|Phaser|requestAnimationFrame)\b.*",
    "reads or writes files": r"fs\..*|readFileSync|writeFileSync",
    "uses the network": r"fetch|(XMLHttpRequest|WebSocket|http|https|net)\b.*",
    "reads the clock": r"Date\.now|Date|performance\.now|process\.hrtime.*",
    "runs code later": r"setTimeout|setInterval|setImmediate|process\.nextTick|queueMicrotask|Worker|Promise.*",
    "finds code by name at run time, which was not followed": r"eval|Function",
}


class TsScan:
    """Reads one function, with the functions inside of it."""

    def __init__(self, reader: Reader, function: TsFunction) -> None:
        self.reader, self.file, self.owner = reader, function.file, function.owner
        node, file = function.node, function.file
        first, last = trees.above(file.lines, line(node)), trees.last_line(node)
        self.unit = Scanned(
            file.name, function.name, function.qualified, first, last, len(file.code & set(range(first, last + 1)))
        )
        self.aliases: dict[str, str] = {}
        self.kinds: dict[str, TsClass | None] = {}
        self.local: set[str] = set()
        self.written: set[int] = set()
        self._names(node)
        if self.owner:
            for cls in reader.mro(self.owner):
                self.unit.uses.setdefault(cls.id, 0)
        for inner in walk(node):
            self._visit(inner)

    def _names(self, node: "Node") -> None:
        """Parameters, of the function and of those inside of it, and names that it declares."""
        outermost = next((n for n in walk(node) if n.type in FUNCTIONS), None)
        for found in walk(node):
            if found.type in ("required_parameter", "optional_parameter"):
                pattern = found.child_by_field_name("pattern")
                self._local(pattern, annotation(found))
                if self.owner and any(child.type == "accessibility_modifier" for child in found.children):
                    self.unit.assigns.setdefault(self._field(self.owner, text(pattern)), line(found))
                if found.parent is not None and outermost is not None and found.parent.parent == outermost:
                    self.unit.parameters = (*self.unit.parameters, text(pattern))
            elif found.type == "formal_parameters":
                for child in found.children:
                    if child.type in ("identifier", "assignment_pattern", "object_pattern", "array_pattern"):
                        self._local(child.child_by_field_name("left") or child, "")
                        if outermost is not None and found.parent == outermost:
                            self.unit.parameters = (*self.unit.parameters, text(child))
            elif found.type == "variable_declarator" and found.parent != node:
                self._local(found.child_by_field_name("name"), "")
            elif found.type in ("for_in_statement", "catch_clause", "arrow_function"):
                target = found.child_by_field_name("left" if found.type == "for_in_statement" else "parameter")
                self._local(target, "")

    def _local(self, pattern: "Node | None", kind: str) -> None:
        for found in walk(pattern) if pattern is not None else ():
            if found.type in ("identifier", "shorthand_property_identifier_pattern"):
                self.local.add(text(found))
                if kind:
                    self.kinds[text(found)] = self.reader.cls(self.file, kind)

    # ---- what an expression is ----

    def cls(self, node: "Node | None") -> TsClass | None:
        """The class of an expression's object."""
        if node is None:
            return None
        match node.type:
            case "this":
                return self._me()
            case "identifier":
                return self.kinds.get(text(node))
            case "member_expression":
                holder = self.cls(node.child_by_field_name("object"))
                return self.reader.kind(holder, _property(node)) if holder else None
            case "new_expression":
                return self.reader.cls(self.file, made(node))
            case "subscript_expression":
                return self.cls(node.child_by_field_name("object"))  # `cars: Car[]` is kept as Car
        return self.cls(_held(node))

    def _me(self) -> TsClass | None:
        main = self.reader.main
        return main if main and self.owner in self.reader.mro(main) else self.owner

    def path(self, node: "Node | None") -> str:
        """The piece of state that an expression is, or is an element of."""
        if node is None:
            return ""
        match node.type:
            case "identifier":
                name = text(node)
                if name in self.aliases or name in self.local:
                    return self.aliases.get(name, "")
                home = self.reader.project.home(self.file, name)
                file, own = home if home else (self.file, name)
                return f"{file.path.stem}.{own}" if isinstance(file.names.get(own), str) else ""
            case "member_expression":
                holder = node.child_by_field_name("object")
                cls, name = self.cls(holder), _property(node)
                if cls:
                    return self._field(cls, name)
                above = self.path(holder)
                return f"{above}.{name}" if above else ""
            case "subscript_expression":
                return self.path(node.child_by_field_name("object"))
        return self.path(_held(node))

    def _field(self, cls: TsClass, name: str) -> str:
        main = self.reader.main
        return name if main and cls in self.reader.mro(main) else f"{cls.name}.{name}"

    # ---- statements and expressions ----

    def _visit(self, node: "Node") -> None:
        match node.type:
            case "variable_declarator":
                self._remember(node.child_by_field_name("name"), node.child_by_field_name("value"))
            case "for_in_statement":
                self.unit.loops.append("for")
                self._iterate(node.child_by_field_name("left"), node.child_by_field_name("right"))
            case "for_statement" | "while_statement" | "do_statement":
                self.unit.loops.append(node.type.removesuffix("_statement"))
            case "if_statement":
                self.unit.arms = max(self.unit.arms, trees.arms(node))
            case "switch_body":
                self.unit.arms = max(self.unit.arms, sum(c.type.startswith("switch_") for c in node.children))
            case "assignment_expression":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                self._write(left, True, line(node))
                if left is not None and left.type == "identifier":
                    self._remember(left, right)
                self._sized(left, right)
            case "augmented_assignment_expression":
                self._write(node.child_by_field_name("left"), False, line(node))
            case "update_expression":
                self._write(node.child_by_field_name("argument"), False, line(node))
            case "unary_expression" if text(node).startswith("delete "):
                self._write(node.child_by_field_name("argument"), False, line(node))
            case "member_expression":
                self._member(node)
            case "identifier" | "type_identifier" | "shorthand_property_identifier":
                self._name(node)
            case "call_expression" | "new_expression":
                self._call(node)
            case "await_expression":
                self._hazard(line(node), "runs code later")

    def _remember(self, target: "Node | None", value: "Node | None") -> None:
        if target is None or target.type != "identifier" or text(target) not in self.local:
            return
        name = text(target)
        self.kinds[name] = self.cls(value) or self.kinds.get(name)
        self.aliases.pop(name, None)
        is_piece = value is not None and value.type in ("member_expression", "subscript_expression", "identifier")
        if is_piece and (path := self.path(value)):
            self.aliases[name] = path

    def _iterate(self, target: "Node | None", value: "Node | None") -> None:
        path, cls = self.path(value), self.cls(value)
        for found in walk(target) if target is not None else ():
            if found.type == "identifier":
                self.aliases.pop(text(found), None)
                self.kinds[text(found)] = cls
                if path:
                    self.aliases[text(found)] = path

    def _write(self, target: "Node | None", whole: bool, at: int) -> None:
        if target is None:
            return
        if target.type in ("array_pattern", "object_pattern"):
            for part in walk(target):
                if part.type in ("member_expression", "subscript_expression"):
                    self._write(part, whole, at)
            return
        plain = target.type in ("member_expression", "identifier")
        if whole:
            self.written.add(_element_of(target).id)
        if target.type == "identifier" and text(target) in self.local:
            return
        if path := self.path(target):
            (self.unit.assigns if plain and whole else self.unit.updates).setdefault(path, at)
            if not whole:
                self.unit.bumps.add(path)
        root: Node | None = target
        while root is not None and root.type in ("member_expression", "subscript_expression"):
            root = root.child_by_field_name("object")
        if root is not None and root is not target and text(root) in self.unit.parameters:
            self.unit.mutates.add(text(root))

    def _member(self, node: "Node") -> None:
        holder = self.cls(node.child_by_field_name("object"))
        methods = self.reader.methods(holder, _property(node)) if holder else []
        for function in methods:
            self.unit.calls.setdefault(function.id, line(node))
        if methods or node.id in self.written:
            return
        inner = node.parent is not None and node.parent.type == "member_expression" and not self.cls(node)
        called = node.parent is not None and node.parent.type == "call_expression"
        if not inner and not called and (path := self.path(node)):
            self.unit.reads.setdefault(path, line(node))

    def _name(self, node: "Node") -> None:
        name = text(node)
        if name in self.local:
            return
        for use in self.reader.project.uses(self.file, name):
            self.unit.uses.setdefault(use, 0)
        found = self.reader.project.lookup(self.file, name)
        if isinstance(found, TsFunction) and found.id != self.unit.id:
            self.unit.calls.setdefault(found.id, line(node))
        elif isinstance(found, TsImport):
            self.unit.outside.setdefault(found.module, line(node))
        elif node.id not in self.written and (path := self.path(node)):
            self.unit.reads.setdefault(path, line(node))

    # ---- calls ----

    def _call(self, node: "Node") -> None:
        called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        given = node.child_by_field_name("arguments")
        arguments = [child for child in given.children if child.is_named] if given is not None else []
        name = text(called)
        functions = self._functions(node, called)
        for function in functions:
            self.unit.calls.setdefault(function.id, line(node))
            for slot, value in enumerate(arguments):
                self._pass(function.id, slot, value)
        self._draw(node, called, functions)
        if called is not None and called.type == "member_expression" and not functions:
            if _property(called) in _MUTATORS:
                self._write_in_place(called.child_by_field_name("object"), line(node))
            if name == "Object.assign" and arguments:
                self._write_in_place(arguments[0], line(node))
            self._read(called.child_by_field_name("object"))
        for said, pattern in _HAZARDS.items():
            if not functions and name.partition(".")[0] not in self.local and re.fullmatch(pattern, name):
                self._hazard(line(node), said if said[0] != "n" else f"calls {name}, which {said}")

    def _functions(self, node: "Node", called: "Node | None") -> list[TsFunction]:
        if called is None:
            return []
        if node.type == "new_expression":
            cls = self.reader.cls(self.file, text(called))
            return self.reader.methods(cls, "constructor") if cls else []
        if called.type == "super" and self.owner:
            return self.reader.methods(self.owner, "constructor", self.owner)
        if called.type == "identifier":
            found = None if text(called) in self.local else self.reader.project.lookup(self.file, text(called))
            return [found] if isinstance(found, TsFunction) else []
        if called.type != "member_expression":
            if called.type == "subscript_expression":
                self._hazard(line(node), "finds code by name at run time, which was not followed")
            return []
        holder, name = called.child_by_field_name("object"), _property(called)
        if holder is not None and holder.type == "super" and self.owner:
            return self.reader.methods(self.owner, name, self.owner)
        if cls := self.cls(holder):
            return self.reader.methods(cls, name)
        found = self.reader.project.lookup(self.file, text(holder)) if text(holder) not in self.local else None
        if isinstance(found, TsFile):
            member = self.reader.project.exported(found, name)
            return [member] if isinstance(member, TsFunction) else []
        if isinstance(found, TsClass):
            return self.reader.methods(found, name)
        return [] if name in _BUILTIN or text(holder) == "Math" else self.reader.by_name(name, self.owner)

    def _draw(self, node: "Node", called: "Node | None", functions: list[TsFunction]) -> None:
        name = text(called)
        if name == "Math.random" or name.startswith("crypto."):
            self.unit.chance.append((line(node), name))
            self._hazard(line(node), SHARED)
        elif functions:
            spoken = {word for f in functions for word in words(f.qualified)}
            if _GENERATOR & spoken and node.type == "call_expression" and called is not None and called.type != "super":
                self.unit.chance.append((line(node), name))
        elif called is not None and called.type == "member_expression":
            holder = words(text(called.child_by_field_name("object")).rpartition(".")[2])
            if _GENERATOR & set(holder) or _property(called) == "random":
                self.unit.chance.append((line(node), name))

    def _write_in_place(self, node: "Node | None", at: int) -> None:
        if node is None:
            return
        if path := self.path(node):
            self.unit.updates.setdefault(path, at)
        if text(node) in self.unit.parameters:
            self.unit.mutates.add(text(node))

    def _read(self, node: "Node | None") -> None:
        if node is not None and node.type == "member_expression" and (path := self.path(node)):
            self.unit.reads.setdefault(path, line(node))

    def _pass(self, callee: str, slot: int, value: "Node") -> None:
        if value.type == "identifier" and text(value) in self.unit.parameters:
            self.unit.passes.append(Passed(callee, slot, text(value), True, line(value)))
        elif path := self.path(value):
            self.unit.passes.append(Passed(callee, slot, path, False, line(value)))

    def _sized(self, target: "Node | None", value: "Node | None") -> None:
        count = self.reader.elements(self.file, value)
        if count is not None and value is not None and (path := self.path(target)):
            self.unit.memory.append(FixedArray(self.unit.file, line(value), path, count))

    def _hazard(self, at: int, what: str) -> None:
        sentence = f"{self.unit.qualified} {what}."
        if sentence not in [known for _, known in self.unit.hazards]:
            self.unit.hazards.append((at, sentence))


def _property(node: "Node") -> str:
    return text(node.child_by_field_name("property"))


def _element_of(node: "Node") -> "Node":
    """The array, or the member that is one, behind indices."""
    while node.type == "subscript_expression" and (inner := node.child_by_field_name("object")) is not None:
        node = inner
    return node


def _held(node: "Node") -> "Node | None":
    """What brackets, an exclamation mark or `as` is around."""
    if node.type in ("parenthesized_expression", "non_null_expression", "as_expression"):
        return next((child for child in node.children if child.is_named), None)
    return None
