"""Methods of dicts."""

from envwright.compiler.ir import tables
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.merge import join
from envwright.compiler.ir.operators import contains
from envwright.compiler.ir.values import (
    Items,
    Keyed,
    Picked,
    Ref,
    Static,
    Value,
    as_array,
)
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle.state_parts import has_parts, keep_part
from envwright.compiler.refusal import RefusedError


def call_dict(frame: Frame, base: Value, content: Keyed | Static, name: str, arguments: list[Value]) -> Value:
    items = content.items if isinstance(content, Keyed) else {k: Static(v) for k, v in content.value.items()}
    match name:
        case "get":
            return _get(frame, content, arguments)
        case "keys":
            return Items(tuple(Static(k) for k in items), True)
        case "values":
            return Items(tuple(items.values()), True)
        case "items":
            return Items(tuple(Items((Static(k), v)) for k, v in items.items()), True)
        case "copy":
            return Keyed(dict(items))
        case "update" if arguments:
            more = frame.memory.see(arguments[0])
            added = more.items if isinstance(more, Keyed) else {k: Static(v) for k, v in known(more).items()}
            set_content(frame, base, Keyed({**items, **added}))
            if isinstance(base, Ref):
                for key, value in added.items():
                    keep_part(frame, base.cell, key, value)
            return Static(None)
        case "pop" if has_parts(frame, base):
            raise RefusedError("a key is taken out of a dict of the state, which always has the same keys")
        case "pop":
            key = known(arguments[0])
            left = {k: v for k, v in items.items() if k != key}
            set_content(frame, base, Keyed(left))
            return items[key] if key in items else arguments[1]
    raise RefusedError(f"the method {name} of a dict is not covered")


def _get(frame: Frame, content: Keyed | Static, arguments: list[Value]) -> Value:
    key = frame.memory.deep(arguments[0])
    default = frame.memory.deep(arguments[1]) if len(arguments) > 1 else Static(None)
    table = content.value if isinstance(content, Static) else content.items
    try:
        return (
            frame.memory.see(Static(table[known(key)]) if isinstance(content, Static) else content.items[known(key)])
            if known(key) in table
            else default
        )
    except RefusedError:
        pass
    if isinstance(content, Keyed):
        raise RefusedError("get() of a dict that is made in the game, with a key of the game")
    if isinstance(key, Items):
        found = tables.by_tuple(
            frame.program, table, key, "TABLE", known(default) if isinstance(default, Static) else None
        )
        return join(frame, as_array(contains(frame, Static(set(table)), key)), found, default)
    if isinstance(key, Picked) and table:
        found = tables.by_text(frame.program, table, key)
    else:
        found = tables.pick(frame.program, table, as_array(key), "TABLE")
    return join(frame, as_array(contains(frame, Static(set(table)), key)), found, default)
