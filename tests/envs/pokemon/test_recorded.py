"""Battles that Pokemon Showdown played, played again without it; benchmarks/pokemon/recorded.py wrote them."""

from pathlib import Path

import jax
import numpy as np
import pytest
from numpy.typing import NDArray

from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon import prng, rules
from envwright.envs.pokemon.columns import Columns, as_state

RECORDED = Path(__file__).with_name("recorded.npz")


@pytest.fixture(scope="module")
def recorded() -> dict[str, NDArray[np.generic]]:
    with np.load(RECORDED) as file:
        found = {name: file[name] for name in file.files}
    for name, (kind, _) in layout.STATE.items():
        found[name] = np.bitwise_xor.accumulate(found[name], axis=0).view(kind)
    return found


def state_of(recorded: dict[str, NDArray[np.generic]], rows: NDArray[np.intp]) -> Columns:
    return {name: recorded[name][rows] for name in layout.STATE}


def test_each_update_leads_to_the_state_that_showdown_was_in(recorded: dict[str, NDArray[np.generic]]) -> None:
    rows = np.setdiff1d(np.arange(len(recorded["turn"])), recorded["first"])
    before = as_state(state_of(recorded, rows - 1))
    advance = jax.jit(jax.vmap(rules.advance))
    after = advance(before, recorded["actions"][rows].astype(np.int32), recorded["before"][rows])
    for name, expected in state_of(recorded, rows).items():
        got = np.asarray(getattr(after, name))
        assert got.dtype == expected.dtype, name
        wrong = np.flatnonzero((got != expected).reshape(len(rows), -1).any(axis=1))
        assert not len(wrong), f"{name} differs in {len(wrong)} updates, first in row {rows[wrong[0]]}"


def test_what_an_update_says_that_it_draws_is_what_moves_the_generator_on(
    recorded: dict[str, NDArray[np.generic]],
) -> None:
    rows = np.setdiff1d(np.arange(len(recorded["turn"])), recorded["first"])[:512]
    before = as_state(state_of(recorded, rows - 1))
    drawn = jax.jit(jax.vmap(rules.draws))(before, recorded["actions"][rows].astype(np.int32), recorded["before"][rows])
    places = sorted(drawn, key=lambda place: int(place.rpartition("#")[2]))
    happens, words = (np.stack([np.asarray(drawn[place][i]) for place in places], axis=1) for i in (0, 1))
    assert happens.sum() > 2 * len(rows)
    for i, row in enumerate(rows):
        seed = _number(recorded["before"][row])
        for word in words[i][happens[i]]:
            seed = (seed * prng.MULTIPLIER + prng.INCREMENT) % 2**64
            assert int(word) == seed >> 32
        assert seed == _number(recorded["seed"][row])


def _number(seed: NDArray[np.generic]) -> int:
    return int(seed[0]) << 32 | int(seed[1])


def test_the_masks_are_those_of_showdowns_requests(recorded: dict[str, NDArray[np.generic]]) -> None:
    rows = np.arange(len(recorded["turn"]))
    masks = np.asarray(jax.jit(jax.vmap(rules.legal))(as_state(state_of(recorded, rows))))
    expected = np.unpackbits(recorded["legal"].astype(np.uint8), axis=1, count=20).reshape(-1, 2, 10)
    np.testing.assert_array_equal(masks, expected)


def test_the_recorded_battles_have_much_in_them(recorded: dict[str, NDArray[np.generic]]) -> None:
    assert len(np.unique(recorded["used"])) > 60  # moves of the pool
    assert set(np.unique(recorded["status"])) == set(range(6))
    for name in ("substitute", "confusion", "transformed", "recharging", "charging", "reflect", "substitute_broke"):
        assert recorded[name].any(), name
