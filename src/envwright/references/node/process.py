"""References in JavaScript: the original runs in a Node process of its own, and host/host.js speaks for it.

What a game must export is at the top of host/game.js; reset, step and state are enough. How its values look in Python
is at the top of wire.py.
"""

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from envwright.core.errors import EnvwrightError, ReferenceUnavailableError
from envwright.core.spaces import Box, Discrete, Space
from envwright.references import legality
from envwright.references.node.answers import to_error, to_glimpse, to_mask, to_outcome, to_space, to_tape
from envwright.references.node.pipe import Lost, Pipe
from envwright.references.node.wire import encode, exact, plain
from envwright.references.protocol import Counts, Covered, Draw, Glimpse, Outcome, ReferenceFailedError, Watchpoint

HOST = Path(__file__).parent / "host" / "host.js"


class NodeReference:
    """A game in a JavaScript file, under observation. Also a context manager, which ends the process.

    After a crash or a hang the next reset starts a new process. A reset without a seed goes on with the generator that
    the last seed began.
    """

    def __init__(self, script: Path | str, node: str = "node", timeout: float = 30.0) -> None:
        self._script = Path(script).resolve()
        if not self._script.is_file():
            raise ReferenceUnavailableError(f"There is no game at {self._script}.")
        self.name = self._script.name
        self._node, self._timeout = node, timeout
        self._closed = self._counting = False
        self._pipe: Pipe | None = None
        self._start()

    # ---- what it is ----

    @property
    def players(self) -> int:
        return self._facts["players"]

    @property
    def action_space(self) -> Space | None:
        return self._action_space

    @property
    def observation_space(self) -> Space | None:
        return None if self.observation_shape is None else Box(-np.inf, np.inf, self.observation_shape)

    @property
    def observation_shape(self) -> tuple[int, ...] | None:
        shape = (self._facts["spaces"].get("observation") or {}).get("shape")
        return None if shape is None else tuple(shape)

    def provenance(self) -> dict[str, Any]:
        """The script, a hash of it and of those beside it, which it may require, and the Node that runs it."""
        beside = self._script.parent.rglob("*.[cm]js"), self._script.parent.rglob("*.js")
        own = {path for found in beside for path in found if "node_modules" not in path.parts} | {self._script}
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(own)))
        return {"script": self.name, "sha256": digest.hexdigest(), "node": self._facts["node"]}

    def late_changes(self) -> list[str]:
        return []  # a game says what its state is

    def functions(self) -> list[str]:
        """Those that the game lists, and its methods."""
        return self._facts["functions"]

    def sample_action(self, rng: np.random.Generator) -> Any:
        """An action that the game lists as legal, or one of its action space if it lists none; of each player."""
        if (legal := self.legal()) is not None:
            return legality.sample(rng, legal)
        if self._facts["choosy"]:
            listed = plain(self._ask("actions"))
            return listed[rng.integers(len(listed))]
        lead = legality.seats(self.players)
        match self._action_space:
            case Discrete(n=n):
                return rng.integers(n, size=lead) if lead else int(rng.integers(n))
            case Box() as box:
                return rng.uniform(box.low, box.high, (*lead, *box.shape)).astype(box.dtype)
        raise ReferenceFailedError(f"{self.name} says nothing of its actions; give it spaces.action or actions().")

    # ---- play ----

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        if self._pipe is None:
            self._start()
        reduced = None if seed is None else int(seed) % 2**53  # all that a JavaScript number can tell apart
        return self._outcome(self._ask("reset", seed=reduced, tape=to_tape(tape)))

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome:
        return self._outcome(self._ask("step", action=encode(action), tape=to_tape(tape)))

    def legal(self) -> legality.Mask | None:
        if not self._facts["choosy"] or not isinstance(self._action_space, Discrete):
            return None
        return to_mask(plain(self._ask("actions")), self._action_space, self.players)

    def _outcome(self, wire: Mapping[str, Any]) -> Outcome:
        return to_outcome(wire, self._action_space, self.players)

    def look(self) -> dict[str, Any]:
        return plain(self._ask("look"))

    def snapshot(self) -> dict[str, Any]:
        return exact(self._ask("snapshot"))

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Put a snapshot back; a list and an array may stand for each other, the game gets what it had before."""
        self._ask("restore", snapshot=encode(snapshot))

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        """A function that the game lists in `functions`, or a method of it."""
        return plain(self._ask("call", function=function, arguments=[encode(value) for value in arguments]))

    # ---- play, observed ----

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        """A step, seen at each watchpoint that it passes; at a return, what is returned is `result`.

        A local name hides a name of the state; what is not plain data, or has no value yet, is left out.
        """
        wanted = [vars(point) for point in points]
        seen = self._ask("watch", points=wanted, action=encode(action), tape=to_tape(tape))
        return [to_glimpse(glimpse) for glimpse in seen["glimpses"]], self._outcome(seen["outcome"])

    def rounding(self, seed: int, dtype: str) -> None:
        """JavaScript is not rewritten."""

    def setting(self, values: Mapping[str, Any]) -> None:
        """What a game keeps to itself cannot be set."""

    def record_calls(self, functions: Sequence[str], play: Callable[[], None]) -> dict[str, list[dict[str, Any]]]:
        """The distinct arguments that functions, exported or not, are called with while `play` runs."""
        self._ask("record", functions=list(functions))
        try:
            play()
        finally:
            calls = {} if self._pipe is None else self._ask("recorded")
        return plain(calls)

    def counted(self) -> Counts:
        """Nothing: a script does not count what of its rules it has met."""
        return {}

    @contextlib.contextmanager
    def covering(self) -> Iterator[Covered]:
        """Count what of the script runs inside of the `with`; the numbers are there when it ends.

        Code that counts is compiled for it and slow, so the game moves to another process meanwhile, with its state
        and its generator. A state that cannot be copied stays behind: then a reset must come first. What ran before a
        crash is not counted.
        """
        if self._counting:
            raise ReferenceFailedError(f"{self.name} is being covered already; end that first.")
        covered = Covered()
        self._counting = True
        try:
            self._move()
            yield covered
        finally:
            self._counting = False
            if self._pipe is not None:
                counts = self._ask("covered")
                vars(covered).update(counts, missing=tuple(counts["missing"]))
            self._move()

    # ---- the process ----

    def close(self) -> None:
        """End the process; more than once does no harm."""
        self._closed = True
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _start(self) -> None:
        if self._closed:
            raise ReferenceFailedError(f"{self.name} is closed; make a new NodeReference.")
        command = [self._node, str(HOST), str(self._script), *(["count"] if self._counting else [])]
        self._pipe = Pipe(command, self._script.parent)
        try:
            self._facts = plain(self._reply("load"))
            self._action_space = to_space(self.name, self._facts["spaces"].get("action"))
        except EnvwrightError:
            self._end()
            raise

    def _move(self) -> None:
        """On to a new process, if there is one to leave."""
        if self._pipe is None:
            return
        luggage = self._ask("leave")
        self._end()
        self._start()
        self._ask("enter", **luggage)

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.end()
            self._pipe = None

    def _ask(self, ask: str, **given: Any) -> Any:
        if self._pipe is None:
            state = "is closed; make a new NodeReference" if self._closed else "is not running; reset it first"
            raise ReferenceFailedError(f"{self.name} {state}.")
        self._pipe.say(ask, given)
        return self._reply(ask)

    def _reply(self, ask: str) -> Any:
        assert self._pipe is not None
        try:
            reply = self._pipe.hear(self._timeout)
        except Lost as lost:
            self._end()
            raise ReferenceFailedError(f"{self.name} {lost} during {ask}; a reset starts it anew.") from None
        if "error" in reply:
            raise to_error(self.name, ask, **reply["error"])
        return reply["result"]
