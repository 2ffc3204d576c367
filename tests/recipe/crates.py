"""Crates for tests: environments of tests/recipe/sources with their rules in Rust, scaffolded and built."""

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from envwright.recipe.shapes import interface_of
from envwright.recipe.targets import cargo
from envwright.recipe.targets.rust import scaffold, target_folder, told
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface

SOURCES = Path(__file__).parent / "sources"
EXAMPLES = Path(__file__).parents[2] / "examples"

WINDY = {"src/rules.rs": "windy_rules.rs", "src/weather.rs": "windy_weather.rs"}
LAKE = {"src/rules.rs": "frozen_lake_rules.rs"}

_scratch = tempfile.TemporaryDirectory(prefix="envwright-")  # removed when the tests end


def need_cargo() -> None:
    """Skip a test, with the reason, where crates cannot be built."""
    try:
        cargo.find_cargo()
    except cargo.CargoError as error:
        pytest.skip(str(error))


def windy() -> tuple[Contract, Interface]:
    return _agreed(contracts.load(SOURCES / "windy.toml"), "fast_windy", "Windy")


def lake() -> tuple[Contract, Interface]:
    agreed = contracts.load(EXAMPLES / "frozen_lake.toml")
    agreed = replace(agreed, candidate="rust:python/fast_lake", candidate_options={"max_episode_steps": 100})
    return _agreed(agreed, "fast_lake", "Lake")


def _agreed(contract: Contract, package: str, title: str) -> tuple[Contract, Interface]:
    host = pairs.make_host(contract, apart=False)
    try:
        return contract, interface_of(contract, host, package, title)
    finally:
        host.close()


def texts(files: Mapping[str, str]) -> dict[str, str]:
    """What is written, by its path in the crate."""
    return {path: (SOURCES / name).read_text() for path, name in files.items()}


def write(folder: Path, interface: Interface, files: Mapping[str, str]) -> None:
    """The scaffold, with these files in place of its stubs."""
    modules = [Path(path).stem for path in files]
    for path, text in {**scaffold(interface, modules), **files}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def build(folder: Path, interface: Interface, files: Mapping[str, str]) -> cargo.BuiltCrate:
    """The same, built."""
    write(folder, interface, files)
    return cargo.build(folder, target_folder())


@cache
def sound_windy() -> tuple[Path, Contract, Interface]:
    """Windy, sound and built, once for all tests: its folder, and what it was made from."""
    need_cargo()
    folder = Path(_scratch.name)
    contract, interface = windy()
    built = build(folder, interface, texts(WINDY))
    assert built.path is not None, told(built)
    return folder, contract, interface


def room(games: int) -> tuple[NDArray[Any], ...]:
    """Arrays for Windy to step into: what is seen, rewards, both ends."""
    return np.zeros((games, 3)), np.zeros(games), np.zeros(games, bool), np.zeros(games, bool)


def changed(files: Mapping[str, str], path: str, old: str, new: str) -> dict[str, str]:
    """The files with one place in them broken."""
    assert files[path].count(old) == 1
    return {**files, path: files[path].replace(old, new)}
