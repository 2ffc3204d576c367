"""Canyon, a Game Boy game of our own: its ROM, what is rewarded, a policy's config and a card."""

from functools import partial

from envwright.envs.gameboy.env import GameBoy

make = partial(GameBoy, rom="canyon")
