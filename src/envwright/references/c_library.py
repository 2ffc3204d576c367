"""Compiling a C reference into a shared library and loading it."""

import ctypes
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from envwright.core.cache import cache_dir
from envwright.core.errors import ReferenceUnavailableError

# Unused functions (drawing, mostly) are dropped, and with them the need for the libraries they call.
LINK_FLAGS = ("-shared", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-Wl,--gc-sections", "-lm")


def find_compiler() -> str:
    """The C compiler: `$CC`, or the first of cc, gcc and clang that is installed."""
    wanted = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    for name in wanted:
        if path := shutil.which(name):
            return path
    raise ReferenceUnavailableError(
        f"No C compiler was found (looked for {', '.join(wanted)}); install gcc or clang, or set CC to yours."
    )


def build(name: str, driver: Path, includes: Sequence[Path], flags: Sequence[str]) -> Path:
    """Compile `driver` to a shared library in the cache; the same inputs give the same file, compiled once."""
    command = compiling(driver, includes, flags)
    digest = hashlib.sha256(driver.read_bytes() + repr(command).encode()).hexdigest()[:12]
    library = cache_dir() / "libraries" / f"{name}-{digest}.so"
    if library.is_file():
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    part = library.with_suffix(f".{os.getpid()}.part")
    run(name, [*command, "-o", str(part)])
    part.replace(library)
    return library


def compiling(driver: Path, includes: Sequence[Path], flags: Sequence[str]) -> list[str]:
    """The command that compiles `driver` to a shared library, but for where to."""
    return [find_compiler(), *flags, "-w", *(f"-I{folder}" for folder in includes), str(driver), *LINK_FLAGS]


def run(name: str, command: Sequence[str]) -> None:
    """Run a compiler; its first complaint becomes the error's sentence."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        complaint = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip())
        raise ReferenceUnavailableError(f"{command[0]} could not compile the {name} reference: {complaint}")


def load(library: Path) -> ctypes.CDLL:
    """Open the library."""
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise ReferenceUnavailableError(f"{library} cannot be loaded: {error}; delete it and try again.") from None
