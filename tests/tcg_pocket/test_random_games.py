"""Random games with random legal decks over all cards, under the eye of the oracle."""

import copy
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from arranging import arrange, every_card, exercises, spot

from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    CARDS,
    DISCARD,
    ENERGIZE,
    IN_DECK,
    IN_HAND,
    OBSERVATION_SIZE,
    OBSERVED,
    OVER,
    PASS,
    RETREAT_TO,
    USE_ABILITY,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.oracle import wrong, wrong_step
from envwright.envs.tcg_pocket.reference import operations
from envwright.envs.tcg_pocket.reference.game import LEAST, MOST, PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.reference.observing import observe
from envwright.envs.tcg_pocket.tables import Card, Op, walk

KEEPS = 0.9  # how often the action is drawn among those that keep a game going


def any_action(game: PocketGame, rng: np.random.Generator) -> int:
    """A legal action, mostly one that leads somewhere: energy to the Active, what does not end the turn, an attack.
    Whoever retreats as often as anything else never has the energy to attack."""
    actions = legal(game)
    attacks = [action for action in actions if USE_ATTACK <= action < DISCARD]
    harmless = [a for a in actions if a not in attacks and a != PASS and not RETREAT_TO <= a < USE_ABILITY]
    for wanted in ([ENERGIZE], harmless, attacks):
        if set(wanted) & set(actions) and rng.random() < KEEPS:
            actions = wanted
            break
    return int(rng.choice(actions))


def step(game: PocketGame, action: int) -> tuple[np.ndarray, bool]:
    actions = [PASS, PASS]
    actions[game.actor] = action
    _, rewards, done, truncated, _ = game.step(actions)
    assert not truncated
    return rewards, done


def games(
    number: int, decks: str = "random", seed: int = 0, **flags: Any
) -> Iterator[tuple[PocketGame, np.random.Generator]]:
    """Games that have just begun; each is to be played to its end."""
    rng = np.random.default_rng(seed)
    game = PocketGame(decks, **flags)
    for each in range(number):
        game.reset(seed=1000 * seed + each)
        yield game, rng


@pytest.mark.parametrize("decks", ["random", "published"])
def test_nothing_is_ever_wrong(decks: str) -> None:
    winners = Counter()
    for game, rng in games(25, decks):
        before, done = game.fields(), False
        assert wrong(before) == []
        while not done:
            action = any_action(game, rng)
            rewards, done = step(game, action)
            after = game.fields()
            assert wrong(after) + wrong_step(before, action, after) == []
            masks = game.action_masks()
            assert masks.any(axis=1).all()
            assert masks[1 - game.actor].tolist() == [True] + [False] * (ACTIONS - 1)
            assert rewards.tolist() == {0: [0, 0], 1: [1, -1], 2: [-1, 1], 3: [0, 0]}[game.winner]
            before = after
        winners[game.winner] += 1
    assert winners.keys() == {1, 2, 3}


def damaged(fields: dict, rng: np.random.Generator) -> dict:
    """A state with one number changed that the oracle watches."""
    fields = copy.deepcopy(fields)
    player = int(rng.integers(2))
    match int(rng.integers(7)):
        case 0:
            fields["where"][player][int(rng.integers(20))] ^= 1
        case 1:
            fields["damage"][player][0] += 500
        case 2:
            fields["points"][player] += 1
        case 3:
            fields["stack"][player][0] = [0, 0, 0]
        case 4:
            fields["taken_less"][player] += 10
        case 5:
            fields["deck"][player][0] += 1
        case 6:
            fields["cards"][player][3] += 1
    return fields


def test_the_oracle_notices_what_is_damaged() -> None:
    game, rng = next(games(1))
    while game.turn < 10:
        before, action = game.fields(), any_action(game, rng)
        step(game, action)
        after = game.fields()
        for _ in range(10 if game.turn else 0):
            broken = damaged(after, rng)
            assert wrong(broken) + wrong_step(before, action, broken) != []


def test_a_pass_does_not_attach_energy() -> None:
    game = arrange([spot("A1-001", "grass")])
    before = game.fields()
    step(game, PASS)
    after = game.fields()
    assert wrong_step(before, PASS, after) == []
    after["energy"][0][0][0] += 1
    assert wrong_step(before, PASS, after) == [
        "energy that comes or goes by itself, player 0",
        "energy from nowhere, player 0",
    ]


@pytest.mark.parametrize(
    "flags",
    [
        {"first_turn_draw": False, "opening_hand": "reshuffle", "unused_energy": "kept"},
        {"simultaneous": "points", "promotion": "turn_first", "turn_limit": 12},
        {"first_turn_supporter": False, "first_turn_attack": False},
    ],
)
def test_games_under_other_flags_end(flags: dict[str, Any]) -> None:
    for game, rng in games(3, **flags):
        while game.pending != OVER:
            step(game, any_action(game, rng))
        assert game.turn <= game.flags.turn_limit


@exercises("R13.1")
def test_observations_are_the_parts_in_order() -> None:
    for game, rng in games(3):
        done = False
        while not done:
            _, done = step(game, any_action(game, rng))
            for player in (0, 1):
                seen = observe(game, player)
                assert {name: len(values) for name, values in seen.items()} == OBSERVED
                assert list(seen) == list(OBSERVED)
            observations = game.observations()
            assert observations.shape == (2, OBSERVATION_SIZE)
            assert observations.min() >= LEAST
            assert observations.max() <= MOST


def hide(game: PocketGame, me: int, rng: np.random.Generator) -> None:
    """Change all that player `me` may not know."""
    them = 1 - me
    cards = [k - 1 for k in game.deck[me] if k]
    hidden = len(cards) - game.seen_top[me]
    cards[:hidden] = rng.permutation(cards[:hidden]).tolist()
    game.deck[me] = [k + 1 for k in cards] + [0] * (CARDS - len(cards))
    game.known[me] = rng.integers(2, size=CARDS).astype(bool).tolist()
    theirs = [k - 1 for k in game.deck[them] if k]
    hand = [k for k in range(CARDS) if game.where[them][k] == IN_HAND and not game.known[them][k]]
    if game.turn == 0:  # and what they have put down
        hand += [k - 1 for stack in game.stack[them] for k in stack if k]
    every = rng.permutation([*theirs, *hand]).tolist()
    for k in every:
        game.cards[them][k] = int(rng.integers(1, 303))
    if game.turn > 0:
        for at, k in enumerate(every):
            game.where[them][k] = IN_DECK if at < len(theirs) else IN_HAND
        game.deck[them] = [k + 1 for k in every[: len(theirs)]] + [0] * (CARDS - len(theirs))
    game.zone_next[them], game.types[them] = int(rng.integers(1, 9)), int(rng.integers(1, 256))
    game.seen_top[them] = 0


@exercises("R13.1", "R13.2")
def test_what_is_hidden_is_not_in_an_observation_or_a_mask() -> None:
    changed = 0
    for game, rng in games(12, seed=3):
        done = False
        while not done:
            _, done = step(game, any_action(game, rng))
            if rng.random() < 0.7:
                continue
            fields = game.fields()
            for me in (0, 1):
                seen, mask = game.observations()[me], game.action_masks()[me]
                hide(game, me, rng)
                changed += game.fields() != fields
                assert np.array_equal(game.observations()[me], seen)
                if game.actor == me:
                    assert np.array_equal(game.action_masks()[me], mask)
                game.put(fields)
    assert changed > 300


SHOWN = ("turn", "pending", "stage", "supporter_used", "retreat_used", "boost", "boost_by", "retreat_change", "attack")
SHOWN_OF_PLAYER = ("points", "zone_now", "condition", "poisoned", "no_attack_left", "no_retreat_left", "prevent_left")
SHOWN_OF_PLAYER += ("needs_coin_left", "dealt_less", "taken_less", "guard", "lock_left", "avenged")
SHOWN_OF_PLACE = ("damage", "new", "used")


@exercises("R13.1")
def test_what_is_not_hidden_is_seen_by_both() -> None:
    game = arrange([spot("A1-003", "grass 2", 20), "A1-001"], ["A1-002"])
    fields, before = game.fields(), game.observations()
    for name in (*SHOWN, *SHOWN_OF_PLAYER, *SHOWN_OF_PLACE, "energy"):
        for player in (0, 1):
            row = fields[name]
            if name in SHOWN:
                change: Any = row + 1
            elif name in SHOWN_OF_PLAYER:
                change = [value + (at == player) for at, value in enumerate(row)]
            else:
                change = copy.deepcopy(row)
                last = change[player] if name in SHOWN_OF_PLACE else change[player][0]
                last[0] += 1
            game.put({name: change})
            assert (game.observations() != before).sum(axis=1).min() == 1, name
            game.put(fields)


def test_the_operations_of_the_tables_are_those_of_the_reference() -> None:
    used = {op["op"] for card in every_card() for op in operations_of(card)}
    elsewhere = {
        "attack_fails",
        "coin_flips",
        "copy_attack",
        "damage_attacker",
        "damage_bonus",
        "damage_bonus_per_count",
    }
    elsewhere |= {"damage_per_count", "damage_per_head", "double_energy", "may_discard_self", "no_evolve_active"}
    elsewhere |= {"play_as_pokemon", "self_damage"}
    assert used == set(operations.OPERATIONS) | elsewhere
    assert len(used) == 41


def operations_of(card: Card) -> Iterator[Op]:
    effects = [attack.effect for attack in card.attacks] + ([card.ability.effect] if card.ability else [])
    for effect in (*effects, card.effect):
        yield from walk(effect)
