"""The same PPO on environments that are stepped from here: a slow original behind the batch interface.

What is learned from a rollout is learned by the same compiled function; only who steps the environments differs.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from envwright.core import chance
from envwright.core.batch import Stepping
from envwright.train import networks
from envwright.train.actions import encode, with_legal
from envwright.train.config import Config
from envwright.train.evaluate import legal_of
from envwright.train.experience import Experience, Totals
from envwright.train.learn import Learner, learn, new_learner
from envwright.train.player import Player
from envwright.train.policy import Policy
from envwright.train.ppo import Metrics, check_divides, player_of, summary


class HostTrainer:
    """A run of PPO over `batch`, which it resets and steps."""

    def __init__(self, batch: Stepping, config: Config, *, seed: int = 0) -> None:
        self.batch, self.config, self.seed = batch, config, seed
        self.policy = Policy(config.network, batch.observation_space, batch.action_space, config.normalise_observations)
        check_divides(config, self.policy, batch.num_envs)
        net_key, _ = chance.fork(chance.key(seed), 2)
        self.learner = jax.jit(partial(new_learner, self.policy))(net_key)
        self._act, self._noise = jax.jit(self._choose), jax.jit(self._draw_noise)
        self._learn = jax.jit(self._learn_from)
        envs = batch.num_envs
        self._obs = np.asarray(batch.reset([seed * envs + i for i in range(envs)]))
        self._memory = networks.no_memory(config.network, envs)
        self._fresh = np.ones(envs, bool)
        self._returned, self._length = np.zeros(envs, np.float32), np.zeros(envs, np.int32)

    @property
    def updates(self) -> int:
        """Made so far."""
        return int(self.learner.updates)

    def run(self, updates: int) -> dict[str, NDArray[Any]]:
        """Make `updates` updates; a row of metrics each."""
        rows = [self._update() for _ in range(updates)]
        return {name: np.stack([np.asarray(row[name]) for row in rows]) for name in rows[0]}

    def player(self, name: str = "trained") -> Player:
        """The policy as it is now."""
        return player_of(self.policy, self.learner, name)

    def _update(self) -> Metrics:
        key = jax.random.fold_in(jax.random.fold_in(chance.key(self.seed), 2), self.learner.updates)
        rollout_key, learn_key = chance.fork(key, 2)
        memory = self._memory
        experience, totals = self._rollout(rollout_key)
        self.learner, metrics = self._learn(self.learner, experience, totals, memory, learn_key)
        return metrics

    def _rollout(self, key: jax.Array) -> tuple[Experience, Totals]:
        steps: list[dict[str, Any]] = []
        totals = np.zeros(4, np.float32)
        for noise in np.asarray(self._noise(key)):
            seen, fresh, legal = self._obs, self._fresh, legal_of(self.batch)
            raw, actions, log_prob, self._memory = self._act(
                self.learner.weights, self.learner.sight, self._memory, fresh, seen, legal, noise
            )
            step = self.batch.step_and_restart(np.asarray(actions))
            reward, terminated, truncated = (np.array(x) for x in (step.reward, step.terminated, step.truncated))
            self._obs, self._fresh = np.array(step.obs), terminated | truncated
            totals += self._count(reward)
            steps.append(
                {
                    "seen": seen,
                    "memory": self._memory,
                    "fresh": fresh,
                    "legal": legal,
                    "raw": raw,
                    "log_prob": log_prob,
                    "reward": reward,
                    "terminated": terminated,
                    "truncated": truncated,
                    "final": np.array(step.final_obs),
                }
            )
        stacked = {
            name: None if steps[0][name] is None else np.stack([np.asarray(step[name]) for step in steps])
            for name in steps[0]
        }
        return Experience(**stacked), Totals(*totals)  # pyright: ignore[reportArgumentType]

    def _count(self, reward: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the episodes that ended add to the totals."""
        self._returned += reward
        self._length += 1
        done = self._fresh
        returned, length = self._returned[done], self._length[done]
        ended = np.array([done.sum(), returned.sum(), (returned * returned).sum(), length.sum()], np.float32)
        self._returned[done], self._length[done] = 0, 0
        return ended

    def _draw_noise(self, key: jax.Array) -> jax.Array:
        act_key, _ = chance.fork(key, 2)
        keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(
            act_key, jnp.arange(self.batch.num_envs, dtype=jnp.uint32)
        )
        noise = jax.vmap(lambda k: self.policy.actions.noise(k, (self.config.steps, 1)))(keys)
        return jnp.moveaxis(noise, 0, 1)[:, :, 0]

    def _choose(
        self,
        weights: Any,
        sight: Any,
        memory: jax.Array,
        fresh: jax.Array,
        obs: jax.Array,
        legal: jax.Array | None,
        noise: jax.Array,
    ):
        seen = self.policy.normalise(sight, encode(self.policy.observations, obs))
        memory = jnp.where(fresh[:, None], 0, memory)
        features, memory = networks.remember(self.policy.network, weights, memory, seen)
        head = with_legal(networks.head(self.policy.network, weights, features), legal)
        actions = self.policy.actions
        raw = actions.sample(head, weights["spread"], noise)
        return raw, actions.to_env(raw), actions.log_prob(head, weights["spread"], raw), memory

    def _learn_from(
        self, learner: Learner, experience: Experience, totals: Totals, memory: jax.Array, key: jax.Array
    ) -> tuple[Learner, Metrics]:
        spaces = self.policy.observations
        experience = experience.replace(seen=encode(spaces, experience.seen), final=encode(spaces, experience.final))
        learner, metrics = learn(self.policy, self.config, learner, experience, memory, key, None)
        return learner, summary(totals) | metrics
