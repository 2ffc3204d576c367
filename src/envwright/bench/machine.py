"""The machine and the software, for every table and file."""

import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envwright.bench.competitor import available_cores
from envwright.core.layouts import processor


def hardware() -> dict[str, Any]:
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "cores_used": len(available_cores()),
        "pinned": hasattr(os, "sched_setaffinity"),
        "memory_bytes": memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def memory() -> int | None:
    """Bytes of main memory, where the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemTotal:")), None)


def load() -> list[float]:
    """How many processes wanted to run, over the last 1, 5 and 15 minutes."""
    return list(os.getloadavg()) if hasattr(os, "getloadavg") else []


def versions(packages: Iterable[str]) -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
