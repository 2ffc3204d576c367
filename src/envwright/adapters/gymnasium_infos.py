"""The `infos` of a Gymnasium vector environment: values and masks of the environments that have them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def masked(info: dict[str, Any], have: Mask) -> dict[str, Any]:
    """Each value, zero where an environment does not have it, beside a mask `_name`; nothing if none has it."""
    if not have.any():
        return {}
    infos: dict[str, Any] = {}
    for name, value in info.items():
        if isinstance(value, dict):
            infos[name] = masked(value, have)
        else:
            value = np.array(value)
            value[~have] = 0
            infos[name] = value
        infos[f"_{name}"] = have.copy()
    return infos


def finals(final_obs: NDArray[Any], info: dict[str, Any], ended: Mask) -> dict[str, Any]:
    """What SAME_STEP adds where an episode ended, laid out as Gymnasium's SyncVectorEnv does."""
    if not ended.any():
        return {}
    return {
        "final_obs": objects({i: np.array(final_obs[i]) for i in np.flatnonzero(ended).tolist()}, len(ended)),
        "_final_obs": ended.copy(),
        "final_info": masked(info, ended),
        "_final_info": ended.copy(),
    }


def legacy_finals(infos: dict[str, Any], info: dict[str, Any], totals: "EpisodeTotals", ended: Mask) -> dict[str, Any]:
    """The names and layout of Gymnasium 0.29, with each episode's return and length, as CleanRL reads them."""
    if not ended.any():
        return {}
    dicts = {i: {**one(info, i), "episode": totals.episode(i)} for i in np.flatnonzero(ended).tolist()}
    return {
        "final_observation": infos["final_obs"],
        "_final_observation": ended.copy(),
        "final_info": objects(dicts, len(ended)),
        "_final_info": ended.copy(),
    }


class EpisodeTotals:
    """Return and length of the episode that each environment is in."""

    def __init__(self, num_envs: int) -> None:
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int32)

    def add(self, rewards: NDArray[Any], begun: Mask) -> None:
        """Count a step; where `begun`, it is the first of an episode."""
        self._returns = np.where(begun, 0, self._returns) + rewards
        self._lengths = np.where(begun, 0, self._lengths) + 1

    def episode(self, i: int) -> dict[str, Any]:
        """The episode of environment `i`, as Gymnasium's RecordEpisodeStatistics reports it."""
        return {"r": self._returns[i], "l": self._lengths[i]}


def one(info: dict[str, Any], i: int) -> dict[str, Any]:
    """The info of one environment."""
    return {name: one(value, i) if isinstance(value, dict) else value[i] for name, value in info.items()}


def objects(values: dict[int, Any], length: int) -> NDArray[Any]:
    """An array of objects, None where there is none."""
    array = np.full(length, None, dtype=object)
    for i, value in values.items():
        array[i] = value
    return array
