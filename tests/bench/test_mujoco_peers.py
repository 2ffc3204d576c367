"""The peers on MuJoCo's environments: who has which, and that the steps they count are steps of the environment."""

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.bench import sides
from envwright.bench.job import Job
from envwright.bench.sides import envpool_side, jax_loop, mujoco_side
from envwright.bench.sides.mujoco_episodes import sample_episodes, warn_on_stderr
from envwright.bench.sides.mujoco_side import in_chunks
from envwright.core import register, registry

CHEETAH, PENDULUM = "HalfCheetah-v5", "InvertedPendulum-v5"


@pytest.fixture
def mujoco():
    """MuJoCo, as the sides set it up."""
    pytest.importorskip("imageio", reason="imageio is missing; pip install 'envwright[mujoco]'")
    module: Any = pytest.importorskip("mujoco", reason="MuJoCo is missing; pip install 'envwright[mujoco]'")
    before = module.get_mju_user_warning()
    warn_on_stderr()
    yield module
    module.set_mju_user_warning(before)


@pytest.fixture
def registered(tmp_path, monkeypatch):
    """Environments of somebody else, by their references."""
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    monkeypatch.syspath_prepend(tmp_path)

    def add(id: str) -> str:
        name = f"peer_{id.partition('-')[0].lower()}"
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / "contract.toml").write_text(f'reference = "gymnasium:{id}"\n')
        register(f"My{id}", f"{name}:Env")
        return f"My{id}"

    return add


def names(side: str, ids: list[str]) -> list[str | None]:
    found = sides.side(side).ENVS
    assert found is not None
    return [found.get(id) for id in ids]


GYMNASIUM = [CHEETAH, "Walker2d-v5", PENDULUM, "InvertedDoublePendulum-v5", "Ant-v4", "CartPole-v1", "Blackjack-v1"]


def test_engines_have_what_gymnasium_runs_on_mujoco(registered):
    ours = [registered(id) for id in GYMNASIUM]
    assert names("mujoco", ours) == names("mjx", ours) == [*GYMNASIUM[:5], None, None]


def test_brax_has_them_by_its_own_names(registered):
    pytest.importorskip("mujoco")
    if importlib.util.find_spec("brax") is None:
        pytest.skip("Brax is missing; pip install 'envwright[mujoco-peers]'")
    ours = [registered(id) for id in (*GYMNASIUM, "HumanoidStandup-v5")]
    brax = ["halfcheetah", "walker2d", "inverted_pendulum", "inverted_double_pendulum", "ant", None, None]
    assert names("brax", ours) == [*brax, "humanoidstandup"]


def test_envpool_has_them_by_the_same_ids_and_others_too(registered):
    pytest.importorskip("envpool")
    ours = [registered(id) for id in GYMNASIUM]
    assert names("envpool", ours) == GYMNASIUM


@pytest.mark.parametrize(("id", "low", "high"), [(CHEETAH, 1000, 1000), (PENDULUM, 4, 9)])
def test_episodes_are_as_long_as_random_ones(id, low, high, mujoco):
    found = sample_episodes(id, {})
    assert low <= found.length <= high
    assert found.model.nq == found.positions(found.starts).shape[1]
    assert found.model.nv == found.velocities(found.starts).shape[1]
    assert (found.starts[:, 0] == 0).all(), "the time at which an episode begins"
    assert len(np.unique(found.starts, axis=0)) == len(found.starts)
    ages = np.rint(found.visited[:, 0] / (found.model.opt.timestep * found.frame_skip))
    assert ages.min() == 1
    assert ages.max() >= found.length


@pytest.mark.parametrize("length", [1, 6, 22, 1000])
@pytest.mark.parametrize("most", [0, 1, 4, 16, 62, 5000])
def test_an_episode_is_a_whole_number_of_calls(length, most):
    steps, chunks = in_chunks(length, most)
    assert 1 <= steps <= max(1, most)
    assert steps * chunks == pytest.approx(length, rel=0.1)


def test_a_step_of_the_c_engine_is_a_step_of_the_environment(mujoco, registered, monkeypatch):
    """Each call goes on where the last one ended or at a start, and holds an action for as long as Gymnasium does."""
    rollout: Any = pytest.importorskip("mujoco.rollout")
    monkeypatch.setattr(mujoco_side, "STEPS_A_CALL", 12)
    calls = []

    class Spy(rollout.Rollout):
        def rollout(self, model, data, initial, control, **out):
            before = initial.copy()
            super().rollout(model, data, initial, control, **out)
            calls.append((before, control, out["state"].copy()))

    monkeypatch.setattr(rollout, "Rollout", Spy)
    built = mujoco_side.build(Job("mujoco", registered(PENDULUM), "random", "threads", 2, 4))
    assert built.parts["run"](6) == 6 * 4 * built.facts["steps_a_call"]
    episodes = sample_episodes(PENDULUM, {})
    starts, restarted = {tuple(start) for start in episodes.starts}, 0
    for (_, _, path), (state, _, _) in itertools.pairwise(calls):
        for ended, begun in zip(path[:, -1], state, strict=True):
            assert (ended == begun).all() or tuple(begun) in starts
            restarted += tuple(begun) in starts
    steps, per_episode = in_chunks(episodes.length, 12 // 4)
    assert steps == built.facts["steps_a_call"]
    assert restarted == pytest.approx(5 * 4 / per_episode, abs=4)  # in 5 calls of 4 environments, at most one off each
    state, control, path = calls[-1]
    data = mujoco.MjData(episodes.model)
    mujoco.mj_setState(episodes.model, data, state[2], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    for i in range(built.facts["steps_a_call"]):
        data.ctrl[:] = control[2, i * episodes.frame_skip]
        mujoco.mj_step(episodes.model, data, episodes.frame_skip)
        at = path[2, (i + 1) * episodes.frame_skip - 1]
        np.testing.assert_allclose(at, [data.time, *data.qpos, *data.qvel], rtol=1e-9)


class Spy:
    """A pool of environments, and what was sent to it and received."""

    def __init__(self, pool: Any) -> None:
        self.pool, self.action_space, self.sent, self.elapsed = pool, pool.action_space, 0, []

    def async_reset(self) -> None:
        self.pool.async_reset()

    def send(self, actions: Any, ids: Any) -> None:
        self.sent += len(ids)
        self.pool.send(actions, ids)

    def recv(self) -> Any:
        got = self.pool.recv()
        self.elapsed += got[-1]["elapsed_step"].tolist()
        return got


@pytest.mark.parametrize("num_envs", [8, 9, 10])
@pytest.mark.parametrize("layout", envpool_side.layouts("random"))
def test_envpool_steps_as_often_as_is_counted_and_rests_between_turns(layout, num_envs, registered, monkeypatch):
    envpool: Any = pytest.importorskip("envpool")
    monkeypatch.setattr(envpool_side, "STEPS_A_CALL", 40)
    pools, make = [], envpool.make
    monkeypatch.setattr(envpool, "make", lambda *args, **sizes: pools.append(Spy(make(*args, **sizes))) or pools[0])
    built = envpool_side.build(Job("envpool", registered(CHEETAH), "random", layout, 2, num_envs))
    spy, steps = pools[0], built.facts["steps_a_call"]
    for turn, calls in enumerate((1, 2), start=1):
        assert built.parts["run"](calls) == calls * steps * num_envs
        assert spy.sent == len(spy.elapsed) - num_envs == sum(range(turn + 1)) * steps * num_envs
    assert sum(elapsed == 0 for elapsed in spy.elapsed) == num_envs, "the first observations"
    assert max(spy.elapsed) >= 3 * steps
    spy.pool.close()


@pytest.mark.filterwarnings("ignore:.*precision lowered by casting")  # of envpool's own spaces
def test_envpool_takes_actions_of_both_kinds():
    pytest.importorskip("envpool")
    assert envpool_side.build(Job("envpool", "CartPole-v1", "random", "threads", 1, 4)).parts["run"](1) >= 4


def test_a_turn_takes_as_many_steps_as_it_is_asked_for_and_compiles_once():
    compiled: list[float] = []

    def listen(event: str, duration_secs: float, **kwargs: Any) -> None:
        if event == "/jax/core/compile/backend_compile_duration":
            compiled.append(duration_secs)

    seen: list[int] = []

    def one_step(carry: Any, key: jax.Array) -> Any:
        steps, weak, _ = carry
        jax.debug.callback(lambda n: seen.append(int(n)), steps)
        # Types of no weight change from step to step, as those of MJX and Brax do.
        return steps + 1, jnp.where(steps > 0, jnp.float32(1), weak), jnp.where(steps > 0, 2.0, 3.0)

    weak, placed = jnp.asarray(1.0), jax.device_put(jnp.float32(0), jax.devices()[0])
    go = jax_loop.batch_steps(one_step, (jnp.int32(0), weak, placed), 8)
    assert go(3) == 3 * 8
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        assert go(2) == 2 * 8
        assert go(1) == 1 * 8
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    jax.effects_barrier()
    assert sorted(seen) == [0, 1, 2, 3, 4, 5]
    assert compiled == []


def one_step_of(side: str, layout: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, np.ndarray]]:
    """What is known of a batch of four pendulums before and after a step."""
    script, env = Path(__file__).with_name("one_step_of.py"), f"My{PENDULUM}"
    paths = [str(tmp_path), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in paths if path))
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    command = [sys.executable, str(script), side, env, "peer_invertedpendulum:Env", layout]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout.splitlines()[-1])
    return [{name: np.asarray(column) for name, column in columns.items()} for columns in read]


@pytest.mark.slow
def test_a_step_of_mjx_is_a_step_of_the_environment(mujoco, registered, monkeypatch, tmp_path):
    pytest.importorskip("mujoco.mjx")
    registered(PENDULUM)
    before, after = one_step_of("mjx", "processes", monkeypatch, tmp_path)
    episodes = sample_episodes(PENDULUM, {})
    starts = np.float32(episodes.positions(episodes.starts))
    assert (before["age"] < episodes.length).all()
    for i in range(4):
        if before["age"][i] == episodes.length - 1:
            assert after["age"][i] == 0
            assert (after["qpos"][i] == starts).all(axis=1).any()
            continue
        assert after["age"][i] == before["age"][i] + 1
        exact = mujoco.MjData(episodes.model)
        exact.qpos[:], exact.qvel[:], exact.ctrl[:] = before["qpos"][i], before["qvel"][i], after["ctrl"][i]
        mujoco.mj_step(episodes.model, exact, episodes.frame_skip)
        np.testing.assert_allclose(after["qpos"][i], exact.qpos, atol=1e-5)
        np.testing.assert_allclose(after["qvel"][i], exact.qvel, atol=1e-4)


@pytest.mark.slow
def test_a_step_of_brax_is_one_step_of_every_episode(mujoco, registered, monkeypatch, tmp_path):
    if importlib.util.find_spec("brax") is None:
        pytest.skip("Brax is missing; pip install 'envwright[mujoco-peers]'")
    registered(PENDULUM)
    before, after = one_step_of("brax", "processes, spring", monkeypatch, tmp_path)
    assert (before["age"] == 0).all()
    assert (after["age"] == 1).all()
    assert (before["obs"] != after["obs"]).any(axis=1).all()
