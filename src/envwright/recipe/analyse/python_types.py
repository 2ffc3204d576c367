"""What expressions of Python code stand for, as far as can be told without running it: classes, methods, objects."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from envwright.recipe.analyse.python_files import (
    FunctionNode,
    Outside,
    Package,
    PyClass,
    PyFile,
    PyFunction,
    PyImport,
    class_of,
    imported,
)
from envwright.recipe.analyse.python_meanings import GENERATORS, is_own_world


@dataclass(frozen=True)
class Instance:
    cls: PyClass


@dataclass(frozen=True)
class Many:
    """A list, or anything else to iterate over, of objects of a class."""

    cls: PyClass


@dataclass(frozen=True)
class MethodOf:
    """A method of an object; several, where its class can be one of several."""

    functions: tuple[PyFunction, ...]


@dataclass(frozen=True)
class Super:
    cls: PyClass  # looked up after this one
    me: PyClass


class RandomGenerator:
    """A random generator."""


@dataclass(eq=False)
class Scope:
    """The names inside of a function, or of a file's own statements."""

    file: PyFile
    owner: PyClass | None = None
    me: PyClass | None = None  # the class of `self`
    outer: "Scope | None" = None
    local: set[str] = field(default_factory=set)
    values: dict[str, object | None] = field(default_factory=dict)

    def find(self, name: str) -> tuple[bool, object | None]:
        """Whether a name is one of a function's own, and what it stands for."""
        if name in self.local:
            return True, self.values.get(name)
        return self.outer.find(name) if self.outer else (False, None)


class Types:
    """What things are, in the files of a package. `leading` are the environment's classes: their `self` is no other."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.leading: list[PyClass] = []
        self._bases: dict[PyClass, list[PyClass]] = {}
        self._order: dict[PyClass, list[PyClass]] = {}
        self._attributes: dict[PyClass, dict[str, object | None]] = {}

    # ---- classes ----

    def bases(self, cls: PyClass) -> list[PyClass]:
        """The base classes that are the package's own."""
        if cls not in self._bases:
            self._bases[cls] = []
            found = [self.resolve(base, Scope(cls.file)) for base in cls.node.bases]
            self._bases[cls] = [base for base in found if isinstance(base, PyClass)]
        return self._bases[cls]

    def mro(self, cls: PyClass) -> list[PyClass]:
        """A class and its bases, each before what it is made from."""
        if cls not in self._order:
            order = [cls, *(above for base in self.bases(cls) for above in self.mro(base))]
            self._order[cls] = list(dict.fromkeys(reversed(order)))[::-1]
        return self._order[cls]

    def is_called_back(self, cls: PyClass) -> bool:
        """Whether a class is made from one of somebody else's, who may then call its methods."""
        found = [self.resolve(base, Scope(above.file)) for above in self.mro(cls) for base in above.node.bases]
        return any(isinstance(base, Outside) and not is_own_world(base.path) for base in found)

    def self_class(self, owner: PyClass) -> PyClass:
        """What `self` is in the methods of a class: the environment, if that is made from it."""
        return next((cls for cls in self.leading if owner in self.mro(cls)), owner)

    def methods(
        self, cls: PyClass, name: str, after: PyClass | None = None, exact: bool = False
    ) -> tuple[PyFunction, ...]:
        """The methods that a name can mean: the first in the order of classes, and, of an object that may be of a
        subclass, what the known ones put over it."""
        order = self.mro(cls)
        order = order[order.index(after) + 1 :] if after in order else order
        found = next((hits for c in order if (hits := c.methods.get(name))), ())
        if after is None and not exact and cls not in self.leading:
            for other in self.package.classes():
                if other is not cls and cls in self.mro(other):
                    found = (*found, *(f for f in other.methods.get(name, ()) if f.id not in {g.id for g in found}))
        return found

    def attribute(self, cls: PyClass, name: str) -> object | None:
        """What an attribute of an object is: by its annotation, or by what the methods put there."""
        for base in self.mro(cls):
            if base not in self._attributes:
                self._attributes[base] = {}
                self._attributes[base].update(self._attribute_table(base))
            if (found := self._attributes[base].get(name)) is not None:
                return found
        return None

    def _attribute_table(self, cls: PyClass) -> dict[str, object | None]:
        table: dict[str, object | None] = {}
        for node in cls.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                table[node.target.id] = self.annotated(node.annotation, Scope(cls.file, cls))
        for function in cls.functions():
            scope = self.scope(function)
            for node in ast.walk(function.node):
                match node:
                    case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=kind):
                        found = self.annotated(kind, scope)
                    case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                        found = self.resolve(value, scope)
                    case _:
                        continue
                if isinstance(found, Instance | Many | RandomGenerator):
                    table.setdefault(name, found)
        return table

    # ---- expressions ----

    def scope(self, function: PyFunction, outer: Scope | None = None) -> Scope:
        """The names of a function: its parameters are known by their annotations."""
        me = self.self_class(function.owner) if function.owner else outer.me if outer else None
        owner = function.owner or (outer.owner if outer else None)
        scope = Scope(function.file, owner, me, outer, _stored(function.node))
        arguments = _arguments(function.node)
        for argument in arguments:
            if argument.annotation is not None:
                scope.values[argument.arg] = self.annotated(argument.annotation, scope)
        if function.owner and arguments and not is_static(function.node) and me is not None:
            is_class = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in function.node.decorator_list)
            scope.values[arguments[0].arg] = me if is_class else Instance(me)
        return scope

    def resolve(self, node: ast.expr, scope: Scope) -> object | None:
        """What an expression stands for, or None."""
        match node:
            case ast.Name(id=name):
                is_local, found = scope.find(name)
                return found if is_local else self.package.lookup(scope.file, name)
            case ast.Attribute(value=value, attr=name):
                return self.of(self.resolve(value, scope), name)
            case ast.Call(func=ast.Name(id="super")) if scope.owner and scope.me:
                return Super(scope.owner, scope.me)
            case ast.Call(func=ast.Name(id="list" | "sorted" | "reversed" | "tuple" | "iter"), args=[first, *_]):
                return self.resolve(first, scope)
            case ast.Call(func=ast.Attribute(attr="copy" | "deepcopy"), args=[first, *_]):
                return self.resolve(first, scope)
            case ast.Call(func=function):
                return self._result(self.resolve(function, scope), scope)
            case ast.Subscript(value=value):
                held = self.resolve(value, scope)
                return Instance(held.cls) if isinstance(held, Many) else None
            case ast.List(elts=[first, *_]) | ast.ListComp(elt=first) | ast.BinOp(left=ast.List(elts=[first])):
                held = self.resolve(first, scope)
                return Many(held.cls) if isinstance(held, Instance) else None
            case ast.IfExp(body=body, orelse=other):
                return self.resolve(body, scope) or self.resolve(other, scope)
        return None

    def of(self, value: object | None, name: str) -> object | None:
        """A member of what was found."""
        match value:
            case PyFile():
                return self.package.member(value, name)
            case Outside(path=path):
                return Outside(f"{path}.{name}")
            case PyClass():
                nested = next((n for n in value.node.body if isinstance(n, ast.ClassDef) and n.name == name), None)
                if nested is not None:
                    return class_of(value.file, f"{value.qualified}.{name}", nested)
                found = self.methods(value, name, exact=True)
                return MethodOf(found) if found else None
            case Instance(cls=cls):
                found = self.methods(cls, name)
                return MethodOf(found) if found else self.attribute(cls, name)
            case Super(cls=cls, me=me):
                found = self.methods(me, name, cls)
                return MethodOf(found) if found else Outside(f"super.{name}")
        return None

    def _result(self, called: object | None, scope: Scope) -> object | None:
        match called:
            case PyClass():
                return Instance(called)
            case Outside(path=path) if path in GENERATORS:
                return RandomGenerator()
            case PyFunction(node=node, file=file) if node.returns is not None:
                return self.annotated(node.returns, Scope(file))
            case MethodOf(functions=(PyFunction(node=node, file=file), *_)) if node.returns is not None:
                return self.annotated(node.returns, Scope(file))
        return None

    def annotated(self, node: ast.expr, scope: Scope) -> object | None:
        """What an annotation says of a value."""
        match node:
            case ast.Constant(value=str(text)):
                try:
                    return self.annotated(ast.parse(text, mode="eval").body, scope)
                except SyntaxError:
                    return None  # a string that is not code is no type
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self.annotated(left, scope) or self.annotated(right, scope)
            case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
                return self.annotated(inner, scope)
            case ast.Subscript(slice=inner):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                held = [found for part in parts if isinstance(found := self.annotated(part, scope), Instance)]
                return Many(held[-1].cls) if held else None
            case ast.Name() | ast.Attribute():
                found = self.resolve(node, Scope(scope.file))
                return Instance(found) if isinstance(found, PyClass) else None
        return None

    def bind(self, statement: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        """An import inside of a function."""
        for alias in statement.names:
            if isinstance(statement, ast.Import):
                name, target = alias.asname or alias.name.partition(".")[0], imported(alias)
            else:
                name, target = alias.asname or alias.name, PyImport(scope.file.absolute(statement), alias.name)
            scope.values[name] = self.package.follow(target, scope.file)


def _arguments(node: FunctionNode) -> list[ast.arg]:
    given = node.args
    stars = [star for star in (given.vararg, given.kwarg) if star]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *stars]


def parameters(node: FunctionNode) -> tuple[str, ...]:
    """The names of a function's parameters, those that can be given by place first."""
    return tuple(argument.arg for argument in _arguments(node))


def is_static(node: FunctionNode) -> bool:
    """Whether a method has no `self`."""
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)


def inside(node: ast.AST) -> Iterable[ast.AST]:
    """The nodes of a function's body, without those of functions and classes in it."""
    waiting = list(ast.iter_child_nodes(node))[::-1]
    while waiting:
        found = waiting.pop()
        yield found
        if not isinstance(found, FunctionNode | ast.ClassDef):
            waiting += list(ast.iter_child_nodes(found))[::-1]


def _stored(node: FunctionNode) -> set[str]:
    """The names that belong to a function."""
    names, free = set(parameters(node)), set()
    for inner in inside(node):
        match inner:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names.update(alias.asname or alias.name.partition(".")[0] for alias in aliases)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.arg(arg=name):  # of a lambda
                names.add(name)
            case ast.Global(names=given) | ast.Nonlocal(names=given):
                free.update(given)
    return names - free
