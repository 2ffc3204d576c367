"""Pokemon Showdown as a reference: its battles go on from any state that was taken out of them."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from envwright.core.errors import EnvwrightError, ReferenceUnavailableError
from envwright.envs.pokemon import columns as layout
from envwright.envs.pokemon import oracle, package, policies
from envwright.envs.pokemon.batched import ShowdownBattles
from envwright.envs.pokemon.learning import ShowdownBatch
from envwright.envs.pokemon.reference import ShowdownBattle
from envwright.envs.pokemon.states import possible
from envwright.references.legality import sample
from envwright.references.protocol import Outcome, ReferenceFailedError, TapeError, Watchpoint
from envwright.references.self_check import check_reference


@pytest.fixture(scope="module")
def battle() -> Iterator[ShowdownBattle]:
    try:
        found = ShowdownBattle(teams=("random", "custom"))
    except ReferenceUnavailableError as error:
        pytest.skip(str(error))
    yield found
    found.close()


def play(battle: ShowdownBattle, seed: int, most: int = 400) -> Iterator[tuple[Outcome, np.ndarray, Outcome]]:
    """A battle of random actions, as before, action and after."""
    rng, before = np.random.default_rng(seed), battle.reset(seed)
    while not before.terminated and (most := most - 1) >= 0:
        action = sample(rng, battle.legal())
        after = battle.step(action)
        yield before, action, after
        before = after


@pytest.mark.parametrize("seed", [0, 1])  # random teams, then custom ones
def test_a_battle_goes_on_alike_from_every_state_that_was_taken_out_of_it(battle: ShowdownBattle, seed: int) -> None:
    states: list[tuple[dict[str, np.ndarray], np.ndarray, Outcome, dict[str, np.ndarray]]] = []
    battle.reset(seed)
    now = battle.snapshot()
    for _, action, after in play(battle, seed, 60):
        states.append((now, action, after, now := battle.snapshot()))
    for state, action, after, then in states:
        battle.restore(state)
        legal = battle.legal()
        again = battle.step(action)
        for name, expected in then.items():
            np.testing.assert_array_equal(battle.snapshot()[name], expected, err_msg=name)
        np.testing.assert_array_equal(again.legal, after.legal)
        assert legal[np.arange(2), action].all()
        assert [line for line in again.info["log"] if "|-hint|" not in line] == [
            line for line in after.info["log"] if "|-hint|" not in line
        ]
        assert again.draws == after.draws


def test_it_repeats_itself(battle: ShowdownBattle) -> None:
    assert check_reference(battle, episodes=2, seed=5).findings == ()


def test_all_draws_follow_from_the_seed_that_a_tape_begins_with(battle: ShowdownBattle) -> None:
    for _, _, after in play(battle, 3, 25):
        high, low = after.draws[0].value
        x = high << 32 | low
        for draw in after.draws[1:]:
            x = (x * 0x5D588B656C078965 + 0x269EC3) % 2**64
            least, beyond, value = draw.value
            assert value == least + ((x >> 32) * (beyond - least) >> 32), draw
        np.testing.assert_array_equal(battle.snapshot()["seed"], [x >> 32, x & 0xFFFFFFFF])


def test_an_update_can_be_taken_again_with_another_seed(battle: ShowdownBattle) -> None:
    battle.reset(0)
    state, action = battle.snapshot(), sample(np.random.default_rng(0), battle.legal())
    seeds = []
    for word in (1, 2, 1):
        battle.restore(state)
        tape = (battle.step(action).draws[0]._replace(value=[word, 0]),)
        battle.restore(state)
        battle.step(action, tape)
        seeds.append(battle.snapshot()["seed"].tolist())
    assert seeds[0] == seeds[2] != seeds[1]
    with pytest.raises(TapeError, match="begins with the seed"):
        battle.step(action, ())


def test_the_places_of_an_update_are_passed_in_order(battle: ShowdownBattle) -> None:
    battle.reset(0)
    places = ["choices", "order", "switches", "first", "second", "end"]
    glimpses, outcome = battle.watch([Watchpoint(place, place) for place in places], np.array([0, 0]))
    assert [one.phase for one in glimpses] == ["choices", "order", "first", "second", "end"]
    assert glimpses[0].names["seed"].tolist() == outcome.draws[0].value
    np.testing.assert_array_equal(glimpses[-1].names["hp"], battle.snapshot()["hp"])
    with pytest.raises(ReferenceFailedError, match="no place middle"):
        battle.watch([Watchpoint("middle", "middle")], np.array([0, 0]))


def test_states_made_up_by_the_contract_are_accepted_and_kept(battle: ShowdownBattle) -> None:
    battle.reset(1)
    pool = [battle.snapshot()]
    for seed in (0, 1):
        pool += [battle.snapshot() for _, _, after in play(battle, seed, 60) if not after.terminated]
    rng = np.random.default_rng(0)
    for _ in range(60):
        state = possible(rng, pool)
        battle.restore(state)
        action = sample(rng, battle.legal())
        battle.step(action)
        battle.restore(state)
        read = battle._oracle.ask("put", state=layout.write(layout.read(state)))
        assert read["state"] == layout.write(layout.read(state))


def test_many_battles_at_once_are_those_of_one(battle: ShowdownBattle) -> None:
    many = ShowdownBattles(10, processes=2, traced=True)
    rng = np.random.default_rng(0)
    before = many.reset(3)
    for _ in range(12):
        legal = before.columns["legal_actions"]
        actions = np.stack([sample(rng, mask) for mask in legal])
        after = many.step(actions)
        for game in (0, 7, 9):
            if after.columns["terminated"][game]:
                continue
            battle.restore(many.snapshot(before.columns, game))
            drawn = battle.step(actions[game]).draws
            battle.restore(many.snapshot(before.columns, game))
            battle.step(actions[game], many.tape(drawn, after.chance, game))
            for name, expected in many.snapshot(after.columns, game).items():
                np.testing.assert_array_equal(battle.snapshot()[name], expected, err_msg=name)
        before = after
    coverage = many.counted()
    many.close()
    assert sum(coverage["move"].values()) > 50
    assert any("tryMoveHit" in place for place in coverage["draw"])


def test_an_action_that_is_not_legal_is_refused_and_nothing_is_lost(battle: ShowdownBattle) -> None:
    battle.reset(0)
    before = battle.snapshot()
    with pytest.raises(ReferenceFailedError, match=r"Side 0 cannot take action 4 here; it can take 0, 1, 2, 3, 5"):
        battle.step(np.array([4, 0]))
    with pytest.raises(ReferenceFailedError, match="an action of each of two sides, and here are 3"):
        battle.step(np.array([0, 0, 0]))
    battle.step(np.array([0, 0]))
    assert battle.snapshot()["turn"] > before["turn"]


def test_a_process_that_dies_in_a_battle_is_told_and_a_reset_starts_another(battle: ShowdownBattle) -> None:
    battle.reset(0)
    first = battle.snapshot()
    os.kill(battle._oracle.pid, signal.SIGKILL)
    with pytest.raises(ReferenceFailedError, match=r"was ended by signal 9.*a reset starts it anew"):
        battle.step(np.array([0, 0]))
    battle.reset(0)
    np.testing.assert_array_equal(battle.snapshot()["species"], first["species"])


def test_without_node_a_sentence_says_so(battle: ShowdownBattle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(oracle.NODE, "/nowhere/node")
    with pytest.raises(ReferenceUnavailableError, match="Node cannot be started"):
        ShowdownBattle()


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(package.PLACE, str(tmp_path))
    (tmp_path / "package.json").write_text('{"version": "0.11.10"}')
    with pytest.raises(ReferenceUnavailableError, match=r"pokemon-showdown 0\.11\.10, but 0\.11\.11 is needed"):
        package.folder()
    (tmp_path / "package.json").write_text(f'{{"version": "{package.VERSION}"}}')
    with pytest.raises(ReferenceUnavailableError, match="is not the published"):
        package.folder()
    monkeypatch.setenv(package.PLACE, str(tmp_path / "none"))
    with pytest.raises(ReferenceUnavailableError, match="correct"):
        package.folder()


def test_what_is_not_installed_says_how_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(package.PLACE, raising=False)
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path))
    with pytest.raises(ReferenceUnavailableError, match="run: envwright reference pokemon"):
        package.folder()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ReferenceUnavailableError, match="npm, which installs"):
        package.install()
    with pytest.raises(ReferenceUnavailableError, match="cannot be read"):
        package.install(tmp_path / "missing.tgz")
    assert not list(tmp_path.rglob("package.json"))


def test_policies_take_legal_actions_only() -> None:
    rng = np.random.default_rng(0)
    columns = {name: np.zeros((50, *shape), kind) for name, (kind, shape) in layout.STATE.items()}
    columns["active_moves"][:] = rng.integers(1, 60, (50, 2, 4))
    columns["order"][:] = np.arange(6)
    legal = rng.random((50, 2, 10)) < 0.4
    legal[..., 0] |= ~legal.any(axis=2)
    for name, policy in policies.all_policies().items():
        for _ in range(3):
            chosen = policy(columns, legal, rng)
            assert np.take_along_axis(legal, chosen[..., None], 2).all(), name


def test_kinds_of_other_formats_are_refused() -> None:
    from envwright.envs.pokemon.kind import Showdown

    with pytest.raises(EnvwrightError, match="it runs gen1randombattle"):
        Showdown("gen9ou")


def test_learners_see_battles_as_the_environment_shows_them(battle: ShowdownBattle) -> None:
    batch = ShowdownBatch(3, battle.observation_space, battle.action_space, masked=True)
    obs, rng, ended = batch.reset([1, 2, 3]), np.random.default_rng(0), 0
    for _ in range(120):
        legal = batch.legal_actions()
        assert legal is not None
        assert legal.any(axis=2).all()
        step = batch.step_and_restart(np.stack([sample(rng, mask) for mask in legal]))
        ended += int(step.terminated.sum())
        assert (np.abs(step.reward).sum(axis=1) == 2 * (np.abs(step.reward[:, 0]) > 0)).all()
        assert step.obs.shape == step.final_obs.shape == obs.shape
        apart = (step.final_obs != step.obs).any(axis=(1, 2))
        assert not apart[~step.terminated].any()
    assert ended
    again = batch.reset([1, 2, 3])
    np.testing.assert_array_equal(again, obs)
