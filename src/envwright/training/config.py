"""What a training run is: every number that decides its result. Read from a `ppo.toml`, checked before any work."""

import dataclasses
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec

KINDS = ("mlp", "gru", "scorer")
ACTIVATIONS = ("tanh", "relu", "silu")
TABLES = ("network", "env_options")  # settings that hold settings


class ConfigError(EnvwrightError, ValueError):
    """A training run cannot be made as asked."""


@dataclass(frozen=True)
class Network:
    """The shape of a policy.

    `mlp`: one stack of layers that acts and another of the same shape that judges. `gru`: layers, then a memory as wide
    as the last of them, shared by both. `scorer`: layers that read what belongs to no action; an action is scored by
    what they say and by its own numbers, with the same weights for all. What is seen then begins with `per_action`
    rows of a number for each action.
    """

    kind: str = "mlp"
    hidden: tuple[int, ...] = (64, 64)
    activation: str = "tanh"
    features: str = ""  # "module:function", from observations to what the network sees, in NumPy and JAX; none: as is
    per_action: int = 0  # of a scorer: numbers that are seen of each action
    score: int = 32  # of a scorer: width of the layer between these and an action's score
    prior: float = 0.0  # of a scorer: what an action's first number counts for its score when learning begins
    log_std: float = 0.0  # of every number of a Box of actions when learning begins; the bounds are -1 and 1 to it

    def __post_init__(self) -> None:
        _one_of("kind", self.kind, KINDS)
        _one_of("activation", self.activation, ACTIVATIONS)
        if not isinstance(self.hidden, Sequence) or not self.hidden or any(map(_no_width, self.hidden)):
            raise ConfigError(f"network.hidden lists the widths of the layers, such as [64, 64], not {self.hidden}.")
        if (self.kind == "scorer") != (self.per_action > 0) or self.score < 1:
            raise ConfigError(
                "A network of the kind scorer, and no other, has per_action from 1 and score from 1, but here kind is "
                f"'{self.kind}', per_action {self.per_action} and score {self.score}."
            )
        for name in ("log_std", "prior"):
            if not math.isfinite(getattr(self, name)):
                raise ConfigError(f"network.{name} must be a number, but is {getattr(self, name)}.")


@dataclass(frozen=True)
class Config:
    """A run of PPO. Equal configs, seeds, environments and numbers of devices give equal bits."""

    total_steps: int = 1_000_000  # of all environments together; rounded up to whole updates
    num_envs: int = 64
    steps: int = 128  # of each environment between two updates
    epochs: int = 4  # how often an update goes over what was seen
    minibatches: int = 4  # gradient steps an epoch
    learning_rate: float = 2.5e-4
    anneal: bool = True  # the learning rate falls to 0 in a straight line
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2  # how far the policy may go in one update
    clip_value: float = 0.0  # the same for the value; 0: not clipped
    entropy: float = 0.01
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    reward_scale: float = 1.0
    normalise_observations: bool = False
    autoreset: str = "fresh"
    fused: bool = True  # on CPU, compile what an environment does between two looks of the network as one kernel
    env_options: Mapping[str, Any] = field(default_factory=dict)
    network: Network = field(default_factory=Network)

    def __post_init__(self) -> None:
        for name in ("total_steps", "num_envs", "steps", "epochs", "minibatches"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, but is {getattr(self, name)}.")
        for name in ("learning_rate", "reward_scale", "max_grad_norm", "clip"):
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigError(f"{name} must be a positive number, but is {getattr(self, name)}.")
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} must be between 0 and 1, but is {getattr(self, name)}.")
        for name in ("entropy", "value_weight", "clip_value"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ConfigError(f"{name} must not be negative, but is {getattr(self, name)}.")

    @property
    def batch(self) -> int:
        """Steps between two updates, of all environments."""
        return self.num_envs * self.steps

    @property
    def updates(self) -> int:
        return -(-self.total_steps // self.batch)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**dataclasses.asdict(self), "env_options": dict(self.env_options)}


def for_env(name: str) -> Config:
    """The tuned config that ships beside an environment; the defaults where there is none."""
    chosen = spec(name)
    path = chosen.file(chosen.config)
    return Config() if path is None else load(path)


def load(path: Path) -> Config:
    """A config from a file."""
    try:
        content = tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigError(f"The config {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"The config {path} is not valid TOML: {error}.") from None
    try:
        return from_plain(content)
    except ConfigError as error:
        raise ConfigError(f"In the config {path}: {error}") from None


def from_plain(content: Mapping[str, Any]) -> Config:
    """A config from what a file or a checkpoint holds."""
    content = dict(content)
    for name in TABLES:
        _check_table(name, content.get(name, {}))
    network = _build(Network, content.pop("network", {}), "network.")
    return dataclasses.replace(_build(Config, content, ""), network=network)


def changed(config: Config, **changes: Any) -> Config:
    """The config with what is not None changed."""
    return dataclasses.replace(config, **{name: value for name, value in changes.items() if value is not None})


def with_settings(config: Config, settings: Sequence[str]) -> Config:
    """The config with settings changed that are given as `learning_rate=0.001` or `network.kind="gru"`."""
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ConfigError(f"'{setting}' is not a setting; write NAME=VALUE, such as learning_rate=0.001.")
        try:
            values[name.strip()] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            values[name.strip()] = text  # a bare word is a string
    return with_values(config, values)


def with_options(config: Config, settings: Sequence[str]) -> Config:
    """The config with options of the environment changed, and nothing else: what was learned stays what it is."""
    for setting in settings:
        if not setting.startswith("env_options."):
            raise ConfigError(f"'{setting}' is not an option of the environment; write env_options.NAME=VALUE.")
    return with_settings(config, settings)


def with_values(config: Config, values: Mapping[str, Any]) -> Config:
    """The config with settings changed by name: `{"learning_rate": 0.001, "network.kind": "gru"}`."""
    content = config.plain()
    for name, value in values.items():
        *path, last = name.split(".")
        if path not in ([], ["network"], ["env_options"]):
            raise ConfigError(f"'{name}={value}' is not a setting; write NAME=VALUE, such as learning_rate=0.001.")
        if not path and last in TABLES:
            _check_table(last, value)
        (content[path[0]] if path else content)[last] = value
    return from_plain(content)


def _build(kind: Any, content: Mapping[str, Any], prefix: str) -> Any:
    fields = {f.name: f for f in dataclasses.fields(kind)}
    for name, value in content.items():
        if name not in fields:
            raise ConfigError(f"there is no setting '{prefix}{name}'; there are {', '.join(fields)}.")
        _check_type(prefix + name, value, getattr(kind, name, None))
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in content.items()})


def _check_type(name: str, value: Any, default: Any) -> None:
    wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}.get(type(default))
    fits = isinstance(value, type(default)) and isinstance(value, bool) == isinstance(default, bool)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        fits = True
    if wanted and not fits:
        raise ConfigError(f"'{name}' must be {wanted}, but is {value!r}.")


def _check_table(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        raise ConfigError(f"'{name}' holds settings of its own, written {name}.NAME=VALUE; it cannot be {value!r}.")


def _no_width(width: Any) -> bool:
    return not isinstance(width, int) or isinstance(width, bool) or width < 1


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"network.{name} must be one of {', '.join(known)}, but is '{value}'.")
