"""State outside of Python as the attributes of an object, which are found, copied and put back like all others."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from envwright.core.errors import EnvwrightError
from envwright.references.protocol import Glimpse, TapeError
from envwright.references.python.draws import take_open
from envwright.references.state_adapter import StateAdapter, find_adapter


class Hooks(StateAdapter):
    """Of an object with methods that save and load its whole state."""

    def read(self, env: Any) -> Mapping[str, Any]:
        return env.envwright_snapshot()

    def write(self, env: Any, values: Mapping[str, Any]) -> None:
        env.envwright_restore(dict(values))


def has_hook(root: Any) -> bool:
    """Whether an object saves and loads its state itself."""
    return hasattr(type(root), "envwright_snapshot")


class Adapted(NamedTuple):
    """An object, and the adapter for what it holds outside of Python."""

    adapter: StateAdapter
    root: Any


def adapted(roots: Sequence[Any]) -> list[Adapted]:
    """Those of the objects that need an adapter."""
    found = [(Hooks() if has_hook(root) else find_adapter(root), root) for root in roots]
    return [Adapted(adapter, root) for adapter, root in found if adapter is not None]


class Mirror:
    """The attributes of `image` are what `adapter` reads."""

    def __init__(self, adapter: StateAdapter, root: Any) -> None:
        self.adapter, self.root = adapter, root
        self.image = type(type(adapter).__name__, (), {})()  # its name tells attributes of the same name apart
        self.pull()

    def pull(self) -> None:
        """Read the state into the image."""
        state = self.adapter.read(self.root)
        if not isinstance(state, Mapping):
            raise EnvwrightError(
                f"The state of {type(self.root).__name__} came as a {type(state).__name__}; envwright_snapshot, "
                "and read of a StateAdapter, must return a dict of names and plain data."
            )
        vars(self.image).clear()
        vars(self.image).update(state)

    def push(self) -> None:
        """Write the image into the state."""
        self.adapter.write(self.root, dict(vars(self.image)))


class DrawsOutside:
    """Records and replays the random draws that adapters hand in, within a call of the reference."""

    def __init__(self) -> None:
        self.failure: TapeError | None = None

    def __call__(self, method: str, generate: Callable[[], Any]) -> Any:
        take = take_open()
        if take is None:
            return generate()
        try:
            return take.draw(method, lambda _: generate(), (None,), {})
        except TapeError as error:  # foreign code on the way may not let an exception through
            self.failure = error
            return generate()

    def check(self) -> None:
        """Raise what went wrong in a draw."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure


def watch_outside(found: Sequence[Adapted], step: Callable[[], None]) -> list[Glimpse]:
    """A step, and what the adapters see of it."""
    if not found:
        step()
        return []
    (adapter, root), *others = found
    inner: list[Glimpse] = []
    return [*adapter.watch(root, lambda: inner.extend(watch_outside(others, step))), *inner]
