"""The Game Boy, as PyBoy emulates it: environments from ROMs."""

from envwright.envs.gameboy.env import GameBoy as GameBoy
