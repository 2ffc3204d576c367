"""What of a walk is counted. Loaded by path, as a user's file is."""

from typing import Any

import numpy as np


def count(before: Any, action: Any, after: Any, ended: Any) -> dict[str, dict[str, int]]:
    wind = after["at"] - before["at"] - np.where(action == 1, 1, -1)
    assert set(np.unique(wind)) <= {0, 1}
    ends = {"left": int((ended & (after["at"] < 0)).sum()), "right": int((ended & (after["at"] > 0)).sum())}
    met = {name: times for name, times in ends.items() if times}
    return {"wind": {"still": int((wind == 0).sum()), "blows": int((wind == 1).sum())}, "end": met}


def possible() -> dict[str, list[str]]:
    return {"wind": ["still", "blows"], "end": ["left", "right", "asleep"]}


def nothing(*given: Any) -> int:
    return len(given)


def oracle(before: Any, action: Any, after: Any, options: Any) -> list[str]:
    assert isinstance(options, dict)
    return [] if before is None or abs(after["at"] - before["at"]) <= 2 else ["walked too far"]


def strict_oracle(before: Any, action: Any, after: Any, options: Any) -> list[str]:
    return [] if abs(after["at"]) < 2 else ["walked too far"]
