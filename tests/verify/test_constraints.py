"""Which parts of a state belong together, told from recorded ones."""

from typing import Any

import numpy as np
import pytest

from envwright.verifier.constraints import groups, joined

RNG = np.random.default_rng


def states(count: int, one: Any) -> list[dict[str, Any]]:
    return [one(RNG([count, i])) for i in range(count)]


def board(rng: Any) -> dict[str, Any]:
    """Nine places that two players fill in turn."""
    first, moves, places = int(rng.integers(2)), int(rng.integers(9)), rng.permutation(9)
    marks = [0] * 9
    for move in range(moves):
        marks[places[move]] = 1 + (first + move) % 2
    return {"board": marks, "moves": moves, "first": first, "turn": (first + moves) % 2, "noise": int(rng.integers(4))}


def test_a_board_with_its_count_and_whose_turn_it_is():
    pool = states(200, board)
    assert groups(pool, list(pool[0])) == (("board", "first", "moves", "turn"),)
    arrays = [{**state, "board": np.array(state["board"])} for state in pool]
    assert groups(arrays, list(pool[0])) == (("board", "first", "moves", "turn"),)
    assert groups(pool, ["moves", "first", "turn", "noise"]) == (), "numbers by themselves may be anything"


def test_too_few_states_tell_nothing():
    assert groups(states(60, board), ["board", "moves"]) == ()


@pytest.mark.parametrize("breaking", ["moves", "turn"])
def test_a_single_exception_sets_a_part_free(breaking: str):
    pool = states(200, board)
    level = next(i for i, state in enumerate(pool) if state["moves"] == 4)  # nobody is ahead
    pool[level] = {**pool[level], breaking: 1 - pool[level][breaking]}
    assert all(breaking not in group for group in groups(pool, list(pool[0])))


def test_lists_of_one_length_and_what_adds_up():
    def hands(rng: Any) -> dict[str, Any]:
        held = int(rng.integers(1, 8))
        return {
            "cards": rng.integers(10, size=held).tolist(),
            "suits": ["hearts"] * held,
            "left": 52 - held,
            "other": rng.integers(10, size=int(rng.integers(1, 8))).tolist(),
        }

    assert groups(states(100, hands), ["cards", "suits", "left", "other"]) == (("cards", "left", "suits"),)


def test_a_deck_that_is_shuffled_and_counts_of_one_sum_are_only_taken_whole():
    def deck(rng: Any) -> dict[str, Any]:
        counts = np.bincount(rng.integers(4, size=12), minlength=4)
        return {"deck": rng.permutation(6).tolist(), "counts": counts, "free": rng.integers(4, size=4)}

    assert groups(states(100, deck), ["deck", "counts", "free"]) == (("deck",), ("counts",))


def test_what_is_the_same_throughout_an_episode_is_no_evidence():
    """Each of six games has a goal, a wind and a map of its own: the goal seems to follow from the map."""

    def moment(i: int) -> dict[str, Any]:
        game = RNG(i // 50)
        world = {"map": game.integers(2, size=20), "goal": int(game.integers(3)), "wind": int(game.integers(3))}
        return {**world, "at": i % 50}

    assert groups([moment(i) for i in range(300)], ["map", "goal", "wind", "at"]) == ()


def test_what_merely_goes_together_in_play_is_drawn_apart():
    def cart(rng: Any) -> dict[str, Any]:
        at = int(rng.integers(-9, 10))
        speed = 1 if at < -6 else -1 if at > 6 else int(rng.integers(-1, 2))
        trail = rng.integers(2, size=9) if at > 0 else np.zeros(9, int)
        return {"at": at, "speed": speed, "x": at / 3, "trail": trail, "time": int(rng.integers(99))}

    assert groups(states(500, cart), ["at", "speed", "x", "trail", "time"]) == ()


def test_groups_that_share_a_part_are_one():
    assert joined([("a", "b"), ("c",), ("d", "b"), ("e", "c")]) == (("a", "b", "d"), ("c", "e"))
