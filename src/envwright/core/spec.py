"""What there is to know of an environment, without importing it: how it is made, and the files that ship beside it."""

import importlib
import importlib.util
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from envwright.core.errors import EnvwrightError

if TYPE_CHECKING:
    from envwright.core.course import StepTaken, ToldGame


@dataclass(frozen=True)
class Controls:
    """Which key means which action, for playing at a terminal."""

    actions: Mapping[str, int]  # key -> action
    idle: tuple[int, ...]  # what is done while no key is held, in turn; nothing: the game waits for one
    help: str


def keys(*, each: Mapping[int, str]) -> dict[str, int]:
    """A table of keys from the words that name the keys of each action."""
    return {key: action for action, names in each.items() for key in names.split()}


@dataclass(frozen=True)
class Form:
    """Options under which the rules of an environment differ; each form is verified by itself."""

    name: str  # "frameskip 8, discrete actions"
    options: Mapping[str, Any]  # the same for the environment and its reference
    policies: tuple[str, ...] = ()  # scripted players instead of the contract's
    phases: bool = True  # whether a step has the phases of the contract
    setting: str = ""  # how the reference is set: [settings.NAME] of the contract


class Replay(Protocol):
    """Tells a game for a page of HTML."""

    def __call__(self, env: Any, start: Any, moments: Sequence["StepTaken"], names: Sequence[str]) -> "ToldGame":
        """`start` is the first state, `names` are the players'."""
        ...


class TextScreen(Protocol):
    """What a player reads at a terminal, in place of a picture: a menu and what happened lately."""

    def __call__(
        self,
        env: Any,
        start: Any,
        moments: Sequence["StepTaken"],
        seat: int,
        legal: Sequence[int],
        cursor: int | None,
    ) -> list[str]:
        """Lines, with ANSI colours. A menu numbers the legal actions from 0, in order; `cursor` is the one that would
        be taken, None if there is nothing to choose."""
        ...


@dataclass(frozen=True)
class Spec:
    """An environment. Files are looked for beside the module of `entry_point`, and need not exist."""

    id: str
    entry_point: str  # "module:name" of what makes an `Env` or a `NativeEnv`
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    max_episode_steps: int | None = None  # a time limit that belongs to the id, as in Gymnasium
    summary: str = ""
    forms: tuple[Form, ...] = ()  # none: one form, with the contract's own options
    controls: Controls | None = None  # none: the digits are the actions
    opponents: Mapping[str, str] = field(default_factory=dict)  # of a game for two: name -> "module:opponent"
    replay: str = ""  # "module:function" of a `Replay`; none: no page, only films
    screen: str = ""  # "module:function" of a `TextScreen`; none: it is played by its picture
    contract: str = "contract.toml"
    config: str = "ppo.toml"
    card: str = "card.md"

    @property
    def name(self) -> str:
        """What people type: `Pong-v0` is `pong`."""
        return self.id.rsplit("-v", 1)[0].lower()

    @property
    def version(self) -> int:
        return int(self.id.rsplit("-v", 1)[1])

    @property
    def package(self) -> str:
        """The outermost package of its code, which is another name for an environment that comes in a wheel."""
        return self.entry_point.partition(":")[0].partition(".")[0]

    def load(self) -> Any:
        """Import what makes it."""
        return load_object(self.entry_point, f"{self.id} should be")

    @property
    def folder(self) -> Path:
        """Where its code is, and what ships beside it."""
        module = self.entry_point.partition(":")[0]
        try:
            found = importlib.util.find_spec(module)
        except ImportError as error:
            raise EnvwrightError(f"{self.id} should be at {self.entry_point}, but: {error}.") from error
        if found is None or found.origin is None:
            raise EnvwrightError(f"{self.id} should be at {self.entry_point}, but there is no module {module}.")
        return Path(found.origin).parent

    def file(self, name: str) -> Path | None:
        """A file that ships with it: `spec.file(spec.card)`; None where there is none."""
        path = self.folder / name
        return path if path.is_file() else None

    @property
    def reference(self) -> str | None:
        """The name of the reference in its contract; None without a contract."""
        path = self.file(self.contract)
        return None if path is None else tomllib.loads(path.read_text()).get("reference")


def load_object(entry_point: str, what: str) -> Any:
    """The object at "module:name"; `what` begins the sentence that says why there is none."""
    module, _, name = entry_point.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise EnvwrightError(f"{what} at {entry_point}, but: {error}.") from error
