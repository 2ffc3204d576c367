"""In which forms the Game Boy is verified, told without importing it: games, test programs, ROMs of a folder of one's own."""

import os
from pathlib import Path

from envwright.core.spec import Form

ROMS = "ENVWRIGHT_ROMS"  # the environment variable that names a folder
STEPS = 1300  # ticks of an episode: eight episodes are more than 10,000 ticks a ROM

GAMES = ("orchard", "snake", "canyon")
MICRO = (
    "timer", "halt", "stat", "poll", "dma", "sprites", "window", "sound", "lines", "mbc1", "mbc2", "mbc3", "mbc5",
    "mix",
)  # fmt: skip


def forms() -> tuple[Form, ...]:
    """A tick a step, any buttons at all, every dot of the screen; and one as policies see it, for L4."""
    return (
        *(_form(name, name) for name in GAMES),
        Form("orchard, as it is trained", {"rom": "orchard", "observation": "ram", "max_episode_steps": 400}),
        *(_form(f"test program {name}", f"micro/{name}") for name in MICRO),
        *(_form(f"ROM {path.stem}", str(path)) for path in _own()),
    )


def _form(name: str, rom: str) -> Form:
    options = {"rom": rom, "frame_skip": 1, "actions": "all", "observation": "grey", "max_episode_steps": STEPS}
    return Form(name, options)


def _own() -> list[Path]:
    folder = os.environ.get(ROMS)
    return sorted(Path(folder).expanduser().resolve().glob("*.gb")) if folder else []
