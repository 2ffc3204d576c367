"""The trainer of an environment: one compiled program for JAX, a loop over a batch for anything else."""

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import jax

from envwright.core.native import AnyEnv, NativeEnv
from envwright.training.config import Config, ConfigError
from envwright.training.host_trainer import HostTrainer
from envwright.training.player import Player
from envwright.training.ppo import Metrics, Trainer, TrainState


class AnyTrainer(Protocol):
    """What drives a run asks of a trainer. A state that was given to `run` is used up."""

    devices: int

    def start(self) -> TrainState: ...
    def run(self, state: TrainState, updates: int) -> tuple[TrainState, Metrics]: ...
    def player(self, state: TrainState, index: int = 0, name: str = "trained") -> Player: ...
    def saved(self, state: TrainState) -> TrainState: ...
    def template(self) -> TrainState: ...
    def restored(self, saved: TrainState) -> TrainState: ...


def trainer_of(env: AnyEnv, config: Config, seeds: Sequence[int] = (0,), devices: int | None = None) -> AnyTrainer:
    """PPO on what `make` gave."""
    if not isinstance(env, NativeEnv):
        return Trainer(env, config, seeds=seeds, devices=devices)
    if devices not in (None, 1) or jax.process_count() > 1:
        raise ConfigError(
            f"{type(env).__name__} is a native environment, which trains on one device; leave --devices and "
            "--processes out."
        )
    return HostTrainer(partial(env.batch, config.num_envs), config, seeds=seeds)
