"""Who races whom, and what is refused before any work."""

import argparse
import dataclasses
import importlib.util

import pytest
from made_up import findings, result

from envwright.bench import sides
from envwright.bench.plan import (
    PPO,
    RANDOM,
    BenchPlan,
    best,
    choose_peers,
    on_cores,
    parse_options,
    parts_of,
    sweep_jobs,
)
from envwright.bench.stages import at_each_batch, fastest_layout, final
from envwright.cli import bench as command
from envwright.core.errors import EnvwrightError

PLAN = BenchPlan("CartPole-v1", ("gymnax", "rejax"), cores=2)


def run(*args: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.run(parser.parse_args(args))


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["pnog"], "There is no environment 'pnog'; did you mean 'Pong-v0'?"),
        (["pong", "--against", "referense"], "There is no peer 'referense' to race against; did you mean 'reference'?"),
        (["pong", "--against", "xyz"], "There is no peer 'xyz' to race against; there are reference, gymnax"),
        (["pong", "--against", "gymnax"], "The peer 'gymnax' has no Pong-v0; race against reference."),
        (
            ["cartpole", "--against", "reference"],
            "'reference' has no CartPole-v1; race against gymnax, gymnasium, rejax, envpool.",
        ),
        (["pong", "--against", "mujoco"], "The peer 'mujoco' has no Pong-v0; race against reference."),
        (["cartpole", "--against", "brax"], "The peer 'brax' has no CartPole-v1; race against gymnax, gymnasium"),
        (["pong", "--against", ","], "--against wants names of peers"),
        (["pong", "--against", "gymnax,xyz"], "The peer 'gymnax' has no Pong-v0"),
        (["cartpole", "--against", "gymnax", "--with", "frameskip"], "'frameskip' is not an option of an environment"),
        (["cartpole", "--against", "gymnax", "--with", "wind=3"], "CartPole-v1 cannot be made with {'wind': 3}"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_before_any_work(args, sentence, tmp_path):
    with pytest.raises(EnvwrightError) as error:
        run(*args, "--out", str(tmp_path / "out"))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_peer_that_is_not_installed_says_how_to_install_it(monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "gymnax" else there(name, *a))
    with pytest.raises(EnvwrightError, match=r"needs the package 'gymnax'.*pip install 'envwright\[gymnax\]'"):
        choose_peers("CartPole-v1", "gymnax")
    found = choose_peers("CartPole-v1", None)
    assert found[0] == "gymnasium"
    assert set(found) <= {"gymnasium", "envpool"}  # rejax needs gymnax as well; envpool may be installed


@pytest.mark.parametrize(
    ("peer", "package"), [("mujoco", "mujoco"), ("mjx", "mujoco"), ("brax", "brax"), ("envpool", "envpool")]
)
def test_peers_on_mujoco_say_how_to_install_them(peer, package, monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == package else there(name, *a))
    wanted = rf"needs the package '{package}'.*pip install 'envwright\[mujoco-peers\]'"
    with pytest.raises(EnvwrightError, match=wanted):
        choose_peers("HalfCheetah-v5", peer)


def test_peers_are_raced_once_each_however_they_are_written():
    assert choose_peers("CartPole-v1", " Gymnax,gymnasium,gymnax ") == ("gymnax", "gymnasium")


def test_a_sweep_tries_every_layout_of_every_side_that_can():
    jobs = sweep_jobs(PLAN, RANDOM, 2048)
    assert {(job.side, job.layout) for job in jobs} == {
        (name, layout) for name in ("gymnax", "envwright") for layout in sides.side(name).layouts(RANDOM)
    }
    assert {(job.num_envs, job.cores) for job in jobs} == {(2048, 2)}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("cores", [1, 2, 3, 12, 64, 192])
def test_batches_are_equal_shares_and_no_peer_is_spared_all_of_them(cores, quick):
    batches = BenchPlan("CartPole-v1", sides.PEERS, cores=cores, quick=quick).batches(RANDOM)
    assert all(batch % cores == 0 for batch in batches)
    assert sorted(set(batches)) == [*batches]
    assert any(1024 <= batch < 1024 + cores for batch in batches)
    for name in (sides.OURS, *sides.PEERS):
        assert any(batch <= sides.side(name).LARGEST for batch in batches), name


def test_who_names_peers_that_only_step_gets_no_training():
    stepping = BenchPlan("CartPole-v1", ("gymnasium",), cores=2)
    assert parts_of(stepping, named=True) == (RANDOM, "roof")
    assert parts_of(stepping, named=False) == parts_of(PLAN, named=True) == (RANDOM, PPO, "share", "roof")
    assert parts_of(dataclasses.replace(PLAN, quick=True), named=True) == (RANDOM,)


def test_batches_that_a_side_cannot_hold_are_spared_it():
    plan = BenchPlan("CartPole-v1", ("gymnasium",), cores=2)
    assert {job.side for job in sweep_jobs(plan, RANDOM, 32768)} == {"envwright"}


def test_an_agent_has_the_same_batch_whether_it_trains_alone_or_on_every_core():
    jobs = sweep_jobs(PLAN, PPO, 64)
    assert jobs
    for job in jobs:
        assert {share.num_envs for share in job.shares()} == {64}
        assert {share.num_envs for share in on_cores(job, 1).shares()} == {64}


def test_random_actions_keep_the_environments_of_a_core():
    assert {on_cores(job, 1).num_envs for job in sweep_jobs(PLAN, RANDOM, 2048)} == {1024}


def test_the_best_is_the_fastest_median_of_a_side():
    results = [
        result("envwright", "plain", 1, 5.0),
        result("envwright", "processes", 1, 7.0),
        result("gymnax", "plain", 1, 9.0),
    ]
    winner, together = best(results, "envwright"), best(results, "envwright", together=True)
    assert winner is results[1]
    assert together is results[0]
    assert best(results, "rejax") is None


def test_the_layout_to_remember_for_training_is_one_that_trains_one_agent():
    results = [result("envwright", "plain", 1, 5.0), result("envwright", "processes", 1, 7.0)]
    assert fastest_layout(RANDOM, results) == "processes"
    assert fastest_layout(PPO, results) == "plain"


def test_a_final_compares_ours_with_every_peer():
    found = final(RANDOM, "1 core", 1, [result("gymnax", "plain", 1, 2.0), result("envwright", "plain", 1, 6.0)])
    assert found.ratios["gymnax"].median == pytest.approx(3)
    assert list(found.ratios) == ["gymnax"]


def test_each_batch_is_compared_among_those_that_ran_it():
    swept = [
        result("gymnax", "plain", 256, 2.0),
        result("gymnax", "processes", 256, 3.0),
        result("envwright", "plain", 256, 6.0),
        result("envwright", "sharded", 256, 9.0),
        result("envwright", "sharded", 4096, 9.0),
        result("rejax", "plain", 512, 9.0),
    ]
    found = at_each_batch(PLAN, RANDOM, swept)
    assert [(one.label, {name: ratio.median for name, ratio in one.ratios.items()}) for one in found] == [
        ("256 envs, 2 cores", {"gymnax": pytest.approx(3)})
    ]
    gymnax = found[0].of("gymnax")
    assert gymnax is not None
    assert gymnax.job.layout == "processes"


def test_shares_and_roofs_are_ratios_of_rates():
    found = findings()
    assert found.shares[0].share.median == pytest.approx(5000 / 2e6)
    assert found.roof is not None
    assert found.roof.reached("matmul").median == pytest.approx(200 * 2e8 / 2e11)
    assert found.roof.reached("memory").median == pytest.approx(300 * 2e8 / 2e10)


def test_options_are_read_as_what_they_look_like():
    assert parse_options(["frameskip=8", "continuous=true", "name=x"]) == {
        "frameskip": 8,
        "continuous": True,
        "name": "x",
    }
