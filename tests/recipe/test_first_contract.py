"""First contracts, drafted: as they are they can be read, and what could be found out is right."""

import pytest

from envwright.core.errors import EnvwrightError
from envwright.recipe.drafting.first_contract import draft_contract
from envwright.verifier import contract as contracts


@pytest.fixture(scope="module")
def cartpole() -> str:
    return draft_contract("gymnasium:CartPole-v1", "gymnax:CartPole-v1")


@pytest.fixture(scope="module")
def taxi() -> str:
    return draft_contract("gymnasium:Taxi-v4", "TODO.py:TODO")


def test_a_pair_is_drafted_with_its_fields(cartpole):
    found = contracts.read(cartpole)
    assert (found.reference, found.candidate) == ("gymnasium:CartPole-v1", "gymnax:CartPole-v1")
    assert {name: e.text for name, e in found.state.items()} == {
        "time": "elapsed_steps",
        "x": "state[0]",
        "x_dot": "state[1]",
        "theta": "state[2]",
        "theta_dot": "state[3]",
    }
    assert list(found.ignored) == ["reference.steps_beyond_terminated"]
    assert [e.text for e in found.chance_start.values()] == ["draws('reset', 0, (4,))"]
    assert not found.chance_step
    (tolerance,) = found.tolerances
    assert tolerance.columns == ("state.x", "state.x_dot", "state.theta", "state.theta_dot", "observation")
    assert "# TODO: x, x_dot, theta, theta_dot are taken from state by their order; check it." in cartpole


def test_a_reference_alone_is_drafted_with_what_moves_in_it(taxi):
    found = contracts.read(taxi)
    state = {name: e.text for name, e in found.state.items()}
    assert state["s"] == "s"
    assert state["time"] == "elapsed_steps"
    assert found.chance_start
    assert '# reference = "action_mask"\n# candidate = "TODO.action_mask"\n# arguments = [\n#     "state",\n# ]' in taxi
    assert "TODO" in taxi


def test_what_is_offered_in_comments_can_be_read_too(cartpole, taxi):
    """Take away the marks of the tables that are offered."""
    for text in (cartpole, taxi):
        contract, marked, offered = text.partition("# [[module]]")
        assert marked
        lines = [line.removeprefix("# ") for line in (marked + offered).splitlines()]
        found = contracts.read("\n".join([contract, *lines]))
        assert found.modules
        assert {f.reference for f in found.functions} >= ({"action_mask"} if text is taxi else set())


def test_what_is_not_there_is_one_sentence():
    with pytest.raises(EnvwrightError, match="Gymnasium has no environment 'Taxy-v4'; did you mean Taxi"):
        draft_contract("gymnasium:Taxy-v4", "TODO.py:TODO")
