"""A Game Boy with a game in it, as an environment."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from envwright.core.errors import EnvwrightError
from envwright.core.native import NativeEnv
from envwright.core.spaces import Discrete, Space
from envwright.envs.gameboy import game as games
from envwright.envs.gameboy.batch import GameBoyBatch
from envwright.envs.gameboy.columns import GameBoyColumns
from envwright.envs.gameboy.game import RomGame
from envwright.envs.gameboy.observation import Observation

BY_GAME, ALL = "game", "all"  # whose actions


@dataclass(frozen=True)
class GameBoy(NativeEnv):
    """`rom`: one of our games, a TOML file or a ROM. A time limit counts steps, not frames."""

    rom: str = "orchard"
    frame_skip: int = 0  # frames a step; 0: as the game says
    observation: str = ""  # grey, half, packed, half_packed or ram; empty: as the game says
    actions: str = BY_GAME  # `all`: any buttons at all, a bit each, in the order of `game.BUTTONS`
    max_episode_steps: int = 0  # 0: none
    threads: int = 0  # of a batch; 0: all cores
    hardware: bool = False  # as the console, where PyBoy is not
    boot: str = ""  # a boot ROM's file, or `pyboy` for the one in PyBoy's package; empty: begin where it ends

    def __post_init__(self) -> None:
        if self.actions not in (BY_GAME, ALL):
            raise EnvwrightError(f"`actions` is '{BY_GAME}' or '{ALL}', not '{self.actions}'.")
        for name in ("frame_skip", "max_episode_steps", "threads"):
            number = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= 2**31:
                raise EnvwrightError(f"`{name}` is a whole number of 0 or more, not {number!r}.")
        _ = self.looks  # bad names are refused here, not when the first batch is made

    @cached_property
    def game(self) -> RomGame:
        return games.load(self.rom)

    @cached_property
    def looks(self) -> Observation:
        return Observation(self.observation or self.game.observation, self.game.seen)

    @property
    def ticks(self) -> int:
        """Frames a step."""
        return self.frame_skip or self.game.frame_skip

    @property
    def buttons(self) -> tuple[int, ...]:
        """The buttons held, for each action."""
        return tuple(range(256)) if self.actions == ALL else self.game.actions

    @property
    def boot_rom(self) -> bytes | None:
        if not self.boot:
            return None
        path = _pyboys_boot_rom() if self.boot == "pyboy" else Path(self.boot).expanduser()
        try:
            return path.read_bytes()
        except OSError as error:
            raise EnvwrightError(f"The boot ROM {path} cannot be read: {error.strerror}.") from None

    @property
    def observation_space(self) -> Space:
        return self.looks.space

    @property
    def action_space(self) -> Space:
        return Discrete(len(self.buttons))

    def batch(self, num_envs: int) -> GameBoyBatch:
        return GameBoyBatch(self, num_envs)

    def columns(self) -> GameBoyColumns:
        return GameBoyColumns(self)


def _pyboys_boot_rom() -> Path:
    import importlib.util

    found = importlib.util.find_spec("pyboy")
    if found is None or found.origin is None:
        raise EnvwrightError("PyBoy's boot ROM is in its package: pip install 'envwright[pyboy]'")
    return Path(found.origin).parent / "core" / "bootrom_dmg.bin"
