"""Environments that are not written in JAX: their batches come from Rust, C or whatever steps them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envwright.core.batch import Batch, JaxBatch
from envwright.core.env import Env
from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Space

Columns = dict[str, NDArray[Any]]  # arrays with a leading axis of games, by name
Kinds = Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]  # shape and dtype of one game's value in each


class ColumnGames(Protocol):
    """A native environment as a verifier asks for it: a step is a function of a state that is written as columns.

    Chance decides how a game starts; a step draws none. Outcomes are columns `state.NAME`, `observation`, `reward`,
    `terminated`, `truncated` and `info.NAME`; a start has the first two.
    """

    def kinds(self) -> Kinds: ...
    def chance_kinds(self) -> Kinds: ...
    def provenance(self) -> dict[str, Any]: ...
    def draw_start(self, seeds: NDArray[np.uint32]) -> Columns: ...
    def start(self, chance: Columns, games: int) -> Columns: ...
    def step(self, state: Columns, actions: NDArray[Any]) -> Columns: ...
    def phases(self, state: Columns, actions: NDArray[Any]) -> dict[str, Columns]: ...
    def call(self, function: str, arguments: Sequence[NDArray[Any]]) -> NDArray[Any]: ...


class NativeEnv(ABC):
    """What `make` gives for an environment outside of JAX: its configuration, from which batches are made.

    A time limit is an option of its own, `max_episode_steps`. Whatever takes a `Batch` takes its batches.
    """

    @property
    def players(self) -> int:
        """How many act at once, as in `Env`."""
        return 1

    @property
    @abstractmethod
    def observation_space(self) -> Space: ...

    @property
    @abstractmethod
    def action_space(self) -> Space: ...

    @abstractmethod
    def batch(self, num_envs: int) -> Batch:
        """`num_envs` environments that step together."""

    def columns(self) -> ColumnGames:
        """The same rules for a verifier."""
        raise EnvwrightError(f"{type(self).__name__} cannot be verified: it does not say what its state is.")


AnyEnv = Env[Any, Any] | NativeEnv  # what `make` gives


def spaces_of(env: AnyEnv, params: Any = None) -> tuple[Space, Space]:
    """What a player observes and does."""
    if isinstance(env, NativeEnv):
        return env.observation_space, env.action_space
    params = env.default_params if params is None else params
    return env.observation_space(params), env.action_space(params)


def check_jax(env: AnyEnv, what: str) -> None:
    """Refuse a native environment for what is compiled together with the environment's own functions."""
    if isinstance(env, NativeEnv):
        raise EnvwrightError(
            f"{what} needs an environment written in JAX, and {type(env).__name__} is a native one; step it with "
            "envwright.batch_of(env, num_envs)."
        )


def batch_of(env: AnyEnv, num_envs: int, *, params: Any = None, devices: int | None = 1) -> Batch:
    """`num_envs` times what `make` gave, behind one interface."""
    if isinstance(env, NativeEnv):
        if params is not None:
            raise EnvwrightError("A native environment has no params; give what you want changed as options of `make`.")
        return env.batch(num_envs)
    return JaxBatch(env, num_envs, params=params, devices=devices)
