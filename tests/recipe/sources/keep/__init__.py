"""A small dungeon game, written to be analysed."""

from .game import Keep

__all__ = ["Keep"]
