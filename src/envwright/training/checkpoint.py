"""A run on disk: one file, written whole or not at all, that says what it is and whether it is intact.

envwright checkpoint 1          the format
<sha256 of all that follows>
{"env": ..., "config": ...}     what the run is, in one line of JSON
arrays                          as NumPy writes them
"""

import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from envwright.core.errors import EnvwrightError

FIRST_LINE = b"envwright checkpoint 1\n"
SUFFIX = ".ckpt"
KEEP = 2  # the newest ones; one may turn out to be damaged


class CheckpointError(EnvwrightError):
    """A checkpoint cannot be used, or not be written."""


class Checkpoint(NamedTuple):
    """What a file holds."""

    path: Path
    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]  # by their place in the state


def save(folder: Path, updates: int, header: Mapping[str, Any], state: Any) -> Path:
    """Write a state, which lives in this process's memory, and drop all but the newest checkpoints."""
    names, leaves = _named(state)
    path = folder / f"{updates:09d}{SUFFIX}"
    part = path.with_suffix(".part")
    try:
        with part.open("wb") as file:
            file.write(FIRST_LINE + b"0" * 64 + b"\n")
            digest = hashlib.sha256()
            tee = _Tee(file, digest)
            tee.write(json.dumps({**header, "updates": updates, "names": names}).encode() + b"\n")
            for leaf in leaves:
                np.lib.format.write_array(tee, np.asarray(leaf), allow_pickle=False)
            file.seek(len(FIRST_LINE))
            file.write(digest.hexdigest().encode())
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        kept = newest(folder)
        left = f"the last whole one is {kept}" if kept else "there is none yet"
        raise CheckpointError(
            f"A checkpoint cannot be written to {folder}: {error.strerror}; {left}. Make room, then run the same "
            "command again to go on from there."
        ) from None
    killed = folder.glob("*.part")  # and could not clean up
    for old in (*sorted(folder.glob(f"*{SUFFIX}"))[:-KEEP], *killed):
        old.unlink(missing_ok=True)
    return path


def newest(folder: Path) -> Path | None:
    """The newest checkpoint in a folder."""
    return max(folder.glob(f"*{SUFFIX}"), default=None)


def load(path: Path) -> Checkpoint:
    """Read a checkpoint; one that was cut short or changed is refused."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"The checkpoint {path} cannot be read: {error.strerror}.") from None
    body = content[len(FIRST_LINE) + 65 :]
    if not content.startswith(FIRST_LINE):
        raise CheckpointError(f"{path} is not a checkpoint of this version of envwright.")
    if content[len(FIRST_LINE) :][:64] != hashlib.sha256(body).hexdigest().encode():
        raise CheckpointError(
            f"The checkpoint {path} is damaged: its content does not match its checksum. Delete it; the one before it "
            "will be used, if there is one."
        )
    file = io.BytesIO(body)
    header = json.loads(file.readline())
    names = header.pop("names")
    return Checkpoint(path, header, {name: np.lib.format.read_array(file) for name in names})


def fill(checkpoint: Checkpoint, template: Any, under: str = "") -> Any:
    """The arrays in the shape of `template`, which says what they must be; a length of -1 is any.

    Of a part alone, `under` says which: ".learner".
    """
    names, shapes = _named(template)
    names = [under + name for name in names]
    arrays = {name: array for name, array in checkpoint.arrays.items() if name.startswith(under)}
    for name, shape in zip(names, shapes, strict=True):
        if name not in arrays or not _fits(arrays[name], shape):
            found = f"{arrays[name].dtype} of shape {arrays[name].shape}" if name in arrays else "none"
            raise CheckpointError(
                f"The checkpoint {checkpoint.path} is of another environment or network: {name} should be "
                f"{shape.dtype} of shape {shape.shape}, but there is {found}."
            )
    if extra := set(arrays) - set(names):
        raise CheckpointError(
            f"The checkpoint {checkpoint.path} is of another environment or network: it holds {min(extra)}, which this "
            "one does not have."
        )
    return jax.tree.unflatten(jax.tree.structure(template), [arrays[name] for name in names])


def _fits(array: NDArray[Any], wanted: Any) -> bool:
    lengths = zip(array.shape, wanted.shape, strict=False)
    same = array.ndim == len(wanted.shape) and all(there in (here, -1) for here, there in lengths)
    return same and array.dtype == wanted.dtype


def _named(tree: Any) -> tuple[list[str], Sequence[Any]]:
    paths = jax.tree_util.tree_flatten_with_path(tree)[0]
    return [jax.tree_util.keystr(path) for path, _ in paths], [leaf for _, leaf in paths]


class _Tee:
    """Writes to a file what it also adds to a checksum."""

    def __init__(self, file: Any, digest: Any) -> None:
        self._file, self._digest = file, digest

    def write(self, data: Any) -> int:
        self._digest.update(data)
        return self._file.write(data)
