"""The functions that draw the random numbers: all at once, or by running the step where draws depend on it."""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from envwright.compiler.ir import code
from envwright.compiler.ir import values as ir
from envwright.compiler.ir.avals import Aval, narrow
from envwright.compiler.ir.code import Code, Written
from envwright.compiler.ir.frame import CallFrame
from envwright.compiler.ir.shapes import cast_to, zero
from envwright.compiler.ir.store import DRAWN
from envwright.compiler.ir.unit import TranslationUnit
from envwright.compiler.ir.values import Value, as_array
from envwright.compiler.middle.draws import DrawSite, typed
from envwright.compiler.middle.inlining import Callee, read_inline
from envwright.compiler.refusal import RefusedError

_DOCS = {"start": "Draw the random numbers of a new episode.", "step": "Draw the random numbers of a step."}


def add_draw(
    program: TranslationUnit, name: str, parameters: list[tuple[str, str]], record_name: str, fields: Sequence[Any],
    drawn: list[tuple[str, DrawSite]], when: str,
) -> None:  # fmt: skip
    """The function that makes all random draws of a reset or a step."""
    rooms = program.rooms(when)
    used = [f for f in fields if any(n == f.name for n, _ in drawn)]
    body: list[Any] = []
    keys: dict[str, Code] = {f.name: code.name("key") for f in used}
    if len(used) > 1:
        names = [f"{f.name}_key" for f in used]
        body.append(code.Assign(names, code.call("jax.random.split", code.name("key"), code.const(len(used)))))
        keys = {f.name: code.name(n) for f, n in zip(used, names, strict=True)}
    values: dict[str, Code] = {}
    for wanted in fields:
        kind = Aval(narrow(wanted.dtype), tuple(wanted.shape))
        own = list(dict.fromkeys((d.place, code.text(d.sample)) for n, d in drawn if n == wanted.name))
        made = _sampled(own, keys[wanted.name], rooms[wanted.name], wanted.name) if own else zero(kind).code
        values[wanted.name] = typed(made, kind, [text for _, text in own])
    result = code.call(record_name, **values)
    program.functions[name] = Written(
        name, parameters, body, result, record_name, _DOCS[when], "", bases={n: n for s in body for n in s.targets}
    )


def write_drawing(
    program: TranslationUnit, frame: CallFrame, callee: Callee, given: list[Value], when: str, fields: Sequence[Any],
    drawn: list[tuple[str, DrawSite]],
) -> None:  # fmt: skip
    """A function that draws by running the step as far as the draws depend on it."""
    rooms = program.rooms(when)
    _draw_early(frame, fields, rooms, drawn)
    for wanted in fields:
        room = rooms[wanted.name]
        blank = ir.Static(0) if room is None else ir.Items((ir.Static(0),) * room)
        frame.memory.attributes[DRAWN, wanted.name] = blank
    read_inline(frame, callee, given, {})
    values: dict[str, Code] = {}
    for wanted in fields:
        kind = Aval(narrow(wanted.dtype), tuple(wanted.shape))
        if wanted.name in frame.writer.early:
            values[wanted.name] = code.name(frame.writer.early[wanted.name])
            continue
        value = frame.memory.attributes[DRAWN, wanted.name]
        empty = isinstance(value, ir.Static) or (
            isinstance(value, ir.Items) and all(isinstance(v, ir.Static) for v in value.items)
        )
        values[wanted.name] = zero(kind).code if empty else cast_to(as_array(value), kind).code
    body = frame.writer.blocks[0]
    frame.line = 0
    split = code.call("jax.random.split", code.name("key"), code.const(frame.writer.drawn))
    body.insert(0, code.Assign(["keys"], split))
    record_name, name = ("StartChance", "draw_start") if when == "start" else ("StepChance", "draw")
    parameters = [("key", "jax.Array"), *([("state", "State"), ("action", "jax.Array")] if when == "step" else [])]
    program.functions[name] = Written(
        name, parameters, body, code.call(record_name, **values), record_name, _DOCS[when], "", bases=frame.writer.bases
    )


def _draw_early(
    frame: CallFrame, fields: Sequence[Any], rooms: Mapping[str, int | None], drawn: list[tuple[str, DrawSite]]
) -> None:
    """Draws that do not depend on the state are made first, at full capacity."""
    for wanted in fields:
        own = [d for n, d in drawn if n == wanted.name]
        if not own or any(d.late for d in own) or rooms[wanted.name] is None:
            continue
        texts = list(dict.fromkeys((d.place, code.text(d.sample)) for d in own))
        key = code.index(code.name("keys"), code.const(frame.writer.drawn))
        try:
            made = _sampled(texts, key, rooms[wanted.name], wanted.name)
        except RefusedError:
            continue
        frame.writer.drawn += 1
        kind = Aval(narrow(wanted.dtype), tuple(wanted.shape))
        frame.writer.early[wanted.name] = frame.bind(wanted.name, typed(made, kind, [text for _, text in texts]))


def _sampled(own: list[tuple[int | None, str]], key: Code, room: int | None, field: str) -> Code:
    texts = list(dict.fromkeys(text for _, text in own))
    if len(texts) == 1:
        return _one(texts[0], key) if room is None else _many(texts[0], key, room)
    places: dict[int, str] = {}
    for place, text in own:
        if room is None or place is None or places.get(place, text) != text:
            raise RefusedError(
                f"{field} is drawn in {len(texts)} different ways; give each an entry of its own in the contract"
            )
        places[place] = text
    assert room is not None
    keys = code.call("jax.random.split", key, code.const(room))
    parts = [_one(places.get(i, texts[0]), code.index(keys, code.const(i))) for i in range(room)]
    return code.call("jnp.array", code.list_of(parts))


def _one(text: str, key: Code) -> Code:
    """A draw with another key."""
    return code.substituted(ast.parse(text, mode="eval").body, {"key": key})


_SHAPED = re.compile(r"((?:jax\.random\.(?:uniform|randint)|normal)\(key, )\(\)")


def _many(text: str, key: Code, room: int) -> Code:
    """Several draws of one kind."""
    if _SHAPED.match(text):
        return _one(_SHAPED.sub(rf"\g<1>({room},)", text), key)
    if text.startswith("jax.random.choice(") and ", ()" in text and "replace=False" not in text:
        return _one(text.replace(", ()", f", ({room},)", 1), key)
    each = ast.Lambda(
        ast.arguments(posonlyargs=[], args=[ast.arg("key")], kwonlyargs=[], kw_defaults=[], defaults=[]),
        ast.parse(text, mode="eval").body,
    )  # fmt: skip
    return code.call(code.call("jax.vmap", each), code.call("jax.random.split", key, code.const(room)))
