"""References in JavaScript: the original runs in a Node process of its own, and `node_host.js` speaks for it.

What a game must export is at the top of node_host.js; reset, step and state are enough.

Numbers that JavaScript holds as integers arrive as int, all others as float; typed arrays arrive as NumPy arrays. What
JSON lacks is translated where it is only looked at: undefined is None, a Map a dict, a Set a list, a BigInt an int. In
a snapshot, and on a tape, these stay as marked dicts, {"$": "map", ...}, so that what is put back is what was there.
"""

import base64
import contextlib
import hashlib
import json
import os
import selectors
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn, Self

import numpy as np

from envwright.core.errors import EnvwrightError, ReferenceUnavailableError
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.protocol import (
    Covered,
    Draw,
    Glimpse,
    Outcome,
    ReferenceFailedError,
    SnapshotError,
    TapeError,
    Watchpoint,
)

HOST = Path(__file__).with_name("node_host.js")

_MARK = "$"
_TYPED = {  # JavaScript's typed arrays, as they lie in memory
    "Float32Array": np.dtype("<f4"),
    "Float64Array": np.dtype("<f8"),
    "Int8Array": np.dtype("i1"),
    "Int16Array": np.dtype("<i2"),
    "Int32Array": np.dtype("<i4"),
    "Uint8Array": np.dtype("u1"),
    "Uint16Array": np.dtype("<u2"),
    "Uint32Array": np.dtype("<u4"),
}
_TYPED_NAME = {dtype: name for name, dtype in _TYPED.items()}


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
        self._closed = False
        self._process: _Process | None = None
        self._facts = self._start()
        self._action_space = self._read_space(self._facts["spaces"].get("action"))

    # ---- what it is ----

    @property
    def action_space(self) -> Space | None:
        return self._action_space

    @property
    def observation_shape(self) -> tuple[int, ...] | None:
        shape = (self._facts["spaces"].get("observation") or {}).get("shape")
        return None if shape is None else tuple(shape)

    def provenance(self) -> dict[str, Any]:
        """The script, its hash, and the Node that runs it."""
        digest = hashlib.sha256(self._script.read_bytes()).hexdigest()
        return {"script": self.name, "sha256": digest, "node": self._facts["node"]}

    def sample_action(self, rng: np.random.Generator) -> Any:
        """One of the actions that the game lists as legal, or one of its action space if it lists none."""
        if self._facts["choosy"]:
            legal = _plain(self._ask("actions"))
            return legal[rng.integers(len(legal))]
        match self._action_space:
            case Discrete(n=n):
                return int(rng.integers(n))
            case Box() as box:
                return rng.uniform(box.low, box.high, box.shape).astype(box.dtype)
        raise ReferenceFailedError(f"{self.name} says nothing of its actions; give it spaces.action or actions().")

    # ---- play ----

    def reset(self, seed: int | None = None, tape: Sequence[Draw] | None = None) -> Outcome:
        if self._process is None:
            self._facts = self._start()
        reduced = None if seed is None else int(seed) % 2**53  # all that a JavaScript number can tell apart
        return _outcome(self._ask("reset", seed=reduced, tape=_tape(tape)))

    def step(self, action: Any, tape: Sequence[Draw] | None = None) -> Outcome:
        return _outcome(self._ask("step", action=_encode(action), tape=_tape(tape)))

    def look(self) -> dict[str, Any]:
        return _plain(self._ask("look"))

    def snapshot(self) -> dict[str, Any]:
        return _exact(self._ask("snapshot"))

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Put a snapshot back; a list and an array may stand for each other, the game gets what it had before."""
        self._ask("restore", snapshot=_encode(snapshot))

    def call(self, function: str, arguments: Sequence[Any]) -> Any:
        """A function that the game lists in `functions`, or a method of it."""
        return _plain(self._ask("call", function=function, arguments=[_encode(value) for value in arguments]))

    def watch(
        self, points: Sequence[Watchpoint], action: Any, tape: Sequence[Draw] | None = None
    ) -> tuple[list[Glimpse], Outcome]:
        """A step, seen at each watchpoint that it passes; at a return, what is returned is `result`.

        A local name hides a name of the state; what is not plain data, or has no value yet, is left out.
        """
        wanted = [vars(point) for point in points]
        seen = self._ask("watch", points=wanted, action=_encode(action), tape=_tape(tape))
        glimpses = [Glimpse(glimpse["phase"], _plain(glimpse["names"])) for glimpse in seen["glimpses"]]
        return glimpses, _outcome(seen["outcome"])

    def record_calls(self, functions: Sequence[str], play: Callable[[], None]) -> dict[str, list[dict[str, Any]]]:
        """The distinct arguments that functions, exported or not, are called with while `play` runs."""
        self._ask("record", functions=list(functions))
        try:
            play()
        finally:
            calls = {} if self._process is None else self._ask("recorded")
        return _plain(calls)

    def covering(self) -> contextlib.AbstractContextManager[Covered]:
        return contextlib.nullcontext(Covered())  # Node could tell; it is not asked yet

    def close(self) -> None:
        """End the process; more than once does no harm."""
        self._closed = True
        if self._process is not None:
            self._process.end()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # ---- the process ----

    def _start(self) -> dict[str, Any]:
        if self._closed:
            raise ReferenceFailedError(f"{self.name} is closed; make a new NodeReference.")
        self._process = _Process([self._node, str(HOST), str(self._script)], self._script.parent)
        try:
            return _plain(self._reply("load"))
        except EnvwrightError:
            self._process = None if self._process is None else self._process.end()
            raise

    def _ask(self, ask: str, **given: Any) -> Any:
        if self._process is None:
            state = "is closed; make a new NodeReference" if self._closed else "is not running; reset it first"
            raise ReferenceFailedError(f"{self.name} {state}.")
        self._process.say(ask, given)
        return self._reply(ask)

    def _reply(self, ask: str) -> Any:
        assert self._process is not None
        try:
            reply = self._process.hear(self._timeout)
        except _Lost as lost:
            self._process.end()
            self._process = None
            raise ReferenceFailedError(f"{self.name} {lost} during {ask}; a reset starts it anew.") from None
        if "error" in reply:
            self._raise(ask, **reply["error"])
        return reply["result"]

    def _raise(self, ask: str, kind: str, message: str, where: str | None = None) -> NoReturn:
        match kind:
            case "tape":
                raise TapeError(f"In {ask} of {self.name}, {message}.")
            case "snapshot":
                raise SnapshotError(f"In {self.name}, {message}.")
            case "unknown":
                raise EnvwrightError(f"{self.name} {message}.")
            case "usage":
                raise ReferenceFailedError(f"{self.name} cannot {ask}: {message}.")
        raise ReferenceFailedError(f"{self.name} failed in {ask}{f', at {where}' if where else ''}: {message}.")

    def _read_space(self, space: Mapping[str, Any] | None) -> Space | None:
        match space:
            case {"discrete": int(n)}:
                return Discrete(n)
            case {"box": {"low": low, "high": high, "shape": shape}}:
                bounds = (tuple(bound) if isinstance(bound, list) else float(bound) for bound in (low, high))
                return Box(*bounds, shape=tuple(shape))
            case None:
                return None
        self.close()
        raise ReferenceFailedError(
            f"{self.name} has the action space {space}; write {{discrete: n}} or {{box: {{low, high, shape}}}}."
        )


class _Lost(Exception):  # noqa: N818 - it is news, told by whoever catches it
    """The process cannot be talked to any more; the message says what became of it."""


class _Process:
    """A Node process that answers each line with a line, and is never waited for without a limit."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        pipe = subprocess.PIPE
        try:
            self._popen = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder)
        except OSError as error:
            raise ReferenceUnavailableError(
                f"Node cannot be started as '{command[0]}' ({error.strerror}); install Node 18 or later, or name it."
            ) from None
        self._end = weakref.finalize(self, _end, self._popen)
        self._asked = 0
        self._unsent = b""
        self._heard = bytearray()
        self._last_words: deque[bytes] = deque(maxlen=64)  # chunks of stderr
        self._in, self._out, self._err = (pipe.fileno() for pipe in _pipes(self._popen))
        os.set_blocking(self._in, False)
        os.set_blocking(self._err, False)

    def say(self, ask: str, given: Mapping[str, Any]) -> None:
        """Hand over a request; it leaves while the answer is waited for."""
        self._asked += 1
        line = json.dumps({"id": self._asked, "ask": ask, **given}, allow_nan=False)
        self._unsent += line.encode() + b"\n"

    def hear(self, timeout: float) -> dict[str, Any]:
        """The answer to the last request."""
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            selector.register(self._err, selectors.EVENT_READ)
            if self._unsent:
                selector.register(self._in, selectors.EVENT_WRITE)
            while (end := self._heard.find(b"\n")) < 0:
                left = deadline - time.monotonic()
                if left <= 0:  # it may be busy printing, so silence is not the sign
                    raise _Lost(f"gave no answer for {timeout:g} s and was killed")
                for key, _ in selector.select(left):
                    self._serve(key.fd, selector)
        line, self._heard = bytes(self._heard[:end]), self._heard[end + 1 :]
        return self._read(line)

    def _serve(self, pipe: int, selector: selectors.BaseSelector) -> None:
        if pipe == self._in:
            with contextlib.suppress(BrokenPipeError):  # its end shows on stdout, with a reason
                self._unsent = self._unsent[os.write(pipe, self._unsent) :]
            if not self._unsent:
                selector.unregister(pipe)
            return
        chunk = os.read(pipe, 1 << 16)
        if pipe == self._err:
            self._last_words.append(chunk)
            if not chunk:
                selector.unregister(pipe)
        elif chunk:
            self._heard += chunk
        else:
            raise _Lost(self._obituary())

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict) or reply.get("id") != self._asked:
            raise _Lost(f"wrote {line[:60]!r} where an answer was due, and was killed")
        return reply

    def _obituary(self) -> str:
        try:
            code = self._popen.wait(1.0)
        except subprocess.TimeoutExpired:
            return "closed its output and was killed"
        with contextlib.suppress(BlockingIOError):  # a child of the game may hold the pipe open
            while chunk := os.read(self._err, 1 << 16):
                self._last_words.append(chunk)
        lines = [line.strip() for line in b"".join(self._last_words).decode(errors="replace").splitlines()]
        telling = [line for line in lines if "Error: " in line or "FATAL" in line] or lines
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return how + (f", saying '{telling[-1]}'," if telling else "")

    def end(self) -> None:
        """Stop it, whatever it does, and leave nothing behind."""
        self._end()


def _pipes(popen: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    return [pipe for pipe in (popen.stdin, popen.stdout, popen.stderr) if pipe is not None]


def _end(popen: subprocess.Popen[bytes]) -> None:
    popen.kill()
    popen.wait()
    for pipe in _pipes(popen):
        pipe.close()


# ---- plain data, and the few things JSON does not have ----


def _encode(value: Any) -> Any:
    """`value` for the wire."""
    match value:
        case np.ndarray():
            name = _TYPED_NAME.get(value.dtype)
            if name is None or value.ndim != 1:
                return _encode(value.tolist())
            return {_MARK: "array", "kind": name, "bytes": base64.b64encode(value.tobytes()).decode()}
        case np.generic():
            return _encode(value.item())
        case Mapping():
            return {str(key): _encode(item) for key, item in value.items()}
        case list() | tuple():
            return [_encode(item) for item in value]
        case float() if not np.isfinite(value):
            return {_MARK: "number", "value": {np.inf: "Infinity", -np.inf: "-Infinity"}.get(value, "NaN")}
        case None | bool() | int() | float() | str():
            return value
    if hasattr(value, "__array__"):  # a jax.Array, say
        return _encode(np.asarray(value))
    raise EnvwrightError(f"A {type(value).__name__} cannot be handed to a game in JavaScript; give it plain data.")


def _exact(wire: Any) -> Any:
    """What JSON lacks stays marked, apart from numbers and arrays."""
    match wire:
        case list():
            return [_exact(item) for item in wire]
        case {"$": "number", "value": str(value)}:
            return float(value.replace("Infinity", "inf"))
        case {"$": "array", "kind": kind, "bytes": data}:
            return np.frombuffer(base64.b64decode(data), _TYPED[kind]).copy()
        case dict():
            return {key: _exact(item) for key, item in wire.items()}
    return wire


def _plain(wire: Any) -> Any:
    """What JSON lacks becomes what Python has for it."""
    match wire:
        case list():
            return [_plain(item) for item in wire]
        case {"$": "undefined"}:
            return None
        case {"$": "bigint", "value": value}:
            return int(value)
        case {"$": "set", "values": values}:
            return _plain(values)
        case {"$": "map" | "object", "entries": entries}:
            return {_plain(key): _plain(item) for key, item in entries}
        case {"$": _}:
            return _exact(wire)
        case dict():
            return {key: _plain(item) for key, item in wire.items()}
    return wire


def _tape(tape: Sequence[Draw] | None) -> list[dict[str, Any]] | None:
    if tape is None:
        return None
    return [{"site": site, "method": method, "value": _encode(value)} for site, method, value in tape]


def _outcome(wire: Mapping[str, Any]) -> Outcome:
    return Outcome(
        obs=_plain(wire["obs"]),
        reward=float(_exact(wire["reward"])),
        terminated=wire["terminated"],
        truncated=wire["truncated"],
        info=_plain(wire["info"]),
        draws=tuple(Draw(draw["site"], draw["method"], _exact(draw["value"])) for draw in wire["draws"]),
    )
