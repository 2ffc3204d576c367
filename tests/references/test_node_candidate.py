"""A candidate in JAX, held against its original in JavaScript."""

import importlib.util
import sys
import tomllib
from types import ModuleType
from typing import Any

import jax
import numpy as np
from node_games import GAMES, needs_node, play

from envwright.core.record import field_names
from envwright.references.node import NodeReference
from envwright.references.protocol import (
    Draw,
    Glimpse,
    Outcome,
    Watchpoint,
)

pytestmark = needs_node


def load_candidate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pig_candidate", GAMES / "pig_candidate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def chance_of(expressions: dict[str, str], draws: tuple[Draw, ...]) -> dict[str, Any]:
    """The candidate's luck, by the contract's expressions."""
    names = {
        "draws": lambda function: [draw.value for draw in draws if draw.site.split()[-1] == function],
        "pad": lambda values, n, fill=0: [*values, *[fill] * (n - len(values))],
    }
    return {name: np.asarray(eval(text, names), np.int32) for name, text in expressions.items()}


def test_the_candidate_replays_200_episodes_exactly(pig: NodeReference) -> None:
    contract = tomllib.loads((GAMES / "pig.toml").read_text())
    module = load_candidate()
    env, params = module.Pig(), module.Params()
    assert set(contract["state"]) == set(field_names(module.State))
    [phase] = contract["phase"]
    point = Watchpoint(phase["name"], phase["function"], phase["line"])

    @jax.jit
    def replay(first: Any, actions: Any, lucks: Any) -> Any:
        def one(state: Any, given: Any) -> Any:
            step = env.apply(state, *given, params)
            return step.state, (step, env.phases(state, *given, params))

        obs, state = env.start(first, params)
        return (obs, state), jax.lax.scan(one, state, (actions, lucks))[1]

    def check(ours: Any, at: int | tuple[()], outcome: Outcome, seen: dict[str, Any], where: str) -> None:
        for field, name in contract["state"].items():
            assert np.array_equal(getattr(ours[1], field)[at], seen[name]), f"{field} {where}"
        assert np.array_equal(ours[0][at], outcome.obs), where

    ends, steps, thrown = set(), 0, 0
    habits = [0.1, 0.3, 0.6], [0.05, 0.9, 0.05], [0.3, 0.7, 0.0]
    for seed in range(200):
        rng = np.random.default_rng(seed)
        start = outcome = pig.reset(seed)
        begun, rows = pig.look(), list[tuple[int, list[Glimpse], Outcome, dict[str, Any]]]()
        while not (outcome.terminated or outcome.truncated):
            action = int(rng.choice(3, p=habits[seed % 3]))
            glimpses, outcome = pig.watch([point], action) if seed < 10 else ([], pig.step(action))
            rows.append((action, glimpses, outcome, pig.look()))
        padded = [*rows, *[rows[-1]] * (module.LIMIT - len(rows))]
        lucks = [module.Luck(**chance_of(contract["chance"]["step"], row[2].draws)) for row in padded]
        first = chance_of(contract["chance"]["start"], start.draws)["value"]
        actions = np.array([row[0] for row in padded], np.int32)
        initial, (ours, phases) = jax.device_get(replay(first, actions, jax.tree.map(lambda *x: np.stack(x), *lucks)))
        check(initial, (), start, begun, f"after reset {seed}")
        for t, (_, glimpses, outcome, seen) in enumerate(rows):
            check(ours, t, outcome, seen, f"in episode {seed} after step {t}")
            assert (ours.reward[t], ours.terminated[t], ours.truncated[t]) == outcome[1:4]
            for glimpse in glimpses:
                for name, value in phases[glimpse.phase].items():
                    assert np.array_equal(value[t], glimpse.names[phase["values"][name]]), name
            thrown += len(glimpses)
        steps += len(rows)
        ends.add((outcome.terminated, outcome.truncated, rows[-1][3]["score"] >= 60))
    assert steps > 2000
    assert thrown > 50
    assert {(True, False, False), (True, False, True), (False, True, False)} <= ends


def test_the_contracts_functions_agree_on_what_they_are_called_with(pig: NodeReference) -> None:
    contract = tomllib.loads((GAMES / "pig.toml").read_text())
    module = load_candidate()
    names = [function["reference"] for function in contract["function"]]

    def episodes() -> None:
        for seed in range(4):
            play(pig, seed)

    calls = pig.record_calls(names, episodes)
    dtypes = {"luck": np.float32}
    for function in contract["function"]:
        name = function["reference"]
        assert len(calls[name]) > 5
        for call in calls[name]:
            given = {key: np.asarray(value, dtypes.get(key, np.int32)) for key, value in call.items()}
            if "faces" in given:
                given["faces"] = np.pad(given["faces"], (0, 2 - len(given["faces"])))
            ours = getattr(module, function["candidate"])(*map(jax.numpy.asarray, given.values()))
            np.testing.assert_array_equal(ours, np.asarray(pig.call(name, list(call.values()))), err_msg=name)
