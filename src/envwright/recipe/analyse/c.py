"""C: everything that the functions which reset and step an environment can reach, with the members that they touch."""

import re
from collections.abc import Sequence
from os.path import commonpath
from pathlib import Path
from typing import TYPE_CHECKING

from envwright.recipe.analyse import trees
from envwright.recipe.analyse.c_files import CFile, CProgram, declared, read_program, type_name
from envwright.recipe.analyse.facts import Analysis, AnalysisError, FixedArray
from envwright.recipe.analyse.gather import SHARED, Passed, Scanned, gather, is_left_out, words
from envwright.recipe.analyse.trees import line, text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_SHARED_DRAWS = {"rand", "random", "drand48", "lrand48", "mrand48", "srand", "GetRandomValue"}
_DRAWS = {"rand_r", "erand48", "nrand48", "jrand48", "arc4random", "arc4random_uniform", "getrandom", "getentropy"}
_GENERATOR = {"rand", "random", "rng", "xorshift", "xorshift32", "xorshift64", "pcg", "splitmix", "splitmix64", "lcg"}
_WRITES_FIRST = {"memset", "memcpy", "memmove", "strcpy", "strncpy", "sprintf", "snprintf", "qsort", "bzero"}
_HAZARDS = {
    "allocates or frees memory": r"(m|c|re)alloc|free|strdup",
    "reads or writes files": r"f?open|fread|fwrite|fclose|fgets|fscanf|fprintf|mmap",
    "uses threads": r"pthread_\w+|fork|omp_\w+",
    "uses the network": r"socket|connect|recv|send",
    "reads the clock": r"time|clock|clock_gettime|gettimeofday|GetTime",
    "jumps out of functions": r"setjmp|longjmp",
}
_SCREEN = re.compile(r"(SDL_|gl[A-Z]|glfw|Draw[A-Z]|Begin(Drawing|Mode)|InitWindow|CloseWindow|LoadTexture|IsKey)\w*")


def analyse_c(sources: Sequence[Path], entry: Sequence[str] = ()) -> Analysis:
    """What the entry functions reach; by default those whose names speak of a reset or a step."""
    paths = [path.resolve() for path in sources]
    root = Path(commonpath([path.parent for path in paths]))
    program = read_program(paths, root)
    names = list(entry) or [n for n in program.functions if {"reset", "step"} & set(words(n)) and not is_left_out(n)]
    missing = [name for name in names if name not in program.functions]
    if missing or not names:
        known = ", ".join(program.functions) or "none"
        wanted = f"function {missing[0]}" if missing else "function whose name speaks of a reset or a step"
        raise AnalysisError(f"{paths[0].name} has no {wanted}; name the entries, of {known}.")
    main = next(filter(None, (_first_struct(program, program.functions[name][1]) for name in names)), "")
    scanned = {}
    for name, (file, node) in program.functions.items():
        if name != "main" or name in names:
            unit = _Scan(program, file, node, main).unit
            scanned[unit.id] = unit
    behind = {id: _behind(program, id) for id in program.definitions}
    ids = [f"{program.functions[name][0].name}:{name}" for name in names]
    analysis = gather(
        scanned,
        ids,
        None,
        root=root,
        sources=[file.source() for file in program.files],
        definitions=program.definitions,
        behind=behind,
        variables=[f"{stem}.{name}" for name, stem in program.variables.items()],
    )
    return trees.with_faults(analysis, [(file.name, file.root) for file in program.files])


def _first_struct(program: CProgram, function: "Node") -> str:
    """The struct that a function is given first: the environment."""
    for node in walk(function.child_by_field_name("declarator") or function):
        if node.type == "parameter_declaration" and program.struct(type_name(node)) in _shown(program):
            return program.struct(type_name(node))
    return ""


def _shown(program: CProgram) -> dict[str, str]:
    """The structs by the names to show them by, with those that their members are kept under."""
    return {program.struct(name): name for name in program.structs}


def _behind(program: CProgram, id: str) -> Scanned:
    definition = program.definitions[id]
    first, last = definition.spans[0][0], definition.spans[-1][1]
    return Scanned(definition.file, definition.name, definition.name, first, last, 0, memory=program.memory.get(id, []))


class _Scan:
    """Reads one function. Locals are known by their declared types; a pointer may stand for a piece of state."""

    def __init__(self, program: CProgram, file: CFile, node: "Node", main: str) -> None:
        self.program, self.main = program, main
        self.shown = _shown(program)
        name = declared(node.child_by_field_name("declarator"))
        first, last = trees.above(file.lines, line(node)), trees.last_line(node)
        self.unit = Scanned(file.name, name, name, first, last, len(file.code & set(range(first, last + 1))))
        self.kinds: dict[str, str] = {}  # local -> struct
        self.aliases: dict[str, str] = {}
        self.local: set[str] = set()
        self._parameters(node)
        body = node.child_by_field_name("body")
        self.written: set[int] = set()  # nodes on the left of an assignment, which are not read
        if body is not None:
            for inner in walk(body):
                self._visit(inner)

    def _parameters(self, node: "Node") -> None:
        found = [n for n in walk(node.child_by_field_name("declarator") or node) if n.type == "parameter_declaration"]
        for parameter in found:
            name = declared(parameter.child_by_field_name("declarator"))
            self.unit.parameters = (*self.unit.parameters, name)
            self.local.add(name)
            self.kinds[name] = self.program.struct(type_name(parameter))
            self._use(type_name(parameter))

    # ---- what an expression is ----

    def struct(self, node: "Node | None") -> str:
        """The struct that an expression is, or points to."""
        if node is None:
            return ""
        match node.type:
            case "identifier":
                name = text(node)
                return self.kinds.get(name, "") if name in self.local else self._global_struct(name)
            case "field_expression":
                holder = self.struct(node.child_by_field_name("argument"))
                member = self.program.structs.get(self.shown.get(holder, ""), {}).get(
                    text(node.child_by_field_name("field"))
                )
                return self.program.struct(member.type) if member else ""
            case "cast_expression":
                kind = node.child_by_field_name("type")
                return self.program.struct(type_name(kind)) if kind is not None else ""
            case "call_expression":
                called = self.program.functions.get(text(node.child_by_field_name("function")))
                return self.program.struct(type_name(called[1])) if called else ""
        return self.struct(_held(node))

    def _global_struct(self, name: str) -> str:
        return self.program.struct(self.program.kinds.get(name, ""))

    def path(self, node: "Node | None") -> str:
        """The piece of state that an expression is, or is an element of."""
        if node is None:
            return ""
        match node.type:
            case "identifier":
                name = text(node)
                if name in self.local:
                    return self.aliases.get(name, "")
                return f"{self.program.variables[name]}.{name}" if name in self.program.variables else ""
            case "field_expression":
                holder, name = node.child_by_field_name("argument"), text(node.child_by_field_name("field"))
                struct = self.struct(holder)
                if struct in self.shown:
                    return name if struct == self.main else f"{struct}.{name}"
                above = self.path(holder)
                return f"{above}.{name}" if above else ""
        return self.path(_held(node))

    # ---- statements and expressions ----

    def _visit(self, node: "Node") -> None:
        match node.type:
            case "declaration":
                self._declare(node)
            case "assignment_expression":
                left, operator = node.child_by_field_name("left"), text(node.child_by_field_name("operator"))
                self._write(left, operator == "=", line(node))
                self._alias(left, node.child_by_field_name("right"))
                self._allocated(left, node.child_by_field_name("right"))
            case "update_expression":
                self._write(node.child_by_field_name("argument"), False, line(node))
            case "field_expression":
                if node.id not in self.written and (path := self.path(node)):
                    self.unit.reads.setdefault(path, line(node))
            case "identifier" | "type_identifier":
                self._name(node)
            case "call_expression":
                self._call(node)
            case "for_statement" | "while_statement" | "do_statement":
                self.unit.loops.append(node.type.removesuffix("_statement"))
            case "switch_statement":
                cases = [n for n in walk(node, lambda n: n.type != "switch_statement") if n.type == "case_statement"]
                self.unit.arms = max(self.unit.arms, len(cases))
            case "if_statement":
                self.unit.arms = max(self.unit.arms, trees.arms(node))

    def _declare(self, node: "Node") -> None:
        is_static = any(child.type == "storage_class_specifier" and text(child) == "static" for child in node.children)
        is_const = any(child.type == "type_qualifier" and text(child) == "const" for child in node.children)
        for declarator in node.children_by_field_name("declarator"):
            name = declared(declarator)
            if not name:
                continue
            self.local.add(name)
            self.kinds[name] = self.program.struct(type_name(node))
            self.aliases.pop(name, None)
            if is_static and not is_const:  # it outlives the call
                self.aliases[name] = f"{self.unit.name}.{name}"
            elif declarator.type == "init_declarator":
                target = declarator.child_by_field_name("declarator")
                if target is not None and target.type == "pointer_declarator":
                    self._alias_name(name, declarator.child_by_field_name("value"))

    def _alias(self, left: "Node | None", right: "Node | None") -> None:
        if left is not None and left.type == "identifier" and text(left) in self.local and text(left) in self.aliases:
            self._alias_name(text(left), right)

    def _alias_name(self, name: str, value: "Node | None") -> None:
        """A pointer to something that is no struct stands for it; structs are known by their types."""
        if value is not None and not self.struct(value) and (path := self.path(value)):
            self.aliases[name] = path

    def _write(self, target: "Node | None", whole: bool, at: int) -> None:
        if target is None:
            return
        plain = target.type in ("field_expression", "identifier")
        if whole:
            self.written.add(_element_of(target).id)
        if target.type == "identifier" and text(target) in self.local and text(target) not in self._statics():
            return  # a local of its own
        if path := self.path(target):
            (self.unit.assigns if plain and whole else self.unit.updates).setdefault(path, at)
            if not whole:
                self.unit.bumps.add(path)
            self._whole_struct(target, at)
        root: Node | None = target
        while root is not None and root.type != "identifier":
            root = root.child_by_field_name("argument") if root.type == "field_expression" else _held(root)
        if root is not None and text(root) in self.unit.parameters:
            self.unit.mutates.add(text(root))

    def _statics(self) -> set[str]:
        return {name for name, path in self.aliases.items() if path == f"{self.unit.name}.{name}"}

    def _whole_struct(self, target: "Node", at: int) -> None:
        """Writing a struct writes its members."""
        if (struct := self.struct(target)) and struct in self.shown:
            for member in self.program.structs[self.shown[struct]]:
                self.unit.updates.setdefault(member if struct == self.main else f"{struct}.{member}", at)

    def _name(self, node: "Node") -> None:
        name = text(node)
        if name in self.local:
            path = self.aliases.get(name)
            if path and name in self._statics() and node.id not in self.written:
                self.unit.reads.setdefault(path, line(node))
            return
        if name in self.program.functions:
            file, _ = self.program.functions[name]
            self.unit.calls.setdefault(f"{file.name}:{name}", line(node))
        elif name in self.program.macros:
            self._macro(name, line(node), 0)
        elif (path := self.path(node)) and node.id not in self.written:
            self.unit.reads.setdefault(path, line(node))
        self._use(name)

    def _macro(self, name: str, at: int, depth: int) -> None:
        """A macro stands for its text: what that calls is called."""
        for word in re.findall(r"[A-Za-z_]\w*", self.program.macros[name]):
            if word in self.program.functions:
                self.unit.calls.setdefault(f"{self.program.functions[word][0].name}:{word}", at)
            elif word in self.program.macros and depth < 16:
                self._macro(word, at, depth + 1)
            elif word in _SHARED_DRAWS | _DRAWS:
                self._outside(word, at, name)

    def _use(self, name: str) -> None:
        for id in self.program.names.get(name, ()):
            self.unit.uses.setdefault(id, 0)

    # ---- calls ----

    def _call(self, node: "Node") -> None:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        arguments = [child for child in given.children if child.is_named] if given is not None else []
        name = text(function)
        if function is None or function.type != "identifier" or name in self.local:
            self._hazard(line(node), f"calls {name} through a pointer, which was not followed")
            return
        if name in self.program.functions:
            file, _ = self.program.functions[name]
            for slot, value in enumerate(arguments):
                self._pass(f"{file.name}:{name}", slot, value)
            if _GENERATOR & set(words(name)):
                self.unit.chance.append((line(node), name))
        elif name not in self.program.macros:
            self._outside(name, line(node), name)
            changed = arguments[:1] if name in _WRITES_FIRST else []
            changed += [a for a in arguments if a.type == "pointer_expression" and text(a).startswith("&")]
            for argument in changed:
                held = _held(argument) if argument.type == "pointer_expression" else argument
                self._write(held, False, line(node))

    def _pass(self, callee: str, slot: int, value: "Node") -> None:
        if value.type == "identifier" and text(value) in self.unit.parameters:
            self.unit.passes.append(Passed(callee, slot, text(value), True, line(value)))
        elif path := self.path(value):
            self.unit.passes.append(Passed(callee, slot, path, False, line(value)))

    def _outside(self, name: str, at: int, what: str) -> None:
        if name in _SHARED_DRAWS | _DRAWS and name != "srand":
            self.unit.chance.append((at, what))
        if name in _SHARED_DRAWS:
            self._hazard(at, SHARED if name != "srand" else "seeds the generator that the whole program shares")
        if _SCREEN.fullmatch(name):
            self.unit.draws = True
            self._hazard(at, f"calls {name}, which needs a display or draws")
        for said, pattern in _HAZARDS.items():
            if re.fullmatch(pattern, name):
                self._hazard(at, said)
        self.unit.allocates |= name in ("malloc", "calloc", "realloc", "strdup")

    def _allocated(self, left: "Node | None", right: "Node | None") -> None:
        """The size of `x = calloc(64, sizeof(int))`."""
        for call in walk(right) if right is not None else ():
            name, given = text(call.child_by_field_name("function")), call.child_by_field_name("arguments")
            if call.type == "call_expression" and name in ("malloc", "calloc") and given is not None:
                counts = [self.program.integer(child) for child in given.children if child.is_named]
                if counts and None not in counts and (path := self.path(left)):
                    total = 1
                    for count in counts:
                        total *= count or 0
                    self.unit.memory.append(FixedArray(self.unit.file, line(call), path, total))

    def _hazard(self, at: int, what: str) -> None:
        sentence = f"{self.unit.qualified} {what}."
        if sentence not in [known for _, known in self.unit.hazards]:
            self.unit.hazards.append((at, sentence))


def _element_of(node: "Node") -> "Node":
    """The array, or the member that is one, behind indices."""
    while node.type == "subscript_expression" and (inner := node.child_by_field_name("argument")) is not None:
        node = inner
    return node


def _held(node: "Node") -> "Node | None":
    """What brackets, a star, an index or an ampersand is around."""
    if node.type in ("subscript_expression", "pointer_expression"):
        return node.child_by_field_name("argument")
    if node.type == "cast_expression":
        return node.child_by_field_name("value")
    if node.type == "parenthesized_expression":
        return next((child for child in node.children if child.is_named), None)
    return None
