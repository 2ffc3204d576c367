"""Every side does in a worker what it says it can. Sizes are tiny; how fast it is does not matter here."""

import argparse
import json

import pytest

from envwright.bench import sides
from envwright.bench.competitor import available_cores
from envwright.bench.job import Job
from envwright.bench.plan import PPO, RANDOM, BenchPlan, sweep_jobs
from envwright.bench.race import race
from envwright.bench.roof import step_cost
from envwright.bench.sides import envwright_side
from envwright.bench.sides.training import hidden_for, inputs_and_outputs
from envwright.cli import bench as command
from envwright.core import make, register, registry
from envwright.core.layouts import PLAIN, PROCESSES, recall
from envwright.training import networks
from envwright.training.config import Config, Network
from envwright.training.ppo import Trainer
from native_games import register_native

PPO_TINY = {"steps": 8, "minibatches": 2, "epochs": 1, "hidden": 8}
SHARE_TINY = {"steps": 4, "minibatches": 1, "epochs": 1, "parameters": 5000}


def once(*jobs: Job) -> list[str]:
    """Race for a moment; the parts that were timed."""
    results = race(jobs, rounds=1, turn=0.001)
    assert all(rate > 0 for result in results for rate in result.rates)
    return [result.part for result in results]


@pytest.mark.parametrize("env", ["CartPole-v1", "Pong-v0"])
@pytest.mark.parametrize("parameters", [2_000, 2_000_000])
def test_networks_are_as_large_as_asked(env, parameters):
    made = make(env)
    hidden = hidden_for(parameters, *inputs_and_outputs(made))
    trainer = Trainer(made, Config(num_envs=2, steps=4, network=Network(hidden=(hidden, hidden))), devices=1)
    import jax

    weights = jax.eval_shape(trainer.start).learner.weights
    assert networks.count(weights) == pytest.approx(parameters, rel=0.05)


def test_a_call_of_ours_is_as_long_whatever_a_step_takes():
    """A step of physics takes a thousand times what one of CartPole does, and a turn is a third of a second."""
    light, heavy = (envwright_side._operations(make(env)) for env in ("CartPole-v1", "HalfCheetah-v5"))
    assert 30 < light < 300
    assert 50_000 < heavy < 5_000_000


@pytest.mark.parametrize("env", ["CartPole-v1", "Pong-v0"])
def test_what_a_step_asks_does_not_depend_on_the_batch(env):
    small, large = step_cost(env, 64, {}), step_cost(env, 256, {})
    assert small["flops_a_step"] == pytest.approx(large["flops_a_step"], rel=0.1)
    assert 20 < large["flops_a_step"] < 2000
    assert 50 < large["bytes_a_step"] < 5000


def test_a_step_that_holds_a_loop_is_said_to_ask_for_more_than_is_counted():
    assert not step_cost("Pong-v0", 64, {})["loops"]
    assert step_cost("Pong-v0", 64, {"frameskip": 2})["loops"]


@pytest.mark.parametrize("env", ["NativeCorridor-v0", "NativeNim-v0"])
def test_ours_races_what_is_not_in_jax(env):
    register_native()
    built = [envwright_side.build(Job("envwright", env, what, "one device", 1, 8, {}, sizes))
             for what, sizes in ((RANDOM, {}), (PPO, PPO_TINY), ("share", SHARE_TINY))]  # fmt: skip
    assert [list(side.parts) for side in built] == [["run"], ["run"], ["env", "update"]]
    assert [part(1) > 0 for side in built for part in side.parts.values()] == [True] * 4
    assert built[2].facts["parameters"] == pytest.approx(SHARE_TINY["parameters"], rel=0.05)
    layouts = {job.layout for job in sweep_jobs(BenchPlan(env, (), cores=2, native=True), RANDOM, 8)}
    assert layouts == {PLAIN, PROCESSES}, "there are no devices to share it"


def test_a_peer_has_what_is_translated_from_its_own(tmp_path, monkeypatch):
    """Whatever is registered, a new environment among it; nothing is said to gymnax that it does not have."""
    monkeypatch.setattr(registry, "_specs", dict(registry._specs))
    for name, reference in (("acrobot", "gymnasium:Acrobot-v1"), ("taxi", "gymnasium:Taxi-v3"), ("own", "made:Up")):
        (tmp_path / f"peer_{name}").mkdir()
        (tmp_path / f"peer_{name}" / "__init__.py").touch()
        (tmp_path / f"peer_{name}" / "contract.toml").write_text(f'reference = "{reference}"\n')
        register(f"Peer{name.capitalize()}-v0", f"peer_{name}:Env")
    monkeypatch.syspath_prepend(tmp_path)
    ours = ("CartPole-v1", "Pong-v0", "PeerAcrobot-v0", "PeerTaxi-v0", "PeerOwn-v0")
    gymnasium, gymnax = (sides.side(name).ENVS or {} for name in ("gymnasium", "gymnax"))
    assert [gymnasium.get(id) for id in ours] == ["CartPole-v1", None, "Acrobot-v1", "Taxi-v3", None]
    pytest.importorskip("gymnax")
    assert [gymnax.get(id) for id in ours] == ["CartPole-v1", None, "Acrobot-v1", None, None]


CAN = [
    ("envwright", RANDOM),
    ("envwright", PPO),
    ("reference", RANDOM),
    ("reference", PPO),
    ("gymnax", RANDOM),
    ("gymnasium", RANDOM),
    ("rejax", PPO),
    ("mujoco", RANDOM),
    ("mjx", RANDOM),
    ("brax", RANDOM),
    ("envpool", RANDOM),
]
LIGHTEST = dict.fromkeys(("mjx", "brax"), "InvertedPendulum-v5")  # others take a minute to compile


def test_every_side_has_layouts_for_what_it_can_do_and_for_nothing_else():
    names = ("envwright", *sides.PEERS)
    assert [(name, what) for name in names for what in (RANDOM, PPO) if sides.side(name).layouts(what)] == CAN


@pytest.mark.slow
@pytest.mark.parametrize(("name", "what"), CAN)
def test_every_layout_of_every_side_runs(name, what, request, monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)  # what the tests turn on for ours is not for others
    side = sides.side(name)
    env = LIGHTEST.get(name) or next(iter(side.ENVS or ["CartPole-v1"]))
    if name == "reference":
        request.getfixturevalue("pong_library")
    for package in side.NEEDS:
        pytest.importorskip(package)
    cores = len(available_cores())
    jobs = [Job(name, env, what, layout, cores, 16 * cores, {}, PPO_TINY) for layout in side.layouts(what)]
    assert once(*jobs) == ["run"] * len(jobs) != []


@pytest.mark.slow
def test_shares_time_the_environment_and_the_update(pong_library):
    for name in ("reference", "envwright"):
        assert once(Job(name, "Pong-v0", "share", "one device", 1, 8, {}, SHARE_TINY)) == ["env", "update"]


@pytest.mark.slow
def test_the_machine_has_limits():
    assert once(Job(sides.MACHINE, "CartPole-v1", "roof", "processes", 1, 64)) == ["matmul", "chain", "cache", "memory"]


@pytest.mark.slow
def test_a_benchmark_from_the_command_to_the_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ENVWRIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(BenchPlan, "batches", lambda self, what: (32 * self.cores,))
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    args = ["cartpole", "--against", "gymnasium", "--only", "random", "--rounds", "1", "--out", str(tmp_path)]
    assert command.run(parser.parse_args(args)) == 0
    said = capsys.readouterr().out
    assert "A step is one decision of an agent" in said
    read = json.loads((tmp_path / "bench-cartpole.json").read_text())
    assert {row["side"] for row in read["sweeps"]["random"]} == {"envwright", "gymnasium"}
    assert read["left_out"] == []
    assert recall("CartPole-v1", "random") == read["fastest_layout"]["random"]
    assert (tmp_path / "bench-cartpole.png").stat().st_size > 10_000
    assert not list(tmp_path.glob("*.part"))
