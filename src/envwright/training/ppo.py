"""PPO on an environment of ours: rollouts and learning compiled into one program.

    trainer = Trainer(env, config)
    state = trainer.start()
    state, metrics = trainer.run(state, updates=10)      a row of metrics an update

Several seeds train at once: a leading axis of seeds on the learners and on the metrics. Devices share the environments
of a run and average its gradients; if there are at least as many seeds as devices, each trains seeds of its own.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from envwright.core import chance, execute
from envwright.core.autoreset import strategy
from envwright.core.env import Env
from envwright.core.native import AnyEnv, check_jax, spaces_of
from envwright.core.record import Record, field_names
from envwright.training import distributed
from envwright.training.collect import Actors, begin, collect
from envwright.training.config import Config, ConfigError
from envwright.training.experience import Totals
from envwright.training.learn import Learner, learn, new_learner
from envwright.training.player import Player
from envwright.training.policy import Policy

Metrics = dict[str, Any]


class TrainState(Record):
    """All that a run is, between two updates; every leaf has a leading axis of seeds."""

    learner: Learner
    actors: Actors  # a second axis of environments, or seats
    seed: jax.Array  # uint32


class Trainer:
    """A run, or several that differ by their seed."""

    def __init__(
        self,
        env: Env[Any, Any],
        config: Config,
        *,
        params: Any = None,
        devices: int | None = None,
        seeds: Sequence[int] = (0,),
    ) -> None:
        check_jax(env, "This trainer")
        check_seeds(seeds)
        self.env, self.config, self.seeds = env, config, tuple(seeds)
        self.params = env.default_params if params is None else params
        self.policy = policy_of(env, config, params)
        self.mesh = execute.mesh(devices)
        self.devices = self.mesh.size
        self.by_seed = len(seeds) > 1 and len(seeds) % self.mesh.size == 0
        shares = 1 if self.by_seed else self.mesh.size
        check_divides(config, self.policy, execute.check_divides(config.num_envs, shares, "devices") * env.players)
        self._how = strategy(config.autoreset)
        seed_axis, env_axis = (execute.AXIS, None) if self.by_seed else (None, execute.AXIS)
        alike, spread = PartitionSpec(seed_axis), PartitionSpec(seed_axis, env_axis)
        self._specs = TrainState(learner=alike, actors=spread, seed=alike)  # pyright: ignore[reportArgumentType]
        self._axis = None if self.mesh.size == 1 or self.by_seed else execute.AXIS
        self._start = jax.jit(self._begin, out_shardings=self.shardings())
        self.fused = config.fused
        self._compiled: dict[int, Any] = {}  # by the number of updates

    def start(self) -> TrainState:
        """Before the first update."""
        return self._start(np.asarray(self.seeds, np.uint32))

    def run(self, state: TrainState, updates: int) -> tuple[TrainState, Metrics]:
        """Make `updates` updates. Metrics are arrays (updates, seeds). The state given is used up."""
        if updates not in self._compiled:
            self._compiled[updates] = self._compile(state, updates)
        if self._axis is not None and execute.on_cpu():
            # XLA's CPU devices wait for each other with threads: of two programs under way at once, each may hold the
            # threads that the other needs. So one at a time.
            jax.block_until_ready(state)
        return self._compiled[updates](state)

    def _compile(self, state: TrainState, updates: int) -> Any:
        # Said once more for the result: left to itself, XLA may place a part elsewhere, and the next call not fit.
        placed = self.shardings()
        run = jax.jit(
            self._many_updates,
            static_argnums=(1, 2),
            donate_argnums=0,
            in_shardings=(placed,),
            out_shardings=(placed, None),
        )
        try:
            return run.lower(state, updates, self.fused).compile()
        except jax.errors.JaxRuntimeError:
            if not self.fused:
                raise
            self.fused = False  # XLA cannot put everything into one kernel; then it makes its own
            return run.lower(state, updates, False).compile()

    def player(self, state: TrainState, index: int = 0, name: str = "trained") -> Player:
        """The policy of one of the seeds as it is now."""
        return player_of(self.policy, state.learner, index, name)

    def saved(self, state: TrainState) -> TrainState:
        """The state in this process's memory, for a checkpoint."""
        return distributed.gathered(state)

    def template(self) -> TrainState:
        """Shape and type of every array of a saved state."""
        return jax.eval_shape(self._begin, jax.ShapeDtypeStruct((len(self.seeds),), jnp.uint32))

    def restored(self, saved: TrainState) -> TrainState:
        """A saved state on the devices, to go on from."""

        def place(array: Any, sharding: NamedSharding) -> jax.Array:
            return jax.make_array_from_callback(array.shape, sharding, lambda index: array[index])

        return jax.tree.map(place, saved, self.shardings())

    def shardings(self) -> Any:
        """Where each part of a state lives."""
        shapes = self.template()

        def place(spec: PartitionSpec, part: Any) -> Any:
            return jax.tree.map(lambda _: NamedSharding(self.mesh, spec), part)

        return TrainState(*(place(getattr(self._specs, name), getattr(shapes, name)) for name in field_names(shapes)))

    def _begin(self, seeds: jax.Array) -> TrainState:
        def one(seed: jax.Array) -> TrainState:
            net_key, env_key = chance.fork(chance.key(seed), 2)
            keys = jax.random.split(env_key, self.config.num_envs)
            actors = begin(self.env, self.policy, self._how, keys, self.params)
            return TrainState(new_learner(self.policy, net_key), actors, seed)

        return jax.lax.map(one, seeds)

    def _many_updates(self, state: TrainState, updates: int, fused: bool) -> tuple[TrainState, Metrics]:
        indices = jnp.arange(self.config.num_envs, dtype=jnp.uint32)
        spec = PartitionSpec(None if self.by_seed else execute.AXIS)

        def share(state: TrainState, indices: jax.Array) -> tuple[TrainState, Metrics]:
            one = partial(self._update, indices=indices, fused=fused)

            def body(state: TrainState, _: None) -> tuple[TrainState, Metrics]:
                return each_seed(one, state)

            return jax.lax.scan(body, state, None, updates)

        metrics_spec = PartitionSpec(None, self._specs.seed[0])
        run = jax.shard_map(
            share,
            mesh=self.mesh,
            in_specs=(self._specs, spec),
            out_specs=(self._specs, metrics_spec),
            check_vma=False,
        )
        return run(state, indices)

    def _update(self, state: TrainState, indices: jax.Array, fused: bool) -> tuple[TrainState, Metrics]:
        learner = state.learner
        key = jax.random.fold_in(jax.random.fold_in(chance.key(state.seed), 2), learner.updates)
        rollout_key, learn_key = chance.fork(key, 2)
        memory = state.actors.memory
        actors, experience, totals = collect(
            self.env, self.policy, self._how, learner.weights, learner.statistics, state.actors, rollout_key, indices,
            self.config.steps, fused, self.params,
        )  # fmt: skip
        if self._axis is not None:
            learn_key = jax.random.fold_in(learn_key, jax.lax.axis_index(self._axis))
            totals = jax.lax.psum(totals, self._axis)
        learner, metrics = learn(self.policy, self.config, learner, experience, memory, learn_key, self._axis)
        return TrainState(learner, actors, state.seed), summary(totals) | metrics


def each_seed(one: Any, state: TrainState) -> tuple[TrainState, Metrics]:
    """An update of each seed: one after the other on CPU, where batches of matrix products are slow, else at once."""
    many = state.seed.shape[0]
    if many == 1:
        first = jax.tree.map(lambda leaf: leaf[0], state)
        return jax.tree.map(lambda leaf: leaf[None], one(first))
    return jax.lax.map(one, state) if execute.on_cpu() else jax.vmap(one)(state)


def player_of(policy: Policy, learners: Learner, index: int, name: str) -> Player:
    """The policy of one of several learners, in NumPy."""
    parts = learners.weights, learners.statistics.mean, learners.statistics.variance
    weights, mean, variance = jax.device_get(jax.tree.map(lambda leaf: leaf[index], parts))
    return Player(policy, weights, mean, variance, name)


def policy_of(env: AnyEnv, config: Config, params: Any = None) -> Policy:
    """The policy that fits an environment."""
    return Policy(config.network, *spaces_of(env, params), config.normalise_observations)


def learners_template(policy: Policy, seeds: int) -> Learner:
    """Shape and type of what that many seeds learn."""
    make = jax.vmap(lambda seed: new_learner(policy, chance.key(seed)))
    return jax.eval_shape(make, jax.ShapeDtypeStruct((seeds,), jnp.uint32))


def check_seeds(seeds: Sequence[int]) -> None:
    if not seeds or not all(0 <= seed < 2**32 for seed in seeds):
        raise ConfigError(f"Seeds are whole numbers from 0 to {2**32 - 1}, but here they are {tuple(seeds)}.")


def check_divides(config: Config, policy: Policy, seats: int) -> None:
    """A share of the batch must fall into equal minibatches."""
    parts, what = (seats, "environments") if policy.network.kind == "gru" else (seats * config.steps, "steps")
    if parts % config.minibatches:
        raise ConfigError(
            f"{parts} {what} on a device do not divide into {config.minibatches} minibatches; change num_envs, steps "
            "or minibatches."
        )


def summary(totals: Totals) -> Metrics:
    """The episodes that ended during a rollout; NaN where none did."""
    many = totals.episodes
    mean = totals.returns / many
    return {
        "episodes": many,
        "return": mean,
        "return_sd": jnp.sqrt(jnp.maximum(totals.squares / many - mean * mean, 0)),
        "length": totals.lengths / many,
    }
