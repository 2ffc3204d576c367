"""Counts of what was met, by kind and name: {"move": {"surf": 12}}."""

from collections.abc import Mapping

from envwright.references.protocol import Counts


def add(total: dict[str, dict[str, int]], more: Counts) -> None:
    """Count `more` into `total`."""
    for kind, names in more.items():
        mine = total.setdefault(kind, {})
        for name, times in names.items():
            mine[name] = mine.get(name, 0) + int(times)


def since(before: Counts, now: Counts) -> dict[str, dict[str, int]]:
    """What was counted in between."""
    none: Mapping[str, int] = {}
    grown = {
        kind: {name: times - before.get(kind, none).get(name, 0) for name, times in names.items()}
        for kind, names in now.items()
    }
    return {kind: {name: times for name, times in names.items() if times} for kind, names in grown.items()}
