"""Games on the emulator: the batch interface and its adapters."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envwright
from envwright.envs.gameboy.env import GameBoy
from envwright.envs.gameboy.micro import micro_rom
from envwright.envs.gameboy.screens import GREYS, drawn, packed, unpacked

pytest.importorskip("envwright_gameboy", reason="the crate is not built: pip install ./rust/gameboy")

GAMES = ("Orchard-v0", "Snake-v0", "Canyon-v0")


def _played(batch: Any, steps: int, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [batch.step_and_restart(rng.integers(batch.action_space.n, size=batch.num_envs)) for _ in range(steps)]


@pytest.mark.parametrize("id", GAMES)
def test_a_game_begins_in_play_pays_and_ends(id: str) -> None:
    batch: Any = envwright.batch(id, 8)
    obs = batch.reset(seeds=range(8))
    assert obs.shape == (8, 72, 80)
    assert (batch.numbers["phase"] == 1).all()
    assert (batch.numbers["lives"] == 3).all()
    steps = _played(batch, 1500)
    assert sum(step.terminated.sum() for step in steps) > 0
    assert any((step.reward > 0).any() for step in steps)
    assert any((step.reward < 0).any() for step in steps)


@pytest.mark.parametrize("id", GAMES)
def test_a_game_depends_on_its_seed_and_not_on_its_neighbours(id: str) -> None:
    many: Any = envwright.batch(id, 5)
    one = envwright.batch(id, 1)
    seen = many.reset(seeds=[3, 1, 4, 1, 5])
    assert np.array_equal(seen[1], seen[3])
    alone = one.reset(seeds=[4])
    assert np.array_equal(seen[2], alone[0])
    rng = np.random.default_rng(0)
    for _ in range(200):
        actions = rng.integers(many.action_space.n, size=5)
        step, single = many.step_and_restart(actions), one.step_and_restart(actions[2:3])
        assert np.array_equal(step.obs[2], single.obs[0])
        assert step.reward[2] == single.reward[0]


def test_a_saved_game_goes_on_as_it_would_have() -> None:
    batch = envwright.batch("Canyon-v0", 3)
    batch.reset(seeds=range(3))
    _played(batch, 50)
    blob = batch.save(1)
    batch.load(2, blob)
    for step in _played_alike(batch, 300):
        assert np.array_equal(step.obs[1], step.obs[2])
        assert step.reward[1] == step.reward[2]
        assert step.terminated[1] == step.terminated[2]
    assert np.array_equal(batch.render(1), batch.render(2))


def _played_alike(batch: Any, steps: int) -> list[Any]:
    rng = np.random.default_rng(1)
    return [batch.step_and_restart(np.repeat(rng.integers(batch.action_space.n), batch.num_envs)) for _ in range(steps)]


def test_a_restart_in_a_step_has_no_reward_and_the_others_go_on() -> None:
    batch, other = envwright.batch("Orchard-v0", 4), envwright.batch("Orchard-v0", 4)
    batch.reset(seeds=range(4))
    other.reset(seeds=range(4))
    mask = np.array([False, True, False, False])
    for _ in range(30):
        step, plain = batch.step(np.ones(4, int), restart=mask), other.step(np.ones(4, int))
        assert np.array_equal(step.obs[~mask], plain.obs[~mask])
        assert step.reward[1] == 0
        assert not step.terminated[1]


def test_what_was_handed_out_is_not_written_into_again() -> None:
    batch = envwright.batch("Orchard-v0", 2)
    kept = batch.reset(seeds=[0, 1])
    copy = kept.copy()
    first = batch.step_and_restart(np.array([1, 2]))
    second = first.obs.copy()
    _played(batch, 20)
    assert np.array_equal(kept, copy)
    assert np.array_equal(first.obs, second)


def test_a_time_limit_truncates() -> None:
    batch = envwright.batch("Snake-v0", 2, max_episode_steps=7)
    batch.reset(seeds=[0, 1])
    flags = [step.truncated.all() for step in _played(batch, 14)]
    assert flags == ([False] * 6 + [True]) * 2


@pytest.mark.parametrize("kind", ["half", "packed", "half_packed"])
def test_layouts_show_the_same_screen(kind: str) -> None:
    grey, other = (envwright.batch("Canyon-v0", 2, observation=name) for name in ("grey", kind))
    grey.reset(seeds=[0, 1])
    other.reset(seeds=[0, 1])
    shades = np.zeros((2, 144, 160), np.uint8)
    for whole, step in zip(_played(grey, 40), _played(other, 40), strict=True):
        shades = (3 - whole.obs // 64).astype(np.uint8)
        assert np.array_equal(GREYS[shades], whole.obs)
        assert np.array_equal(drawn(kind, shades), step.obs)
    assert np.array_equal(unpacked(packed(shades)), shades)


def test_numbers_from_memory_are_what_the_game_names() -> None:
    batch = envwright.batch("Orchard-v0", 2, observation="ram")
    obs = batch.reset(seeds=[0, 1])
    assert obs.shape == (2, 13)
    assert (obs[:, 0] == 72).all()  # the basket
    assert (batch.step(np.array([1, 2])).obs[:, 0] == [64, 80]).all()
    assert batch.render(0).shape == (144, 160, 3)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_gymnasiums_three_ways_to_begin_again(mode: str) -> None:
    pytest.importorskip("gymnasium")
    from envwright.adapters.gymnasium_vec import GymnasiumVectorEnv

    env = GymnasiumVectorEnv(envwright.batch("Orchard-v0", 3, max_episode_steps=20), autoreset_mode=mode)
    env.reset(seed=0)
    ends = 0
    for _ in range(60):
        obs, _, terminated, truncated, _ = env.step(np.zeros(3, np.int64))
        assert obs.shape == (3, 72, 80)
        done = terminated | truncated
        ends += int(done.sum())
        if mode == "Disabled" and done.any():
            env.reset(options={"reset_mask": done})
    assert ends >= 6


def test_gymnasiums_checker_is_content() -> None:
    pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from envwright.adapters.gymnasium_env import GymnasiumEnv

    check_env(GymnasiumEnv(GameBoy("orchard")), skip_render_check=True)


def test_a_rom_of_ones_own_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "own.gb").write_bytes(micro_rom("sprites"))
    batch = envwright.batch("GameBoy-v0", 2, rom=str(tmp_path / "own.gb"), observation="grey")
    batch.reset(seeds=[0, 1])
    step = batch.step_and_restart(np.array([0, 5]))
    assert (step.reward == 0).all()
    later = batch.step_and_restart(np.array([0, 5]))
    assert [np.array_equal(step.obs[i], later.obs[i]) for i in range(2)] == [True, False]  # buttons move the sprites


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"observation": "colour"}, "no observation 'colour'; there are grey"),
        ({"rom": "micro/timer", "observation": "ram"}, "needs `seen`"),
        ({"actions": "some"}, "`actions` is 'game' or 'all'"),
        ({"frame_skip": -1}, "`frame_skip` is a whole number"),
        ({"boot": "nowhere.bin"}, "nowhere.bin cannot be read"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(envwright.EnvwrightError, match=sentence):
        envwright.batch("GameBoy-v0", 1, **options).reset()


def test_a_broken_rom_is_refused(tmp_path: Path) -> None:
    (tmp_path / "short.gb").write_bytes(micro_rom("timer")[:100])
    with pytest.raises(envwright.EnvwrightError):
        envwright.batch("GameBoy-v0", 1, rom=str(tmp_path / "short.gb"))


def test_a_state_that_is_none_leaves_the_game_as_it_was() -> None:
    batch = envwright.batch("Orchard-v0", 2)
    batch.reset(seeds=[0, 1])
    before = batch.save(0)
    for blob in (b"", b"nonsense" * 10, before[:-5], _state_of_another_rom()):
        with pytest.raises(envwright.EnvwrightError):
            batch.load(0, blob)
    assert batch.save(0) == before


def _state_of_another_rom() -> bytes:
    other = envwright.batch("Snake-v0", 1)
    other.reset(seeds=[0])
    return other.save(0)


def test_actions_that_are_none_are_refused() -> None:
    batch = envwright.batch("Orchard-v0", 2)
    with pytest.raises(envwright.EnvwrightError, match="Reset the batch before"):
        batch.step(np.zeros(2, int))
    batch.reset(seeds=[0, 1])
    for wrong in (np.zeros(3, int), np.zeros(2), np.array([0, 3])):
        with pytest.raises(envwright.EnvwrightError, match=r"takes integers|from 0 to 2"):
            batch.step(wrong)
