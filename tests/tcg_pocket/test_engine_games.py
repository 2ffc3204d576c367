"""The engine plays as the reference does, bit for bit."""

import jax.numpy as jnp
import numpy as np
import pytest
from lockstep import Pair

from envwright.envs.tcg_pocket import decks, tables
from envwright.envs.tcg_pocket.engine import encoding, rows
from envwright.envs.tcg_pocket.engine.shuffling import shuffled
from envwright.envs.tcg_pocket.reference import dice

FLAGS = {
    "first_turn_draw": False,
    "opening_hand": "reshuffle",
    "unused_energy": "kept",
    "simultaneous": "points",
    "turn_limit": 12,
    "promotion": "turn_first",
    "first_turn_supporter": False,
    "first_turn_attack": False,
}


@pytest.mark.parametrize("flags", [{}, FLAGS], ids=["as they are by default", "all the other way"])
def test_random_games_with_random_decks_are_equal_in_every_bit(flags: dict[str, object]) -> None:
    rng = np.random.default_rng(7)
    pair = Pair([decks.random_deck(rng) for _ in range(64)], games=24, **flags)
    pair.start(rng)
    while pair.play(rng):
        pass
    assert pair.steps > 500


def test_every_effect_has_a_row_and_every_operation_a_field() -> None:
    with_effects = [attack for attack in tables.ATTACKS if attack and attack.effect]
    assert all(encoding.encode(attack.effect) or attack.op("copy_attack") for attack in with_effects)
    used = {name for row in rows._effects.rows for name in row}
    assert used == {name for layout in rows.EFFECT for name in layout}


def test_an_operation_without_a_stage_is_refused() -> None:
    with pytest.raises(encoding.CannotEncodeError, match="steal_points"):
        encoding.encode(({"op": "steal_points"},))
    with pytest.raises(encoding.CannotEncodeError, match="needed twice"):
        encoding.encode(({"op": "self_damage", "amount": 10}, {"op": "self_damage", "amount": 20}))


def test_shuffles_keep_the_order_of_equal_keys() -> None:
    rng = np.random.default_rng(0)
    for n in (0, 1, 7, 19, 20):
        keys = rng.integers(0, 4, 20).astype(np.uint32)
        row = (1 + rng.permutation(20)).astype(np.uint32)
        keys[:2] = 2**32 - 1
        found = np.asarray(shuffled(jnp.asarray(row), jnp.asarray(keys), n))[:n]
        assert found.tolist() == dice.shuffled(row[:n].tolist(), keys[:n].tolist())
