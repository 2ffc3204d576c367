"""Who plays while the reference is recorded."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box, Discrete
from envwright.verifier import policies


def game(space: Any = Discrete(9), players: int = 1) -> Any:  # noqa: B008 - it is frozen
    return SimpleNamespace(
        action_space=space, sample_action=lambda rng: int(rng.integers(9)), players=players, legal=lambda: None
    )


def actions(name: str, reference: Any, count: int = 300, legal: Any = None) -> np.ndarray:
    act, rng = policies.find(name, reference, None), np.random.default_rng(0)
    return np.array([act(None, rng, legal) for _ in range(count)])


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


@pytest.mark.parametrize("name", ["random", "persistent"])
def test_what_is_illegal_is_not_played(name):
    legal = np.array([False, True, False, False, True, False, False, False, False])
    assert set(actions(name, game(), legal=legal)) == {1, 4}
    both = np.stack([legal, np.arange(9) == 8])
    assert {tuple(row) for row in actions(name, game(players=2), legal=both).tolist()} == {(1, 8), (4, 8)}


def test_persistent_gives_up_an_action_that_has_become_illegal():
    act, rng = policies.find("persistent", game(), None), np.random.default_rng(0)
    for step in range(40):
        legal = np.arange(9) % 2 == step % 2
        assert legal[act(None, rng, legal)]


def test_a_policy_of_ones_own_sees_masks_if_it_asks_for_them(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def first(obs, rng, legal):\n    return int(legal.argmax())\n\ndef zero(obs, rng):\n    return 0\n"
    )
    legal, rng = np.array([False, False, True, True]), np.random.default_rng(0)
    assert policies.find("mine.py:first", game(Discrete(4)), tmp_path)(None, rng, legal) == 2
    with pytest.raises(EnvwrightError, match=r"mine\.py:zero chose the illegal action 0; give it a third parameter"):
        policies.find("mine.py:zero", game(Discrete(4)), tmp_path)(None, rng, legal)


def test_a_policy_of_ones_own_is_called_once_a_seat_and_not_where_there_is_no_choice(tmp_path):
    (tmp_path / "mine.py").write_text("def follow(obs, rng):\n    return obs + 1\n")
    act, rng = policies.find("mine.py:follow", game(Discrete(9), players=2), tmp_path), np.random.default_rng(0)
    assert act([3, 5], rng).tolist() == [4, 6]
    legal = np.array([[True] * 9, [False] * 8 + [True]])
    assert act([3, 5], rng, legal).tolist() == [4, 8]


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
