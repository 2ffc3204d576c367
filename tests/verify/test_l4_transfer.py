"""L4: policies trained on both sides, played on both. What is sound passes, what is not is found and traced."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from planting import divergences, kept_at
from slow_opponent import plant_slow_opponent
from walking import TERMS, terms

from envwright.api.verified import Verified
from envwright.candidates.jax_candidate import JaxCandidate
from envwright.cli.verify import _exit_code
from envwright.envs.pong.policies import as_actions, attack
from envwright.verifier import contract as contracts
from envwright.verifier import pairs
from envwright.verifier.contract import Contract, ContractError
from envwright.verifier.engine import pair_of, verify
from envwright.verifier.levels import l4_transfer
from envwright.verifier.replay import replay
from envwright.verifier.session import Effort, Session
from envwright.verifier.transfer.players import RandomPlayer, chosen, keeps
from envwright.verifier.verdict import Verdict, write

QUICK = """\
num_envs = 16
steps = 32
total_steps = 4096
learning_rate = 1e-2
epochs = 1
minibatches = 1
[network]
hidden = [8]
"""
EFFORT = Effort(limit=300, states=200, corners=50, pool=100, draws=500, episodes=6)


def transfer(folder, **more: Any) -> str:
    (folder / "ppo.toml").write_text(QUICK)
    lines = {"config": str(folder / "ppo.toml"), "seeds": 2, "games": 30, **more}
    return "\n[transfer]\n" + "\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()) + "\n"


def ask(contract: Contract, candidate: Any = None, keep: Any = None) -> Verdict:
    host = pairs.make_host(contract, apart=False)
    candidate = candidate or pairs.make_candidate(contract)
    try:
        return verify(contract, host, candidate, effort=EFFORT, levels=["L4"], regressions=keep)
    finally:
        host.close()


def checks(verdict: Verdict) -> dict[str, Any]:
    return {check.name: check for check in verdict.checks}


# ---- what is sound ----


def test_cartpole_passes_both_ways_and_prints_what_decided_it(tmp_path):
    contract = pairs.find_contract(["cartpole"])
    (tmp_path / "ppo.toml").write_text(QUICK)
    quick = replace(contract.transfer, config=str(tmp_path / "ppo.toml"), seeds=2, games=30)
    verdict = ask(replace(contract, transfer=quick))
    assert verdict.passed, verdict.text()
    found = checks(verdict)
    sides = ("gymnasium:CartPole-v1", "envwright:cartpole")
    players = [f"trained on {side}, seed {s}, {how}" for side in sides for s in (0, 1) for how in HOW]
    assert list(found)[:9] == [*players, "random"]
    check = found[players[0]]
    assert "margin" in check.detail
    assert "p = 0 (every pair equal), power 1.00, 30 games, 30 equal step for step" in check.detail
    assert (check.numbers["p"], check.numbers["pairs"], check.numbers["judgement"]) == (0.0, 30, "equivalent")
    assert check.numbers["reference"] == check.numbers["candidate"] > 5
    assert {found[name].status for name in list(found)[9:]} <= {"pass", "note"}  # the learning curves
    assert "cause" not in found
    write([verdict], tmp_path / "v.json")
    kept = json.loads((tmp_path / "v.json").read_text())["verdicts"][0]["checks"][0]["numbers"]
    assert kept["interval"] == [0.0, 0.0]
    assert _exit_code(Verified((verdict,))) == 0


HOW = ("finished", "half-trained")


# ---- what is not ----


def test_a_fault_in_a_world_full_of_luck_is_found_traced_and_replayed(tmp_path):
    """The wind is handed in, so the returns differ by the fault alone."""
    path = tmp_path / "walk.toml"
    path.write_text(terms(fault="step") + transfer(tmp_path, games=60))
    verdict = ask(contracts.load(path), keep=tmp_path / "kept")
    assert verdict.failed, verdict.text()
    assert _exit_code(Verified((verdict,))) == 1
    cause = checks(verdict)["cause"]
    (found,) = cause.divergences
    assert (found.module, found.column) == ("dynamics", "state.at")
    assert (found.input["at"], found.input["action"]) == (4, 1)
    assert replay(kept_at(found)).status == "fail"


class Attacker:
    """Hits with a moving paddle, which makes the ball fast: what a trained policy learns."""

    name = "attacker"

    def no_memory(self, many: int) -> Any:
        return np.zeros((many, 0))

    def noise(self, rng: np.random.Generator, many: int) -> Any:
        return rng.random(many)

    def act(self, obs: Any, memory: Any, noise: Any, legal: Any = None) -> Any:
        """Every tenth time it does nothing, or its games would all be the same."""
        actions = as_actions(attack(8)(obs, np.random.default_rng(0)), continuous=False)
        return np.where(noise < 0.1, 0, actions).astype(np.int32), memory


def pong_session(folder, *, fault: bool, games: int) -> Session:
    planted = plant_slow_opponent(folder, f"games = {games}", fault=fault)
    contract = contracts.load(planted.contract)
    host = pairs.make_host(contract, apart=False)
    effort = replace(EFFORT, limit=4000)
    candidate = pairs.make_candidate(contract)
    return Session(contract, host, candidate, effort, pair=pair_of(contract), regressions=folder / "kept")


@pytest.mark.parametrize(("fault", "games"), [(False, 4), (True, 24)])
def test_a_slower_opponent_shows_to_who_makes_the_ball_fast(tmp_path, pong_library, fault, games):
    session = pong_session(tmp_path, fault=fault, games=games)
    players = [Attacker(), RandomPlayer(session.candidate.action_space)]  # pyright: ignore[reportArgumentType]
    theirs, ours = l4_transfer.play_both(session, players)
    margin = 0.2 * l4_transfer.noise_of(theirs)
    seated = l4_transfer.by_seat(players, theirs, ours, 1)
    found = [l4_transfer.judge(session, name, *row[1:], margin, 2) for name, row in seated.items()]
    assert [check.status for check in found] == ["fail" if fault else "pass", "pass"]
    assert found[1].numbers["equal_games"] == games  # who plays at random never meets it
    if not fault:
        assert found[0].numbers["equal_games"] == games
        assert l4_transfer.blame(session, found, seated) == []


@pytest.mark.slow
def test_a_slower_opponent_is_found_by_l4_alone(tmp_path, pong_library):
    config = QUICK.replace("num_envs = 16", "num_envs = 256").replace("steps = 32\n", "steps = 64\n")
    for old, new in (
        ("1e-2", "2e-3\ngamma = 0.97\nentropy = 0.003"),
        ("epochs = 1", "epochs = 4"),
        ("[8]", "[64, 64]"),
    ):
        config = config.replace(old, new)
    config = config.replace("minibatches = 1", "minibatches = 8")
    planted = plant_slow_opponent(tmp_path, "games = 40\nseeds = 2\nsteps = 800_000", config=config)
    contract = contracts.load(planted.contract)
    host = pairs.make_host(contract)
    effort = replace(EFFORT, limit=8000)
    try:
        verdict = verify(
            contract, host, pairs.make_candidate(contract), effort=effort, levels=["L4"], regressions=tmp_path / "kept"
        )
    finally:
        host.close()
    assert verdict.failed, verdict.text()
    different = [name for name, check in checks(verdict).items() if check.numbers.get("judgement") == "different"]
    assert any("finished" in name for name in different), verdict.text()
    assert verdict.modules == ("paddles",)
    (found,) = divergences(verdict)
    assert found.column == "state.paddle_yl"
    assert replay(kept_at(found)).status == "fail"
    planted.undo()
    assert replay(kept_at(found)).status == "pass"


# ---- what cannot be told ----


def test_a_few_noisy_games_that_cannot_be_paired_leave_it_open(tmp_path):
    contract = contracts.read(TERMS + transfer(tmp_path, games=10))
    full = pairs.make_candidate(contract)
    assert isinstance(full, JaxCandidate)
    keyed = JaxCandidate(replace(full.rules, split=None))  # draws its own luck and takes none
    verdict = ask(contract, keyed)
    assert verdict.open, verdict.text()
    assert not verdict.passed
    assert not verdict.failed
    assert verdict.text().startswith("OPEN")
    check = next(check for check in verdict.checks if check.status == "open")
    assert check.numbers["pairs"] == 0
    assert check.numbers["power"] < 0.8
    assert "games a side, p of equal lengths" in check.detail
    assert "would have passed: play more games" in check.detail
    assert checks(verdict)["cause"].status == "note"
    assert _exit_code(Verified((verdict,))) == 3
    write([verdict], tmp_path / "v.json")
    content = json.loads((tmp_path / "v.json").read_text())
    assert (content["passed"], content["open"]) == (False, True)


def test_a_form_that_nobody_is_trained_on_is_skipped_with_the_reason(tmp_path):
    text = transfer(tmp_path)
    (tmp_path / "ppo.toml").write_text(QUICK.replace("[network]", "[env_options]\nfault = 'step'\n[network]"))
    verdict = ask(contracts.read(TERMS + text))
    (check,) = verdict.checks
    assert (check.status, check.detail) == (
        "skip",
        "policies are trained on the form with fault step, and compared there",
    )


# ---- the pieces ----


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("margin = 0", "margin is a positive number of standard deviations, not 0"),
        ("margin = 0.1", "give the reason for the margin as a sentence"),
        ("seeds = 1", "seeds is a whole number from 2, not 1"),
        ("games = 'many'", "games is a whole number from 2, not 'many'"),
        ("steps = true", "steps is a whole number from 1, not True"),
        ("config = 3", r"config is the path of a ppo\.toml, not 3"),
        ("margins = 0.2", "unknown key margins; did you mean margin"),
    ],
)
def test_terms_that_make_no_sense_are_one_sentence(line, says):
    with pytest.raises(ContractError, match=rf"contract, \[transfer\]: {says}"):
        contracts.read(f"{TERMS}\n[transfer]\n{line}\n")


def test_the_margin_is_part_of_what_is_hashed():
    one, other = (contracts.read(f"{TERMS}\n[transfer]\nmargin = {m}\nreason = 'r'\n") for m in (0.1, 0.2))
    assert one.sha256 != other.sha256
    assert contracts.read(TERMS).transfer.margin == 0.2


@dataclass
class FakePlayer:
    update: int
    name: str = ""
    weights: dict[str, Any] = field(default_factory=dict)


def test_the_half_trained_policy_is_from_the_way_up_not_from_the_top():
    curve = np.array([0.0, 1, 2, 20, 60, 95, 99, 100, 100, 100, 100, 100])
    kept = {update: FakePlayer(update) for update in keeps(len(curve))}
    finished, half = chosen(kept, curve, "x, seed 0")  # pyright: ignore[reportArgumentType]
    assert (finished.update, half.update) == (12, 4)  # pyright: ignore[reportAttributeAccessIssue]
    assert half.name == "trained on x, seed 0, half-trained"
    assert keeps(100)[-1] == 100
    assert len(keeps(100)) == 24
