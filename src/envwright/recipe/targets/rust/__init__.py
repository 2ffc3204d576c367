"""Translations to Rust: a crate for Python, in which everything but the rules is given."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envwright.candidates.apart import ApartCandidate, apart
from envwright.core.cache import cache_dir
from envwright.recipe.targets import cargo
from envwright.recipe.targets.rust.scaffold import LAST as LAST
from envwright.recipe.targets.rust.scaffold import scaffold as scaffold
from envwright.recipe.targets.rust.scaffold import signatures as signatures
from envwright.recipe.targets.rust.scaffold import written as written
from envwright.sandbox.process import Limits, python
from envwright.verifier.interface import Interface

NAME = "rust"
IMPORTED_FROM = "python"
THREADS = "threads"
SHOWN_ERRORS = 3  # as the compiler shows them; of the others only place and message


def shown(interface: Interface) -> tuple[str, ...]:
    del interface
    return ("src/state.rs", "src/rng.rs")


def called(interface: Interface) -> str:
    return f"rust:python/{interface.package}"


def build(folder: Path) -> str:
    """Compile; what the compiler has against it, if anything."""
    built = cargo.build(folder, target_folder())
    return "" if built.path is not None else told(built)


def workers(interface: Interface) -> dict[str, list[str]]:
    return {THREADS: [*python("envwright.recipe.rust_timer"), called(interface).partition(":")[2]]}


def candidate(
    interface: Interface, folder: Path, options: Mapping[str, Any], limits: Limits
) -> tuple[ApartCandidate | None, str]:
    """Built, then run in a process of its own; what the compiler has against it is the sentence."""
    if wrong := build(folder):
        return None, wrong
    return apart(called(interface), folder, dict(options), limits), ""


def target_folder() -> Path:
    """Where crates are compiled, all of them, so that their dependencies are compiled once."""
    return cache_dir() / "cargo"


def told(built: cargo.BuiltCrate) -> str:
    """The errors of a build: the first as the compiler shows them, the others in a line each."""
    first = [f"{error}\n{error.shown.rstrip()}".rstrip() for error in built.errors[:SHOWN_ERRORS]]
    return "\n".join([*first, *(str(error) for error in built.errors[SHOWN_ERRORS:])])
