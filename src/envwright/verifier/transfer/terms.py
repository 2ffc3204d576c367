"""A contract's [transfer]: how close policies must do on both sides, and by how much play that is asked.

It is part of the contract, and hashed with it, so that the margin is fixed before any game is played.
"""

from dataclasses import dataclass
from typing import Any

WHY = "a fifth of a standard deviation is a small effect by Cohen's convention, and a player would not notice it"


@dataclass(frozen=True)
class Terms:
    """What L4 asks."""

    margin: float = 0.2  # in standard deviations of a game's return on the reference, pooled over the players
    reason: str = WHY
    seeds: int = 3  # runs of training on each side
    games: int = 200  # of each player
    steps: int | None = None  # of each run of training; without it as the tuned config says
    config: str | None = None  # a ppo.toml beside the contract, for environments that ship none


def problem(table: dict[str, Any]) -> str:
    """What is wrong with a [transfer] table; nothing, if it can be read."""
    margin = table.get("margin", 0.2)
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < float("inf"):
        return f"margin is a positive number of standard deviations, not {margin!r}."
    reason = table.get("reason")
    if "margin" in table and (not isinstance(reason, str) or not reason.strip()):
        return "give the reason for the margin as a sentence; what is allowed to differ has to say why."
    for key, least in (("seeds", 2), ("games", 2), ("steps", 1)):
        value = table.get(key, least)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            return f"{key} is a whole number from {least}, not {value!r}."
    if not isinstance(table.get("config", ""), str):
        return f"config is the path of a ppo.toml, not {table['config']!r}."
    return ""
