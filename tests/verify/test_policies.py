"""Who plays while the reference is recorded."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete
from envwright.verify import policies


def game(space: Any = Discrete(9)) -> Any:  # noqa: B008 - it is frozen
    return SimpleNamespace(action_space=space, sample_action=lambda rng: int(rng.integers(9)))


def actions(name: str, reference: Any, count: int = 300) -> np.ndarray:
    act, rng = policies.find(name, reference, None), np.random.default_rng(0)
    return np.array([act(None, rng) for _ in range(count)])


def test_random_tries_everything():
    assert set(actions("random", game())) == set(range(9))


def test_persistent_keeps_to_an_action_for_a_while_and_begins_anew_each_time():
    played = actions("persistent", game())
    changes = np.flatnonzero(np.diff(played))
    assert 10 < len(changes) < 60
    assert len(set(played)) > 4
    reference = game()
    assert policies.find("persistent", reference, None) is not policies.find("persistent", reference, None)


def test_boxes_are_also_played_in_their_corners():
    space = Box((-1.0, -np.inf), (2.0, np.inf), (2,))
    assert list(policies.builtin(game(space))) == ["random", "persistent", "extreme"]
    assert list(policies.builtin(game())) == ["random", "persistent"]
    played = actions("extreme", game(space))
    assert {tuple(a) for a in played.tolist()} == {(x, y) for x in (-1.0, 2.0) for y in (-1.0, 1.0)}
    assert played.dtype == np.float32


def test_a_policy_of_ones_own(tmp_path):
    (tmp_path / "mine.py").write_text("def follow(obs, rng):\n    return obs + 1\n\nnumber = 3\n")
    assert policies.find("mine.py:follow", game(), tmp_path)(4, np.random.default_rng(0)) == 5
    assert policies.find(f"{tmp_path}/mine.py:follow", game(), None)(4, np.random.default_rng(0)) == 5


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("mine.py:lead", r"mine\.py has no function lead to be a policy"),
        ("mine.py:number", r"mine\.py has no function number to be a policy"),
        ("yours.py:follow", r"There is no policy yours\.py:follow: .* is not a Python file; write path/to/file\.py:fu"),
        ("perfect", "There is no policy perfect"),
    ],
)
def test_a_policy_that_is_not_there_is_one_sentence(tmp_path, name, says):
    (tmp_path / "mine.py").write_text("number = 3\n")
    with pytest.raises(EnvwrightError, match=says):
        policies.find(name, game(), tmp_path)
