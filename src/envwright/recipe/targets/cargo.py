"""Cargo: where it is, and building a crate with it."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwright.core.errors import EnvwrightError

# What a build may know of our environment: where programs and caches are, and how the network is reached.
HANDED_ON = (
    "PATH", "HOME", "LANG", "TMPDIR", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "CARGO_HTTP_CAINFO", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
)  # fmt: skip
MOST_ERRORS = 10
TAIL = 12  # lines of what cargo said, where it is all there is


class CargoError(EnvwrightError, RuntimeError):
    """Cargo is missing, or what it needs cannot be had; the code that is built has nothing to do with it."""


@dataclass(frozen=True)
class CompileError:
    """What the compiler has against the code."""

    file: str  # within the crate
    line: int
    column: int
    message: str
    shown: str = ""  # as the compiler shows it, with the line and what it suggests

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}" if self.file else self.message


@dataclass(frozen=True)
class BuiltCrate:
    """What came of a build: a library, or errors."""

    path: Path | None
    seconds: float
    errors: tuple[CompileError, ...] = ()
    stderr: str = ""


@dataclass(frozen=True)
class _Done:
    code: int | None  # None: it was stopped
    stdout: str
    stderr: str


def find_cargo() -> Path:
    """The cargo program: on the path, or where rustup puts it."""
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    for place in (shutil.which("cargo"), home / "bin" / "cargo"):
        if place is not None and os.access(place, os.X_OK):
            return Path(place)
    raise CargoError("cargo was not found; install Rust as https://rustup.rs says, and open a new shell.")


def build(folder: Path, target: Path, *, seconds: float = 600.0, jobs: int | None = None) -> BuiltCrate:
    """Compile the crate in `folder`, and put its library beside its Python package, where it can be imported.

    `target` is a folder for what is compiled on the way; share it between builds, and dependencies are compiled once.
    What the compiler has against the code is data; an exception is a fault of the machine.
    """
    began = time.monotonic()
    deadline = began + seconds
    cargo, folder, target = find_cargo(), folder.resolve(), target.resolve()
    target.mkdir(parents=True, exist_ok=True)
    environment = _environment(target)
    with _alone(target, deadline):  # crates of the same name would overwrite each other's library
        _fetch(cargo, folder, environment, deadline)
        command = [str(cargo), "build", "--release", "--offline", "--message-format=json"]
        done = _run([*command, *([] if jobs is None else [f"--jobs={jobs}"])], folder, environment, deadline)
        if done.code is None:
            late = CompileError("", 0, 0, f"The build took longer than {seconds:g} s and was stopped.")
            return BuiltCrate(None, time.monotonic() - began, (late,), done.stderr)
        messages = list(_messages(done.stdout))
        if done.code != 0:
            return BuiltCrate(None, time.monotonic() - began, _errors(messages, folder, done.stderr), done.stderr)
        path = _installed(_library(messages, folder), folder)
    return BuiltCrate(path, time.monotonic() - began, (), done.stderr)


# ---- how ----


def _environment(target: Path) -> dict[str, str]:
    known = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
    # The stable ABI needs no interpreter to build against, and so one build of PyO3 serves all.
    return {**known, "CARGO_TARGET_DIR": str(target), "CARGO_TERM_COLOR": "never", "PYO3_NO_PYTHON": "1"}


@contextlib.contextmanager
def _alone(target: Path, deadline: float) -> Iterator[None]:
    with (target / ".envwright-lock").open("w") as lock:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            if time.monotonic() > deadline:
                raise CargoError(f"Another build holds {target}; wait for it to end, or give another folder.")
            time.sleep(0.1)
        yield  # closing the file lets go of it


def _fetch(cargo: Path, folder: Path, environment: Mapping[str, str], deadline: float) -> None:
    """Have the dependencies in cargo's home, from the network only if they are not there yet."""
    if _run([str(cargo), "fetch", "--offline"], folder, environment, deadline).code == 0:
        return
    done = _run([str(cargo), "fetch"], folder, environment, deadline)
    if done.code != 0:
        why = "it took too long" if done.code is None else _tail(done.stderr)
        raise CargoError(f"The crates that a Rust translation needs cannot be downloaded: {why}; is there a network?")


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str], deadline: float) -> _Done:
    """A command to its end or to the deadline, at which all that it started is killed."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        _kill(process)
        out, err = process.communicate()
        code = None
    except BaseException:  # such as Ctrl-C, which does not reach another session
        _kill(process)
        process.wait()
        raise
    return _Done(code, out.decode(errors="replace"), err.decode(errors="replace"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _messages(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def _errors(messages: Sequence[Mapping[str, Any]], folder: Path, stderr: str) -> tuple[CompileError, ...]:
    """The first errors in the crate's own files; or if there are none the end of what cargo said."""
    found: list[CompileError] = []
    for message in messages:
        if message.get("reason") != "compiler-message" or not message["message"]["level"].startswith("error"):
            continue
        if (error := _error(message["message"], folder)) is not None:
            found.append(error)
    return tuple(found[:MOST_ERRORS]) or (CompileError("", 0, 0, f"cargo: {_tail(stderr)}"),)


def _error(message: Mapping[str, Any], folder: Path) -> CompileError | None:
    code = (message.get("code") or {}).get("code")
    text = f"error[{code}]: {message['message']}" if code else f"error: {message['message']}"
    for span in sorted(message["spans"], key=lambda span: not span["is_primary"]):
        while not (folder / span["file_name"]).is_file() and span.get("expansion"):
            span = span["expansion"]["span"]  # within a macro of a library; where it is used is what counts
        place = folder / span["file_name"]
        if place.is_file() and place.resolve().is_relative_to(folder):
            inside = place.resolve().relative_to(folder).as_posix()
            return CompileError(inside, span["line_start"], span["column_start"], text, message.get("rendered") or "")
    return None


def _library(messages: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    manifest = str(folder / "Cargo.toml")
    for message in messages:
        if message.get("reason") == "compiler-artifact" and message.get("manifest_path") == manifest:
            for name in message["filenames"]:
                if name.endswith(".so"):
                    return Path(name)
    raise CargoError(f'The crate in {folder} has no shared library; its Cargo.toml needs crate-type = ["cdylib"].')


def _installed(library: Path, folder: Path) -> Path:
    """libX.so as X.abi3.so in the crate's Python package. Renamed into place: one that is in use is left as it is."""
    name = library.name.removeprefix("lib").removesuffix(".so")
    packages = sorted((folder / "python").glob("*/__init__.py"))
    home = packages[0].parent if packages else folder
    path = home / f"{name}.abi3.so"
    part = path.with_suffix(f".{os.getpid()}.part")
    shutil.copy(library, part)
    part.replace(path)
    return path


def _tail(text: str) -> str:
    return "\n".join(text.strip().splitlines()[-TAIL:]).rstrip(".")
