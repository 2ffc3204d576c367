"""A batch in Gymnasium: step for step the same as Gymnasium's own SyncVectorEnv over the same environment."""

from typing import Any

import jax
import numpy as np
import pytest
from counter import BOTH_AT_ONCE, ENDLESS, Counter, NumpyBatch, traced

from envwright import EnvwrightError, JaxBatch, make
from envwright.core.errors import ActionError

gym: Any = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'envwright[gymnasium]'")
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from envwright.adapters import gymnasium_registration  # noqa: E402, F401
from envwright.adapters.gymnasium_env import GymnasiumEnv  # noqa: E402
from envwright.adapters.gymnasium_vec import GymnasiumVectorEnv  # noqa: E402

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
MODES = (NEXT_STEP, SAME_STEP, DISABLED)


def pair(mode: AutoresetMode, num_envs: int, *, lucky: bool = False, params: Any = None) -> tuple[Any, Any]:
    """Ours and Gymnasium's, over the same environments."""
    ours = GymnasiumVectorEnv(JaxBatch(Counter(lucky), num_envs, params=params), autoreset_mode=mode)
    envs = [lambda: GymnasiumEnv(Counter(lucky), params=params)] * num_envs
    return ours, SyncVectorEnv(envs, autoreset_mode=mode)


def assert_same(ours: Any, theirs: Any) -> None:
    """Equal values in equal trees; arrays of objects object by object. Rewards are float32 here and float64 there."""
    assert isinstance(ours, type(theirs))
    if isinstance(theirs, dict):
        assert sorted(ours) == sorted(theirs)
        for name in theirs:
            assert_same(ours[name], theirs[name])
    elif isinstance(theirs, tuple) or (isinstance(theirs, np.ndarray) and theirs.dtype == object):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(theirs, np.ndarray):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype or (ours.dtype, theirs.dtype) == (np.float32, np.float64)
        np.testing.assert_array_equal(ours, theirs)
    else:
        assert ours == theirs


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("params", [None, BOTH_AT_ONCE])
@pytest.mark.parametrize("lucky", [False, True])
def test_every_step_is_that_of_sync_vector_env(mode: AutoresetMode, params: Any, lucky: bool) -> None:
    ours, theirs = pair(mode, 4, lucky=lucky, params=params)
    assert_same(ours.reset(seed=0), theirs.reset(seed=0))
    rng = np.random.default_rng(0)
    ended_together = 0
    for t in range(60):
        actions = np.ones(4, np.int64) if t < 20 else rng.integers(3, size=4)
        step = theirs.step(actions)
        assert_same(ours.step(actions), step)
        ended = step[2] | step[3]
        ended_together += np.sum(step[2] & step[3])
        if mode == DISABLED and ended.any():
            assert_same(ours.reset(options={"reset_mask": ended}), theirs.reset(options={"reset_mask": ended}))
    assert params is None or ended_together > 0
    assert_same(ours.reset(), theirs.reset())


@pytest.mark.parametrize("mode", MODES)
def test_seeds_mean_the_same_luck_as_in_sync_vector_env(mode: AutoresetMode) -> None:
    ours, theirs = pair(mode, 8, lucky=True, params=ENDLESS)
    for seed in (7, [5, 4, 3, 2, 1, 0, 100, 2**31]):
        assert_same(ours.reset(seed=seed), theirs.reset(seed=seed))
        for _ in range(10):
            assert_same(ours.step(np.ones(8, np.int64)), theirs.step(np.ones(8, np.int64)))
    mask = np.arange(8) % 3 == 0
    assert_same(ours.reset(options={"reset_mask": mask}), theirs.reset(options={"reset_mask": mask}))


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP])
def test_a_batch_without_jax_does_as_well(mode: AutoresetMode) -> None:
    _, theirs = pair(mode, 4)
    ours = GymnasiumVectorEnv(NumpyBatch(4), autoreset_mode=mode)
    assert_same(ours.reset(seed=0), theirs.reset(seed=0))
    for actions in np.random.default_rng(0).integers(3, size=(30, 4)):
        assert_same(ours.step(actions), theirs.step(actions))


def test_different_seeds_differ_and_none_draws_one() -> None:
    env, _ = pair(NEXT_STEP, 8, lucky=True)
    first = env.reset(seed=0)[0]
    assert len(np.unique(first)) > 3
    assert (first != env.reset(seed=100)[0]).any()
    np.testing.assert_array_equal(first, env.reset(seed=0)[0])
    again = env.reset(seed=[0, None, 2, None, 4, 5, 6, 7])[0]
    np.testing.assert_array_equal(again[[0, 2, 4]], first[[0, 2, 4]])


def test_next_step_ignores_one_action_and_same_step_none() -> None:
    def counts(mode: AutoresetMode) -> list[int]:
        env, _ = pair(mode, 2, params=BOTH_AT_ONCE)
        env.reset(seed=0)
        return [int(env.step(np.ones(2, np.int32))[0][0, 0]) for _ in range(8)]

    assert counts(NEXT_STEP) == [1, 2, 3, 0, 1, 2, 3, 0]
    assert counts(SAME_STEP) == [1, 2, 0, 1, 2, 0, 1, 2]


def test_disabled_refuses_to_step_an_ended_episode() -> None:
    env, _ = pair(DISABLED, 2, params=BOTH_AT_ONCE)
    env.reset(seed=0)
    for _ in range(3):
        env.step(np.array([0, 1]))
    with pytest.raises(EnvwrightError, match="The episode of environment 0 has ended and autoreset_mode is DISABLED"):
        env.step(np.array([0, 1]))
    with pytest.raises(EnvwrightError, match=r"booleans.*but got int64 of shape \(2,\)"):
        env.reset(options={"reset_mask": np.array([0, 1])})


def test_spaces_and_metadata_are_those_of_sync_vector_env() -> None:
    ours, theirs = pair(SAME_STEP, 3 * 2)
    for name in ("num_envs", "single_observation_space", "observation_space", "single_action_space", "action_space"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata == theirs.metadata
    assert GymnasiumVectorEnv(JaxBatch(Counter(), 2), autoreset_mode="Disabled").metadata["autoreset_mode"] is DISABLED


def test_legacy_info_has_the_names_of_gymnasium_0_29() -> None:
    batch = JaxBatch(Counter(), 2, params=BOTH_AT_ONCE)
    env = GymnasiumVectorEnv(batch, autoreset_mode=SAME_STEP, legacy_info=True)
    env.reset(seed=0)
    infos: dict[str, Any] = {}
    for t in range(1, 7):  # environment 0 terminates after 2 steps, environment 1 is truncated after 3
        *_, infos = env.step(np.array([2, 0]))
        assert ("final_info" in infos) == (t in (2, 3, 4, 6))
    assert infos["final_observation"].tolist() == [[4], [0]]
    assert infos["_final_observation"].tolist() == infos["_final_info"].tolist() == [True, True]
    assert infos["final_info"][0]["episode"] == {"r": 4.0, "l": 2}
    assert infos["final_info"][1]["episode"] == {"r": 0.0, "l": 3}
    assert infos["final_info"][1]["steps"] == 3
    with pytest.raises(EnvwrightError, match="legacy_info needs autoreset_mode"):
        GymnasiumVectorEnv(batch, legacy_info=True)


@pytest.mark.parametrize("mode", MODES)
def test_jax_output_holds_the_same_values_in_a_constant_tree(mode: AutoresetMode) -> None:
    numpy, _ = pair(mode, 2, params=BOTH_AT_ONCE)
    env = GymnasiumVectorEnv(JaxBatch(Counter(), 2, params=BOTH_AT_ONCE), autoreset_mode=mode, output="jax")
    assert isinstance(env.reset(seed=0)[0], jax.Array)
    numpy.reset(seed=0)
    trees = set()
    ours: Any = None
    for _ in range(3):
        ours, theirs = env.step(np.ones(2, np.int32)), numpy.step(np.ones(2, np.int32))
        assert all(isinstance(value, jax.Array) for value in ours[:4])
        jax.tree.map(np.testing.assert_array_equal, ours[:4], theirs[:4])
        trees.add(jax.tree.structure(ours))
    assert len(trees) == 1
    if mode == SAME_STEP:
        assert np.asarray(ours[4]["final_obs"]).tolist() == [[3], [3]]
    with pytest.raises(EnvwrightError, match="cannot be handed over to 'tensorflow'; choose one of numpy, jax, torch"):
        GymnasiumVectorEnv(JaxBatch(Counter(), 2), output="tensorflow")


def test_torch_output_is_tensors() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'envwright[sb3]'")
    env = GymnasiumVectorEnv(JaxBatch(Counter(), 2), autoreset_mode=SAME_STEP, output="torch")
    env.reset(seed=0)
    step = env.step(torch.tensor([1, 2]))
    assert [value.dtype for value in step[:4]] == [torch.float32, torch.float32, torch.bool, torch.bool]
    assert step[0].tolist() == step[4]["final_obs"].tolist() == [[1.0], [2.0]]


def test_a_wrong_action_is_named() -> None:
    env, _ = pair(NEXT_STEP, 2)
    env.reset(seed=0)
    with pytest.raises(ActionError, match=r"integers of shape \(2,\).*but got float64 of shape \(2,\)"):
        env.step(np.ones(2))
    with pytest.raises(ActionError, match=r"but got int64 of shape \(3,\)"):
        env.step([0, 1, 2])


def test_one_compilation_whatever_happens_and_equal_environments_share_it() -> None:
    Traced, traces = traced()  # noqa: N806
    for _ in range(2):
        env = GymnasiumVectorEnv(JaxBatch(Traced(), 6, params=BOTH_AT_ONCE))
        env.reset(seed=0)
        for t in range(8):
            env.step(np.full(6, t % 2, np.int64 if t < 4 else np.int32))
    assert len(traces) == 1


def test_make_vec_makes_thousands_of_pongs() -> None:
    env = gym.make_vec("envwright/Pong-v0", num_envs=4096, frameskip=8)
    assert env.unwrapped.batch.reset([0] * 4096).devices() == {jax.devices()[0]}
    obs, infos = env.reset(seed=0)
    assert (obs.shape, obs.dtype, infos) == ((4096, 8), np.float32, {})
    obs, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
    assert (rewards.shape, rewards.dtype, terminated.dtype, truncated.dtype) == ((4096,), np.float32, bool, bool)
    assert env.observation_space.contains(obs)
    assert env.spec.id == "envwright/Pong-v0"
    assert env.unwrapped.batch.env == make("Pong-v0", frameskip=8)
    env.close()
    assert env.closed


@pytest.mark.parametrize("num_envs", [1, 3])
def test_make_vec_takes_batches_of_any_size_and_draws_them(num_envs: int) -> None:
    env = gym.make_vec("envwright/Pong-v0", num_envs=num_envs, render_mode="rgb_array", autoreset_mode=SAME_STEP)
    env.reset(seed=0)
    frames = env.render()
    assert len(frames) == num_envs
    assert frames[0].dtype == np.uint8
    assert gym.make_vec("envwright/Pong-v0", num_envs=1).render() is None


def test_a_time_limit_counts_once() -> None:
    env = gym.make_vec("envwright/CartPole-v1", num_envs=4)
    obs, _ = env.reset(seed=0)
    ends = []
    for t in range(1, 502):
        obs, _, terminated, truncated, _ = env.step((obs[:, 2] + obs[:, 3] > 0).astype(int))
        assert not terminated.any()
        ends += [t] * int(truncated.sum())
    assert ends == [500] * 4


@pytest.mark.parametrize("mode", [None, "sync"])
def test_make_vec_keeps_and_replaces_time_limits(mode: str | None) -> None:
    limit = {"max_episode_steps": 3}
    env = gym.make_vec("envwright/Pong-v0", num_envs=2, vectorization_mode=mode, **limit)
    env.reset(seed=0)
    assert [env.step([0, 0])[3].all() for _ in range(5)] == [False, False, True, False, False]
    if mode is None:
        assert gym.make_vec("envwright/CartPole-v1").unwrapped.batch.env.max_episode_steps == 500
        assert not hasattr(gym.make_vec("envwright/CartPole-v1", **{"max_episode_steps": -1}).batch.env, "env")


def test_gymnasiums_own_vector_wrappers_take_it() -> None:
    env = gym.make_vec("envwright/Pong-v0", num_envs=2, frameskip=8)
    env = gym.wrappers.vector.NormalizeObservation(gym.wrappers.vector.RecordEpisodeStatistics(env))
    env.reset(seed=0)
    infos: dict[str, Any] = {}
    for _ in range(400):
        *_, infos = env.step([0, 0])
        if "episode" in infos:
            break
    assert infos["episode"]["r"].min() >= -21
