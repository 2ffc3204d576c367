"""States of all shapes are frozen, written to JSON, thawed and go on as before."""

import json
import socket
import sys
import threading
import types
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
import pytest
from loading import hazard, play

from envwright.core.errors import EnvwrightError
from envwright.references.plain import differences, from_json, same, to_json
from envwright.references.protocol import SnapshotError
from envwright.references.python.moving import Attributes
from envwright.references.python.rebuild import thaw
from envwright.references.python.walk import WalkMemory, freeze


class Thing:
    def __init__(self, **names: Any) -> None:
        self.__dict__.update(names)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...


@pytest.mark.parametrize("name", ["Aliased", "Containers", "Shuffled", "ClassState", "Hooked", "Lambdas"])
def test_a_snapshot_put_back_through_json_leads_to_the_same_future(name: str) -> None:
    with hazard(name) as reference:
        told = play(reference, 9)
        for start in range(8):
            written = json.dumps(to_json(told[start][2]))
            reference.restore(from_json(json.loads(written)))
            assert differences(reference.snapshot(), told[start][2]) == []
            for action, outcome, snapshot in told[start + 1 :]:
                again = reference.step(action, outcome.draws)
                assert same(tuple(again), tuple(outcome))
                assert differences(reference.snapshot(), snapshot) == []


def test_two_ways_to_one_thing_are_still_two_ways_to_one_thing() -> None:
    card = Thing(rank=1)
    thing = Thing(top=card, cards=[card, Thing(rank=2)], same=None)
    thing.same = thing.cards
    frozen = freeze(thing)
    assert frozen["cards"][0] == {"__same__": "top"}
    thing.top = thing.cards[1]  # in-place restoring would now write one card over the other
    thaw(thing, frozen)
    assert thing.top is thing.cards[0]
    assert thing.cards is thing.same
    assert [card.rank for card in thing.cards] == [1, 2]


def test_an_alias_alone_is_put_back_to_what_is_there() -> None:
    thing = Thing(cards=[1, 2], hand=None)
    thing.hand = thing.cards
    frozen = freeze(thing)
    thing.hand = None
    thaw(thing, {"hand": frozen["hand"]})
    assert thing.hand is thing.cards


def test_a_view_stays_a_view() -> None:
    thing = Thing(board=np.arange(12.0).reshape(3, 4))
    thing.corner = thing.board[::-1, 1:3]
    frozen = from_json(to_json(freeze(thing)))
    thing.board = thing.corner = None
    thaw(thing, frozen)
    board, corner = vars(thing)["board"], vars(thing)["corner"]
    corner[0, 0] = -1
    assert board[2, 1] == -1


def test_a_view_that_comes_before_its_array_is_refused() -> None:
    thing = Thing(corner=None, board=np.arange(4.0))
    thing.corner = thing.board[1:]
    with pytest.raises(SnapshotError, match=r"`board` of Thing is an array in the same memory as `corner`"):
        freeze(thing)


def test_parts_of_an_array_that_have_nothing_in_common_are_arrays_of_their_own() -> None:
    thing = Thing(where=np.unravel_index(np.array([1, 5, 6]), (3, 4)), other=None)
    rows, columns = thing.where
    assert np.may_share_memory(rows, columns)
    frozen = from_json(to_json(freeze(thing)))
    thing.where = None
    thaw(thing, frozen)
    assert [part.tolist() for part in vars(thing)["where"]] == [[0, 1, 1], [1, 1, 2]]
    table = np.arange(6)
    assert freeze(Thing(where=(table[:3], table[3:4]), other=table[4:]))["other"].tolist() == [4, 5]
    with pytest.raises(SnapshotError, match=r"`other` of Thing is an array in the same memory as `where\[1\]`"):
        freeze(Thing(where=(table[::2], table[1::2]), other=table[3:4]))


def test_an_object_keeps_its_identity_and_what_no_snapshot_holds() -> None:
    thing = Thing(deck=Thing(cards=[1], rng=np.random.default_rng(0)))
    deck, rng, memory = thing.deck, thing.deck.rng, WalkMemory()
    frozen = freeze(thing, memory=memory)
    assert "rng" not in frozen["deck"]
    deck.cards.append(2)
    thaw(thing, frozen, memory)
    assert thing.deck is deck
    assert deck.cards == [1]
    assert deck.rng is rng
    thing.deck = None
    thaw(thing, frozen, memory)
    assert thing.deck is not deck
    assert vars(thing)["deck"].rng is rng


def test_a_restored_object_shares_nothing_with_its_snapshot() -> None:
    thing = Thing(a=[[1]], b=np.zeros(2), c={"x": {1}})
    frozen = freeze(thing)
    thaw(thing, frozen)
    thing.a[0][0], thing.b[0] = 5, 5
    thing.c["x"].add(5)
    assert same(frozen, {"a": [[1]], "b": np.zeros(2), "c": {"x": {1}}})


def test_an_attribute_that_was_not_there_goes_away_again() -> None:
    with hazard("Containers") as reference:
        reference.reset(0)
        before = reference.snapshot()
        reference.step(0)
        assert reference.look()["late"] == 1
        reference.restore(before)
        assert "late" not in reference.look()
        assert not hasattr(reference.object, "late")


@pytest.mark.parametrize(
    ("name", "place"), [("Generating", "`source` of Generating is a builtins.generator"), ("Locked", "nested.*lock")]
)
def test_what_cannot_be_copied_is_named_with_the_way_out(name: str, place: str) -> None:
    with pytest.raises(SnapshotError, match=place + r".*envwright_snapshot\(self\)"):
        hazard(name)


def test_spaces_are_no_state_by_the_name_that_gymnasium_had_before(monkeypatch: pytest.MonkeyPatch) -> None:
    older = ModuleType("gym.spaces")
    exec("class Space:\n    def __init__(self, dtype): self.dtype = dtype", vars(older))
    monkeypatch.setitem(sys.modules, "gym.spaces", older)
    assert freeze(Thing(space=older.Space(np.dtype("int64")), stock=3)) == {"stock": 3}


def test_sockets_and_files_and_iterators_are_refused() -> None:
    with socket.socket() as plug, Path(__file__).open() as file:
        for value in (plug, file, iter([1]), enumerate([1])):
            with pytest.raises(SnapshotError, match="`x` of Thing"):
                freeze(Thing(x=value))


def test_a_moving_attribute_refers_to_constants_instead_of_copying_them() -> None:
    with hazard("Aliased") as reference:
        play(reference, 3)
        attributes = reference._state()
        attributes.moving.pop("cards")
        attributes._note_constants()
        assert reference.snapshot()["top"]["__same__"].startswith("cards[")


def test_two_objects_may_have_attributes_of_one_name() -> None:
    class Wrapper(Thing): ...

    inner = Thing(t=1)
    outer = Wrapper(t=2, inner=inner)
    both = Attributes([inner, outer])
    inner.t, outer.t = 3, 4
    assert sorted(both.late_changes()) == ["Wrapper.t", "t"]
    frozen = both.snapshot()
    assert frozen == {"t": 3, "Wrapper.t": 4}
    inner.t, outer.t = 5, 6
    both.restore(frozen)
    assert (inner.t, outer.t) == (3, 4)
    again = Attributes([inner, outer], both.owners())
    assert again.snapshot() == frozen


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with hazard("Aliased") as reference:
        reference.reset(0)
        with pytest.raises(EnvwrightError, match=r"no attribute `bord`; did you mean `board`\?"):
            reference.restore({"bord": 1})


def test_a_rarely_moving_constant_is_noticed_late() -> None:
    with hazard("Surviving") as reference:
        reference.reset(0)
        assert "rare" not in reference.snapshot()
        assert reference.late_changes() == []
        reference.restore({"total": -1.0})
        reference.step(0)
        assert reference.late_changes() == ["rare"]
        assert reference.snapshot()["rare"] == [1]
        assert reference.late_changes() == []


def test_constants_are_looked_over_every_fifty_episodes() -> None:
    with hazard("Surviving") as reference:
        reference.reset(0)
        reference.object.rare[0] = 3
        for _ in range(48):
            reference.reset()
        assert "rare" not in reference.snapshot()
        reference.reset()
        assert reference.snapshot()["rare"] == [3]


def test_a_type_of_numbers_is_kept_as_it_is() -> None:
    thing = Thing(kind=np.dtype("float32"), n=1)
    frozen = freeze(thing, memory=(memory := WalkMemory()))
    kind, thing.kind = thing.kind, None
    thaw(thing, frozen, memory)
    assert thing.kind is kind


def test_what_is_in_jax_already_is_said_to_be() -> None:
    with pytest.raises(SnapshotError, match=r"`at` of Thing is of JAX \(ArrayImpl\): it computes with JAX already"):
        freeze(Thing(at=jax.numpy.zeros(2)))


def test_what_is_left_out_of_gymnasium_is_left_out_of_gym(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gymnasium's predecessor, which many packages still use: its spaces hold locks, generators and types."""
    core: Any = types.ModuleType("gym.core")
    spaces: Any = types.ModuleType("gym.spaces")
    core.Env = type("Env", (Thing,), {"__module__": "gym.core"})
    spaces.Space = type("Space", (Thing,), {"__module__": "gym.spaces.space"})
    for module in (core, spaces):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    game = type("Game", (core.Env,), {})(at=1, spec=Thing(), other=spaces.Space(lock=threading.Lock()))
    assert freeze(game) == {"at": 1}
