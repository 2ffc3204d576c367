"""`envwright doctor`"""

import argparse
import importlib.metadata
import importlib.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from envwright.cli.screen import bold, green

NAME = "doctor"
HELP = "What is installed, which agents can be used, and what to do about the rest."
EXAMPLES = """\
examples:
  envwright doctor
"""


class Diagnosis(NamedTuple):
    """One thing that was looked for."""

    what: str
    found: bool
    sentence: str  # what was found, or what to do


# Packages that are not needed by the core: what for, and the extra that brings them.
PACKAGES = {
    "gymnasium": ("references and adapters", "reference"),
    "coverage": ("which lines of the original were run", "reference"),
    "unearth": ("fetching the originals of our own environments", "reference"),
    "matplotlib": ("plots", "viz"),
    "av": ("films", "viz"),
    "pypdf": ("rulebooks that are PDFs", "pdf"),
    "pyboy": ("PyBoy, the original of our Game Boy", "pyboy"),
    "tree_sitter": ("reading C and TypeScript", "analyse"),
    "pydantic_ai": ("models behind an API", "agents"),
    "genai_prices": ("what tokens cost", "agents"),
}
# What a clone builds from its own source: what for, and how.
BUILT = {"envwright_gameboy": ("the Game Boy", "with cargo installed, run: pip install ./rust/gameboy")}
# Programs: what for, and how to get them.
PROGRAMS = {
    "cc": ("originals in C", "install a C compiler, such as gcc or clang"),
    "node": ("originals in TypeScript or JavaScript", "install Node.js 20 or newer"),
    "cargo": ("translations to Rust, and the Game Boy", "install Rust with rustup, see rustup.rs"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(args: argparse.Namespace) -> int:
    del args
    from envwright.cli.agents import states

    _show("This machine", machine())
    _show("Programs", programs())
    _show("Packages", packages())
    _show("Agents", (Diagnosis(name, ready, sentence) for name, ready, sentence in states()))
    return 0


def machine() -> Iterator[Diagnosis]:
    import jax

    yield Diagnosis("python", True, platform.python_version())
    devices = jax.devices()
    kind = devices[0].platform
    told = "" if kind != "cpu" else "; for a GPU, install JAX for it: pip install 'jax[cuda12]'"
    yield Diagnosis("jax", True, f"{jax.__version__}, {len(devices)} {kind} device{'s' * (len(devices) > 1)}{told}")


def programs() -> Iterator[Diagnosis]:
    for name, (purpose, way) in PROGRAMS.items():
        path = shutil.which(name)
        if path is None:
            yield Diagnosis(name, False, f"not found; for {purpose}, {way}")
        else:
            yield Diagnosis(name, True, f"{_version(path)}, for {purpose}")


def packages() -> Iterator[Diagnosis]:
    for name, (purpose, extra) in PACKAGES.items():
        yield _package(name, purpose, f"pip install 'envwright[{extra}]'")
    for name, (purpose, way) in BUILT.items():
        yield _package(name, purpose, way)


def _package(name: str, purpose: str, way: str) -> Diagnosis:
    if importlib.util.find_spec(name) is None:
        return Diagnosis(name, False, f"not installed; for {purpose}: {way}")
    known = importlib.metadata.packages_distributions().get(name, [name])[0]
    try:
        return Diagnosis(name, True, f"{importlib.metadata.version(known)}, for {purpose}")
    except importlib.metadata.PackageNotFoundError:  # put on the path by hand
        return Diagnosis(name, True, f"found, for {purpose}")


def _version(path: str) -> str:
    """The first line of what a program says of itself."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "found, but it does not answer to --version"
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if lines else "found"


def _show(title: str, findings: Iterator[Diagnosis]) -> None:
    print(bold(title))
    for finding in findings:
        mark = green("ok") if finding.found else "--"
        print(f"  {mark}  {finding.what:13} {finding.sentence}")
    sys.stdout.flush()
