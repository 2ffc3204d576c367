"""Folders to write to."""

from pathlib import Path

from envwright.core.errors import EnvwrightError


def make_folder(folder: Path, option: str) -> None:
    """Make sure of a folder before any work is done for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvwrightError(
            f"The folder {folder} cannot be made: {error.strerror}; choose another with {option}."
        ) from None
