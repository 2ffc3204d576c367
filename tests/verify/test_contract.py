"""Contracts as text: what is refused, in one sentence that names the place."""

from pathlib import Path

import pytest

from envwright.verifier import contract as contracts
from envwright.verifier.contract import ContractError, read
from envwright.verifier.expression import ExpressionError

ROOT = Path(__file__).parents[2]
SHIPPED = [
    *sorted((ROOT / "src" / "envwright").glob("**/contract.toml")),
    *sorted((ROOT / "src" / "envwright" / "verifier" / "shipped").glob("*.toml")),
    *sorted(path for path in (ROOT / "examples").glob("*.toml") if path.name != "pokemon_red.toml"),  # a game
]
HEAD = 'version = 1\nreference = "gymnasium:X-v0"\ncandidate = "x.py:X"\n'


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_contract_in_the_box_is_sound(path):
    """It can be read, and nobody is blamed whom it does not introduce."""
    contract = contracts.load(path)
    names = [module.name for module in contract.modules]
    owned = [thing for module in contract.modules for thing in module.owns]
    assert len(set(names)) == len(names)
    assert len(set(owned)) == len(owned)
    for blamed in (*contract.functions, *contract.phases, *contract.invariants):
        assert blamed.module in names or not blamed.module
    for phase in contract.phases:
        assert phase.module or {contract.owner(f"state.{value}") for value in phase.values} <= set(names)
    assert {thing for thing in owned if thing.startswith("state.")} <= set(contract.columns)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 1\nreference = [", "contract is not valid TOML"),
        ('version = 2\nreference = "a"', "is of version 2; this envwright reads version 1"),
        ('reference = "a"', "is of version None"),
        ('version = 1\ncandidate = "a"', "contract: reference is missing"),
        ('version = 1\nreference = "a"', "contract: candidate is missing"),
        (HEAD + "[stat]\nx = 'x'", r"unknown key stat; did you mean state\?"),
        (HEAD + "[zzz]\nx = 'x'", "unknown key zzz; there are candidate, candidate_options, chance"),
        (HEAD + "[chance.stop]\nx = 'x'", r"contract, \[chance\]: unknown key stop; did you mean step\?"),
        (HEAD + "[[tolerance]]\ncolumns = ['reward']", r"\[\[tolerance\]\]: reason is missing"),
        (HEAD + "[[tolerance]]\ncolumn = ['reward']\nreason = 'r'", r"unknown key column; did you mean columns\?"),
        (HEAD + "[[reachable]]\nholds = 'x'", r"\[\[reachable\]\]: reason is missing"),
        (HEAD + "[ignored]\n'reference.x' = ''", r"\[ignored\] reference.x: give the reason as a sentence"),
        (HEAD + "[chance.ignored]\nreset = 3", r"\[chance.ignored\] reset: give the reason as a sentence"),
        (HEAD + "[[module]]\nowns = ['reward']", r"\[\[module\]\]: name is missing"),
        (HEAD + "[[function]]\nmodule = 'm'\nreference = 'f'", r"\[\[function\]\] f: candidate is missing"),
        (HEAD + "[[phase]]\nname = 'p'\nmodule = 'm'", r"\[\[phase\]\] p: function is missing"),
        (HEAD + "[[phase]]\nname = 'p'\nfunction = 'f'\nvalues = 'all'", r'values is a table, or "state"'),
        (HEAD + "[[phase]]\nname = 'p'\nfunction = 'f'\nvalues = 'state'\nwithout = ['x']", r"without names x"),
        (HEAD + "[[invariant]]\nmodule = 'm'\nholds = 'x'", r"\[\[invariant\]\]: name is missing"),
        (HEAD + "[[state]]\nx = 'x'", r"contract: state is a table; write \[state\]"),
        (HEAD + "[module]\nname = 'm'", r"contract: module is a list of tables; write \[\[module\]\]"),
        (HEAD + "chance = 3", r"contract: chance is a table; write \[chance\]"),
    ],
)
def test_a_mistake_is_one_sentence(text, says):
    with pytest.raises(ContractError, match=says) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_an_expression_that_cannot_be_read_says_which():
    with pytest.raises(ExpressionError, match=r"^contract, \[state\] x: '1 \+' is not an expression"):
        read(HEAD + "[state]\nx = '1 +'")
    with pytest.raises(ExpressionError, match=r"\[state\] x: an expression is a string, but this is 3"):
        read(HEAD + "[state]\nx = 3")
    with pytest.raises(ExpressionError, match=r"\[outcome\] info.prob: "):
        read(HEAD + "[outcome]\ninfo.prob = 1")


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ContractError, match=r"none\.toml cannot be read: No such file or directory\."):
        contracts.load(tmp_path / "none.toml")


def test_a_file_that_is_not_text_is_one_sentence(tmp_path):
    (tmp_path / "c.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ContractError, match=r"c\.toml is not text\."):
        contracts.load(tmp_path / "c.toml")


def test_outcomes_are_mapped_by_themselves_unless_said_otherwise():
    contract = read(HEAD + "[state]\ninner.x = 'x'\n[outcome]\nreward = '2 * reward'\ninfo.prob = 'p'")
    assert contract.columns == ("state.inner.x", "observation", "reward", "terminated", "truncated", "info.prob")
    assert contract.outcome["reward"].text == "2 * reward"
    assert contract.outcome["observation"].text == "obs"


def test_an_outcome_that_is_ignored_is_not_compared_and_a_field_of_its_name_still_is():
    contract = read(HEAD + "[state]\nx = 'x'\n[ignored]\n'candidate.truncated' = 'there is no limit'")
    assert "truncated" not in contract.columns
    contract = read(HEAD + "[ignored]\n'candidate.state.reward' = 'kept for the next step'")
    assert "reward" in contract.columns
    assert list(contract.ignored) == ["candidate.reward"]


def test_possible_states_are_stated_by_parts_that_belong_together_or_made():
    contract = read(
        "states = 'possible.py:state'\n" + HEAD + "[domain]\nx = {low = 0, high = 3}\ntogether = [['a', 'b']]"
    )
    assert (contract.states, contract.together) == ("possible.py:state", (("a", "b"),))
    assert contract.domain == {"x": {"low": 0, "high": 3}}
    for wrong in ("'a'", "['a', 'b']", "[[1]]"):
        with pytest.raises(ContractError, match=r"\[domain\] together: give lists of parts of the state, such as"):
            read(HEAD + f"[domain]\ntogether = {wrong}")
    with pytest.raises(ContractError, match=r"states is missing"):
        read("states = ''\n" + HEAD)


def test_blame_goes_to_the_most_precise_owner_and_has_a_default():
    modules = "[[module]]\nname = 'all'\nowns = ['state', 'info']\n[[module]]\nname = 'x'\nowns = ['state.x']"
    contract = read(HEAD + modules)
    assert [contract.owner(c) for c in ("state.x", "state.y", "info.prob")] == ["x", "all", "all"]
    plain = read(HEAD)
    columns = (
        "state.x", "observation", "reward", "terminated", "truncated", "info.a", "start", "chance", "legal_actions",
        "acting",
    )  # fmt: skip
    assert [plain.owner(column) for column in columns] == [
        "dynamics", "observation", "reward", "termination", "time limit", "info", "reset", "chance", "legal actions",
        "turns",
    ]  # fmt: skip


def test_tolerance_is_for_columns_or_for_all_of_a_kind():
    contract = read(HEAD + "[[tolerance]]\ncolumns = ['state', 'reward']\nreason = 'float32'")
    assert [contract.rounds(c) for c in ("state.x", "reward", "observation")] == [True, True, False]


def test_a_phase_shows_the_state_without_some_of_it_and_blames_the_owner_of_a_value():
    text = HEAD + "[state]\nx = 'x'\ny = 'y'\n[[module]]\nname = 'm'\nowns = ['state.y']\n"
    found = read(text + "[[phase]]\nname = 'p'\nfunction = 'f'\nvalues = 'state'\nwithout = ['x']")
    (phase,) = found.phases
    assert list(phase.values) == ["y"]
    assert phase.module == ""
    assert found.owner("state.y") == "m"
