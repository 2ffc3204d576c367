"""Whether the attributes of an environment are only used where its own methods name them: `self.x`, `self.f()`."""

import ast
from collections.abc import Iterable

from envwright.recipe.analyse.python_files import FunctionNode, Outside, PyClass, PyFunction
from envwright.recipe.analyse.python_types import Scope, Types, is_static

AT_ONCE = {"sorted", "min", "max", "sort"}  # call what they are given
PLAIN_BASES = ("gymnasium.", "gym.", "abc.", "typing.", "builtins.", "enum.")
_OWN_ACCESS = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__dict__", "__slots__"}


def keeps_to_itself(types: Types, cls: PyClass, left_out: Iterable[str] = ()) -> bool:
    """Whether nobody else can read or write attributes of the environment, nor they be found by computed names."""
    order = types.mro(cls)
    for base in order:
        nodes = [node.value if isinstance(node, ast.Subscript) else node for node in base.node.bases]
        bases = [types.resolve(node, Scope(base.file)) for node in nodes]
        names = [getattr(node, "id", "") for node in nodes]
        for found, name in zip(bases, names, strict=True):
            known = isinstance(found, PyClass) or name == "object"
            if not known and not (isinstance(found, Outside) and found.path.startswith(PLAIN_BASES)):
                return False
    methods = {name for base in order for name in base.methods}
    if methods & _OWN_ACCESS:
        return False
    plain = {name for base in order for name, of in base.methods.items() if not any(is_property(f.node) for f in of)}
    functions = [f for base in order for f in base.functions() if f.id not in set(left_out)]
    return not any(_escapes(function, plain) for function in functions)


def is_property(node: FunctionNode) -> bool:
    kinds = [d.id if isinstance(d, ast.Name) else getattr(d, "attr", "") for d in node.decorator_list]
    return any(kind in ("property", "setter", "cached_property") for kind in kinds)


def own_name(function: PyFunction) -> str | None:
    """What a method calls the environment."""
    arguments = [*function.node.args.posonlyargs, *function.node.args.args]
    return arguments[0].arg if function.owner and arguments and not is_static(function.node) else None


def _escapes(function: PyFunction, methods: set[str]) -> bool:
    """Whether a method hands the environment, or one of its methods, to somebody, or keeps it."""
    own = own_name(function)
    if own is None:
        return False
    fine: set[int] = set()  # uses that are seen through
    for node in ast.walk(function.node):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name()) as called):
                fine.add(id(called))
            case ast.Call(func=ast.Name(id="isinstance" | "super"), args=arguments):
                fine |= {id(argument) for argument in arguments}
            case ast.Call(func=ast.Name(id="getattr" | "hasattr" | "setattr"), args=[held, ast.Constant(), *_]):
                fine.add(id(held))
            case ast.Attribute(value=ast.Call(func=ast.Name(id="type"), args=[held])):
                fine.add(id(held))
            case ast.Attribute(value=ast.Attribute(attr="__class__") as held):
                fine.add(id(held))
    for node in ast.walk(function.node):
        match node:
            case ast.Attribute(value=ast.Name(id=name) as held, attr=attribute) if name == own:
                fine.add(id(held))
                if attribute == "__dict__" or (attribute in {*methods, "__class__"} and id(node) not in fine):
                    return True
    handed = {id(a) for node in ast.walk(function.node) if isinstance(node, ast.Call) for a in _at_once(node)}
    for node in ast.walk(function.node):
        if isinstance(node, ast.Name) and node.id == own and id(node) not in fine:
            return True
        if isinstance(node, ast.Lambda) and id(node) not in handed and _names(node, own):
            return True
    return False


def _at_once(node: ast.Call) -> list[ast.expr]:
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return [*node.args, *(keyword.value for keyword in node.keywords)] if name in AT_ONCE else []


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))
