"""Reading one Python function: what it calls, reads and writes, where it draws at random."""

import ast
from collections.abc import Iterator
from typing import Protocol

from envwright.recipe.analyse import python_meanings as meanings
from envwright.recipe.analyse.facts import FixedArray
from envwright.recipe.analyse.gather import SHARED, UNSEEDED, Passed, Scanned
from envwright.recipe.analyse.python_files import Constant, FunctionNode, Outside, PyClass, PyFile, PyFunction
from envwright.recipe.analyse.python_sizes import elements
from envwright.recipe.analyse.python_types import Instance, Many, MethodOf, RandomGenerator, Scope, Types, is_static

_UNWRAPPED = {"enumerate", "reversed", "sorted", "list", "tuple", "iter", "set", "zip", "filter", "map"}


class World(Protocol):
    """What a function's reader asks of, and tells to, whoever reads all of them."""

    types: Types

    def use(self, file: PyFile, name: str, unit: Scanned) -> None:
        """A name of a file was used."""
        ...

    def call(self, function: PyFunction, unit: Scanned, line: int) -> None:
        """A function was used."""
        ...

    def mention(self, cls: PyClass, unit: Scanned) -> None:
        """A class was used."""
        ...

    def nested(self, function: PyFunction, scope: Scope) -> None:
        """There is a function inside of the function."""
        ...

    def unknown(self, unit: Scanned, method: str, line: int) -> None:
        """A method of an object was called, and it is not known of which class."""
        ...


class PyScan(ast.NodeVisitor):
    """Walks a function in the order of its text; a local name stands for what it was given last."""

    def __init__(self, world: World, unit: Scanned, scope: Scope) -> None:
        self.world, self.types, self.unit, self.scope = world, world.types, unit, scope
        self.aliases: dict[str, str] = {}  # local names for pieces of state
        self.globals: set[str] = set()

    # ---- what an expression is a piece of ----

    def path(self, node: ast.AST) -> str | None:
        """The piece of state that an expression is, or is an element of."""
        match node:
            case ast.Name(id=name):
                if name in self.aliases:
                    return self.aliases[name]
                is_local, _ = self.scope.find(name)
                if not is_local and isinstance(found := self._lookup(name), Constant):
                    return f"{found.file.path.stem}.{found.name}"
                return None
            case ast.Subscript(value=value):
                return self.path(value)
            case ast.Attribute(value=value, attr=name):
                holder = self.types.resolve(value, self.scope)
                if isinstance(holder, Instance):
                    return self._named(holder.cls, name)
                if isinstance(holder, PyClass):
                    return self._named(holder, name)
                if isinstance(holder, PyFile) and isinstance(self.types.package.lookup(holder, name), Constant):
                    return f"{holder.path.stem}.{name}"
                if holder is None and (below := self.path(value)):
                    return f"{below}.{name}"
                return self._guessed(name) if holder is None else None
            case ast.Call(func=ast.Name(id=name), args=[first, *_]) if name in _UNWRAPPED:
                return self.path(first)
            case ast.Call(func=ast.Attribute(value=value, attr="values" | "items" | "get"), args=_):
                return self.path(value)
        return None

    def _named(self, cls: PyClass, name: str) -> str:
        leading = self.types.leading
        if leading and cls in self.types.mro(leading[0]):
            return name
        having = [base for base in self.types.mro(cls) if name in base.attributes]
        return f"{(having or [cls])[-1].qualified}.{name}"

    def _guessed(self, name: str) -> str | None:
        """An attribute of an object of unknown class, if one class only has it."""
        have = [cls for cls in self.types.package.classes() if name in cls.attributes]
        return self._named(have[0], name) if len(have) == 1 else None

    def _lookup(self, name: str) -> object | None:
        return self.types.package.lookup(self.scope.file, name)

    # ---- names and attributes ----

    def visit_Name(self, node: ast.Name) -> None:
        is_local, found = self.scope.find(node.id)
        if not is_local:
            found = self._lookup(node.id)
            self.world.use(self.scope.file, node.id, self.unit)
            if isinstance(node.ctx, ast.Store) and node.id in self.globals and (path := self.path(node)):
                self.unit.assigns.setdefault(path, node.lineno)
            elif isinstance(found, Constant) and (path := self.path(node)):
                self.unit.reads.setdefault(path, node.lineno)
        self._refer(found, node.lineno)

    def visit_Global(self, node: ast.Global) -> None:
        self.globals.update(node.names)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        found = self.types.resolve(node, self.scope)
        if isinstance(found, MethodOf | PyFunction | PyClass | PyFile | Outside | Constant):
            self._refer(found, node.lineno)
        if not isinstance(found, MethodOf | PyFunction | PyClass | PyFile | Outside) and (path := self.path(node)):
            self._touch(path, node.ctx, node.lineno)
        self.visit(node.value) if not isinstance(node.value, ast.Attribute) else self._inner(node.value)

    def _inner(self, node: ast.Attribute) -> None:
        """What an attribute is an attribute of is read, but a piece of a path on the way is none of its own."""
        found = self.types.resolve(node, self.scope)
        if isinstance(found, MethodOf):
            self._refer(found, node.lineno)
        elif isinstance(found, Instance | Many) and (path := self.path(node)):
            self.unit.reads.setdefault(path, node.lineno)
        elif isinstance(found, Constant):
            self._refer(found, node.lineno)
        self.visit(node.value) if not isinstance(node.value, ast.Attribute) else self._inner(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Load):
            self.generic_visit(node)
            return
        self._change(node.value, node.lineno)
        held: ast.expr = node
        while isinstance(held, ast.Subscript):
            self.visit(held.slice)
            held = held.value
        self._inner(held) if isinstance(held, ast.Attribute) else self.visit(held)  # an element is put, none is read

    def _touch(self, path: str, context: ast.expr_context, line: int) -> None:
        table = self.unit.reads if isinstance(context, ast.Load) else self.unit.assigns
        table.setdefault(path, line)

    def _change(self, node: ast.expr, line: int) -> None:
        """Something is changed in place: a piece of state, or a parameter."""
        if path := self.path(node):
            self.unit.updates.setdefault(path, line)
        root = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self.unit.parameters:
            self.unit.mutates.add(root.id)

    def _refer(self, found: object | None, line: int) -> None:
        """Using a function, even without calling it, may call it."""
        match found:
            case PyFunction() | MethodOf():
                for function in _functions(found):
                    self.world.call(function, self.unit, line)
            case PyClass():
                self.world.mention(found, self.unit)
            case Constant(file=file, name=name) if file is not self.scope.file:
                self.world.use(file, name, self.unit)
            case Outside(path=path):
                self._outside(path, line)

    def _outside(self, path: str, line: int) -> None:
        top = path.partition(".")[0]
        if top == "super":
            return
        self.unit.outside.setdefault(top, line)
        if top in meanings.SCREEN:
            self.unit.draws = True
            self._hazard(line, f"uses {top}, which needs a display or draws")

    def _hazard(self, line: int, what: str) -> None:
        sentence = f"{self.unit.qualified} {what}."
        if sentence not in [known for _, known in self.unit.hazards]:
            self.unit.hazards.append((line, sentence))

    # ---- statements ----

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._remember(target, node.value)
            self.visit(target)
            self._sized(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._remember(node.target, node.value)
            self._sized(node.target, node.value)
            self.visit(node.target)
        if isinstance(node.target, ast.Name) and (found := self.types.annotated(node.annotation, self.scope)):
            self.scope.values[node.target.id] = found

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name) and node.target.id not in self.globals:
            return
        self._change(node.target, node.lineno)
        if path := self.path(node.target):
            self.unit.bumps.add(path)
        if isinstance(node.target, ast.Subscript):
            self.visit(node.target.slice)

    def _remember(self, target: ast.expr, value: ast.expr) -> None:
        """A local name stands for what it is given, until it is given something else."""
        if not isinstance(target, ast.Name) or target.id in self.globals:
            return
        self.scope.values[target.id] = self.types.resolve(value, self.scope)
        self.aliases.pop(target.id, None)
        is_piece = isinstance(value, ast.Attribute | ast.Subscript | ast.Name)
        if is_piece and (path := self.path(value)):
            self.aliases[target.id] = path

    def visit_For(self, node: ast.For) -> None:
        self.unit.loops.append("for")
        self._iterate(node.target, node.iter)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.unit.loops.append("while")
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self.unit.loops.append("comprehension")
        self._iterate(node.target, node.iter)
        self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for generator in node.generators:  # they give the names that the element uses
            self.visit(generator)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp  # noqa: N815

    def _iterate(self, target: ast.expr, iterated: ast.expr) -> None:
        held = self.types.resolve(iterated, self.scope)
        path = self.path(iterated)
        for name in [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]:
            self.scope.values[name] = Instance(held.cls) if isinstance(held, Many) else None
            self.aliases.pop(name, None)
            if path:
                self.aliases[name] = path

    def visit_If(self, node: ast.If) -> None:
        """A chain of elif is a tree as deep as it is long, so it is walked arm by arm: interpreters have hundreds."""
        arms, rest = 0, [node]
        while len(rest) == 1 and isinstance(arm := rest[0], ast.If):
            arms += 1
            for part in (arm.test, *arm.body):
                self.visit(part)
            rest = arm.orelse
        self.unit.arms = max(self.unit.arms, arms + bool(rest))
        for statement in rest:
            self.visit(statement)

    def visit_Match(self, node: ast.Match) -> None:
        self.unit.arms = max(self.unit.arms, len(node.cases))
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.types.bind(node, self.scope)

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_FunctionDef(self, node: FunctionNode) -> None:
        function = PyFunction(self.scope.file, f"{self.unit.qualified}.{node.name}", node)
        self.scope.values[node.name] = function
        self.world.nested(function, self.scope)
        for outer in [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(outer)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def _sized(self, target: ast.expr, value: ast.expr) -> None:
        name = self.path(target) or (target.id if isinstance(target, ast.Name) else None)
        if name and (count := elements(value, self.types, self.scope)):
            self.unit.memory.append(FixedArray(self.unit.file, value.lineno, name, count))

    # ---- calls ----

    def visit_Expr(self, node: ast.Expr) -> None:
        """`self.log.append(x)`, for a statement, changes the log but reads nothing of it."""
        match node.value:
            case ast.Call(ast.Attribute(ast.Attribute(value=owner) as held, name), arguments, keywords) if (
                name in meanings.ONLY_WRITE and self.path(held) and self.types.resolve(held, self.scope) is None
            ):
                self._change(held, node.lineno)
                self._inner(owner) if isinstance(owner, ast.Attribute) else self.visit(owner)
                for argument in [*arguments, *(keyword.value for keyword in keywords)]:
                    self.visit(argument)
            case _:
                self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        found = self.types.resolve(node.func, self.scope)
        self._draw(node, found)
        self._named_access(node)
        match node.func:
            case ast.Attribute(value=value, attr=name) if found is None:
                if name in meanings.MUTATORS:
                    self._change(value, node.lineno)
                if name in meanings.FILE_METHODS:
                    self._hazard(node.lineno, "reads or writes files")
                self.world.unknown(self.unit, name, node.lineno)
                self.visit(value)
            case ast.Name(id=name) if found is None and not self.scope.find(name)[0]:
                self._call_hazard(name, node.lineno)
                self.visit(node.func)
            case _:
                self.visit(node.func)
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(argument)
        self._pass(node, found)

    def _call_hazard(self, path: str, line: int) -> None:
        if said := meanings.call_hazard(path):
            self._hazard(line, said)

    def _draw(self, node: ast.Call, found: object | None) -> None:
        what = ast.unparse(node.func)
        if isinstance(found, Outside):
            if meanings.shared_draw(found.path):
                self.unit.chance.append((node.lineno, what))
                self._hazard(node.lineno, SHARED)
            elif meanings.keyed_draw(found.path):
                self.unit.chance.append((node.lineno, what))
            elif found.path in meanings.GENERATORS and not node.args and not node.keywords:
                self._hazard(node.lineno, UNSEEDED)
            self._call_hazard(found.path, node.lineno)
            if found.path in meanings.CHANGES_FIRST and node.args:
                self._change(node.args[0], node.lineno)
        elif isinstance(node.func, ast.Attribute) and found is None and node.func.attr in meanings.DRAWS:
            holder = self.types.resolve(node.func.value, self.scope)
            if holder is None or isinstance(holder, RandomGenerator):
                self.unit.chance.append((node.lineno, what))
                if node.func.attr in ("shuffle", "partial_shuffle") and node.args:
                    self._change(node.args[0], node.lineno)

    def _named_access(self, node: ast.Call) -> None:
        """getattr and setattr with a written name are plain attributes."""
        match node:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[held, ast.Constant(value=str(name)), *_]):
                self.visit_Attribute(ast.copy_location(ast.Attribute(held, name, ast.Load()), node))
            case ast.Call(func=ast.Name(id="setattr"), args=[held, ast.Constant(value=str(name)), _]):
                self.visit_Attribute(ast.copy_location(ast.Attribute(held, name, ast.Store()), node))
            case ast.Call(func=ast.Name(id="getattr" | "setattr")):
                self._hazard(node.lineno, "finds attributes by name at run time, which was not followed")

    def _pass(self, node: ast.Call, found: object | None) -> None:
        """Remember pieces of state and parameters that are handed on; the callee may change them."""
        for function in _functions(found):
            skip = int(isinstance(found, MethodOf) and not is_static(function.node))
            given: list[tuple[int | str, ast.expr]] = [(i + skip, value) for i, value in enumerate(node.args)]
            given += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
            for slot, value in given:
                if isinstance(value, ast.Name) and value.id in self.unit.parameters:
                    self.unit.passes.append(Passed(function.id, slot, value.id, True, node.lineno))
                elif path := self.path(value):
                    self.unit.passes.append(Passed(function.id, slot, path, False, node.lineno))


def _functions(found: object | None) -> Iterator[PyFunction]:
    match found:
        case PyFunction():
            yield found
        case MethodOf(functions=functions):
            yield from functions
