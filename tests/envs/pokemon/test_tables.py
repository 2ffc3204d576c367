"""The tables of generation 1, and how the rules look into them."""

import hashlib
import json
import os

import jax.numpy as jnp
import numpy as np
import pytest

from envwright.core.errors import ReferenceUnavailableError
from envwright.envs.pokemon import package, tables
from envwright.envs.pokemon.tables.extract import extract


def test_the_file_is_the_one_that_was_extracted() -> None:
    assert hashlib.sha256(tables.GEN1.read_bytes()).hexdigest() == tables.SHA256
    assert json.loads(tables.GEN1.read_text())["provenance"]["version"] == package.VERSION


def test_the_package_still_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        monkeypatch.setenv(package.PLACE, os.fspath(package.folder()))
    except ReferenceUnavailableError as error:
        pytest.skip(str(error))
    assert extract() == tables.GEN1.read_bytes()


def test_a_row_has_the_fields_of_its_move() -> None:
    for number in range(len(tables.MOVES)):
        row = tables.row(jnp.int32(number))
        assert {name: int(value) for name, value in row.items()} == {
            name: int(tables.MOVE_ROWS[name][number]) for name in row
        }


def test_every_field_of_a_move_has_a_place() -> None:
    assert {name for word in tables.LAYOUT for name in word} | {"category", "max_pp"} == set(tables.MOVE_ROWS)
    assert all(sum(word.values()) <= 32 for word in tables.LAYOUT)


def test_matchups_are_the_chart() -> None:
    found = [[int(tables.against(tables.matchups(jnp.int32(a)), jnp.int32(d))) for d in range(16)] for a in range(16)]
    assert np.array_equal(found, tables.CHART)
    ghost, psychic = tables.TYPES.index("Ghost"), tables.TYPES.index("Psychic")
    assert tables.CHART[ghost, psychic] == tables.NO_EFFECT  # a mistake of the games


def test_among_is_membership() -> None:
    members = [0, 31, 32, 70]
    assert [n for n in range(72) if tables.among(jnp.int32(n), members)] == members


def test_the_pool_is_that_of_random_battles() -> None:
    assert len(tables.POOL) == 67
    assert tables.MOVES[tables.POOL[0]] == "acidarmor"
    assert tables.MOVES[tables.POOL[-1]] == "wingattack"
