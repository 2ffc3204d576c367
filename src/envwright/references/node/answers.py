"""What the host says, as the protocol has it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.legality import Mask
from envwright.references.node.wire import encode, exact, plain
from envwright.references.protocol import Draw, Glimpse, Outcome, ReferenceFailedError, SnapshotError, TapeError


def to_tape(tape: Sequence[Draw] | None) -> list[dict[str, Any]] | None:
    """A tape for the wire."""
    if tape is None:
        return None
    return [{"site": site, "method": method, "value": encode(value)} for site, method, value, _ in tape]


def to_outcome(wire: Mapping[str, Any], space: Space | None, players: int) -> Outcome:
    reward = exact(wire["reward"])
    return Outcome(
        obs=plain(wire["obs"]),
        reward=np.array(reward, np.float64) if players > 1 else float(reward),
        terminated=wire["terminated"],
        truncated=wire["truncated"],
        info=plain(wire["info"]),
        draws=tuple(Draw(draw["site"], draw["method"], exact(draw["value"])) for draw in wire["draws"]),
        legal=None if wire["legal"] is None else to_mask(plain(wire["legal"]), space, players),
        acting=None if wire["acting"] is None else np.array(wire["acting"], bool),
    )


def to_mask(actions: list[Any], space: Space | None, players: int) -> Mask:
    """The legal actions that a game lists, as booleans."""
    assert isinstance(space, Discrete)
    lists = actions if players > 1 else [actions]
    mask = np.array([np.isin(np.arange(space.n), list(row)) for row in lists])
    return mask if players > 1 else mask[0]


def to_glimpse(wire: Mapping[str, Any]) -> Glimpse:
    return Glimpse(wire["phase"], plain(wire["names"]))


def to_space(name: str, space: Mapping[str, Any] | None) -> Space | None:
    """The action space of the game called `name`, as it wrote it."""
    match space:
        case {"discrete": int(n)}:
            return Discrete(n)
        case {"box": {"low": low, "high": high, "shape": shape}}:
            bounds = (tuple(bound) if isinstance(bound, list) else float(bound) for bound in (low, high))
            return Box(*bounds, shape=tuple(shape))
        case None:
            return None
    raise ReferenceFailedError(
        f"{name} has the action space {space}; write {{discrete: n}} or {{box: {{low, high, shape}}}}."
    )


def to_error(name: str, ask: str, kind: str, message: str, where: str | None = None) -> EnvwrightError:
    """What went wrong in the game called `name` when asked for `ask`."""
    match kind:
        case "tape":
            return TapeError(f"In {ask} of {name}, {message}.")
        case "snapshot":
            return SnapshotError(f"In {name}, {message}.")
        case "unknown":
            return EnvwrightError(f"{name} {message}.")
        case "usage":
            return ReferenceFailedError(f"{name} cannot {ask}: {message}.")
    return ReferenceFailedError(f"{name} failed in {ask}{f', at {where}' if where else ''}: {message}.")
