"""Brax: its own wrappers and its own PPO on our environments, whose every step stays what it is here."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from counter import Counter, Params, State
from dial import Dial, Numbered, Pair

import envwright
from envwright import Env, TimeLimit, make
from envwright.candidates.outside import as_by_default, package
from envwright.core import Box, Step, fork
from envwright.core.chance import restart_key, typed
from envwright.core.errors import ActionError, EnvwrightError
from envwright.core.pieces import in_pieces
from envwright.core.registry import registered
from native_games import Corridor

pytest.importorskip("brax", reason="Brax is not installed: pip install 'envwright[brax]'")
envs: Any = package("brax.envs", "brax")  # without its warnings
training: Any = package("brax.envs.wrappers.training", "brax")

from envwright.adapters.brax import BraxEnv, jax_for_brax  # noqa: E402

GAMES, STEPS = 3, 40
KEYS = {"raw": jax.random.PRNGKey, "typed": jax.random.key, "ours": envwright.key}


@pytest.fixture
def lenient() -> Iterator[None]:
    """Brax's own code mixes dtypes and ranks, and warns of itself."""
    with as_by_default():
        yield


def continuous() -> dict[str, Env[Any, Any]]:
    """Every registered environment in JAX, in each of its forms, that takes floating-point actions."""
    found: dict[str, Env[Any, Any]] = {}
    for spec in registered():
        for options in [form.options for form in spec.forms] or [{}]:
            env = make(spec.id, **options)
            if isinstance(env, Env) and isinstance(env.action_space(env.default_params), Box):
                found[" ".join([spec.id, *(f"{name}={value}" for name, value in options.items())])] = env
    return found


CONTINUOUS = continuous()


def keys() -> jax.Array:
    """As Brax makes them."""
    return jax.random.split(jax.random.PRNGKey(0), GAMES)


def some_actions(env: Any) -> jax.Array:
    return jax.random.uniform(jax.random.key(1), (STEPS, GAMES, env.action_size), minval=-1.0)


def scaled(env: Env[Any, Any], actions: jax.Array) -> jax.Array:
    """Brax's actions as ours, worked out by NumPy."""
    space = env.action_space(env.default_params)
    low, high = (np.asarray(bound, np.float32) for bound in (space.low, space.high))  # pyright: ignore
    return jnp.asarray((low + high) / 2 + (high - low) / 2 * np.asarray(actions)).reshape(STEPS, GAMES, *space.shape)


def assert_same(ours: Any, theirs: Any) -> None:
    jax.tree.map(lambda a, b: np.testing.assert_array_equal(a, b, strict=True), ours, theirs)


def our_episodes(env: Env[Any, Any], rngs: jax.Array, actions: jax.Array) -> tuple[Any, Any]:
    """What `env` itself does with the keys that the adapter gives to its steps: first, then step by step.

    It is compiled as the adapter compiles it, because XLA rounds by what it compiles together.
    """
    params = env.default_params

    def begin(rng: jax.Array) -> Any:
        key = typed(rng)
        return in_pieces(env.init)(key, params), restart_key(key)

    def go_on(carry: Any, action: jax.Array) -> Any:
        state, key = carry
        key, now = fork(key, 2)
        step = in_pieces(env.transition)(now, state, action, params)
        return (step.state, key), step

    @jax.jit
    def play(rngs: jax.Array, actions: jax.Array) -> Any:
        (obs, state), key = jax.vmap(begin)(rngs)
        return (obs, state), jax.lax.scan(jax.vmap(go_on), (state, key), actions)[1]

    return play(rngs, actions)


def braxs_episodes(env: Any) -> tuple[Any, Any]:
    """The first states and all later ones of a batched environment of Brax's."""

    def go_on(state: Any, action: jax.Array) -> Any:
        state = env.step(state, action)
        return state, state

    @jax.jit
    def play(rngs: jax.Array, actions: jax.Array) -> Any:
        first = env.reset(rngs)
        return first, jax.lax.scan(go_on, first, actions)[1]

    return play(keys(), some_actions(env))


@cache
def raw_episodes(name: str) -> tuple[Any, Any]:
    """Without a time limit, and without resets."""
    return braxs_episodes(training.VmapWrapper(BraxEnv(CONTINUOUS[name])))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_an_episode_is_ours_bit_for_bit(name: str) -> None:
    brax = BraxEnv(CONTINUOUS[name])
    (obs, state), steps = our_episodes(brax.env, keys(), scaled(brax.env, some_actions(brax)))
    first, later = raw_episodes(name)
    assert_same((obs, state), (first.obs, first.pipeline_state))
    assert_same((steps.obs, steps.state), (later.obs, later.pipeline_state))
    assert_same(steps.reward, later.reward)
    assert_same(steps.terminated.astype(jnp.float32), later.done)
    assert brax.observation_size == first.obs.shape[-1]


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.usefixtures("lenient")
def test_braxs_own_wrappers_run_it(name: str) -> None:
    env = BraxEnv(CONTINUOUS[name])
    limit = 7
    first, states = braxs_episodes(training.EvalWrapper(training.wrap(env, episode_length=limit)))
    raw = at(raw_episodes(name)[1], slice(limit))
    before = np.cumsum(raw.done, axis=0) - raw.done == 0  # up to the end of the first episode
    metrics = states.info["eval_metrics"]
    returns = (raw.reward * before).sum(axis=0)
    np.testing.assert_allclose(metrics.episode_metrics["reward"][-1], returns, rtol=1e-5)  # another program
    np.testing.assert_array_equal(metrics.episode_steps[-1], before.sum(axis=0))
    assert np.isin(states.done, (0, 1)).all()
    assert states.done.dtype == jnp.float32
    for game in range(GAMES):
        ends = np.flatnonzero(states.done[:, game]).tolist()
        assert len(ends) >= STEPS // limit
        for end in ends:
            assert_same(states.obs[end, game], first.obs[game])
            assert_same(at(states.pipeline_state, end, game), at(first.pipeline_state, game))


def at(tree: Any, *index: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], tree)


@pytest.mark.parametrize("kind", KEYS)
def test_a_step_draws_from_the_key_that_the_state_carries(kind: str) -> None:
    env = BraxEnv(Dial(lucky=True))
    state = env.reset(KEYS[kind](3))
    assert state.info["rng"].dtype == KEYS[kind](3).dtype
    assert_same(state.obs, Dial(lucky=True).init(typed(KEYS[kind](3)), Params())[0])
    seen = set()
    for _ in range(12):
        before, state = state, env.step(state, jnp.zeros(1))
        assert_same(state.reward, env.step(before, jnp.zeros(1)).reward)
        seen.add(float(state.reward))
    assert seen == {1.0, 2.0}, "the same state draws the same, and one after another differently"


def test_no_key_is_carried_where_no_step_draws() -> None:
    @dataclass(frozen=True)
    class Still(Dial):
        def draw(self, key: jax.Array, state: State, action: jax.Array, params: Params) -> Any:
            return None

        def apply(self, state: State, action: jax.Array, chance: Any, params: Params) -> Step:
            return super().apply(state, action, jnp.int32(0), params)

    state = BraxEnv(Still()).reset(jax.random.PRNGKey(0))
    assert set(state.info) == {"truncation", "time_out"}
    assert set(BraxEnv(Dial()).reset(jax.random.PRNGKey(0)).info) == {"truncation", "time_out", "rng"}


def test_an_end_does_not_reset_and_a_truncation_is_told() -> None:
    env = BraxEnv(Dial(), params=Params(np.int32(3), np.int32(2)))
    state = env.reset(jax.random.PRNGKey(0))
    seen = []
    for _ in range(3):
        state = env.step(state, jnp.zeros(1))  # the middle of 0 and 2
        seen.append((float(state.obs[0]), *(float(x) for x in (state.done, *truncation(state)))))
    # It terminates at the third, and then the truncation does not count.
    assert seen == [(1, 0, 0, 0), (2, 1, 1, 1), (3, 1, 0, 0)]


def truncation(state: Any) -> tuple[jax.Array, jax.Array]:
    return state.info["truncation"], state.info["time_out"]


@pytest.mark.usefixtures("lenient")
def test_a_time_limit_is_applied_by_brax_as_a_truncation() -> None:
    """As one of its own: Brax would forget that a `done` of ours was none of the rules' doing."""
    endless = Params(np.int32(10**6), np.int32(10**6))
    timed = TimeLimit(TimeLimit(Dial(), 9), 4)
    params = timed.default_params
    env = BraxEnv(timed, params=params.replace(inner=params.inner.replace(inner=endless)))
    assert env.episode_length == 4
    wrapped = training.wrap(env, episode_length=env.episode_length)
    state = wrapped.reset(keys())
    flags = []
    for _ in range(5):
        state = wrapped.step(state, jnp.zeros((GAMES, 1)))
        flags.append((float(state.done[0]), float(state.info["truncation"][0])))
    assert flags == [(0, 0)] * 3 + [(1, 1), (0, 0)]
    assert BraxEnv(Dial()).episode_length is None


@pytest.mark.usefixtures("lenient")
def test_an_episode_that_the_rules_end_is_no_truncation_for_brax() -> None:
    wrapped = training.wrap(BraxEnv(Dial()), episode_length=100)
    state = wrapped.reset(keys())
    for _ in range(3):
        state = wrapped.step(state, jnp.ones((GAMES, 1)))  # counts by two, up to five
    assert state.done.tolist() == [1] * GAMES
    assert state.info["truncation"].tolist() == [0] * GAMES


@pytest.mark.usefixtures("lenient")
def test_metrics_are_the_single_numbers_of_the_info() -> None:
    env = BraxEnv(Dial())
    first = env.reset(jax.random.PRNGKey(0))
    state = env.step(first, jnp.ones(1))
    assert {name: float(value) for name, value in state.metrics.items()} == {
        "steps": 1,
        "odd": 0,
        "first": 2,
        "info.length": 0,
    }
    assert {value.dtype for value in state.metrics.values()} == {jnp.dtype(jnp.float32)}
    assert jax.tree.structure(first) == jax.tree.structure(state)
    wrapped = training.EvalWrapper(training.wrap(env, episode_length=3))
    state = wrapped.reset(keys())
    for _ in range(3):
        state = wrapped.step(state, jnp.zeros((GAMES, 1)))
    assert state.info["eval_metrics"].episode_metrics["steps"].tolist() == [6] * GAMES
    assert state.info["episode_metrics"]["length"].tolist() == [3] * GAMES


@pytest.mark.parametrize(
    ("low", "high", "taken"),
    [(0.0, 2.0, 1.5), (-1.0, 1.0, 0.5), (-3.0, 3.0, 1.5), (-np.inf, np.inf, 0.5), (0.0, np.inf, 0.5)],
)
def test_actions_are_scaled_to_finite_bounds(low: float, high: float, taken: float) -> None:
    env = BraxEnv(Dial(low=low, high=high))
    state = env.step(env.reset(jax.random.PRNGKey(0)), jnp.full(1, 0.5))
    assert float(state.metrics["first"]) == taken


def test_an_action_is_a_vector_whatever_its_shape_here() -> None:
    env = BraxEnv(Dial(size=3))
    assert env.action_size == 3
    state = env.step(env.reset(jax.random.PRNGKey(0)), jnp.asarray([1.0, 0.0, 0.0]))
    assert float(state.metrics["first"]) == 2


def test_an_observation_is_a_vector_whatever_its_space() -> None:
    env = BraxEnv(Numbered())
    state = env.step(env.reset(jax.random.PRNGKey(0)), jnp.zeros(1))
    assert env.observation_size == 10
    assert_same(state.obs, jnp.zeros(10).at[1].set(1))


@pytest.mark.usefixtures("lenient")
def test_domain_randomisation_varies_the_params() -> None:
    def limits(params: Params, rng: Any = None) -> tuple[Params, Params]:
        return params.replace(terminate_at=jnp.asarray([1, 2, 3])), params.replace(terminate_at=0, truncate_at=None)

    wrapped = training.wrap(BraxEnv(Dial()), episode_length=100, randomization_fn=limits)
    state = wrapped.reset(keys())
    dones = []
    for _ in range(3):
        state = wrapped.step(state, jnp.zeros((GAMES, 1)))
        dones.append(state.done.tolist())
    assert dones == [[1, 0, 0], [1, 1, 0], [1, 0, 1]]


@pytest.mark.usefixtures("lenient")
def test_double_precision() -> None:
    with jax.enable_x64(True):
        env = BraxEnv(Dial())
        wrapped = training.EvalWrapper(training.wrap(env, episode_length=3))
        first = wrapped.reset(keys())
        last, _ = jax.lax.scan(lambda s, _: (wrapped.step(s, jnp.zeros((GAMES, 1))), None), first, None, 4)
        assert (last.obs.dtype, last.done.dtype, last.reward.dtype) == (jnp.float64,) * 3


def test_what_brax_asks_of_an_environment() -> None:
    env = BraxEnv(Dial(), dt=0.05)
    assert isinstance(env, envs.Env)
    assert (env.backend, env.unwrapped, env.dt) == ("envwright", env, 0.05)
    assert training.VmapWrapper(env).unwrapped is env
    with pytest.raises(EnvwrightError, match=r"a step of Dial takes is not known; say so: BraxEnv\(env, dt="):
        BraxEnv(Dial()).dt  # noqa: B018


@pytest.mark.parametrize(
    ("env", "sentence"),
    [
        (Counter(), r"a Box of floats as its action space, but that of Counter is Discrete\(n=3\)"),
        (Corridor(), "Brax needs an environment written in JAX"),
        (Pair(), "Brax's environments have one player, and this one has 2; give the other seat"),
    ],
)
def test_what_brax_cannot_train_is_refused(env: Any, sentence: str) -> None:
    with pytest.raises(EnvwrightError, match=sentence):
        BraxEnv(env)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (np.zeros(2, np.float32), r"a floating-point action of shape \(1,\), but got float32 of shape \(2,\)"),
        (np.zeros(1, np.int32), r"a floating-point action of shape \(1,\), but got int32"),
        (np.full(1, np.nan, np.float32), r"got NaN in \[nan\]"),
    ],
)
def test_a_wrong_action_is_named(action: Any, sentence: str) -> None:
    env = BraxEnv(Dial())
    with pytest.raises(ActionError, match=sentence):
        env.step(env.reset(jax.random.PRNGKey(0)), action)


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.usefixtures("lenient")
def test_braxs_ppo_learns_from_it(name: str) -> None:
    ppo: Any = package("brax.training.agents.ppo.train", "brax")
    told: list[dict[str, Any]] = []
    with jax_for_brax():
        _, params, _ = ppo.train(
            BraxEnv(CONTINUOUS[name]),
            num_timesteps=320,
            episode_length=20,
            num_envs=8,
            batch_size=8,
            num_minibatches=2,
            unroll_length=5,
            num_updates_per_batch=2,
            num_evals=2,
            num_eval_envs=4,
            max_devices_per_host=1,
            normalize_observations=True,
            bootstrap_on_timeout=True,
            progress_fn=lambda _, metrics: told.append(metrics),
        )
    losses = {name: value for name, value in told[-1].items() if name.endswith("loss")}
    assert len(losses) >= 4
    assert np.isfinite(list(losses.values())).all()
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(params))
    assert np.isfinite(told[-1]["eval/episode_reward"])


def test_jax_is_as_it_was_after_brax_has_trained() -> None:
    before = dict(vars(jax))
    with jax_for_brax():
        assert np.asarray(jax.device_put_replicated({"a": jnp.ones(2)}, jax.devices()[:2])["a"]).shape == (2, 2)  # pyright: ignore
    assert dict(vars(jax)) == before
