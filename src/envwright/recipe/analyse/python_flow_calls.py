"""What expressions depend on, for `python_flow`: names, attributes, calls of its own functions and of others'."""

import ast
from collections.abc import Mapping, Sequence

from envwright.recipe.analyse import python_meanings as meanings
from envwright.recipe.analyse.flow_values import NONE, FlowState, Token, Tokens, Value, join
from envwright.recipe.analyse.python_escapes import is_property, own_name
from envwright.recipe.analyse.python_files import Constant, FunctionNode, Outside, PyClass, PyFunction
from envwright.recipe.analyse.python_flow import DataFlow, FlowFrame, LostError
from envwright.recipe.analyse.python_types import MethodOf, Scope, parameters

WORLD = "."  # what code that is not followed may have kept
_FRESH = {
    "array", "zeros", "ones", "full", "empty", "arange", "concatenate", "stack", "deepcopy", "clip", "astype",
    "tolist", "item", "int", "float", "bool", "str", "len", "abs", "round", "any", "all", "range", "isinstance",
    "hasattr", "print", "sqrt", "mean", "count", "index", "argmax", "argmin", "exp", "sin", "cos", "floor", "ceil",
}  # fmt: skip
_PURE = {"numpy", "math", "builtins", "copy", "itertools", "functools", "collections", "operator", "gymnasium", "gym"}
_PURE |= {"super", "typing", "warnings", "logging", "time", "enum", "string", "heapq", "bisect", "statistics"}


def evaluate(flow: DataFlow, node: ast.expr, state: FlowState, frame: FlowFrame) -> Value:
    """What an expression may be made from."""
    match node:
        case ast.Constant():
            return Value()
        case ast.Name():
            return _name(flow, node, state, frame)
        case ast.Attribute(value=holder, attr=name):
            if flow.is_own(holder, frame):
                return _own(flow, name, node, state, frame)
            if isinstance(found := flow.types.resolve(node, frame.scope), Constant):
                return _read(flow, f"{found.file.path.stem}.{found.name}", node, state, frame)
            if isinstance(found, Outside | PyFunction | PyClass):
                return Value()
            held = evaluate(flow, holder, state, frame)
            return Value(flow.tokens(held), flow.things.reach(held))
        case ast.Subscript(value=holder, slice=where):
            return _subscript(flow, holder, where, state, frame)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            items = [evaluate(flow, part, state, frame) for part in parts]
            made = _made(flow, node, items, frame)
            plain = isinstance(node, ast.Tuple) and not any(isinstance(part, ast.Starred) for part in parts)
            return Value(made.of, made.sites, tuple(items)) if plain else made
        case ast.Dict(keys=keys, values=values):
            items = [evaluate(flow, part, state, frame) for part in (*keys, *values) if part is not None]
            made = _made(flow, node, items, frame)
            return Value(made.of, made.sites, is_dict=True)
        case ast.IfExp(test=test, body=body, orelse=other):
            decided = flow.tokens(evaluate(flow, test, state, frame))
            before, frame.pc = frame.pc, frame.pc | decided
            one, two = (evaluate(flow, side, state, frame) for side in (body, other))
            frame.pc = before
            return join(one, two).under(decided)
        case ast.BoolOp(values=values):
            return _either(flow, values, state, frame)
        case ast.NamedExpr(target=target, value=value):
            given = evaluate(flow, value, state, frame)
            flow.assign(target, given, state, frame)
            return given
        case ast.Call():
            return _call(flow, node, state, frame)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            return _comprehension(flow, node, state, frame)
        case ast.Lambda(args=arguments, body=body):
            inner = state.copy()
            inner.names |= {a.arg: Value() for a in [*arguments.args, *arguments.kwonlyargs]}
            return evaluate(flow, body, inner, frame)
        case ast.Yield() | ast.YieldFrom() | ast.Await():
            raise LostError
    parts = [evaluate(flow, part, state, frame) for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.BinOp):  # lists that are put together hold the same things
        return _made(flow, node, [flow.element(part) for part in parts], frame)
    tokens = NONE.union(*map(flow.tokens, parts))
    return Value(
        tokens, frozenset(s for part in parts for s in part.sites) if isinstance(node, ast.Starred) else frozenset()
    )


def _either(flow: DataFlow, values: Sequence[ast.expr], state: FlowState, frame: FlowFrame) -> Value:
    """`a or b`: what comes first decides whether the rest is looked at."""
    before = frame.pc
    found = evaluate(flow, values[0], state, frame)
    for value in values[1:]:
        frame.pc = frame.pc | flow.tokens(found)
        found = join(found, evaluate(flow, value, state, frame)).under(flow.tokens(found))
    frame.pc = before
    return Value(flow.tokens(found), found.sites)


def _site(node: ast.AST, frame: FlowFrame, kind: object) -> object:
    place = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
    return (*frame.path, frame.scope.file.name, *place, kind)


def _made(flow: DataFlow, node: ast.AST, items: Sequence[Value], frame: FlowFrame) -> Value:
    """A new thing that holds others."""
    site = _site(node, frame, type(node))
    flow.things.mark([site], NONE, frozenset().union(*(flow.things.reach(item) for item in items)))
    return Value(NONE.union(*map(flow.tokens, items)), frozenset({site}))


def _name(flow: DataFlow, node: ast.Name, state: FlowState, frame: FlowFrame) -> Value:
    if node.id in state.names and node.id not in frame.shared:
        return state.names[node.id]
    if node.id in frame.inner or node.id == frame.own:
        raise LostError  # who knows when it is called
    found = flow.types.resolve(node, frame.scope)
    if isinstance(found, Constant):
        return _read(flow, f"{found.file.path.stem}.{found.name}", node, state, frame)
    return Value()


def _own(flow: DataFlow, name: str, node: ast.AST, state: FlowState, frame: FlowFrame) -> Value:
    """An attribute of the environment, or a property."""
    found = flow.types.methods(flow.types.leading[0], name)
    if found and name not in state.attributes:
        if not is_property(found[0].node):
            raise LostError
        return _follow(flow, found[0], [], {}, node, state, frame)
    return _read(flow, name, node, state, frame)


def _read(flow: DataFlow, name: str, node: ast.AST, state: FlowState, frame: FlowFrame) -> Value:
    """A piece of state; if it is as it was before the call, here is where it was read."""
    where = f"{frame.scope.file.name}:{getattr(node, 'lineno', 0)}"
    held = state.attribute(name)
    if Token(name) in held.of:
        flow.read.add(name)
    placed = frozenset(
        Token(token.name, where) if token.name == name or not token.where else token for token in flow.tokens(held)
    )
    for watched in flow.watched:
        watched.update(placed)
    return Value(placed, held.sites, held.items, held.is_dict)


def _subscript(flow: DataFlow, holder: ast.expr, where: ast.expr, state: FlowState, frame: FlowFrame) -> Value:
    held = evaluate(flow, holder, state, frame)
    decided = flow.tokens(evaluate(flow, where, state, frame))
    place = where.value if isinstance(where, ast.Constant) else None
    if held.items is not None and isinstance(place, int) and -len(held.items) <= place < len(held.items):
        return held.items[place].under(decided)
    return Value(flow.tokens(held) | decided, flow.things.reach(held))  # a part, or a view of all of it


def _comprehension(
    flow: DataFlow,
    node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
    state: FlowState,
    frame: FlowFrame,
) -> Value:
    inner = FlowState(dict(state.names), state.attributes)
    before = frame.pc
    for generator in node.generators:
        gone = evaluate(flow, generator.iter, inner, frame)
        frame.pc = frame.pc | flow.tokens(gone)
        flow.assign(generator.target, flow.element(gone), inner, frame)
        for test in generator.ifs:
            frame.pc = frame.pc | flow.tokens(evaluate(flow, test, inner, frame))
    parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    made = _made(flow, node, [evaluate(flow, part, inner, frame) for part in parts], frame)
    decided, frame.pc = frame.pc, before
    return Value(made.of | decided, made.sites, is_dict=isinstance(node, ast.DictComp))


# ---- calls ----


def _call(flow: DataFlow, node: ast.Call, state: FlowState, frame: FlowFrame) -> Value:
    match node:
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[held, ast.Constant(value=str(name)), *rest]):
            if flow.is_own(held, frame):
                others = [evaluate(flow, part, state, frame) for part in rest]
                found = _own(flow, name, node, state, frame)
                return join(found, others[0]).under(flow.tokens(found)) if others else found
        case ast.Call(func=ast.Name(id="setattr"), args=[held, ast.Constant(value=str(name)), value]):
            if flow.is_own(held, frame):
                flow.assign(ast.Attribute(held, name, ast.Store()), evaluate(flow, value, state, frame), state, frame)
                return Value()
        case ast.Call(func=ast.Name(id="super" | "isinstance" | "type")):
            return Value(NONE.union(*(flow.tokens(evaluate(flow, a, state, frame)) for a in node.args[1:])))
    called = node.func
    if isinstance(called, ast.Name) and called.id in frame.inner:
        return _follow_inner(flow, frame.inner[called.id], node, state, frame)
    found = flow.types.resolve(called, frame.scope) if not _is_local(called, state) else None
    given = [evaluate(flow, argument, state, frame) for argument in node.args]
    options = {k.arg or "**": evaluate(flow, k.value, state, frame) for k in node.keywords}
    starred = "**" in options or any(isinstance(argument, ast.Starred) for argument in node.args)
    if isinstance(found, PyFunction) or (isinstance(found, MethodOf) and _of_environment(flow, called, frame)):
        function = found if isinstance(found, PyFunction) else found.functions[0]
        if starred:
            every = _made(flow, node, [*given, *options.values()], frame)
            given, options = [], dict.fromkeys(parameters(function.node), every)
        return _follow(flow, function, given, options, node, state, frame)
    return _foreign(flow, node, found, [*given, *options.values()], state, frame)


def _is_local(called: ast.expr, state: FlowState) -> bool:
    root = called
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(root, ast.Name) and root.id in state.names


def _of_environment(flow: DataFlow, called: ast.expr, frame: FlowFrame) -> bool:
    holder = called.value if isinstance(called, ast.Attribute) else called
    upper = isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "super"
    return upper or flow.is_own(holder, frame)


def _follow(
    flow: DataFlow,
    function: PyFunction,
    given: Sequence[Value],
    options: Mapping[str, Value],
    node: ast.AST,
    state: FlowState,
    frame: FlowFrame,
) -> Value:
    """A function of the environment's own, read in the place of its call."""
    if function.id in frame.path or any(not _plain(d) for d in function.node.decorator_list):
        raise LostError
    place = (frame.scope.file.name, getattr(node, "lineno", 0), getattr(node, "col_offset", 0), function.id)
    own = own_name(function)
    inner = FlowFrame(flow.types.scope(function), own, (*frame.path, *place), frame.pc)
    return _run(flow, function.node, inner, given, options, 1 if own else 0, {}, state)


def _follow_inner(flow: DataFlow, function: FunctionNode, node: ast.Call, state: FlowState, frame: FlowFrame) -> Value:
    """A function inside of a function sees its names."""
    if function.name in frame.path:
        raise LostError
    given = [evaluate(flow, argument, state, frame) for argument in node.args]
    options = {k.arg or "**": evaluate(flow, k.value, state, frame) for k in node.keywords}
    scope = Scope(frame.scope.file, frame.scope.owner, frame.scope.me, frame.scope, set(parameters(function)))
    inner = FlowFrame(scope, frame.own, (*frame.path, node.lineno, function.name), frame.pc, inner=dict(frame.inner))
    return _run(flow, function, inner, given, options, 0, state.names, state)


def _run(
    flow: DataFlow,
    function: FunctionNode,
    frame: FlowFrame,
    given: Sequence[Value],
    options: Mapping[str, Value],
    skip: int,
    names: Mapping[str, Value],
    state: FlowState,
) -> Value:
    wanted = parameters(function)[skip:]
    defaults = [*function.args.defaults, *(d for d in function.args.kw_defaults if d)]
    usual = NONE.union(*(flow.tokens(evaluate(flow, d, FlowState(), frame)) for d in defaults)) if defaults else NONE
    bound = {name: Value(usual) for name in wanted}
    rest = join_all([*given[len(wanted) :], *(v for k, v in options.items() if k not in wanted)])
    bound |= dict(zip(wanted, given, strict=False)) | {k: v for k, v in options.items() if k in wanted}
    for star in (function.args.vararg, function.args.kwarg):
        if star is not None:
            every = join_all([*given, *options.values()])
            bound[star.arg] = Value(flow.tokens(every), flow.things.reach(every))
    if rest.of and not (function.args.vararg or function.args.kwarg):
        raise LostError
    value, after = flow.follow(function, frame, FlowState({**names, **bound}, dict(state.attributes)))
    if after is not None:  # else it only ever raises
        state.attributes = after.attributes
    return value


def join_all(values: Sequence[Value]) -> Value:
    found = Value()
    for value in values:
        found = join(found, value)
    return found


def _plain(decorator: ast.expr) -> bool:
    name = getattr(decorator, "id", getattr(decorator, "attr", ""))
    return name in ("staticmethod", "classmethod", "property", "override", "abstractmethod")


def _foreign(
    flow: DataFlow, node: ast.Call, found: object | None, given: Sequence[Value], state: FlowState, frame: FlowFrame
) -> Value:
    """Functions of others, methods of lists and arrays, and objects that are not followed."""
    called = node.func
    method = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    path = found.path if isinstance(found, Outside) else ""
    tokens = NONE.union(*map(flow.tokens, given))
    inside = frozenset().union(*(flow.things.reach(value) for value in given))
    held = Value()
    if isinstance(called, ast.Attribute) and not path and not isinstance(found, PyClass):
        held = evaluate(flow, called.value, state, frame)
    elif not isinstance(called, ast.Name | ast.Attribute):
        held = evaluate(flow, called, state, frame)
    everything = tokens | flow.tokens(held)
    made = _made(flow, node, [], frame)
    flow.things.mark(made.sites, NONE, inside | flow.things.within(held))
    own = not path and any(method in cls.methods for cls in flow.types.package.classes())  # of a class of its own
    if own and not isinstance(found, PyClass):
        return _opaque(flow, everything, inside | flow.things.reach(held), made, state, frame)
    if meanings.shared_draw(path) or (method in meanings.DRAWS and path.partition(".")[0] in ("", "numpy", "random")):
        flow.sink(everything | frame.pc)
        flow.things.mark(inside if method == "shuffle" else (), everything | frame.pc)
        return Value(everything, made.sites | inside)
    builtin = found is None and isinstance(called, ast.Name) and called.id not in state.names
    known = path.partition(".")[0] in _PURE if path else builtin or method in meanings.COMMON
    if isinstance(found, PyClass) and not _has_rules(flow, found):
        return _made(flow, node, given, frame)
    if not known or isinstance(found, PyClass | MethodOf):
        return _opaque(flow, everything, inside | flow.things.reach(held), made, state, frame)
    if path in meanings.CHANGES_FIRST or any(keyword.arg == "out" for keyword in node.keywords):
        flow.things.mark(inside, everything | frame.pc, inside)
    if method in meanings.MUTATORS and not path:
        flow.things.mark(held.sites, tokens | frame.pc, inside)
    if method in ("copy", "sum"):  # another list of the same things
        return Value(everything, made.sites)
    if method in _FRESH:
        return Value(everything, frozenset({_site(node, frame, "fresh")}))
    return Value(everything, made.sites | inside | flow.things.reach(held), is_dict=method == "dict")


def _opaque(
    flow: DataFlow, tokens: Tokens, sites: frozenset[object], made: Value, state: FlowState, frame: FlowFrame
) -> Value:
    """Code that is not followed may draw at random, keep what it is given, and change it."""
    kept = flow.tokens(state.attribute(WORLD))
    shared = NONE.union(*(flow.tokens(value) for name, value in state.attributes.items() if "." in name))
    everything = tokens | frame.pc | kept | shared
    flow.sink(everything)
    flow.things.mark(sites, everything, sites)
    state.attributes[WORLD] = Value(everything, sites)
    return Value(everything, made.sites | sites)


def _has_rules(flow: DataFlow, cls: PyClass) -> bool:
    """Whether more is done when an object is made than to keep what is given."""
    return any(
        name in base.methods for base in flow.types.mro(cls) for name in ("__init__", "__new__", "__post_init__")
    )
