"""Where envwright keeps what it can get again: sources of references, builds, what was measured on this machine."""

import os
from pathlib import Path


def cache_dir() -> Path:
    """`$ENVWRIGHT_CACHE`, or `envwright` in the user's cache folder."""
    if chosen := os.environ.get("ENVWRIGHT_CACHE"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envwright"
