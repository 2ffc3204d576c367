"""Trained players in files, so that an episode of theirs can be played again: `player:PATH` is a policy."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete, Space
from envwright.references.plain import from_json, to_json
from envwright.training.config import Network
from envwright.training.player import Player
from envwright.training.policy import Policy
from envwright.verifier.policies import PLAYER

VERSION = 1


def save(player: Player, path: Path) -> str:
    """Write a player down; returns its name as a policy."""
    policy = player.policy
    content = {
        "version": VERSION,
        "name": player.name,
        "network": dataclasses.asdict(policy.network),
        "observations": _space_to_json(policy.observations),
        "actions": _space_to_json(policy.action_space),
        "normalised": policy.normalised,
        "weights": to_json(player.weights),
        "mean": to_json(np.asarray(player.mean)),
        "variance": to_json(np.asarray(player.variance)),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content) + "\n")
    return f"{PLAYER}{path}"


def load(path: Path) -> Player:
    """Read a player back."""
    try:
        content = json.loads(path.read_text())
    except OSError as error:
        raise EnvwrightError(f"The player {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise EnvwrightError(f"{path} is not a player that envwright saved: it is not JSON.") from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise EnvwrightError(f"{path} is not a player of version {VERSION}, which is what this envwright reads.")
    network = content["network"]
    spaces = _space_from_json(content["observations"]), _space_from_json(content["actions"])
    policy = Policy(Network(**{**network, "hidden": tuple(network["hidden"])}), *spaces, content["normalised"])
    weights, mean, variance = (from_json(content[name]) for name in ("weights", "mean", "variance"))
    return Player(policy, weights, mean, variance, content["name"])


def _space_to_json(space: Space) -> dict[str, Any]:
    if isinstance(space, Discrete):
        return {"n": space.n}
    return {
        "low": to_json(space.low),
        "high": to_json(space.high),
        "shape": list(space.shape),
        "dtype": space.dtype.str,
    }


def _space_from_json(content: dict[str, Any]) -> Space:
    if "n" in content:
        return Discrete(content["n"])
    low, high = from_json(content["low"]), from_json(content["high"])
    return Box(low, high, tuple(content["shape"]), np.dtype(content["dtype"]))
