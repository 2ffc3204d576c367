"""Luck is recorded where it is had, and can be had again."""

import random
import sys
from typing import Any

import numpy as np
import pytest
from loading import hazard, play, replays

from envwright.references.plain import same
from envwright.references.protocol import Draw, TapeError
from envwright.references.python import draws, patches
from envwright.references.python.draws import Shared, Take

LUCKY = ["GlobalRandom", "BoundName", "GlobalNumpy", "OwnState", "ModuleLuck", "OwnDice", "Shuffled"]


def drawings(rng: Any) -> list[Any]:
    """A bit of everything from a NumPy generator."""
    x, y = list(range(9)), np.arange(12).reshape(3, 4)
    rng.shuffle(x)
    rng.shuffle(y)
    told = [x, y, rng.normal(size=2), rng.choice([3, 1, 2]), rng.choice(5, 2), rng.permutation(4), rng.bytes(3)]
    if isinstance(rng, np.random.Generator):
        into = np.zeros(3)
        told += [rng.integers(9), rng.random(out=into), into, rng.permuted(y, axis=1), rng.random(dtype=np.float32)]
    return told


def python_drawings(rng: Any) -> list[Any]:
    x = list("abcdef")
    rng.shuffle(x)
    return [x, rng.random(), rng.randint(1, 6), rng.choice(x), rng.sample(x, 2), rng.gauss(0, 1), rng.randbytes(2)]


MAKERS = [
    (np.random.default_rng, drawings),
    (np.random.RandomState, drawings),
    (random.Random, python_drawings),
]


@pytest.mark.parametrize(("make", "draw"), MAKERS)
def test_a_recorded_generator_draws_what_the_real_one_draws_and_replays_it(make: Any, draw: Any) -> None:
    wanted = draw(make(3))
    rng = draws.recorded_rng(make(3))
    assert isinstance(rng, type(make(3)))
    with Take(Shared()) as take:
        assert same(draw(rng), wanted)
    tape = tuple(take.draws)
    assert len(tape) >= 7
    assert all(d.site.startswith("test_recorded_draws.py:") and d.site.endswith("drawings") for d in tape)
    with Take(Shared(), tape) as again:
        assert same(draw(rng), wanted)
    assert same(tuple(again.draws), tape)


def test_a_method_that_calls_others_is_one_draw() -> None:
    rng = draws.recorded_rng(random.Random(0))
    with Take(Shared()) as take:
        rng.randint(1, 6)
        rng.shuffle([1, 2, 3])
    assert [draw.method for draw in take.draws] == ["randint", "shuffle"]


@pytest.mark.parametrize("name", LUCKY)
def test_luck_from_everywhere_is_on_the_tape(name: str) -> None:
    with hazard(name) as reference:
        told = play(reference, 14)
        assert all(outcome.draws for action, outcome, _ in told if action is not None)
        assert replays(reference, told)


def test_sites_name_the_file_the_line_and_the_function() -> None:
    with hazard("BoundName") as reference:
        told = play(reference, 2)
    file, _, rest = told[1][1].draws[0].site.partition(":")
    assert file == "hazards.py"
    assert rest.partition(" ")[0].isdigit()
    assert rest.endswith(" turn")
    assert told[1][1].draws[0].method == "randint"


def test_modules_are_as_before_after_closing_even_after_an_error() -> None:
    def look() -> list[Any]:
        module = sys.modules["envwright_reference_hazards"]
        names = [getattr(module, name) for name in ("randint", "default_rng", "MODULE_RNG")]
        return [*vars(np.random).values(), *vars(random).values(), *names]

    hazard("BoundName").close()
    before = look()
    with hazard("Failing") as reference, hazard("BoundName") as other:
        assert look() != before
        reference.reset(0)
        for _ in range(4):
            reference.step(0)
        with pytest.raises(RuntimeError, match="the fifth step"):
            reference.step(0)
        reference.close()
        assert draws.take_open() is None
        assert replays(other, play(other, 5))  # still open, so still recorded
    assert all(a is b for a, b in zip(before, look(), strict=True))
    with pytest.raises(TypeError):
        hazard("Generating")
    assert all(a is b for a, b in zip(before, look(), strict=True))


def test_names_bound_while_patched_are_put_back(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_late.py").write_text("from random import randint\n")
    monkeypatch.syspath_prepend(tmp_path)
    with hazard("BoundName"):
        import imported_late  # pyright: ignore[reportMissingImports]

        assert imported_late.randint is not random._inst.randint  # pyright: ignore[reportAttributeAccessIssue]
    assert imported_late.randint is random.randint
    del sys.modules["imported_late"]


def test_draws_outside_of_the_reference_are_neither_recorded_nor_disturbed() -> None:
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    wanted = [random.random(), np.random.rand()]  # noqa: NPY002
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    with hazard("GlobalNumpy") as reference, hazard("GlobalRandom") as other:
        play(other, 5)
        told = play(reference, 3)
        assert [random.random(), np.random.rand()] == wanted  # noqa: NPY002
        outcome = reference.step(0)
        assert [draw.method for draw in outcome.draws] == ["rand", "randint", "normal"]
        assert len(told[1][1].draws) == 3


def test_shared_generators_follow_the_seed_of_the_episode() -> None:
    with hazard("GlobalRandom") as reference:
        one, two = play(reference, 8, seed=4), play(reference, 8, seed=4)
        assert [a[1].reward for a in one] == [b[1].reward for b in two]


def test_isinstance_holds_for_generators_of_both_kinds_while_patched() -> None:
    real = np.random.default_rng(0)
    with hazard("OwnState") as reference:
        assert isinstance(real, np.random.Generator)
        assert isinstance(reference.object.new, np.random.Generator)
        assert isinstance(reference.object.python, random.Random)
        assert type(reference.object.deep["list"][0]) is draws.RecordedGenerator


def test_a_class_of_generators_of_the_reference_is_recorded_by_its_own_methods() -> None:
    with hazard("OwnDice") as reference:
        draws = play(reference, 2)[1][1].draws
        assert [draw.method for draw in draws] == ["roll", "random", "random"]
        kind = type(reference.object.dice)
        assert isinstance(reference.object.dice, kind)
        assert not isinstance(random.Random(), kind)
    assert type(sys.modules["envwright_reference_hazards"].MODULE_RNG) is random.Random


def test_a_generator_found_in_two_places_stays_one() -> None:
    class Holder:
        def __init__(self) -> None:
            self.rng = np.random.default_rng(1)
            self.inner = [{"rng": self.rng}]

    holder = Holder()
    wanted = np.random.default_rng(1).random(4).tolist()
    patches.adopt([holder])
    assert holder.rng is holder.inner[0]["rng"]
    assert type(holder.rng) is draws.RecordedGenerator
    assert holder.rng.random(4).tolist() == wanted


def test_a_tape_of_other_luck_is_refused() -> None:
    with hazard("GlobalRandom") as reference:
        told = play(reference, 2)
        action, outcome, _ = told[1]
        one, two = outcome.draws
        reference.reset(0)
        with pytest.raises(TapeError, match=r"asked for random at hazards.py:\d+ turn, but draw 0.* is uniform"):
            reference.step(action, (two, one))
        with pytest.raises(TapeError, match=r"asked for uniform .* but the tape ends after 1 draws"):
            reference.step(action, (one,))
        with pytest.raises(TapeError, match=r"3 draws, but the reference made only 2; the next .* uniform at"):
            reference.step(action, (one, two, two))
        with pytest.raises(TapeError, match=r"other.py"):
            reference.step(action, (Draw("other.py:1 turn", "random", 0.5), two))
        moved = one._replace(site=one.site.replace(":", ":9"))  # another line of the same function will do
        reference.reset(0)
        assert same(tuple(reference.step(action, (moved, two)))[:5], tuple(outcome)[:5])


def test_replayed_values_are_copies() -> None:
    rng = draws.recorded_rng(np.random.default_rng(0))
    with Take(Shared()) as take:
        rng.random(2)
    with Take(Shared(), take.draws):
        rng.random(2)[:] = -1
    assert (take.draws[0].value >= 0).all()


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState, random.Random])
def test_a_choice_of_one_says_which_it_was_and_is_found_again(make: Any) -> None:
    things = [7, 5, 7, 5, 7, 5]
    plain = make(4)
    wanted = [plain.choice(things) for _ in range(20)]
    rng = draws.recorded_rng(make(4))
    with Take(Shared()) as take:
        assert same([rng.choice(things) for _ in range(20)], wanted)
    assert all(d.pick is not None and things[d.pick[0]] == d.value and d.pick[1] == 6 for d in take.draws)
    assert len({d.pick for d in take.draws}) > 2  # twins are told apart
    with Take(Shared(), take.draws) as again:
        assert same([rng.choice(things) for _ in range(20)], wanted)
    assert [d.pick for d in again.draws] == [d.pick for d in take.draws]
    with Take(Shared(), [d._replace(pick=None) for d in take.draws]) as old:  # a tape from before there were picks
        [rng.choice([5, 7]) for _ in range(20)]
    assert old.draws[0].pick == ([5, 7].index(wanted[0]), 2)


def test_a_choice_of_one_from_rows_keeps_the_index_and_the_generator_goes_on() -> None:
    rows = np.arange(12).reshape(4, 3)
    plain, rng = np.random.default_rng(3), draws.recorded_rng(np.random.default_rng(3))
    wanted = [plain.choice(rows) for _ in range(20)]
    with Take(Shared()) as take:
        assert same([rng.choice(rows) for _ in range(20)], wanted)
    assert all(same(rows[d.pick[0]], row) for d, row in zip(take.draws, wanted, strict=True) if d.pick)
    assert all(d.pick for d in take.draws)
    with Take(Shared(), take.draws) as again:
        assert same([rng.choice(rows) for _ in range(20)], wanted)
    assert [d.pick for d in again.draws] == [d.pick for d in take.draws]


def test_what_is_no_choice_of_one_from_a_list_has_no_index() -> None:
    rng = draws.recorded_rng(np.random.default_rng(0))
    with Take(Shared()) as take:
        rng.choice([1, 2, 3], 2)
        rng.choice(np.eye(3), axis=1)
        rng.choice([1, 2], size=None)
        rng.integers(3)
        rng.choice(5)
        rng.choice([4, 6], p=[0.0, 1.0])
    assert [d.pick is None for d in take.draws] == [True, True, True, True, False, False]
    assert take.draws[-1].pick == (1, 2)
    with Take(Shared(), take.draws[-1:]) as elsewhere:
        assert rng.choice([1, 2]) == 6  # the tape is obeyed, but the list has no such thing
    assert elsewhere.draws[0].pick is None
