"""Games that are possible, for single steps: the verifier cannot put one together from parts recorded apart, for every
card is in one place, and who is asked what goes with nearly everything.

A third are dealt: a deck of the pool, some of its Pokemon in play with energy and damage, the rest anywhere. The others
are out of games between eager players. Where the main phase is asked, effects are changed at will.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from envwright.envs.tcg_pocket import decks, tables
from envwright.envs.tcg_pocket.layout import (
    ASLEEP,
    CARDS,
    ENERGIES,
    ENERGIZE,
    HAND_LIMIT,
    HEIGHT,
    IN_DECK,
    IN_DISCARD,
    IN_HAND,
    IN_PLAY,
    MAIN,
    OVER,
    PARALYZED,
    PASS,
    PLACES,
    PLAYERS,
    RETREAT_TO,
    USE_ABILITY,
    USE_ATTACK,
)
from envwright.envs.tcg_pocket.reference.game import PocketGame
from envwright.envs.tcg_pocket.reference.legality import legal
from envwright.envs.tcg_pocket.reference.state import PocketState
from envwright.envs.tcg_pocket.tables import TYPES, Card

GAMES = 120  # played, each once
DEALT = 1 / 3
LAST_TURN = 29
AMOUNTS = {"dealt_less": (20,), "taken_less": (20, 30), "guard": (10,)}
OF_ACTIVE = ("no_attack_left", "no_retreat_left", "prevent_left", "needs_coin_left")


def possible(rng: np.random.Generator, recorded: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A game somewhere; what the reference has beside the fields of spec.md is as it was recorded."""
    state = dict(recorded[int(rng.integers(len(recorded)))])
    if rng.random() < DEALT:
        game = dealt(rng)
    else:
        game = PocketGame()
        played = games(int(rng.integers(GAMES)))
        game.put(played[int(rng.integers(len(played)))])
    if game.pending == MAIN:
        changes = rng.random(len(_CHANGES)) < rng.choice([0.0, 0.1, 0.4])
        for change, happens in zip(_CHANGES, changes, strict=True):
            if happens:
                change(game, rng)
    return state | game.fields()


@functools.cache
def games(number: int) -> list[dict[str, Any]]:
    """The states of a game between eager players; of the decks every second one is published."""
    rng = np.random.default_rng([number, 7])
    game = PocketGame(decks.PUBLISHED if number % 2 else decks.RANDOM)
    game.reset(seed=number)
    found = [game.fields()]
    while game.pending != OVER:
        actions = [PASS, PASS]
        actions[game.actor] = eager(game, rng)
        game.step(actions)
        if game.pending != OVER:
            found.append(game.fields())
    return found


def eager(game: PocketGame, rng: np.random.Generator) -> int:
    """As `policies.eager`, for one game."""
    actions = legal(game)
    retreats = [action for action in actions if RETREAT_TO <= action < USE_ABILITY]
    attacks = [action for action in actions if USE_ATTACK <= action < USE_ATTACK + 2]
    others = [action for action in actions if action not in retreats and action not in attacks and action != PASS]
    for wanted in ([ENERGIZE] if ENERGIZE in actions else [], others, attacks):
        if wanted and rng.random() < 0.9:
            actions = wanted
            break
    return int(rng.choice(actions))


# ---- positions that are dealt ----


def dealt(rng: np.random.Generator) -> PocketGame:
    """The main phase of some turn, with cards of two decks of the pool anywhere."""
    game = PocketGame()
    pool = decks.pool(decks.ALL)
    for player in range(PLAYERS):
        deck = pool[int(rng.integers(len(pool)))]
        game.cards[player] = list(deck.cards)
        game.types[player] = sum(1 << type for type in deck.types)
        for zone in ("zone_now", "zone_next"):
            getattr(game, zone)[player] = deck.types[int(rng.integers(len(deck.types)))] + 1
        _lay(game, player, rng)
    game.turn = int(rng.integers(1, LAST_TURN + 1))
    game.first = int(rng.integers(PLAYERS))
    game.player = game.actor = (game.first + game.turn + 1) % PLAYERS
    game.zone_now[game.player] *= int(rng.integers(2)) if game.turn > 1 else 0
    game.zone_now[1 - game.player] = 0
    game.points = rng.integers(0, 3, PLAYERS).tolist()
    game.pending = MAIN
    return game


def _lay(game: PocketGame, player: int, rng: np.random.Generator) -> None:
    """Cards of a player: some Pokemon in play, the rest shuffled into hand, discard pile and deck."""
    left = rng.permutation(CARDS).tolist()
    basics = [k for k in left if _card(game, player, k).basic]
    fossils = [k for k in left if _card(game, player, k).kind == "fossil"]
    places = basics[:1] + rng.permutation(basics[1:] + fossils).tolist()
    for place, k in enumerate(places[: int(rng.integers(1, PLACES + 1))]):
        stack = [int(k)]
        while len(stack) < HEIGHT and rng.random() < 0.7:
            name = _card(game, player, stack[-1]).name
            upper = [k for k in left if k not in stack and _card(game, player, k).evolves_from == name]
            if not upper:
                break
            stack.append(upper[0])
        left = [k for k in left if k not in stack]
        for k in stack:
            game.where[player][k] = IN_PLAY
        game.stack[player][place] = [k + 1 for k in stack] + [0] * (HEIGHT - len(stack))
        _charge(game, player, place, rng)
    for k in left[: int(rng.integers(HAND_LIMIT + 1))]:
        game.where[player][k] = IN_HAND
    rest = [k for k in left if game.where[player][k] != IN_HAND]
    discarded = rest[: int(rng.integers(len(rest) + 1))] if rng.random() < 0.7 else []
    for k in discarded:
        game.where[player][k] = IN_DISCARD
    deck = [k + 1 for k in rest if k not in discarded]
    game.deck[player] = deck + [0] * (CARDS - len(deck))
    assert all(game.where[player][k - 1] == IN_DECK for k in deck)


def _charge(game: PocketGame, player: int, place: int, rng: np.random.Generator) -> None:
    """Energy that mostly pays for an attack, and damage."""
    card = _top(game, player, place)
    energy = game.energy[player][place]
    if card.attacks and rng.random() < 0.8:
        cost = card.attacks[int(rng.integers(len(card.attacks)))].cost
        for type, units in enumerate(cost[:ENERGIES]):
            energy[type] += units
        for _ in range(cost[ENERGIES]):
            energy[int(rng.integers(ENERGIES))] += 1
    if rng.random() < 0.4:
        kind = card.type if card.type < ENERGIES and rng.random() < 0.6 else int(rng.integers(ENERGIES))
        energy[kind] += int(rng.integers(1, 4))
    if rng.random() < 0.5:
        game.damage[player][place] = 10 * int(rng.integers(card.hp // 10))


def _card(game: PocketState, player: int, k: int) -> Card:
    return tables.card(game.cards[player][k])


def _top(game: PocketState, player: int, place: int) -> Card:
    return _card(game, player, [k for k in game.stack[player][place] if k][-1] - 1)


# ---- changes ----


def _occupied(game: PocketGame) -> list[tuple[int, int]]:
    return [(player, place) for player in range(PLAYERS) for place in range(PLACES) if any(game.stack[player][place])]


def _damage(game: PocketGame, rng: np.random.Generator) -> None:
    for player, place in _occupied(game):
        most = _top(game, player, place).hp // 10
        game.damage[player][place] = 10 * int(rng.choice([0, most - 1, int(rng.integers(most))]))


def _energy(game: PocketGame, rng: np.random.Generator) -> None:
    for player, place in _occupied(game):
        card = _top(game, player, place)
        kind = card.type if card.type < ENERGIES and rng.random() < 0.6 else int(rng.integers(len(TYPES) - 2))
        game.energy[player][place][kind] += int(rng.integers(3))


def _conditions(game: PocketGame, rng: np.random.Generator) -> None:
    for player in range(PLAYERS):
        awake = player == game.player and rng.random() < 0.8  # asleep and paralyzed there is less to do
        game.condition[player] = 0 if awake else int(rng.choice([ASLEEP, PARALYZED]))


def _poison(game: PocketGame, rng: np.random.Generator) -> None:
    game.poisoned = (rng.random(PLAYERS) < 0.6).tolist()


def _lasting(game: PocketGame, rng: np.random.Generator) -> None:
    name = OF_ACTIVE[int(rng.integers(len(OF_ACTIVE)))]
    getattr(game, name)[int(rng.integers(PLAYERS))] = int(rng.integers(1, 3))


def _less(game: PocketGame, rng: np.random.Generator) -> None:
    name = str(rng.choice(list(AMOUNTS)))
    player = int(rng.integers(PLAYERS))
    getattr(game, name)[player] = int(rng.choice(AMOUNTS[name]))
    getattr(game, f"{name}_left")[player] = int(rng.integers(1, 3))


def _lock(game: PocketGame, rng: np.random.Generator) -> None:
    game.lock_left[int(rng.integers(PLAYERS))] = int(rng.integers(1, 3))


def _avenged(game: PocketGame, rng: np.random.Generator) -> None:
    game.avenged = (rng.random(PLAYERS) < 0.7).tolist()


def _points(game: PocketGame, rng: np.random.Generator) -> None:
    game.points = rng.integers(0, 3, PLAYERS).tolist()


def _boost(game: PocketGame, rng: np.random.Generator) -> None:
    boosts = [(card, op) for card in tables.CARDS if card for op in card.effect if op["op"] == "boost_damage"]
    card, op = boosts[int(rng.integers(len(boosts)))]
    game.boost, game.boost_by = op["amount"], card.number if "attacker" in op else 0
    game.supporter_used = True


def _retreat_change(game: PocketGame, rng: np.random.Generator) -> None:
    game.retreat_change = -int(rng.integers(1, 5))


def _marks(game: PocketGame, rng: np.random.Generator) -> None:
    for player, place in _occupied(game):
        game.new[player][place] = player == game.player and bool(rng.random() < 0.4)
        game.used[player][place] = player == game.player and bool(rng.random() < 0.4)


def _of_turn(game: PocketGame, rng: np.random.Generator) -> None:
    game.supporter_used = game.supporter_used or bool(rng.random() < 0.5)
    game.retreat_used = bool(rng.random() < 0.5)


def _seen(game: PocketGame, rng: np.random.Generator) -> None:
    for player in range(PLAYERS):
        hand = [where == IN_HAND for where in game.where[player]]
        game.known[player] = [held and bool(rng.random() < 0.7) for held in hand]
        game.seen_top[player] = int(rng.integers(1 + min(3, sum(k > 0 for k in game.deck[player]))))


_CHANGES: tuple[Callable[[PocketGame, np.random.Generator], None], ...] = (
    _damage, _energy, _conditions, _poison, _lasting, _less, _lock, _avenged, _points, _boost, _retreat_change, _marks,
    _of_turn, _seen,
)  # fmt: skip
