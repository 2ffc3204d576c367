"""Methods of dicts."""

from envwright.compiler.ir import tables
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.operators import contains
from envwright.compiler.ir.phi import join
from envwright.compiler.ir.store import known
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.ir.writing import set_content
from envwright.compiler.middle.nested_state import has_parts, keep_part
from envwright.compiler.refusal import RefusedError


def call_dict(frame: CallFrame, base: Value, content: ir.Keyed | ir.Static, name: str, arguments: list[Value]) -> Value:
    items = content.items if isinstance(content, ir.Keyed) else {k: ir.Static(v) for k, v in content.value.items()}
    match name:
        case "get":
            return _get(frame, content, arguments)
        case "keys":
            return ir.Items(tuple(ir.Static(k) for k in items), True)
        case "values":
            return ir.Items(tuple(items.values()), True)
        case "items":
            return ir.Items(tuple(ir.Items((ir.Static(k), v)) for k, v in items.items()), True)
        case "copy":
            return ir.Keyed(dict(items))
        case "update" if arguments:
            more = frame.memory.see(arguments[0])
            added = more.items if isinstance(more, ir.Keyed) else {k: ir.Static(v) for k, v in known(more).items()}
            set_content(frame, base, ir.Keyed({**items, **added}))
            if isinstance(base, ir.Ref):
                for key, value in added.items():
                    keep_part(frame, base.loc, key, value)
            return ir.Static(None)
        case "pop" if has_parts(frame, base):
            raise RefusedError("a key is removed from a dict of the state, whose keys are fixed")
        case "pop":
            key = known(arguments[0])
            left = {k: v for k, v in items.items() if k != key}
            set_content(frame, base, ir.Keyed(left))
            return items[key] if key in items else arguments[1]
    raise RefusedError(f"the method {name} of a dict is not supported")


def _get(frame: CallFrame, content: ir.Keyed | ir.Static, arguments: list[Value]) -> Value:
    key = frame.memory.deep(arguments[0])
    default = frame.memory.deep(arguments[1]) if len(arguments) > 1 else ir.Static(None)
    table = content.value if isinstance(content, ir.Static) else content.items
    try:
        return (
            frame.memory.see(
                ir.Static(table[known(key)]) if isinstance(content, ir.Static) else content.items[known(key)]
            )
            if known(key) in table
            else default
        )
    except RefusedError:
        pass
    if isinstance(content, ir.Keyed):
        raise RefusedError("get() of a dict built at run time, with a run-time key")
    if isinstance(key, ir.Items):
        found = tables.by_tuple(
            frame.program, table, key, "TABLE", known(default) if isinstance(default, ir.Static) else None
        )
        return join(frame, as_array(contains(frame, ir.Static(set(table)), key)), found, default)
    if isinstance(key, ir.Picked) and table:
        found = tables.by_text(frame.program, table, key)
    else:
        found = tables.pick(frame.program, table, as_array(key), "TABLE")
    return join(frame, as_array(contains(frame, ir.Static(set(table)), key)), found, default)
