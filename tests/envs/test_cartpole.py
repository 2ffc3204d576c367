"""CartPole against Gymnasium's: single steps in float32, whole episodes in float64, and the page that explains it."""

import itertools
import re
import sys
import types
from pathlib import Path
from typing import Any

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import envwright
from envwright.core import registry, scalar
from envwright.core.record import field_names
from envwright.envs.cartpole import FEATURES, CartPole, Params, State
from envwright.envs.cartpole.reference import make_reference, reference_params, restore, snapshot
from envwright.envs.cartpole.rules import accelerations, has_failed, push

ULP = 2.0**-24  # the relative error of one float32 rounding
ROUNDINGS = 32  # more than there are on the longest way from a state to an acceleration, constants included
ROOT = Path(__file__).parents[2]
CONFIGS = [{"sutton_barto_reward": s, "semi_implicit": i} for s, i in itertools.product((False, True), repeat=2)]

Array = NDArray[Any]


def as_state(values: Any) -> State:
    """Four numbers, or four columns of them, as a state."""
    return State(*np.moveaxis(np.asarray(values), -1, 0))  # pyright: ignore[reportArgumentType]


def as_array(state: State) -> Array:
    """A state, or a batch of them, as float64 with a last axis of four."""
    return np.stack([np.asarray(getattr(state, name), np.float64) for name in field_names(State)], axis=-1)


def balance(state: Any) -> int:
    """A push that keeps the pole up for ever: a hand-made linear controller."""
    return int(np.dot(state, (0.1, 0.3, 3.0, 1.0)) > 0)


def rollout_states(count: int) -> Array:
    """States the reference visits: half under random pushes, half under a controller with a tenth of mistakes."""
    env, rng, states = make_reference(), np.random.default_rng(1), []
    for episode in itertools.count():
        env.reset(seed=episode)
        for _ in range(100):
            states.append(as_array(snapshot(env)))
            random = episode % 2 == 0 or rng.random() < 0.1
            if env.step(int(rng.integers(2)) if random else balance(env.state))[2] or len(states) == count:
                break
        if len(states) == count:
            return np.array(states, np.float32)
    raise AssertionError


def synthetic_states(count: int) -> Array:
    """States drawn from the whole domain and a little beyond, faster than play ever gets."""
    return np.random.default_rng(2).uniform(-1, 1, (count, 4)).astype(np.float32) * np.array(
        [2.5, 6, 0.22, 8], np.float32
    )


def corner_states() -> Array:
    """On both limits and a float32 to either side of them, at rest and moving either way."""

    def around(limit: Any) -> list[Any]:
        at = np.float32(limit)
        near = [np.nextafter(at, np.float32(0)), at, np.nextafter(at, np.float32(9))]
        return [0.0, *near, *(-n for n in near)]

    xs, thetas = around(2.4), around(np.radians(12))
    return np.array(list(itertools.product(xs, (-1.0, 0.0, 1.0), thetas, (-1.0, 0.0, 1.0))), np.float32)


SOURCES = {
    "rollout": lambda: rollout_states(2000),
    "synthetic": lambda: synthetic_states(2000),
    "corners": corner_states,
}


def tolerance(before: Array, after: Array, semi_implicit: bool) -> Array:
    """How far one float32 step may be from the float64 one, for each of the four numbers.

    A sum rounds once: half a unit of the result. What is added is tau times a speed (two roundings: tau's and the
    product's) or tau times an acceleration. No difference in an acceleration cancels more than its terms, so its error
    is at most the roundings on the way times the same formula with every term taken positive.
    """
    x_dot, theta, theta_dot = np.abs(before[..., 1]), before[..., 2], before[..., 3]
    sin, cos, mass, moment, tau = np.abs(np.sin(theta)), np.cos(theta), 1.1, 0.05, 0.02
    pushed = (10 + moment * theta_dot**2 * sin) / mass
    theta_acc = (9.8 * sin + cos * pushed) / (0.5 * (4 / 3 - 0.1 * cos**2 / mass))
    x_acc = pushed + moment * theta_acc * cos / mass
    x_dot_error, theta_dot_error = ROUNDINGS * tau * x_acc, ROUNDINGS * tau * theta_acc
    moving = 2 * tau * x_dot, 2 * tau * np.abs(theta_dot)
    if semi_implicit:  # the error of the new speed moves the place as well
        moving = moving[0] + 3 * tau * x_dot_error, moving[1] + 3 * tau * theta_dot_error
    return ULP * (np.abs(after) + np.stack([moving[0], x_dot_error, moving[1], theta_dot_error], axis=-1))


def reference_steps(env: CartPoleEnv, states: Array, actions: Array) -> tuple[Array, Array, Array, Array]:
    """One step of the reference from each state: next states, observations, rewards, ends."""
    rows = []
    for state, action in zip(states, actions, strict=True):
        restore(env, as_state(state))
        obs, reward, terminated, _, _ = env.step(int(action))
        rows.append((as_array(snapshot(env)), obs, reward, terminated))
    after, obs, reward, terminated = zip(*rows, strict=True)
    return np.array(after), np.array(obs), np.array(reward), np.array(terminated)


def test_default_params_are_the_references_numbers() -> None:
    ours, theirs = Params(), reference_params(make_reference())
    for name in field_names(Params):
        mine, exact = getattr(ours, name), getattr(theirs, name)
        assert mine.dtype == np.float32
        if name.endswith("limit"):
            assert mine < exact < np.nextafter(mine, np.float32(9)), name
        else:
            assert mine == np.float32(exact), name


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("source", SOURCES)
def test_a_float32_step_is_the_references_step_up_to_rounding(config: dict[str, bool], source: str) -> None:
    states = SOURCES[source]()
    actions = np.random.default_rng(3).integers(0, 2, len(states)).astype(np.int32)
    after, obs, reward, terminated = reference_steps(make_reference(**config), states, actions)

    env = CartPole(**config)
    step = jax.jit(jax.vmap(env.apply, in_axes=(0, 0, None, None)))(as_state(states), actions, None, Params())

    allowed = tolerance(states.astype(np.float64), after, config["semi_implicit"])
    error = np.abs(as_array(step.state) - after)
    assert np.all(error <= allowed), f"{np.max(error / allowed)} times the tolerance"
    assert step.obs.dtype == np.float32
    assert np.all(np.abs(np.float64(step.obs) - obs) <= allowed + ULP * np.abs(after))

    # A limit that lies within the rounding error of the reference's value can be decided either way.
    limits = np.array([2.4, np.radians(12)])
    undecided = np.any(np.abs(np.abs(after[:, [0, 2]]) - limits) <= allowed[:, [0, 2]], axis=1)
    decided = ~undecided
    assert np.array_equal(np.asarray(step.terminated)[decided], terminated[decided])
    assert np.array_equal(np.asarray(step.reward)[decided], reward[decided])
    assert step.reward.dtype == np.float32
    if source != "corners":
        assert np.sum(undecided) <= 2


def test_a_float32_state_has_failed_exactly_when_the_reference_says_so() -> None:
    """At rest and upright nothing but the comparison is left, so here no tolerance is needed."""
    p = reference_params(make_reference())
    for state in corner_states():
        theirs = abs(float(state[0])) > p.x_limit or abs(float(state[2])) > p.theta_limit
        assert bool(has_failed(as_state(state), Params())) == theirs


@pytest.mark.parametrize("policy", ["random", "balancing"])
@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_a_float64_episode_is_the_references_episode_to_the_end(config: dict[str, bool], policy: str) -> None:
    """Synchronised once, by the start; every field, reward and end after it, or after 200 steps of balancing.

    The first difference is a rounding of 1e-16, and it grows as any tilt does: the pole falls at a rate of
    sqrt(g / (l (4/3 - m/M))) = 4 a second, a factor e^0.08 a step. That leaves 1e-12 until step 86.
    """
    env, reference, rng = CartPole(**config), make_reference(**config), np.random.default_rng(4)
    params = reference_params(reference)
    lengths = []
    with jax.enable_x64(True):
        apply = jax.jit(env.apply)
        for episode in range(25 if policy == "random" else 3):
            reference.reset(seed=episode)
            obs, state = env.start(jnp.asarray(as_array(snapshot(reference))), params)
            assert obs.dtype == np.float32
            for length in range(1, 201):
                action = balance(reference.state) if policy == "balancing" else int(rng.integers(2))
                theirs, reward, terminated, _, _ = reference.step(action)
                step = apply(state, np.int32(action), None, params)
                state = step.state
                assert state.x.dtype == np.float64
                allowed = 1e-15 * np.exp(0.08 * length)
                np.testing.assert_allclose(as_array(state), as_array(snapshot(reference)), rtol=0, atol=allowed)
                np.testing.assert_allclose(step.obs, theirs, rtol=2 * ULP, atol=allowed)
                assert (float(step.reward), bool(step.terminated)) == (reward, terminated)
                if terminated or length == 200:
                    lengths.append(length)
                    break
    assert len(set(lengths)) > 5 if policy == "random" else set(lengths) == {200}


def test_in_float64_the_limits_themselves_are_safe() -> None:
    reference = make_reference()
    params = reference_params(reference)
    limits = [(i, s * float(v)) for i, v in ((0, params.x_limit), (2, params.theta_limit)) for s in (1, -1)]
    with jax.enable_x64(True):
        for index, limit in limits:
            for value, failed in ((limit, False), (np.nextafter(limit, 9 * limit), True)):
                state = np.zeros(4)
                state[index] = value
                restore(reference, as_state(state))
                assert reference.step(1)[2] is failed
                step = CartPole().apply(as_state(state), jnp.int32(1), None, params)
                assert bool(step.terminated) is failed


def test_the_time_limit_truncates_when_gymnasiums_does() -> None:
    env, theirs = envwright.make("CartPole-v1"), gymnasium.make("CartPole-v1")
    theirs.reset(seed=0)
    reference = theirs.unwrapped
    assert isinstance(reference, CartPoleEnv)
    step = jax.jit(env.transition)
    _, state = env.start(jnp.asarray(reference.state, jnp.float32), env.default_params)
    for t in range(1, 501):
        action = balance(reference.state)
        _, _, terminated, truncated, _ = theirs.step(action)
        # Teacher-forced: float32 and float64 drift apart long before 500 steps.
        ours = step(envwright.key(0), state, np.int32(action), env.default_params)
        state = ours.state.replace(inner=as_state(np.float32(as_array(snapshot(reference)))))
        assert (bool(ours.terminated), bool(ours.truncated)) == (terminated, truncated) == (False, t == 500)


def test_starts_are_uniform_between_the_bounds() -> None:
    env = CartPole()
    keys = jax.random.split(envwright.key(0), 4096)
    starts = np.asarray(jax.vmap(env.draw_start, in_axes=(0, None))(keys, Params()))
    assert starts.shape == (4096, 4)
    assert starts.dtype == np.float32
    assert np.all((starts >= -0.05) & (starts < 0.05))
    # The standard error of the mean is 0.1 / sqrt(12 * 4096) = 0.00045; of the correlation, 0.016.
    assert np.all(np.abs(starts.mean(axis=0)) < 0.002)
    assert np.all(np.abs(starts.std(axis=0) - 0.1 / np.sqrt(12)) < 0.001)
    assert np.all(np.abs(np.corrcoef(starts.T) - np.eye(4)) < 0.08)
    wide = Params(start_low=scalar(1), start_high=scalar(2))
    assert np.all(np.asarray(env.draw_start(envwright.key(0), wide)) >= 1)


numbers = st.tuples(*(st.floats(-b, b, width=32) for b in (2.0, 4.0, 0.25, 4.0)))


@settings(max_examples=100, deadline=None)
@given(values=numbers, force=st.floats(-10, 10, width=32), semi_implicit=st.booleans())
def test_the_mirror_image_of_a_push_is_a_push_of_the_mirror_image(
    values: tuple[float, ...], force: float, semi_implicit: bool
) -> None:
    state = np.array(values, np.float32)
    there = push(as_state(state), jnp.float32(force), Params(), semi_implicit)
    mirrored = push(as_state(-state), jnp.float32(-force), Params(), semi_implicit)
    assert np.array_equal(as_array(mirrored), -as_array(there))


@settings(max_examples=50, deadline=None)
@given(values=numbers, force=st.floats(-10, 10, width=32))
def test_accelerations_obey_newton(values: tuple[float, ...], force: float) -> None:
    """The equations of motion, not the formula solved for them: force on the whole, torque about the hinge."""
    x_acc, theta_acc = (
        float(a) for a in accelerations(as_state(np.array(values, np.float32)), jnp.float32(force), Params())
    )
    _, _, theta, theta_dot = values
    sin, cos, m, half = np.sin(theta), np.cos(theta), 0.1, 0.5
    assert 1.1 * x_acc + m * half * (theta_acc * cos - theta_dot**2 * sin) == pytest.approx(force, abs=1e-4)
    assert 4 / 3 * half * theta_acc + x_acc * cos == pytest.approx(9.8 * sin, abs=1e-4)


def test_every_param_changes_something() -> None:
    env = CartPole()

    def play(params: Params) -> list[Any]:
        obs, state = env.init(envwright.key(3), params)
        steps = []
        for action in (1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1):
            step = env.transition(envwright.key(0), state, action, params)
            state = step.state
            steps.append((step.obs, step.terminated))
        return [np.asarray(leaf) for leaf in jax.tree.leaves((obs, steps))]

    usual = play(Params())
    for name in field_names(Params):
        changed = play(Params(**{name: getattr(Params(), name) * np.float32(0.02)}))
        assert any(not np.array_equal(a, b) for a, b in zip(usual, changed, strict=True)), name


def test_compiled_and_batched_steps_stay_within_rounding_of_plain_ones() -> None:
    """Not bit for bit: XLA fuses multiply-adds when it compiles a whole step."""
    env = CartPole()
    states = rollout_states(64)
    actions = np.arange(64, dtype=np.int32) % 2
    batched = jax.jit(jax.vmap(env.apply, in_axes=(0, 0, None, None)))(as_state(states), actions, None, Params())
    for i in range(64):
        single = as_array(env.apply(as_state(states[i]), jnp.asarray(actions[i]), None, Params()).state)
        allowed = 2 * tolerance(states[i].astype(np.float64), single, False)
        assert np.all(np.abs(single - as_array(batched.state)[i]) <= allowed)


def test_the_picture_shows_where_cart_and_pole_are() -> None:
    from envwright.envs.cartpole import render

    def centre(frame: Array, colour: tuple[int, int, int]) -> Array:
        return np.argwhere(np.all(frame == colour, axis=-1)).mean(axis=0)

    frame = CartPole().render(as_state([0.0, 0, 0, 0]), Params())
    assert frame.shape == (400, 600, 3)
    assert frame.dtype == np.uint8
    assert centre(frame, render.CART)[1] == pytest.approx(299.5, abs=1)
    assert centre(frame, render.POLE)[1] == pytest.approx(300, abs=1)
    tilted = CartPole().render(as_state([1.2, 0, 0.2, 0]), Params())
    assert centre(tilted, render.HINGE)[1] == pytest.approx(450, abs=1)
    assert centre(tilted, render.POLE)[1] > 455
    # A metre of pole is 125 pixels, of which 5 hang below the hinge.
    reach = np.argwhere(np.all(tilted == render.POLE, axis=-1)) - centre(tilted, render.HINGE)
    assert np.max(np.hypot(*reach.T)) == pytest.approx(120, abs=2)
    row, column = reach[np.argmin(reach[:, 0])]
    assert np.arctan2(column, -row) == pytest.approx(0.2, abs=0.05)
    for far in (-100.0, 100.0):
        assert not np.any(np.all(CartPole().render(as_state([far, 0, 0, 0]), Params()) == render.CART, axis=-1))


def test_the_card_lists_the_features_in_order() -> None:
    card = (ROOT / "src/envwright/envs/cartpole/card.md").read_text()
    assert re.findall(r"^\| \d \| `(\w+)` \|", card, re.MULTILINE) == list(FEATURES)


# ---- docs/write-your-own.md ----

PAGE = ROOT / "docs/write-your-own.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL) if PAGE.exists() else []


def test_the_page_runs_from_top_to_bottom(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("write_your_own")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    assert len(BLOCKS) >= 8
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), module.__dict__)


def test_the_page_quotes_the_files_as_they_are() -> None:
    quoted = [(m[1], block) for block in BLOCKS if (m := re.match(r"# (\w+\.py)\n", block))]
    assert {name for name, _ in quoted} == {"rules.py", "env.py"}
    for name, block in quoted:
        source = (ROOT / "src/envwright/envs/cartpole" / name).read_text()
        for part in block.split("\n", 1)[1].strip("\n").split("\n\n"):
            assert part.startswith(("import ", "from ")) or part in source, f"{name} no longer has:\n{part}"
