"""The loop, on a screen and a clock made for the test."""

from typing import Any

import numpy as np
import pytest

import envwright
from envwright.core import Controls
from envwright.core.native import spaces_of
from envwright.core.registry import spec
from envwright.play import interactive
from envwright.play.controls import controls_for
from envwright.play.game import Game


class Script:
    """A screen that types, frame by frame, and a clock that advances only when slept on."""

    def __init__(
        self, typed: dict[int, bytes], size: tuple[int, int] = (100, 40), slow: dict[int, float] | None = None
    ) -> None:
        self.typed, self.at, self.slow = typed, size, slow or {}
        self.time, self.frame = 0.0, -1
        self.written: list[str] = []
        self.sleeps: list[float] = []

    def size(self) -> tuple[int, int]:
        return self.at

    def read(self) -> bytes:
        self.frame += 1
        self.time += self.slow.get(self.frame, 0.0)
        return self.typed.get(self.frame, b"")

    def write(self, text: str) -> None:
        self.written.append(text)

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.sleeps.append(seconds)
        self.time += seconds


class Recorded(Game):
    """A game that remembers its actions."""

    def __init__(self, env: Any, seed: int) -> None:
        self.actions: list[int] = []
        super().__init__(env, seed)
        self.actions.clear()

    def step(self, action: int) -> None:
        self.actions.append(action)
        super().step(action)


def play(id: str, typed: dict[int, bytes], frames: int | None = 100, **script: Any) -> tuple[Recorded, Script]:
    env = envwright.make(id)
    game, screen = Recorded(env, 0), Script(typed, **script)
    controls = controls_for(spec(id), spaces_of(env)[1])
    interactive.run(game, controls, screen, fps=60, frames=frames, now=lambda: screen.time, sleep=screen.sleep)
    return game, screen


def test_a_hundred_frames_are_a_hundred_steps_at_the_given_rate() -> None:
    game, screen = play("Pong-v0", {})
    assert game.steps == 100
    assert game.actions == [0] * 100
    assert screen.time == pytest.approx(100 / 60)
    assert len(screen.written) == 100


def test_a_little_delay_is_made_up_for_and_a_long_one_is_not() -> None:
    _, screen = play("Pong-v0", {}, frames=10, slow={3: 0.02})
    assert screen.time == pytest.approx(10 / 60)
    _, screen = play("Pong-v0", {}, frames=10, slow={3: 1.0})
    assert screen.sleeps[3:5] == [0.0, 0.0]
    assert screen.sleeps[5:] == pytest.approx([1 / 60] * 5)


def test_a_key_acts_while_it_is_held_and_no_longer() -> None:
    game, _ = play("Pong-v0", {10: b"\x1b[A", 15: b"w", 40: b"\x1b", 41: b"[B"})
    assert game.actions[:10] == [0] * 10
    assert set(game.actions[10:24]) == {1}
    assert set(game.actions[25:40]) == {0}
    assert set(game.actions[41:50]) == {2}
    assert set(game.actions[51:]) == {0}


def test_an_idle_cart_is_pushed_to_and_fro() -> None:
    game, _ = play("CartPole-v1", {6: b"l"}, frames=10)
    assert game.actions == [0, 1, 0, 1, 0, 1, 1, 1, 1, 1]


def test_space_pauses_and_goes_on() -> None:
    game, screen = play("Pong-v0", {10: b" ", 50: b" "})
    assert game.steps == 60
    assert "paused" in screen.written[10]
    assert len(screen.written) == 61  # a paused picture is not drawn again


def test_r_begins_a_new_game() -> None:
    game, _ = play("Pong-v0", {60: b"r"})
    assert game.steps == 40


def test_q_and_ctrl_c_quit() -> None:
    for typed in (b"q", b"\x03"):
        game, _ = play("Pong-v0", {7: typed}, frames=None)
        assert game.steps == 7


def test_an_interrupt_quits(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Script, text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Script, "write", interrupt)
    game, _ = play("Pong-v0", {}, frames=None)
    assert game.steps == 1  # whose picture was being drawn


def test_an_ended_game_stands_still_until_it_is_restarted() -> None:
    game, screen = play("CartPole-v1", dict.fromkeys(range(30), b"d"), frames=40)
    assert game.over
    assert game.steps < 30
    assert "game over" in screen.written[-1]
    game, _ = play("CartPole-v1", {**dict.fromkeys(range(30), b"d"), 38: b"r"}, frames=40)
    assert (game.over, game.steps) == (False, 2)


def test_games_with_one_seed_are_equal_and_restarts_differ() -> None:
    env = envwright.make("CartPole-v1")
    one, two = Game(env, 7), Game(env, 7)
    assert np.array_equal(one.picture(), two.picture())
    first = one.obs.tolist()
    one.restart()
    assert one.obs.tolist() != first


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 2), (30, 3), (300, 100)])
def test_any_size_of_terminal_will_do(size: tuple[int, int]) -> None:
    _, screen = play("Pong-v0", {}, frames=2, size=size)
    assert screen.written


def test_a_resized_terminal_is_drawn_anew() -> None:
    env = envwright.make("Pong-v0")
    game, screen = Game(env, 0), Script({})
    painter = interactive.Painter(screen)
    painter.paint(game.picture(), "status")
    painter.paint(game.picture(), "status")
    assert len(screen.written) == 1
    screen.at = (80, 24)
    painter.paint(game.picture(), "status")
    assert interactive.CLEAR in screen.written[1]
    assert "\x1b[24;1H" in screen.written[1]


@pytest.mark.parametrize("id", ["Pong-v0", "CartPole-v1"])
def test_controls_name_actions_that_exist_and_leave_the_loop_its_keys(id: str) -> None:
    env = envwright.make(id)
    space = env.action_space(env.default_params)
    controls = controls_for(spec(id), space)
    assert controls is spec(id).controls
    assert all(space.contains(action) for action in (*controls.actions.values(), *controls.idle))
    assert not {"q", "r", "space", "ctrl-c"} & set(controls.actions)


def test_an_environment_without_keys_of_its_own_is_played_with_digits() -> None:
    found = controls_for(envwright.Spec("Other-v0", "other:Other"), envwright.Discrete(3))
    assert found == Controls({"0": 0, "1": 1, "2": 2}, idle=(0,), help="0-2 act")


def test_continuous_actions_are_refused_in_one_sentence() -> None:
    with pytest.raises(envwright.EnvwrightError, match=r"Pong-v0 takes Box\(.*\) as an action, which keys cannot give"):
        controls_for(spec("pong"), envwright.Box(-1, 1, (1,)))
