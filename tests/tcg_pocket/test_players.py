"""Players: what they estimate is what happens, what they weigh is sensible, and NumPy and JAX agree."""

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray

from envwright.envs.tcg_pocket import TcgPocket, decks, tables
from envwright.envs.tcg_pocket.layout import ACTIONS, OVER, USE_ATTACK
from envwright.envs.tcg_pocket.players.features import PER_ACTION, features
from envwright.envs.tcg_pocket.players.seeing import Seen
from envwright.envs.tcg_pocket.players.worth import WINS, worth
from envwright.envs.tcg_pocket.reference.game import PocketGame


def observations(games: int, seed: int, pool: str = decks.RANDOM) -> NDArray[np.int16]:
    """Of both players, in random games."""
    rng, found = np.random.default_rng(seed), []
    game = PocketGame(decks=pool)
    for _ in range(games):
        obs, _ = game.reset(seed=int(rng.integers(2**31)))
        while game.pending != OVER:
            found.append(obs)
            masks = game.action_masks()
            obs = game.step(np.where(masks, rng.random(masks.shape), -1).argmax(-1))[0]
    return np.concatenate(found)


def test_numpy_and_jax_weigh_alike() -> None:
    obs = observations(3, seed=1)
    ours = np.asarray(jax.jit(features)(obs.astype(np.float32)))
    assert np.abs(features(obs) - ours).max() < 1e-5
    assert ours.shape[1] > ACTIONS * len(PER_ACTION)
    assert np.abs(ours).max() < 5
    per_action = ours[:, : ACTIONS * len(PER_ACTION)].reshape(len(obs), len(PER_ACTION), ACTIONS)
    weighed = np.asarray(jax.jit(lambda obs: worth(Seen(obs)))(obs))
    assert np.allclose(
        per_action[:, 0], np.sign(weighed) * np.log1p(100 * np.abs(np.minimum(weighed, 1100))) / 5, atol=1e-4
    )
    assert np.allclose(worth(Seen(obs)), weighed, atol=1e-3)


def test_plain_attacks_do_the_damage_that_was_estimated() -> None:
    """Of attacks without an effect, from random positions of random games."""
    rng, compared = np.random.default_rng(2), 0
    game = PocketGame(decks=decks.RANDOM)
    while compared < 40:
        obs, _ = game.reset(seed=int(rng.integers(2**31)))
        while game.pending != OVER:
            me, masks = game.actor, game.action_masks()
            actions = np.where(masks, rng.random(masks.shape), -1).argmax(-1)
            i = int(actions[me]) - USE_ATTACK
            expected = Seen(obs[me]).damage_of[0, 0, i] if i in (0, 1) else None
            number = int(Seen(obs[me]).attacks[0, 0, i]) if i in (0, 1) else 0
            coin = game.needs_coin_left[me] > 0
            damage, left = game.damage[1 - me][0], Seen(obs[me]).hp_left[1, 0]
            obs = game.step(actions)[0]
            if number and not tables.attack(number).effect and not coin and expected < left:
                poison = 10 * (game.poisoned[1 - me] and game.pending != OVER)
                assert game.damage[1 - me][0] - damage - poison == expected
                compared += 1


def test_the_rule_player_beats_random_ones_and_takes_a_win() -> None:
    game, rng, won, offered = PocketGame(), np.random.default_rng(0), 0, 0
    for i in range(12):
        obs, _ = game.reset(seed=i)
        seat, reward = i % 2, np.zeros(2)
        while game.pending != OVER:
            masks = game.action_masks()
            values = np.where(masks[seat], worth(Seen(obs[seat])), -np.inf)
            actions = np.where(masks, rng.random(masks.shape), -1).argmax(-1)
            actions[seat] = values.argmax()
            wins = game.actor == seat and values.max() > WINS
            obs, reward, _, _, _ = game.step(actions)
            offered += wins
        won += bool(reward[seat] > 0)
    assert won >= 11
    assert offered >= 6


def test_held_out_decks_are_of_other_kinds() -> None:
    learned, held = decks.train(), decks.held_out()
    assert sorted(learned + held, key=lambda deck: deck.cards) == sorted(decks.published(), key=lambda deck: deck.cards)
    assert len(held) >= 20
    for deck in held:
        assert all(decks._in_common(deck, other) < decks.ALIKE for other in learned)


@pytest.mark.parametrize("name", sorted(decks.POOLS))
def test_pools_by_name(name: str) -> None:
    assert decks.pool(name)


@pytest.mark.parametrize(("given", "says"), [
    ("best", "There are no decks 'best'; give published, random, all, train, held_out, a .json file, or a list"),
    ("nowhere.json", "The decks in nowhere.json cannot be read: "),
    (3, "Decks are published, random, all, train, held_out, a .json file, or a list of decks, not 3"),
    ([3], "Deck 1: A deck has 'cards', such as .* and 'energy', such as .*, not 3"),
    ([{"cards": {"A1-001": 2}}], "Deck 1: A deck has 'cards', such as "),
    ([{"cards": {"A1-001": "x"}, "energy": ["grass"]}], "Deck 1: There are 'x' cards 'A1-001'; how many"),
    ([{"cards": {"A1-999": 2}, "energy": ["grass"]}], "Deck 1: There is no card 'A1-999'; ids are as in A1-001"),
    ([{"cards": {"A1-001": 3}, "energy": ["grass"]}], r"Deck 1: A deck has 20 cards, but this one has 3 \(R2.1\)"),
])  # fmt: skip
def test_decks_that_cannot_be_are_refused_in_a_sentence(given: Any, says: str) -> None:
    with pytest.raises(decks.DeckError, match=says):
        decks.pool(given)


def test_decks_come_from_a_file(tmp_path: Path) -> None:
    row = tables.PUBLISHED[0]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([{"cards": row["cards"], "energy": row["energy"]}]))
    assert decks.pool(str(path)) == decks.published()[:1]
    assert TcgPocket(decks=str(path)).decks == decks.published()[:1]
