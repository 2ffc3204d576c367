"""Rounding in the middle of a step: which number is shown, and by what size it is judged."""

from typing import Any, cast

import numpy as np

from envwright.verifier.clauses import Phase
from envwright.verifier.phases import Parting
from envwright.verifier.sensitivity import ONE_BY_ONE, moved
from envwright.verifier.session import _usual_size


def test_the_number_that_is_shown_is_one_that_rounding_does_not_explain() -> None:
    want = np.zeros(20)
    have, wrong = want.copy(), np.zeros(20, bool)
    have[3], have[7], wrong[7] = 5.0, 1.0, True  # the first is far off, but so the reference may be
    phase = cast(Phase, type("P", (), {"name": "solve"}))
    shown = Parting(0, phase, None, "force", want, have, wrong).shown
    assert shown == ("force[7] after solve", 0.0, 1.0)


def test_usual_sizes_leave_out_what_is_not_active() -> None:
    seen = [np.array([0.0, 0.0, -2.0]), np.array([0.0, 3.0, 4.0]), np.array([0.0, 0.0, 8.0])]
    assert _usual_size(seen).tolist() == [0.0, 3.0, 4.0]
    assert [_usual_size([np.array(x), np.array(0.0)]).tolist() for x in (2.0, 0.0)] == [2.0, 0.0]  # numbers alone


def test_of_many_numbers_no_two_are_moved_alike_every_time() -> None:
    """A difference of two that were would seem not to be rounded at all."""
    held: list[Any] = [np.ones(2 * ONE_BY_ONE)]
    (ways,) = list(moved(held, [None], np.dtype("float32")))
    signs = np.sign(np.stack([way[0] for way in ways]) - 1)
    alike = (signs[:, :, None] == signs[:, None, :]).all(axis=0)
    assert (alike == np.eye(len(alike), dtype=bool)).all()
