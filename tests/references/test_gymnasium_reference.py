"""Gymnasium's own environments, as they are."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loading import HAZARDS, play, replays

from envwright.core.errors import EnvwrightError, MissingExtraError
from envwright.core.spaces import Box, Discrete
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.plain import differences, same
from envwright.references.registry import find_kind

gym = pytest.importorskip("gymnasium")

ENVS: list[tuple[str, dict[str, Any]]] = [
    ("CartPole-v1", {}),
    ("FrozenLake-v1", {"is_slippery": True}),
    ("Blackjack-v1", {}),
    ("Taxi-v4", {"is_rainy": True, "fickle_passenger": True}),
    ("Acrobot-v1", {}),
    ("Pendulum-v1", {}),
    ("MountainCar-v0", {}),
]


@pytest.mark.parametrize(("id", "options"), ENVS)
def test_it_plays_like_gymnasium_and_replays_and_restores(id: str, options: dict[str, Any]) -> None:
    env = gym.make(id, disable_env_checker=True, **options)
    with gymnasium_reference(id, **options) as reference:
        told = play(reference, 230, seed=5)
        for index, (action, outcome, _) in enumerate(told):
            if action is None:
                wanted = env.reset(seed=5) if index == 0 else env.reset()
                assert same(_flat(wanted[0]), _flat(outcome.obs))
            else:
                obs, reward, *ends, _ = env.step(action)
                assert same(_flat(obs), _flat(outcome.obs))
                assert [float(reward), *map(bool, ends)] == list(outcome[1:4])
        assert replays(reference, told, seed=5)
        rng = np.random.default_rng(1)
        for index in rng.permutation(len(told) - 1)[:40]:
            action, outcome, snapshot = told[index + 1]
            if action is not None:
                reference.restore(told[index][2])
                assert same(tuple(reference.step(action, outcome.draws)), tuple(outcome))
                assert differences(reference.snapshot(), snapshot) == []
        assert reference.late_changes() == []


def _flat(obs: Any) -> Any:
    return tuple(map(_flat, obs)) if isinstance(obs, tuple) else obs


def test_a_restored_snapshot_truncates_at_the_right_step() -> None:
    with gymnasium_reference("MountainCar-v0") as reference:
        reference.reset(0)
        early = reference.snapshot()
        assert [reference.step(1).truncated for _ in range(199)] == [False] * 199
        assert reference.step(1).truncated
        reference.restore(early)
        assert not reference.step(1).truncated
        reference.restore({**early, "elapsed_steps": 199})
        assert reference.step(1).truncated


def test_snapshots_hold_what_moves_and_not_the_tables() -> None:
    with gymnasium_reference("Taxi-v4", is_rainy=True, fickle_passenger=True) as reference:
        reference.reset(0)
        assert set(reference.snapshot()) == {"s", "lastaction", "fickle_step", "elapsed_steps"}
        assert len(reference.look()["P"]) == 500
        calls: list[str] = []
        sys.setprofile(lambda frame, event, argument: calls.append(event))
        reference.snapshot()
        sys.setprofile(None)
        assert len(calls) < 500  # reading the tables takes more than 100,000


def test_spaces_and_shapes() -> None:
    wanted = {
        "CartPole-v1": (Discrete(2), (4,)),
        "Pendulum-v1": (Box(-2.0, 2.0, (1,), np.dtype(np.float32)), (3,)),
        "Blackjack-v1": (Discrete(2), (3,)),
        "FrozenLake-v1": (Discrete(4), ()),
    }
    for id, (space, shape) in wanted.items():
        with gymnasium_reference(id) as reference:
            assert (reference.action_space, reference.observation_shape) == (space, shape)


def test_several_whole_numbers_are_a_box_of_them() -> None:
    from envwright.references import gymnasium_env

    several, int64 = gym.spaces.MultiDiscrete, np.dtype(np.int64)
    assert gymnasium_env._space(several([4, 2])) == Box(0.0, (3.0, 1.0), (2,), int64)
    assert gymnasium_env._space(several([4, 2], start=[1, -1])) == Box((1.0, -1.0), (4.0, 0.0), (2,), int64)
    assert gymnasium_env._space(several([[3, 3], [3, 3]])) == Box(0.0, 2.0, (2, 2), int64)
    assert gymnasium_env._space(several([[3, 3], [3, 2]])) is None
    assert gymnasium_env._observation_space(gym.spaces.MultiBinary(3)) == Box(0.0, 1.0, (3,), np.dtype(np.int8))


def test_actions_are_in_their_space_and_follow_the_generator() -> None:
    from envwright.references import gymnasium_env

    spaces = [
        gym.spaces.Discrete(3),
        gym.spaces.Discrete(3, start=5),
        gym.spaces.Box(np.array([-1, -np.inf, 2, -np.inf]), np.array([1, np.inf, np.inf, -2]), dtype=np.float64),
        gym.spaces.Box(0, 3, (2, 2), np.int64),
        gym.spaces.MultiDiscrete([2, 5]),
    ]
    rng = np.random.default_rng(0)
    for space in spaces:
        sample = gymnasium_env.sampler_of(space)
        rng = np.random.default_rng(0)
        first = [sample(rng) for _ in range(30)]
        assert all(map(space.contains, first))
        rng = np.random.default_rng(0)
        assert same(first, [sample(rng) for _ in range(30)])
    assert gymnasium_env._space(spaces[1]) is None
    drawn = [int(value) for _ in range(500) for value in gymnasium_env.sampler_of(spaces[3])(rng).flat]
    assert np.allclose(np.bincount(drawn, minlength=4), 500, atol=100)  # the last value is as likely as the others
    assert type(gymnasium_env.sampler_of(spaces[0])(rng)) is int


def test_options_that_have_no_value_of_their_own_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "game.py").write_text("class Game:\n    def __init__(self, size, *, pace, depth=1, **more): ...\n")
    with pytest.raises(EnvwrightError, match=r"Game cannot be made without pace; give it with --set pace=VALUE"):
        gymnasium_reference(f"{tmp_path / 'game.py'}:Game", size=3)


def test_an_unknown_environment_is_refused_in_one_sentence() -> None:
    with pytest.raises(EnvwrightError, match=r"no environment 'CartPol-v1'; did you mean CartPole-v1"):
        gymnasium_reference("CartPol-v1")
    with pytest.raises(EnvwrightError, match=r"no class 'Nobody'; it has .*Aliased"):
        gymnasium_reference(f"{HAZARDS}:Nobody")
    with pytest.raises(EnvwrightError, match=r"There is no file nowhere.py"):
        gymnasium_reference("nowhere.py:Env")
    with pytest.raises(EnvwrightError, match=r"'nowhere.at_all' cannot be imported"):
        gymnasium_reference("nowhere.at_all:Env")


def test_a_class_is_played_without_wrappers() -> None:
    with gymnasium_reference("gymnasium.envs.classic_control.cartpole:CartPoleEnv") as reference:
        reference.reset(0)
        reference.restore({"elapsed_steps": 600})
        assert not reference.step(0).truncated


def test_the_steps_of_a_time_limit_inside_of_a_wrapper_are_those_of_the_episode(tmp_path: Any) -> None:
    file = tmp_path / "wrapped.py"
    file.write_text(
        "import gymnasium as gym\n"
        "class Twice(gym.RewardWrapper):\n"
        "    def __init__(self):\n"
        "        super().__init__(gym.make('CartPole-v1'))\n"
        "        self.factor = 2\n"
        "    def reward(self, reward):\n"
        "        return self.factor * reward\n"
    )
    with gymnasium_reference(f"{file}:Twice") as reference:
        play(reference, 3)
        assert "env" not in reference.snapshot()
        reference.restore({"elapsed_steps": 499})
        outcome = reference.step(0)
        assert outcome.truncated
        assert outcome.reward == 2


def test_an_option_may_have_any_name_and_a_reward_is_one_number(tmp_path: Any) -> None:
    file = tmp_path / "aims.py"
    file.write_text(
        "import gymnasium as gym\n"
        "class Env(gym.Env):\n"
        "    action_space = gym.spaces.Discrete(2)\n"
        "    def __init__(self, id):\n"
        "        self.id = id\n"
        "    def reset(self, seed=None):\n"
        "        return 0, {}\n"
        "    def step(self, action):\n"
        "        return 0, [self.id, 2], False, False, {}\n"
    )
    with gymnasium_reference(f"{file}:Env", id=7) as reference:
        reference.reset(0)
        with pytest.raises(EnvwrightError, match=r"gives 2 numbers for a reward, \[7, 2\]; weigh them into one"):
            reference.step(0)


def test_an_action_is_in_its_space_in_float64_too(tmp_path: Any) -> None:
    file = tmp_path / "careful.py"
    file.write_text(
        "import gymnasium as gym, numpy as np\n"
        "class Env(gym.Env):\n"
        "    def __init__(self):\n"
        "        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32)\n"
        "    def reset(self, seed=None):\n"
        "        return 0, {}\n"
        "    def step(self, action):\n"
        "        assert action in self.action_space and self.action_space.contains(action), 'not in it'\n"
        "        return 0, action.sum(), False, False, {}\n"
    )
    with gymnasium_reference(f"{file}:Env") as reference:
        reference.reset(0)
        for dtype in (np.float32, np.float64):
            assert reference.step(np.full(2, 0.5, dtype)).reward == 1
            with pytest.raises(EnvwrightError, match="not in it"):
                reference.step(np.full(2, 1.5, dtype))
        space: Any = reference.object.action_space
        assert not space.contains(np.zeros(2))  # outside of a step, it is as it was


def test_an_older_interface_is_understood(tmp_path: Any) -> None:
    file = tmp_path / "older.py"
    file.write_text(
        "import gymnasium as gym, beside\n"
        "class Env:\n"
        "    action_space = gym.spaces.Discrete(2)\n"
        "    def reset(self):\n"
        "        self.t = 0\n"
        "        return self.t\n"
        "    def step(self, action):\n"
        "        self.t += beside.ONE\n"
        "        return self.t, 1, self.t > 3, {}\n"
    )
    (tmp_path / "beside.py").write_text("ONE = 1\n")
    with gymnasium_reference(f"{file}:Env") as reference:
        assert reference.reset(0).obs == 0
        assert tuple(reference.step(0))[:4] == (1, 1.0, False, False)


@pytest.mark.parametrize(("space", "given", "bytes"), [("float64", "float32", 8), ("float32", "float64", 8)])
def test_an_action_is_never_narrower_than_its_space(tmp_path: Path, space: str, given: str, bytes: int) -> None:
    file = tmp_path / "typed.py"
    file.write_text(
        "import gymnasium as gym\n"
        "class Env:\n"
        "    action_space = gym.spaces.Box(-1.0, 1.0, (1,), '" + space + "')\n"
        "    def reset(self, seed=None):\n"
        "        return 0, {}\n"
        "    def step(self, action):\n"
        "        return action.dtype.itemsize, 0.0, False, False, {}\n"
    )
    with gymnasium_reference(f"{file}:Env") as reference:
        reference.reset(0)
        assert reference.step(np.zeros(1, given)).obs == bytes


def test_a_module_that_fails_gets_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "falls_over.py").write_text("x = 1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(EnvwrightError, match="'falls_over' cannot be imported: ZeroDivisionError"):
        gymnasium_reference("falls_over:Env")


def test_an_environment_that_lacks_a_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def unmakeable(id: str, **options: Any) -> None:
        raise gym.error.DependencyNotInstalled('MuJoCo is not installed, run `pip install "gymnasium[mujoco]"`')

    monkeypatch.setattr(gym, "make", unmakeable)
    kind = find_kind("gymnasium:Ant-v5")
    box = Box(-1.0, 1.0, (8,))
    for make in (kind.make, lambda: kind.stepping(1, box, box)):
        with pytest.raises(MissingExtraError, match="Ant-v5 cannot be made here: MuJoCo is not installed, run `pip"):
            make()
