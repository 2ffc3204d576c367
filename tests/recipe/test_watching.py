"""A reference with parts of many kinds is played, and its contract needs nobody."""

from pathlib import Path

import pytest

from envwright.core.spaces import Box
from envwright.recipe.analyse.find import analyse
from envwright.recipe.drafting.contract_file import contract_text
from envwright.recipe.drafting.from_play import check_itself, draft_from_play
from envwright.recipe.drafting.source_facts import facts_of
from envwright.recipe.shapes import interface_of
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.verifier import contract as contracts
from envwright.verifier.host import Here

BAZAAR = f"{Path(__file__).parent / 'bazaar.py'}:Bazaar"


@pytest.fixture(scope="module")
def host():
    here = Here(gymnasium_reference(BAZAAR))
    yield here
    here.close()


@pytest.fixture(scope="module")
def draft(host):
    assert host.run(check_itself).ok
    return host.run(draft_from_play, facts_of(analyse(BAZAAR, (), ())))[0]


def test_every_part_has_its_form(draft):
    room = draft.state["stall_goods"].room
    assert room >= 10
    assert draft.problems == []
    assert {name: str(codec) for name, codec in draft.state.items()} == {
        "carts": "[row if row is not None else [0, 0] for row in carts]",
        "carts_present": "[row is not None for row in carts]",
        "mode": "mode['value']",
        "past": "pad(past, 4)",
        "past_count": "len(past)",
        "place": "array(place)",
        "stall_goods": f"pad(stall['goods'], {room})",
        "stall_goods_count": "len(stall['goods'])",
        "stall_money": "stall['money']",
        "t": "t",
    }
    assert {name: str(codec) for name, codec in draft.step.items()} == {
        "step_random": "draws('step.random', 0)",
        "step_integers": "draws('step.integers', 0)",
        "step_choice": "picks('step.choice', 0)",
    }
    assert (draft.start, draft.ignored, draft.rounded) == ({}, {}, [])


def test_a_translation_can_be_written_against_it(host, draft):
    contract = contracts.read(contract_text(BAZAAR, "fast_bazaar.env:Bazaar", draft, None, []))
    interface = interface_of(contract, host, "fast_bazaar", "Bazaar")
    shapes = {field.name: field.shape for field in interface.state}
    assert shapes["carts"] == (2, 2)
    assert shapes["place"] == (2,)
    assert shapes["mode"] == ()
    assert interface.action_space == Box(0.0, (1.0, 2.0), (2,), "int32")  # pyright: ignore[reportArgumentType]
    assert {field.name: field.shape for field in interface.step_luck}["step_choice"] == ()
