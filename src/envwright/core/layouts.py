"""How a batch is spread over a machine's cores, and which way was the fastest here.

`envwright bench` measures the layouts and remembers the winner; `train` and others ask for it. What is remembered is a
convenience: a file that is missing, broken or from another machine is as good as none.
"""

import contextlib
import hashlib
import json
import os
import platform
from pathlib import Path

from envwright.core.cache import cache_dir

PLAIN = "plain"  # jit, with nothing set: one device, which XLA spreads over the cores as it sees fit
SHARDED = "sharded"  # a device a core after `tune_cpu`, each with its share of the batch
PROCESSES = "processes"  # a process a core, each with its share of the batch

LAYOUTS = (PLAIN, SHARDED, PROCESSES)


def remember(env: str, what: str, layout: str) -> None:
    """Note that `layout` is the fastest for `what` (say "random") of `env` (an id) on this machine."""
    if layout not in LAYOUTS:
        raise ValueError(f"'{layout}' is not one of the layouts {', '.join(LAYOUTS)}.")
    known = _read()
    known.setdefault(fingerprint(), {}).setdefault(env, {})[what] = layout
    path = cache_dir() / "layouts.json"
    part = path.with_suffix(f".{os.getpid()}.part")
    with contextlib.suppress(OSError):  # a folder that cannot be written to costs the memory, not the benchmark
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(known, indent=2) + "\n")
        part.replace(path)


def recall(env: str, what: str) -> str | None:
    """The fastest layout measured on this machine, if any was."""
    found = _read().get(fingerprint(), {}).get(env)
    layout = found.get(what) if isinstance(found, dict) else None
    return layout if layout in LAYOUTS else None


def fingerprint() -> str:
    """This machine as far as layouts care: its kind of processor and how many cores we may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return hashlib.sha256(f"{processor()}|{cores}".encode()).hexdigest()[:16]


def processor() -> str:
    """The processor's name as its maker gives it, where the system tells."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _read() -> dict[str, dict[str, dict[str, str]]]:
    try:
        content = json.loads((cache_dir() / "layouts.json").read_text())
    except (OSError, ValueError):
        return {}
    if not isinstance(content, dict):
        return {}
    return {
        machine: {env: dict(found) for env, found in envs.items() if isinstance(found, dict)}
        for machine, envs in content.items()
        if isinstance(envs, dict)
    }
