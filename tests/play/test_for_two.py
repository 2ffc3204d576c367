"""Games for two at the keyboard: the other seat answers, and keys that mean an illegal move do nothing."""

import numpy as np
import pytest
from test_interactive import Script

import envwright
from envwright.core import Controls
from envwright.core.registry import spec
from envwright.play import interactive, opponent_for
from envwright.play.controls import controls_for
from envwright.play.game import Game
from native_games import Nim, perfect, register_native

register_native()


def play(typed: dict[int, bytes], frames: int, seed: int = 1) -> tuple[Game, Script]:
    game, screen = Game(Nim(), seed, perfect), Script(typed)
    controls = controls_for(spec("NativeNim-v0"), Nim().action_space, waits=game.legal is not None)
    assert controls == Controls({"0": 0, "1": 1, "2": 2, "3": 3}, idle=(), help="0-3 act")
    interactive.run(game, controls, screen, fps=60, frames=frames, now=lambda: screen.time, sleep=screen.sleep)
    return game, screen


def sticks(game: Game) -> int:
    return int(np.argmax(game.obs[0][:-1]))


def test_the_game_waits_for_a_choice_and_the_other_seat_does_not() -> None:
    game, _ = play({}, frames=20)
    assert game.legal is not None
    assert game.legal.sum() > 1, "it is the player's turn"
    assert game.steps <= 1, "the other has moved at most once"
    waited = sticks(game)
    moved, _ = play({10: b"2"}, frames=20)
    assert sticks(moved) < waited - 2, "a held key is one move, and the opponent has answered"
    assert moved.steps == game.steps + 2


def test_an_illegal_key_is_ignored_with_a_hint() -> None:
    still, _ = play({}, frames=20)
    game, screen = play({10: b"0"}, frames=20)
    assert game.steps == still.steps
    assert sticks(game) == sticks(still)
    assert any("'0' is not a legal move now" in text for text in screen.written)
    _, screen = play({10: b"0", 15: b"1"}, frames=20)
    assert "'0' is not" not in screen.written[-1]


def test_a_game_is_played_to_its_end_and_the_perfect_player_wins() -> None:
    for seed in range(4):
        game, screen = play({2 * i: b"1" for i in range(40)}, frames=90, seed=seed)
        assert game.over
        assert "game over" in screen.written[-1]
        assert game.total in (1.0, -1.0)


def test_who_has_the_other_seat() -> None:
    chosen = spec("NativeNim-v0")
    assert opponent_for(chosen, Nim()) is perfect
    assert opponent_for(chosen, Nim(), "random") is not perfect
    assert opponent_for(spec("pong"), envwright.make("pong")) is None
    with pytest.raises(envwright.EnvwrightError, match="has no opponent 'gandalf'; there are random, perfect"):
        opponent_for(chosen, Nim(), "gandalf")
    with pytest.raises(envwright.EnvwrightError, match="Pong-v0 is a game for 1; leave --against out"):
        opponent_for(spec("pong"), envwright.make("pong"), "random")
