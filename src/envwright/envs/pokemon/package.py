"""Pokemon Showdown as npm has it: installed outside of the repository, and checked file by file before it runs."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from envwright.core.cache import cache_dir
from envwright.core.errors import ReferenceUnavailableError

NAME, VERSION = "pokemon-showdown", "0.11.11"
REQUIREMENT = f"{NAME}@{VERSION}"
SHA256 = "1b69ff0a29f974bf02d8e1fac81907cd42af49937cbad3a5359070f6f7b95bc6"  # of the files below, by their paths
FILES = (  # what a battle of generation 1 runs, and what that inherits from
    "dist/sim/*.js", "dist/lib/*.js", "dist/config/formats.js", "dist/data/*.js", "dist/data/mods/gen[1-8]/*.js",
    "dist/data/random-battles/gen1/*.js*", "dist/data/text/*.js",
)  # fmt: skip
PLACE = "ENVWRIGHT_SHOWDOWN"  # the environment variable that names the package's folder; the Node files read it
TIMEOUT = 600  # seconds for npm


def folder() -> Path:
    """The package, checked; `$ENVWRIGHT_SHOWDOWN`, or the copy in the cache."""
    chosen = os.environ.get(PLACE)
    place = Path(chosen) if chosen else _cached()
    if not place.is_dir():
        raise ReferenceUnavailableError(
            f"{REQUIREMENT} is not in {place}; correct ${PLACE}."
            if chosen
            else f"{REQUIREMENT} is not installed yet; run: envwright reference pokemon"
        )
    return _checked(place)


def install(archive: Path | None = None) -> Path:
    """Have npm install the package, without its optional dependencies and without running anything of it; `archive` is
    a copy of a node_modules folder, or a tar file of one, for want of a network."""
    place = _cached()
    if place.is_dir():
        return _checked(place)
    root = place.parent.parent
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".installing-", dir=root.parent) as scratch:
        new = Path(scratch) / root.name
        new.mkdir()
        _unpack(archive, new) if archive else _npm(new)
        _checked(new / place.relative_to(root))
        shutil.rmtree(root, ignore_errors=True)  # what an installation that was killed has left
        new.replace(root)  # at once, so that nobody finds half of it
    return place


def _cached() -> Path:
    return cache_dir() / "node" / f"{NAME}-{VERSION}" / "node_modules" / NAME


def _npm(into: Path) -> None:
    if shutil.which("npm") is None:
        raise ReferenceUnavailableError(
            f"npm, which installs {REQUIREMENT}, is not on the PATH; install Node 18 or later, or pass a copy of a "
            f"node_modules folder that holds it with --archive."
        )
    (into / "package.json").write_text("{}\n")
    command = ["npm", "install", REQUIREMENT, "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=into, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["it gave no reason"]
        reason = None if done.returncode == 0 else lines[-1]
        telling = [line.removeprefix("npm error ") for line in lines if line.startswith("npm error ")]
        reason = reason and (telling or lines)[0]
    except subprocess.TimeoutExpired:
        reason = f"no answer in {TIMEOUT} s"
    if reason:
        raise ReferenceUnavailableError(
            f"npm could not install {REQUIREMENT} ({reason}); connect to a package registry, or pass a copy of a "
            f"node_modules folder that holds it with --archive."
        )


def _unpack(archive: Path, into: Path) -> None:
    try:
        if archive.is_dir():
            source = archive if archive.name == "node_modules" else archive / "node_modules"
            shutil.copytree(source, into / "node_modules")
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(into, filter="data")
    except (OSError, tarfile.TarError) as error:
        raise ReferenceUnavailableError(f"The archive {archive} cannot be read: {error}.") from None


def _checked(place: Path) -> Path:
    """The folder, if what is in it is the published package."""
    try:
        version = json.loads((place / "package.json").read_text())["version"]
    except (OSError, ValueError, KeyError):
        raise ReferenceUnavailableError(f"{place} holds no package.json of {NAME}; {_way_out(place)}") from None
    if version != VERSION:
        raise ReferenceUnavailableError(f"{place} is {NAME} {version}, but {VERSION} is needed; {_way_out(place)}")
    if (found := digest(place)) != SHA256:
        raise ReferenceUnavailableError(
            f"{place} is not the published {REQUIREMENT}: the SHA-256 of what is run is {found[:12]}..., not "
            f"{SHA256[:12]}...; {_way_out(place)}"
        )
    return place


def _way_out(place: Path) -> str:
    if place == _cached():
        return f"delete {place.parent.parent} and run: envwright reference pokemon"
    return f"give a folder of {REQUIREMENT}."


@functools.cache
def digest(place: Path) -> str:
    """The hash of the files that are run: their names and what is in them."""
    whole = hashlib.sha256()
    for path in sorted(path for pattern in FILES for path in place.glob(pattern)):
        whole.update(path.relative_to(place).as_posix().encode() + b"\0")
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()
