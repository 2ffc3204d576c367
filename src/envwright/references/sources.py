"""Obtaining the source of a reference: fetched once from the package index, checked, kept outside the repository."""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envwright.core.cache import cache_dir
from envwright.core.errors import ReferenceUnavailableError, missing_extra

TIMEOUT = 300  # seconds for a download


@dataclass(frozen=True)
class SourceArchive:
    """A published source distribution, named by its hash, and the few files of it that are needed."""

    project: str
    version: str
    sha256: str
    members: Sequence[str]  # paths below the archive's top folder

    @property
    def requirement(self) -> str:
        return f"{self.project}=={self.version}"


def obtain(archive: SourceArchive, local: Path | None = None) -> Path:
    """A folder with the archive's members; `local` is a copy of the archive for machines without a network."""
    folder = cache_dir() / "sources" / f"{archive.project}-{archive.version}-{archive.sha256[:12]}"
    if all((folder / member).is_file() for member in archive.members):
        return folder
    with tempfile.TemporaryDirectory(prefix="envwright-") as scratch:
        packed = local or _download(archive, Path(scratch))
        _check_hash(archive, packed)
        _unpack(archive, packed, folder)
    return folder


def _download(archive: SourceArchive, into: Path) -> Path:
    """Fetch with unearth: pip would first build the package's metadata, which fails for some references."""
    if importlib.util.find_spec("unearth") is None:
        raise missing_extra("unearth", "reference")
    command = [sys.executable, "-m", "unearth", archive.requirement, "--no-binary", "--download", str(into)]
    if index := os.environ.get("PIP_INDEX_URL"):
        command += ["--index-url", index]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        found = list(into.glob("*.tar.gz"))
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no answer"]
    except subprocess.TimeoutExpired:
        found, reason = [], [f"no answer in {TIMEOUT} s"]
    if not found:
        raise ReferenceUnavailableError(
            f"The source of {archive.requirement} could not be downloaded ({reason[0]}); "
            f"connect to a package index, or pass a copy of it with --archive."
        )
    return found[0]


def _check_hash(archive: SourceArchive, packed: Path) -> None:
    try:
        digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    except OSError as error:
        raise ReferenceUnavailableError(f"The archive {packed} cannot be read: {error.strerror}.") from None
    if digest != archive.sha256:
        raise ReferenceUnavailableError(
            f"{packed.name} is not the published {archive.requirement}: its SHA-256 is {digest[:12]}..., "
            f"not {archive.sha256[:12]}...; get it again."
        )


def _unpack(archive: SourceArchive, packed: Path, folder: Path) -> None:
    """Take the members out, each moved into place whole, so that a kill leaves nothing half-written."""
    with tarfile.open(packed) as tar:
        for member in archive.members:
            content = tar.extractfile(f"{archive.project}-{archive.version}/{member}")
            if content is None:
                raise ReferenceUnavailableError(f"{packed.name} holds no file {member}.")
            target = folder / member
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(content.read())
            part.replace(target)
