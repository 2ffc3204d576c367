"""Which attributes matter from one call of an environment to the next, by following its reset and its step."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from envwright.recipe.analyse.flow_values import FlowState, Token, Value
from envwright.recipe.analyse.python_escapes import keeps_to_itself, own_name
from envwright.recipe.analyse.python_files import PyFunction
from envwright.recipe.analyse.python_flow import DataFlow, FlowFrame, LostError
from envwright.recipe.analyse.python_flow_calls import evaluate
from envwright.recipe.analyse.python_types import Types

MOST_TURNS = 12
SET_FIRST = "every reset and step sets it before reading it"
ONLY_INFO = "it leads to nothing, or to info alone"


@dataclass(frozen=True)
class KeptAttributes:
    """What was found; nothing, if the source could not be followed."""

    idle: dict[str, str] = field(default_factory=dict)  # leads to nothing that is asked for, and why
    left: frozenset[str] = frozenset()  # a reset may leave them as they were
    read_at: dict[str, str] = field(default_factory=dict)  # of those that matter: the file and line


def follow_calls(types: Types, entries: Sequence[PyFunction], left_out: Sequence[str]) -> KeptAttributes:
    """What the attributes lead to in a reset or a step, of one class that keeps to itself."""
    if len(types.leading) != 1 or len(entries) != 2 or not keeps_to_itself(types, types.leading[0], left_out):
        return KeptAttributes()
    flow = DataFlow(types, evaluate)
    try:
        for _ in range(MOST_TURNS):
            changes, flow.steps = flow.things.changes, 0
            ends = [_entry(flow, function) for function in entries]
            for name, value in [item for state in ends for item in state.attributes.items()]:
                for site in value.sites:
                    flow.things.unite(name, site)  # what is kept in two attributes is one thing in the next call
            if flow.things.changes == changes:
                return _kept(flow, ends)
    except (LostError, RecursionError):
        pass
    return KeptAttributes()


def _entry(flow: DataFlow, function: PyFunction) -> FlowState:
    """A reset or a step; what it returns, but info, is asked for."""
    own = own_name(function)
    names = {a.arg: Value() for a in [*function.node.args.args, *function.node.args.kwonlyargs]}
    names |= {star.arg: Value() for star in (function.node.args.vararg, function.node.args.kwarg) if star}
    names.pop(own or "", None)
    frame = FlowFrame(flow.types.scope(function), own, (function.id,))
    value, state = flow.follow(function.node, frame, FlowState(names))
    if state is None:
        raise LostError
    parts = list(value.items or (value,))
    is_reset = function.node.name == "reset"
    if value.items and ((not is_reset and len(parts) in (4, 5)) or (len(parts) == 2 and parts[1].is_dict)):
        parts.pop()
    for part in parts:
        flow.sink(flow.tokens(part))
    return state


def _kept(flow: DataFlow, ends: Sequence[FlowState]) -> KeptAttributes:
    reset = ends[0]
    into: dict[str, set[Token]] = {}  # by attribute: what its value after a call is made from
    for state in ends:
        for name in {name for state in ends for name in state.attributes} | flow.read:
            into.setdefault(name, set()).update(flow.tokens(state.attribute(name)))
    matter: dict[str, set[str]] = {}  # and where it is read
    waiting = set(flow.sunk)
    while waiting:
        token = waiting.pop()
        if token.name not in matter:
            waiting |= {other for other in into.get(token.name, ()) if other.name != token.name}
        matter.setdefault(token.name, set()).add(token.where)
    written = {name for state in ends for name in state.attributes}
    idle = {
        name: ONLY_INFO if name in flow.read else SET_FIRST
        for name in sorted((written | flow.read) - matter.keys())
        if name.isidentifier()
    }
    names = written | flow.read | matter.keys()
    left = frozenset(n for n in names if any(t.name == n for t in reset.attribute(n).of))
    return KeptAttributes(idle, left, {name: min(places, key=_order) for name, places in matter.items()})


def _order(place: str) -> tuple[str, int]:
    file, _, line = place.rpartition(":")
    return file, int(line or 0)
