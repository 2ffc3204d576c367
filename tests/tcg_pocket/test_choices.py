"""Choices, draws, and the game from outside: sections 11 to 13 of spec.md."""

import numpy as np
import pytest
from arranging import arrange, attacker, deck_ids, exercises, ids_in, play, started, whole

from envwright.core.errors import EnvwrightError
from envwright.envs.tcg_pocket.layout import (
    ACTIONS,
    COPY_OF,
    IN_HAND,
    MAIN,
    OWN,
    PASS,
    PLAY,
    PROMOTE,
    SWITCH,
    TRAINER,
    PocketFlags,
)
from envwright.envs.tcg_pocket.reference.dice import choose, heads_of, heads_until_tails, shuffled
from envwright.envs.tcg_pocket.reference.legality import legal

# ---- 11. to 13. ----


@exercises("R11.2")
def test_a_trainer_with_a_choice_is_in_the_discard_pile_while_it_asks() -> None:
    game = arrange(["A1-053"], hands=[["A1-220"], []], dice={"coins": 0})
    k = play(game, "A1-220") - PLAY
    whole(game, PLAY + k)
    assert (game.pending, game.source, game.supporter_used) == (TRAINER, k, True)
    assert "A1-220" not in ids_in(game, IN_HAND)
    whole(game, OWN)
    assert (game.pending, game.source) == (MAIN, 0)


@exercises("R11.5")
def test_no_knock_out_while_a_choice_is_open() -> None:
    action, user = attacker("A1-163", "Knock Back", damage=150)
    game = arrange([user, "A1-001"], ["A1-061", "A1-001"])
    whole(game, action)
    assert (game.pending, game.actor, game.points) == (SWITCH, 1, [0, 0])
    whole(game, OWN + 1)
    assert (game.points, game.pending, game.actor) == ([0, 1], PROMOTE, 0)


@exercises("R11.6")
def test_known_cards_are_forgotten_when_a_copy_is_played() -> None:
    game = arrange(["A1-053"], hands=[["A1-001", "A1-001", "A1-115"], []])
    copies = [k for k in range(20) if game.where[0][k] == IN_HAND]
    game.known[0] = [k in copies for k in range(20)]
    whole(game, play(game, "A1-001"))
    assert [game.known[0][k] for k in copies] == [False, False, True]


@exercises("R11.8")
def test_illegal_actions_are_refused_and_change_nothing() -> None:
    game = started()
    before = game.fields()
    for action in (-1, PASS, COPY_OF, ACTIONS):
        actions = [PASS, PASS]
        actions[game.actor] = action
        with pytest.raises(
            EnvwrightError, match=rf"Action {action} is not legal for player {game.actor}, who is asked"
        ):
            game.step(actions)
    assert game.fields() == before
    game.step([legal(game)[0]] * 2)  # what the one who waits says is not looked at


@exercises("R12.1", "R12.2", "R12.3")
def test_words() -> None:
    assert [heads_of(0b1011, n) for n in range(6)] == [0, 1, 2, 2, 3, 3]
    assert [heads_until_tails(word) for word in (0, 1, 0b1011, 2**32 - 1)] == [0, 1, 2, 32]
    assert [choose(word, 3) for word in (0, 2**32 // 3, 2**32 // 3 + 1, 2**32 - 1)] == [0, 0, 1, 2]
    assert shuffled([7, 8, 9], [5, 5, 1, 0]) == [9, 7, 8]
    assert choose(np.uint32(2**32 - 1), 15504) == 15503  # type: ignore[arg-type]


def test_flags_that_are_none() -> None:
    with pytest.raises(ValueError, match="opening_hand must be one of"):
        PocketFlags(opening_hand="mulligan")
    with pytest.raises(ValueError, match="turn_limit"):
        PocketFlags(turn_limit=0)


def test_a_state_can_be_taken_out_and_put_back() -> None:
    game = started()
    fields = game.fields()
    whole(game, legal(game)[0])
    assert game.fields() != fields
    game.put(fields)
    assert game.fields() == fields
    assert deck_ids(game)
    with pytest.raises(KeyError, match="mana"):
        game.put({"mana": 3})
