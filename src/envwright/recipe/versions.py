"""Versions of the candidate: files by path, and a name for their content."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, str]


def digest(files: Files) -> str:
    """A hash of all files together, whatever their order."""
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()


def write_files(folder: Path, files: Files) -> None:
    """Make `folder` hold these files and nothing else."""
    if folder.exists():
        shutil.rmtree(folder)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
