"""A game's file: what it may say, and one sentence for what it may not. Nothing here needs the emulator."""

import sys
from pathlib import Path

import numpy as np
import pytest

import envwright
from envwright import EnvwrightError
from envwright.envs.gameboy import game as games
from envwright.envs.gameboy.game import BUTTONS
from envwright.envs.gameboy.micro import micro_rom, micro_roms
from envwright.envs.gameboy.starts import buttons, draw
from envwright.envs.gameboy.values import End, MemoryValue, Pay, addresses, ended, read, reward

FILE = """
rom = "mine.gb"
frame_skip = 2
actions = ["", "left+a"]
start = [["", [5, 9]], ["start", 2]]
[values]
score = { at = 0xC000, type = "u16" }
lives = 0xC002
[[reward]]
value = "score"
gain = 0.5
[[end]]
value = "lives"
equals = [0, 255]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.gb").write_bytes(micro_rom("timer"))
    (tmp_path / "mine.toml").write_text(FILE)
    return tmp_path


def test_a_rom_takes_the_file_beside_it(folder: Path) -> None:
    for name in ("mine.gb", "mine.toml"):
        game = games.load(str(folder / name))
        assert (game.name, game.frame_skip, game.actions) == ("mine", 2, (0, BUTTONS["left"] | BUTTONS["a"]))
        assert game.rom == micro_rom("timer")
        assert addresses(game.values) == [0xC000, 0xC001, 0xC002]


def test_a_rom_without_a_file_has_every_button_and_no_reward(folder: Path) -> None:
    (folder / "mine.toml").unlink()
    game = games.load(str(folder / "mine.gb"))
    assert game.actions == (0, *BUTTONS.values())
    assert not game.rewards
    assert not game.ends


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('rom = "mine.gb"', "", "`rom` names the ROM's file"),
        ('"mine.gb"', '"other.gb"', "The ROM .*other.gb cannot be read"),
        ("left+a", "left+jump", "there is no button 'jump'; there are right, left"),
        ("[5, 9]", "[9, 5]", "ticks in `start` is a whole number from 9 to"),
        ("0xC002", "0x1C002", "values.lives: at is a whole number from 0 to 65,535"),
        ('"u16"', '"u17"', "the type is one of u8, .*, not 'u17'"),
        ("gain = 0.5", "", "reward of score: give `gain`"),
        ("gain = 0.5", "gian = 0.5", "reward: there is no 'gian'; there are value, gain, loss"),
        ('value = "lives"', 'value = "life"', "names the value 'life', which is not in"),
        ("equals = [0, 255]", "", "end by lives: give `equals`"),
        ("frame_skip = 2", "frame_skip = 0", "frame_skip is a whole number from 1"),
        ("[values]", "[values", "cannot be read"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(folder: Path, old: str, new: str, sentence: str) -> None:
    assert old in FILE
    (folder / "mine.toml").write_text(FILE.replace(old, new, 1))
    with pytest.raises(EnvwrightError, match=sentence):
        games.load(str(folder / "mine.toml"))


def test_what_there_is_not_is_told_with_what_there_is() -> None:
    with pytest.raises(EnvwrightError, match=r"no game 'tetris'; .* canyon, orchard, snake, micro/timer"):
        games.load("tetris")
    with pytest.raises(EnvwrightError, match="no test program 'nothing'"):
        games.load("micro/nothing")


@pytest.mark.parametrize("name", games.shipped())
def test_our_games_are_whole(name: str) -> None:
    game = games.load(name)
    assert len(game.rom) == 0x8000
    assert game.rewards
    assert game.ends
    assert set(game.seen) <= set(game.values)
    for file in ("card.md", "ppo.toml"):
        assert (games.SHIPPED / name / file).is_file()


def test_the_example_for_a_rom_that_is_not_here_is_well_formed(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "pokemon_red.toml"
    (tmp_path / "pokemon_red.toml").write_text(example.read_text())
    (tmp_path / "pokemon_red.gb").write_bytes(micro_rom("mbc3"))
    game = games.load(str(tmp_path / "pokemon_red.toml"))
    assert {"badges", "level0"} <= set(game.values)


@pytest.mark.parametrize(
    ("value", "ram", "number"),
    [
        (MemoryValue(0), [200], 200),
        (MemoryValue(0, "i8"), [200], -56),
        (MemoryValue(0, "u16"), [1, 2], 513),
        (MemoryValue(0, "u16be"), [1, 2], 258),
        (MemoryValue(0, "u24be"), [1, 2, 3], 66051),
        (MemoryValue(0, "bcd", 3), [0x12, 0x34, 0x56], 123456),
        (MemoryValue(0, "bits", 2), [0xFF, 0x01], 9),
        (MemoryValue(0, mask=0x0F), [0xA7], 7),
    ],
)
def test_numbers_in_memory(value: MemoryValue, ram: list[int], number: int) -> None:
    assert value.size == len(ram)
    assert value.read(np.array([ram, ram], np.uint8)).tolist() == [number, number]


def test_rewards_count_what_rises_and_what_falls() -> None:
    values = {"score": MemoryValue(0), "lives": MemoryValue(1)}
    before, now = (read(values, np.array(ram, np.uint8)) for ram in ([[1, 3], [5, 3]], [[4, 3], [2, 1]]))
    pays = [Pay("score", gain=2.0), Pay("lives", loss=-10.0)]
    assert reward(pays, before, now).tolist() == [6.0, -20.0]
    assert ended([End("lives", below=2), End("score", equals=(9,))], now).tolist() == [False, True]
    assert ended([End("score", above=3)], now).tolist() == [True, False]


def test_starts_are_within_bounds_and_follow_from_the_seed() -> None:
    script = games.load("orchard").start
    seeds = np.arange(2000, dtype=np.uint64)
    drawn = draw(script, seeds, np.zeros(2000, np.uint64))
    assert np.array_equal(drawn, draw(script, seeds, np.zeros(2000, np.uint64)))
    assert not np.array_equal(drawn, draw(script, seeds, np.ones(2000, np.uint64)))
    for column, press in zip(drawn.T, script, strict=True):
        assert set(column.tolist()) == set(range(press.low, press.high + 1))
    held = buttons(script, drawn[0])
    assert len(held) == drawn[0].sum()
    assert (held == BUTTONS["start"]).sum() == drawn[0, 2]


@pytest.mark.parametrize("name", micro_roms())
def test_test_programs_have_a_header_that_fits(name: str) -> None:
    rom = micro_rom(name)
    assert sum(-byte - 1 for byte in rom[0x134:0x14D]) & 0xFF == rom[0x14D]
    assert len(rom) == 0x8000 << rom[0x148]


def test_without_the_emulator_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "envwright_gameboy", None)
    with pytest.raises(EnvwrightError, match=r"emulator is not built .*install Rust with rustup"):
        envwright.batch("Orchard-v0", 1)
