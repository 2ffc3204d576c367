"""sorted() and list.sort()."""

import numpy as np

from envwright.compiler.ir import code
from envwright.compiler.ir.frame import Frame
from envwright.compiler.ir.kinds import INT, Kind
from envwright.compiler.ir.lists import counted, in_use, items_of
from envwright.compiler.ir.memory import known
from envwright.compiler.ir.values import (
    NONE,
    Array,
    Counted,
    Items,
    Masked,
    Static,
    Value,
    as_array,
    cast,
    is_none,
    stack,
)
from envwright.compiler.refusal import RefusedError


def ordered(frame: Frame, value: Value, options: dict[str, Value]) -> Value:
    """A list in order; stable, as Python's is."""
    value = frame.memory.deep(value)
    downwards = bool(known(options.get("reverse", Static(False))))
    by = options.get("key", NONE)
    if is_none(by) and getattr(getattr(value, "array", value), "kind", Kind(INT)).of:
        raise RefusedError("objects are put in order by a rule of their own")
    if isinstance(value, Static) and isinstance(by, Static) and by.value is None:
        return Items(tuple(Static(v) for v in sorted(value.value, reverse=downwards)), True)
    if isinstance(value, Counted | Masked) and isinstance(by, Static) and by.value is None and not downwards:
        full = counted(value)
        top = (
            code.dotted("jnp.inf")
            if full.array.kind.is_float
            else code.attribute(code.call("jnp.iinfo", code.dotted(f"jnp.{full.array.kind.dtype}")), "max")
        )
        filled = code.call("jnp.sort", code.call("jnp.where", in_use(full).code, full.array.code, top))
        return Counted(Array(filled, full.array.kind, listed=True), full.count)
    items = items_of(frame.memory, value)
    array = as_array(value) if not isinstance(value, Static) else as_array(Static(np.asarray(list(value.value))))
    if len(array.kind.shape) != 1:
        raise RefusedError("a list of more than numbers is sorted")
    keys = array
    if not (isinstance(by, Static) and by.value is None):
        found = [frame.memory.deep(frame.program.call(frame, by, [item], {}, None)) for item in items]
        keys = stack(Items(tuple(found), True))
    if downwards:
        keys = Array(code.negative(cast(keys, INT).code if keys.kind.is_bool else keys.code), keys.kind)
    order = code.call("jnp.argsort", keys.code, stable=code.const(True))
    return Array(code.index(array.code, order), array.kind, listed=True)
