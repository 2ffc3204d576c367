"""Our PPO as a thing to be timed, and the rollouts it makes with the network taken out."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envwright.bench.job import Job, Part
from envwright.core import Discrete, chance, execute
from envwright.core.autoreset import strategy, to_back, to_front
from envwright.core.batch import Stepping
from envwright.core.env import Env
from envwright.core.native import AnyEnv, spaces_of
from envwright.core.rollout import LARGEST_TILE, random_actions
from envwright.core.spaces import size_of
from envwright.training import networks
from envwright.training.config import Config, Network
from envwright.training.host_trainer import HostTrainer
from envwright.training.trainers import AnyTrainer

ENDLESS = 10**12  # steps: a benchmark ends when it has been timed, not when the agent has learned


def config_of(job: Job, hidden: int) -> Config:
    """A job's PPO, the same on every side."""
    return Config(
        total_steps=ENDLESS,
        num_envs=job.num_envs,
        steps=job.sizes["steps"],
        epochs=job.sizes["epochs"],
        minibatches=job.sizes["minibatches"],
        anneal=False,
        network=Network(hidden=(hidden, hidden), activation="tanh"),
    )


def hidden_for(parameters: int, inputs: int, outputs: int) -> int:
    """How wide two stacks of two equal layers are that have about so many parameters together."""
    # 2 h^2 + h (2 inputs + outputs + 5) + outputs + 1 = parameters
    linear = 2 * inputs + outputs + 5
    return max(1, round((math.sqrt(linear**2 + 8 * (parameters - outputs - 1)) - linear) / 4))


def updates(trainer: AnyTrainer, config: Config) -> tuple[Part, int]:
    """A call is one update; and how many parameters learn."""
    state = [trainer.start()]

    def go(calls: int) -> int:
        for _ in range(calls):
            state[0], _ = trainer.run(state[0], 1)
        jax.block_until_ready(state[0].learner)
        return calls * config.batch

    return go, networks.count(state[0].learner.weights)  # of the one seed


def env_only(env: Env[Any, Any], num_envs: int, steps: int) -> Part:
    """The rollouts of an update without the network: random actions, and all kept that a learner needs.

    A step is a kernel of its own, as in training, where the network's matrices are multiplied between two steps.
    """
    params, how = env.default_params, strategy("fresh")

    def step(key: jax.Array, obs: Any, state: Any) -> tuple[Any, Any]:
        step_keys, act_keys = (jax.random.split(k, num_envs) for k in chance.fork(key, 2))
        actions = random_actions(env, act_keys, to_back(state), params)
        got = to_front(how.step(env, step_keys, to_back(state), to_back(actions), params))
        kept = obs, actions, got.reward, got.terminated, got.truncated, got.info["final_observation"]
        return (got.obs, got.state), kept

    playing = execute.one_kernel(step) if num_envs <= LARGEST_TILE else step

    @jax.jit
    def rollout(key: jax.Array, carry: Any) -> tuple[Any, Any]:
        def body(carry: Any, t: jax.Array) -> tuple[Any, Any]:
            return playing(jax.random.fold_in(key, t), *carry)

        return jax.lax.scan(body, carry, jnp.arange(steps, dtype=jnp.uint32))

    start = jax.jit(lambda key: to_front(how.reset(env, jax.random.split(key, num_envs), params)))
    last = [start(chance.key(0))]
    keys = [chance.key(i) for i in range(1, 17)]

    def go(calls: int) -> int:
        kept = None
        for i in range(calls):
            last[0], kept = rollout(keys[i % len(keys)], last[0])
        jax.block_until_ready((last[0], kept))
        return calls * steps * num_envs

    return go


def host_updates(batch: Stepping, config: Config) -> tuple[Part, int]:
    """The same over environments that are stepped from Python."""
    return updates(HostTrainer(lambda: batch, config), config)


def host_env_only(batch: Stepping, steps: int) -> Part:
    """Their rollouts without the network: random actions, legal ones."""
    batch.reset([*range(batch.num_envs)])
    rng = np.random.default_rng(0)
    space = batch.action_space
    shape = (batch.num_envs, *((batch.players,) if batch.players > 1 else ()), *space.shape)

    def actions() -> Any:
        if not isinstance(space, Discrete):
            return rng.uniform(space.low, space.high, shape).astype(space.dtype)
        legal = batch.legal_actions()
        if legal is None:
            return rng.integers(space.n, size=shape)
        return (np.asarray(legal) * (1 - rng.random((*shape, space.n)))).argmax(axis=-1)

    def go(calls: int) -> int:
        for _ in range(calls * steps):
            batch.step_and_restart(actions())
        return calls * steps * batch.num_envs

    return go


def inputs_and_outputs(env: AnyEnv) -> tuple[int, int]:
    """How many numbers a network sees and says."""
    observations, actions = spaces_of(env)
    return size_of(observations), size_of(actions)
