"""An environment outside of JAX behind Gymnasium's interface, and games for two, which it does not take."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envwright
from native_games import Corridor, Nim, register_native

gym: Any = pytest.importorskip("gymnasium", reason="Gymnasium is not installed: pip install 'envwright[gymnasium]'")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from envwright.adapters.gymnasium_env import GymnasiumEnv  # noqa: E402
from envwright.adapters.gymnasium_registration import make_vector_env, register_envs  # noqa: E402
from envwright.adapters.gymnasium_vec import GymnasiumVectorEnv  # noqa: E402

register_native()


def test_a_native_environment_passes_gymnasiums_checker() -> None:
    check_env(GymnasiumEnv(Corridor()), skip_render_check=True)


def test_one_environment_plays_the_games_of_a_batch() -> None:
    batch = GymnasiumVectorEnv(envwright.batch("NativeCorridor-v0", 3), autoreset_mode="Disabled")
    seen, _ = batch.reset(seed=7)
    for i in range(3):
        assert np.array_equal(GymnasiumEnv(Corridor()).reset(seed=7 + i)[0], seen[i])


def test_gymnasium_makes_it_by_its_id_with_its_time_limit() -> None:
    register_envs()
    one = gym.make("envwright/NativeCorridor-v0")
    one.reset(seed=0)
    assert [one.step(1)[3] for _ in range(20)] == [False] * 19 + [True]
    many = gym.make_vec("envwright/NativeCorridor-v0", num_envs=2)
    many.reset(seed=0)
    assert [many.step(np.ones(2, int))[3].all() for _ in range(20)] == [False] * 19 + [True]


def test_the_time_limit_of_an_installed_package_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gymnasium is not told of it: what is only registered is not imported."""
    code = 'from envwright import Spec\nSPEC = Spec("Limited-v0", "native_games:Corridor", max_episode_steps=5)\n'
    (tmp_path / "limited_game.py").write_text(code)
    (tmp_path / "limited_game-1.0.dist-info").mkdir()
    (tmp_path / "limited_game-1.0.dist-info" / "METADATA").write_text("Name: limited_game\nVersion: 1.0\n")
    points = "[envwright.envs]\nLimited-v0 = limited_game:SPEC\n"
    (tmp_path / "limited_game-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(gym.envs.registration, "registry", dict(gym.registry))
    monkeypatch.setattr(gym, "registry", gym.envs.registration.registry)
    register_envs()
    one = gym.make("envwright/Limited-v0")
    one.reset(seed=0)
    assert [one.step(1)[3] for _ in range(5)] == [False] * 4 + [True]


@pytest.mark.parametrize("make", [lambda: GymnasiumEnv(Nim()), lambda: make_vector_env(2, "NativeNim-v0")])
def test_a_game_for_two_is_refused_in_a_sentence(make: Any) -> None:
    with pytest.raises(envwright.EnvwrightError, match="have one player, and this one has 2; give the other seat"):
        make()


def test_gymnax_takes_only_jax() -> None:
    pytest.importorskip("gymnax", reason="gymnax is not installed: pip install 'envwright[gymnax]'")
    pytest.importorskip("six")
    from envwright.adapters.gymnax import Gymnax
    from envwright.adapters.gymnax_legacy import GymnaxLegacy

    for adapter in (Gymnax, GymnaxLegacy):
        with pytest.raises(envwright.EnvwrightError, match="gymnax needs an environment written in JAX"):
            adapter(Corridor())  # pyright: ignore[reportArgumentType]
