"""An environment that another package brings: a game for two with masks, its reference in Node, and the same in C.

Nothing in envwright knows of it. `tests/installed` is a folder as pip leaves it, with entry points for environments and
for a kind of reference.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import envwright
from envwright.cli import main
from envwright.core.registry import spec
from envwright.references.registry import find_kind, usages
from envwright.verifier.pairs import contract_of
from envwright.verifier.run import verify_names

INSTALLED = Path(__file__).parent / "installed"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node on this machine")


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(INSTALLED)
    monkeypatch.setenv("PYTHONPATH", str(INSTALLED))  # for processes that a command starts


def test_it_is_found_by_id_by_name_and_with_all_that_ships_with_it():
    found = spec("hoard")
    assert (found.id, found.reference, list(found.opponents)) == ("Hoard-v0", "pebbles:hoard.js", ["greedy"])
    assert found.file(found.card) == INSTALLED / "hoard" / "card.md"
    assert contract_of(found).candidate == "envwright:Hoard-v0"
    assert find_kind("pebbles:hoard.js", found.folder).source().files == [INSTALLED / "hoard" / "hoard.js"]
    assert "pebbles:FILE.js" in usages()


def test_list_shows_it(capsys):
    assert main(["list"]) == 0
    rows = {line.split("\t")[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "Pebbles for two" in rows["Hoard-v0"]
    assert "pebbles:hoard.js" in rows["Hoard-v0"]
    assert "The same in C" in rows["NativeHoard-v0"]


@needs_node
def test_it_is_verified_players_masks_turns_and_all():
    (verdict,) = verify_names(["hoard"], levels=["L0", "L1", "L3"], episodes=30)
    assert verdict.passed, verdict.text()
    columns = next(check.detail for check in verdict.checks if check.name == "episodes")
    assert "9 columns" in columns  # piles, turn, moves, observation, reward, both ends, mask, who acts


@pytest.mark.slow
@needs_node
def test_policies_transfer_between_node_and_jax():
    """Self-play on either side, and the same games on both."""
    (verdict,) = verify_names(["hoard"], levels=["L4"])
    assert verdict.passed, verdict.text()
    played = [check for check in verdict.checks if check.status == "pass"]
    assert len(played) == 9  # two seeds a side, finished and half-trained, and random
    assert all(check.numbers["equal_games"] == 60 for check in played)


@needs_node
def test_a_mask_that_is_wrong_is_found(monkeypatch):
    from hoard.env import Hoard  # pyright: ignore[reportMissingImports]

    monkeypatch.setattr(Hoard, "legal_actions", lambda self, state, params: _one_too_many(state))
    (verdict,) = verify_names(["hoard"], levels=["L3"], episodes=5)
    assert {d.column for check in verdict.checks for d in check.divergences} == {"legal_actions"}


def _one_too_many(state):
    import jax.numpy as jnp
    from hoard.env import PILE, TAKEN, WAIT  # pyright: ignore[reportMissingImports]

    moves = state.piles[PILE] + 1 >= TAKEN
    mine = jnp.append(moves, ~moves.any())
    return jnp.where((jnp.arange(2) == state.turn)[:, None], mine, jnp.arange(WAIT + 1) == WAIT)


@pytest.mark.parametrize("name", ["hoard", "nativehoard"])
def test_it_is_trained_evaluated_and_filmed_whatever_it_is_written_in(name, tmp_path, capsys):
    run = tmp_path / "run"
    assert main(["train", name, "--steps", "8192", "--out", str(run), "--games", "40"]) == 0
    told = capsys.readouterr().out
    assert "random" in told
    assert ("greedy" in told) == (name == "hoard")
    assert len((run / "metrics.jsonl").read_text().splitlines()) > 1
    assert main(["eval", str(run), "--games", "20", "--against", "random"]) == 0
    assert "win" in capsys.readouterr().out
    assert main(["watch", str(run), "--steps", "5", "--out", str(tmp_path / "game.gif")]) == 0
    assert (tmp_path / "game.gif").stat().st_size > 100


def test_batches_of_both_are_used_alike():
    for name in ("hoard", "nativehoard"):
        batch = envwright.batch(name, 6)
        obs = np.asarray(batch.reset(list(range(6))))
        legal = np.asarray(batch.legal_actions())
        assert (batch.players, obs.shape, legal.shape) == (2, (6, 2, 4), (6, 2, 10))
        actions = legal.argmax(axis=2).astype(np.int32)
        step = batch.step_and_restart(actions)
        assert np.asarray(step.reward).shape == (6, 2)
        saved = batch.save(3)
        after = np.asarray(batch.step(np.asarray(batch.legal_actions()).argmax(axis=2).astype(np.int32)).obs)
        batch.load(3, saved)
        again = np.asarray(batch.step(np.asarray(batch.legal_actions()).argmax(axis=2).astype(np.int32)).obs)
        np.testing.assert_array_equal(after[3], again[3])


def test_the_benchmark_takes_it(tmp_path, capsys):
    assert main(["bench", "nativehoard", "--quick", "--rounds", "1", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "bench-nativehoard.json").read_text())
    assert "envwright" in capsys.readouterr().out
    assert found
    capsys.readouterr()
