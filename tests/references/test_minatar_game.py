"""MinAtar's state is in two objects, and all of it is seen."""

import numpy as np
import pytest
from loading import play, replays

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Discrete
from envwright.references.minatar_game import GAMES, minatar_reference
from envwright.references.plain import differences, same

pytest.importorskip("minatar")


@pytest.mark.parametrize("game", GAMES)
def test_it_replays_and_restores(game: str) -> None:
    with minatar_reference(game, sticky_action_prob=0.5) as reference:
        told = play(reference, 150)
        reference.restore({"last_action": 0})  # as it was before the first reset
        assert replays(reference, told)
        for index in np.random.default_rng(1).permutation(len(told) - 1)[:30]:
            action, outcome, snapshot = told[index + 1]
            if action is not None:
                reference.restore(told[index][2])
                assert same(tuple(reference.step(action, outcome.draws)), tuple(outcome))
                assert differences(reference.snapshot(), snapshot) == []
        assert reference.late_changes() == []


def test_names_of_the_game_and_of_its_wrapper_are_seen() -> None:
    with minatar_reference("breakout", sticky_action_prob=0.25) as reference:
        assert (reference.action_space, reference.observation_shape) == (Discrete(6), (10, 10, 4))
        assert reference.reset(0).obs.shape == (10, 10, 4)
        seen = reference.look()
        assert {"last_action", "ball_x", "brick_map", "sticky_action_prob"} <= set(seen)
        assert seen["sticky_action_prob"] == 0.25
        assert {"last_action", "ball_x", "ball_dir", "terminal"} <= set(reference.snapshot())
        assert "env" not in reference.snapshot()
        assert reference.provenance()["module"] == "minatar.environments.breakout"


def test_the_last_action_survives_a_reset() -> None:
    with minatar_reference("breakout", sticky_action_prob=0.0) as reference:
        reference.reset(0)
        reference.step(3)
        reference.reset(0)
        assert reference.snapshot()["last_action"] == 3


def test_the_first_draw_of_a_step_is_whether_the_action_sticks() -> None:
    with minatar_reference("breakout") as reference:
        reference.reset(0)
        draw = reference.step(0).draws[0]
        assert (draw.site.partition(":")[0], draw.method) == ("environment.py", "rand")


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(EnvwrightError, match="no game 'pong'; it has asterix"):
        minatar_reference("pong")
