"""Rollouts of our environments under a network, for PPO to learn from; compiled together with the learning."""

from typing import Any

import jax
import jax.numpy as jnp

from envwright.core import execute
from envwright.core.autoreset import AutoReset, each, to_back, to_front
from envwright.core.chance import fork
from envwright.core.env import Env
from envwright.core.record import Record
from envwright.core.rollout import LARGEST_TILE
from envwright.core.spaces import encode
from envwright.training import networks
from envwright.training.actions import with_legal
from envwright.training.experience import Experience, Totals, each_seat, no_totals, to_games, to_seats
from envwright.training.policy import ObservationStatistics, Policy


class Actors(Record):
    """Environments in the middle of their episodes; a leading axis of environments, or of seats, on every leaf."""

    obs: Any  # (envs, [players,] ...)
    state: Any
    fresh: jax.Array  # (seats,) bool
    memory: jax.Array  # (seats, memory)
    returned: jax.Array  # (seats,) float32, reward since the episode began
    length: jax.Array  # (envs,) int32, steps since then


def begin(env: Env[Any, Any], policy: Policy, how: AutoReset, keys: jax.Array, params: Any) -> Actors:
    """New episodes, one a key."""
    obs, state = to_front(how.reset(env, keys, params))
    seats = len(keys) * env.players
    return Actors(
        obs=obs,
        state=state,
        fresh=jnp.ones(seats, bool),
        memory=networks.no_memory(policy.network, seats),
        returned=jnp.zeros(seats, jnp.float32),
        length=jnp.zeros(len(keys), jnp.int32),
    )


def collect(
    env: Env[Any, Any],
    policy: Policy,
    how: AutoReset,
    weights: networks.Params,
    statistics: ObservationStatistics,
    actors: Actors,
    key: jax.Array,
    indices: jax.Array,
    steps: int,
    fused: bool,
    params: Any,
) -> tuple[Actors, Experience, Totals]:
    """`steps` steps of every environment. `indices` number them over all devices, and decide what each draws."""
    envs, players = len(indices), env.players
    act_key, step_key = fork(key, 2)
    act_keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(act_key, indices)
    noise = jax.vmap(lambda k: policy.actions.noise(k, (steps, players)))(act_keys)  # (envs, steps, players, ...)
    noise = jnp.moveaxis(noise, 0, 1).reshape(steps, envs * players, *noise.shape[3:])

    def look(obs: Any) -> jax.Array:
        return to_seats(encode(policy.observations, obs), players)

    def play(actors: Actors, head: jax.Array, noise: jax.Array, t: jax.Array) -> tuple[Any, ...]:
        """All that is done for each environment by itself, between two looks of the network."""
        legal = _legal(env, how.now(actors.state), params)
        head = with_legal(head, legal)
        raw = policy.actions.sample(head, weights["spread"], noise)
        log_prob = policy.actions.log_prob(head, weights["spread"], raw)
        keys = jax.vmap(jax.random.fold_in, in_axes=(None, 0))(jax.random.fold_in(step_key, t), indices)
        actions = to_games(policy.actions.to_env(raw), players)
        step = to_front(how.step(env, keys, to_back(actors.state), to_back(actions), params))
        reward = step.reward.reshape(envs * players)
        done = step.terminated | step.truncated
        returned, length = actors.returned + reward, actors.length + 1
        ended = each_seat(done, players)
        totals = Totals(
            episodes=done.sum(dtype=jnp.float32),
            returns=jnp.where(ended, returned, 0).sum() / players,
            squares=jnp.where(ended, returned * returned, 0).sum() / players,
            lengths=jnp.where(done, length, 0).sum(dtype=jnp.float32),
        )
        after = Actors(
            obs=step.obs,
            state=step.state,
            fresh=ended,
            memory=actors.memory,
            returned=jnp.where(ended, 0, returned),
            length=jnp.where(done, 0, length),
        )
        flags = (each_seat(step.terminated, players), each_seat(step.truncated, players))
        return after, (legal, raw, log_prob, reward, *flags, look(step.info["final_observation"])), totals

    playing = execute.one_kernel(play) if fused and envs <= LARGEST_TILE else play

    def body(carry: tuple[Actors, Totals], now: tuple[jax.Array, jax.Array]) -> tuple[Any, Any]:
        actors, totals = carry
        t, noise = now
        seen = look(actors.obs)
        memory = jnp.where(actors.fresh[:, None], 0, actors.memory)
        shown = policy.shown(statistics, seen)
        features, memory = networks.remember(policy.network, weights, memory, shown)
        head = networks.head(policy.network, weights, features)
        after, (legal, raw, log_prob, reward, terminated, truncated, final), ended = playing(actors, head, noise, t)
        kept = Experience(
            seen=seen,
            memory=memory,
            fresh=actors.fresh,
            legal=legal,
            raw=raw,
            log_prob=log_prob,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
            final=final,
        )
        return (after.replace(memory=memory), jax.tree.map(jnp.add, totals, ended)), kept

    times = jnp.arange(steps, dtype=jnp.uint32)
    (actors, totals), experience = jax.lax.scan(body, (actors, no_totals()), (times, noise))
    return actors, experience, totals


def _legal(env: Env[Any, Any], state: Any, params: Any) -> jax.Array | None:
    legal = each(env.legal_actions, to_back(state), params=params)
    return None if legal is None else to_seats(to_front(legal), env.players)
