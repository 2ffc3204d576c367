"""The same PPO on environments that are stepped from here: native ones, or a slow original behind the batch interface.

What is learned from a rollout is learned by the same compiled function; only who steps the environments differs.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from envwright.core import chance
from envwright.core.batch import Batch, Stepping
from envwright.core.record import Record
from envwright.core.spaces import encode
from envwright.training import networks
from envwright.training.actions import with_legal
from envwright.training.collect import Actors
from envwright.training.config import Config
from envwright.training.experience import Experience, Totals, each_seat, to_games, to_seats
from envwright.training.learn import Learner, learn, new_learner
from envwright.training.player import Player
from envwright.training.policy import ObservationStatistics, Policy
from envwright.training.ppo import (
    Metrics,
    TrainState,
    check_divides,
    check_seeds,
    learners_template,
    player_of,
    summary,
)

Array = NDArray[Any]


class SavedGames(Record):
    """What `Batch.save` gave for every environment of every seed, one after the other."""

    lengths: Array  # (seeds, envs) int64
    content: Array  # (sum of the lengths,) uint8


class HostTrainer:
    """A run of PPO over the batches that `make` makes, one a seed; the seeds train one after the other.

    The games themselves are inside of the batches, so there is one state at a time: the last one given back.
    """

    devices = 1

    def __init__(self, make: Callable[[], Stepping], config: Config, *, seeds: Sequence[int] = (0,)) -> None:
        check_seeds(seeds)
        self.config, self.seeds = config, tuple(seeds)
        self.batches = [make() for _ in seeds]
        first = self.batches[0]
        self.envs, self.players = first.num_envs, first.players
        self.policy = Policy(config.network, first.observation_space, first.action_space, config.normalise_observations)
        check_divides(config, self.policy, self.envs * self.players)
        self._new_learner = jax.jit(lambda seed: _with_axis(self._new(seed)))
        self._act, self._noise, self._learn = map(jax.jit, (self._choose, self._draw_noise, self._learn_from))

    def start(self) -> TrainState:
        """Before the first update."""
        return _joined([self._begin(batch, seed) for batch, seed in zip(self.batches, self.seeds, strict=True)])

    def run(self, state: TrainState, updates: int) -> tuple[TrainState, Metrics]:
        """Make `updates` updates. Metrics are arrays (updates, seeds)."""
        states: list[TrainState] = []
        columns: list[list[Metrics]] = []
        for index, batch in enumerate(self.batches):
            one, rows = _of_seed(state, index), []
            for _ in range(updates):
                one, row = self._update(batch, one)
                rows.append(row)
            states.append(one)
            columns.append(rows)
        found = {
            name: np.array([[rows[update][name] for rows in columns] for update in range(updates)], np.float32)
            for name in columns[0][0]
        }
        return _joined(states), found

    def player(self, state: TrainState, index: int = 0, name: str = "trained") -> Player:
        """The policy of one of the seeds as it is now."""
        return player_of(self.policy, state.learner, index, name)

    def saved(self, state: TrainState) -> TrainState:
        """The state with the games, for a checkpoint. Whoever saves has made whole `Batch`es."""
        blobs = [[cast(Batch, batch).save(i) for i in range(self.envs)] for batch in self.batches]
        lengths = np.array([[len(blob) for blob in of_seed] for of_seed in blobs], np.int64)
        content = np.frombuffer(b"".join(blob for of_seed in blobs for blob in of_seed), np.uint8)
        state = jax.device_get(state)
        return state.replace(actors=state.actors.replace(state=SavedGames(lengths, content)))

    def template(self) -> TrainState:
        """Shape and type of every array of a saved state."""
        games, seats = (len(self.seeds), self.envs), (len(self.seeds), self.envs * self.players)
        space = self.policy.observations
        shape: Any = jax.ShapeDtypeStruct
        memory = networks.no_memory(self.policy.network, 1).shape[1]
        players = () if self.players == 1 else (self.players,)
        actors = Actors(
            obs=shape((*games, *players, *space.shape), space.dtype),
            state=SavedGames(shape(games, np.int64), shape((-1,), np.uint8)),
            fresh=shape(seats, bool),
            memory=shape((*seats, memory), np.float32),
            returned=shape(seats, np.float32),
            length=shape(games, np.int32),
        )
        return TrainState(learners_template(self.policy, games[0]), actors, shape(games[:1], np.uint32))

    def restored(self, saved: TrainState) -> TrainState:
        """A saved state, whose games are put back into the batches, to go on from."""
        self.start()  # a batch can be loaded only after its first reset
        games: SavedGames = saved.actors.state
        blobs = iter(np.split(games.content, np.cumsum(games.lengths.ravel())[:-1]))
        for batch in self.batches:
            for i in range(self.envs):
                cast(Batch, batch).load(i, next(blobs).tobytes())
        learner = jax.tree.map(jnp.asarray, saved.learner)
        return saved.replace(learner=learner, actors=saved.actors.replace(state=None))

    def _new(self, seed: jax.Array) -> Learner:
        return new_learner(self.policy, chance.fork(chance.key(seed), 2)[0])

    def _begin(self, batch: Stepping, seed: int) -> TrainState:
        seats = self.envs * self.players
        arrays: dict[str, Any] = {
            "obs": self._seen(batch.reset([(seed * self.envs + i) % 2**32 for i in range(self.envs)])),
            "fresh": np.ones(seats, bool),
            "memory": np.asarray(networks.no_memory(self.policy.network, seats)),
            "returned": np.zeros(seats, np.float32),
            "length": np.zeros(self.envs, np.int32),
        }
        seeds: Any = np.array([seed], np.uint32)
        return TrainState(self._new_learner(seeds[0]), _with_axis(Actors(state=None, **arrays)), seeds)

    def _update(self, batch: Stepping, state: TrainState) -> tuple[TrainState, Metrics]:
        actors, experience, totals = self._rollout(batch, state)
        learner, metrics = self._learn(state.learner, state.seed, experience, totals, state.actors.memory)
        return state.replace(learner=learner, actors=actors), metrics

    def _rollout(self, batch: Stepping, state: TrainState) -> tuple[Actors, Experience, Totals]:
        now: Actors = jax.tree.map(lambda leaf: leaf[0], state.actors)
        steps: list[dict[str, Any]] = []
        totals = np.zeros(4, np.float32)
        policy = state.learner.weights, state.learner.statistics
        for noise in np.asarray(self._noise(state.learner, state.seed)):
            legal = batch.legal_actions()
            legal = None if legal is None else to_seats(np.asarray(legal), self.players)
            raw, actions, log_prob, memory = self._act(policy, now.memory, now.fresh, now.obs, legal, noise)
            step = batch.step_and_restart(np.asarray(actions))
            flags = [np.array(flag) for flag in (step.terminated, step.truncated)]
            kept = {
                "seen": now.obs,
                "memory": memory,
                "fresh": now.fresh,
                "legal": legal,
                "raw": raw,
                "log_prob": log_prob,
                "reward": np.array(step.reward, np.float32).reshape(self.envs * self.players),
                "terminated": each_seat(flags[0], self.players),
                "truncated": each_seat(flags[1], self.players),
                "final": self._seen(step.final_obs),
            }
            now, ended = _counted(now, kept["reward"], flags[0] | flags[1], self.players)
            now = now.replace(obs=self._seen(step.obs), memory=memory)
            totals += ended
            steps.append(kept)
        stacked = {
            name: None if steps[0][name] is None else np.stack([np.asarray(kept[name]) for kept in steps])
            for name in steps[0]
        }
        after = _with_axis(now.replace(memory=np.asarray(now.memory)))
        return after, Experience(**stacked), Totals(*totals)  # pyright: ignore[reportArgumentType]

    def _seen(self, obs: Any) -> Array:
        return np.asarray(obs, self.policy.observations.dtype)

    def _key(self, learner: Learner, seed: jax.Array, which: int) -> jax.Array:
        """Of an update's rollout (0) or learning (1)."""
        key = jax.random.fold_in(jax.random.fold_in(chance.key(seed[0]), 2), learner.updates[0])
        return chance.fork(key, 2)[which]

    def _draw_noise(self, learner: Learner, seed: jax.Array) -> jax.Array:
        """(steps, seats, ...), drawn as the compiled trainer draws it."""
        act_key, _ = chance.fork(self._key(learner, seed, 0), 2)
        keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(act_key, jnp.arange(self.envs, dtype=jnp.uint32))
        noise = jax.vmap(lambda key: self.policy.actions.noise(key, (self.config.steps, self.players)))(keys)
        return jnp.moveaxis(noise, 0, 1).reshape(self.config.steps, self.envs * self.players, *noise.shape[3:])

    def _choose(
        self,
        policy: tuple[networks.Params, ObservationStatistics],
        memory: jax.Array,
        fresh: jax.Array,
        obs: jax.Array,
        legal: jax.Array | None,
        noise: jax.Array,
    ) -> tuple[jax.Array, ...]:
        weights, statistics = jax.tree.map(lambda leaf: leaf[0], policy)
        network, actions, spread = self.policy.network, self.policy.actions, weights["spread"]
        seen = to_seats(encode(self.policy.observations, obs), self.players)
        memory = jnp.where(fresh[:, None], 0, memory)
        features, memory = networks.remember(network, weights, memory, self.policy.shown(statistics, seen))
        head = with_legal(networks.head(network, weights, features), legal)
        raw = actions.sample(head, spread, noise)
        chosen = to_games(actions.to_env(raw), self.players)
        return raw, chosen, actions.log_prob(head, spread, raw), memory

    def _learn_from(
        self, learner: Learner, seed: jax.Array, experience: Experience, totals: Totals, memory: jax.Array
    ) -> tuple[Learner, Metrics]:
        key = self._key(learner, seed, 1)
        flat = partial(_flat, self.policy, self.envs * self.players)
        experience = experience.replace(seen=flat(experience.seen), final=flat(experience.final))
        one = jax.tree.map(lambda leaf: leaf[0], learner)
        one, metrics = learn(self.policy, self.config, one, experience, memory[0], key, None)
        return _with_axis(one), summary(totals) | metrics


def _flat(policy: Policy, seats: int, obs: jax.Array) -> jax.Array:
    """(steps, envs, [players,] ...) -> (steps, seats, inputs)"""
    return encode(policy.observations, obs).reshape(len(obs), seats, -1)


def _counted(now: Actors, reward: Array, done: Array, players: int) -> tuple[Actors, Array]:
    """The episodes after a step, and what those that ended add to the totals."""
    returned, length, ended = now.returned + reward, now.length + 1, each_seat(done, players)
    gained = np.asarray(returned[ended])
    sums = [done.sum(), gained.sum() / players, (gained * gained).sum() / players, length[done].sum()]
    after = now.replace(
        fresh=ended,
        returned=np.where(ended, np.float32(0), returned),
        length=np.where(done, np.int32(0), length),
    )
    return after, np.array(sums, np.float32)


def _with_axis(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[None], tree)


def _of_seed(state: TrainState, index: int) -> TrainState:
    """One seed's part, with an axis of one seed; not copied where there is no other."""
    return state if len(state.seed) == 1 else jax.tree.map(lambda leaf: leaf[index : index + 1], state)


def _joined(states: Sequence[TrainState]) -> TrainState:
    if len(states) == 1:
        return states[0]
    return jax.tree.map(lambda *parts: np.concatenate(parts), *jax.device_get(list(states)))
