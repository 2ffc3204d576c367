"""Originals as they are installed: what the analysis says of them is held against what they do when they run."""

import functools
import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from envwright.recipe.analyse.facts import SETS_UP, Analysis
from envwright.recipe.analyse.find import analyse
from envwright.recipe.plan import make_plan, read_plan, source_of, write_plan
from envwright.references.protocol import Outcome
from envwright.references.registry import find_reference

GYMNASIUM = ("Blackjack-v1", "CartPole-v1", "Taxi-v4", "FrozenLake-v1", "Acrobot-v1")
NAMES = [*(f"gymnasium:{id}" for id in GYMNASIUM), "minatar:breakout", "minatar:seaquest"]


resolved = functools.cache(os.path.realpath)  # the analysis follows links, of a virtual environment for instance


class Played:
    """What was seen while a reference played: functions entered, places of luck, attributes that changed."""

    def __init__(self, name: str, files: set[str]) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.sites: set[tuple[str, int]] = set()
        self.changed: set[str] = set()
        reference = find_reference(name, {}, None)
        rng = np.random.default_rng(0)

        def profile(frame: FrameType, event: str, _: Any) -> None:
            code = frame.f_code
            file = resolved(code.co_filename)
            if event == "call" and file in files and not code.co_name.startswith("<"):
                self.functions.add((file, code.co_qualname.replace(".<locals>", "")))

        sys.setprofile(profile)
        try:
            for episode in range(4):
                self._look(reference.reset(seed=episode))
                for _ in range(120):
                    outcome = reference.step(reference.sample_action(rng))
                    self._look(outcome)
                    if outcome.terminated:
                        break
        finally:
            sys.setprofile(None)
        self.changed = set(reference.snapshot()) - {"elapsed_steps"}
        reference.close()

    def _look(self, outcome: Outcome) -> None:
        for draw in outcome.draws:
            file, _, line = draw.site.partition(" ")[0].rpartition(":")
            self.sites.add((Path(file).name, int(line)))


@pytest.fixture(scope="module", params=NAMES)
def original(request) -> tuple[str, Analysis, Played]:
    analysis = analyse(request.param)
    files = {str(analysis.root / source.path) for source in analysis.sources}
    return request.param, analysis, Played(request.param, files)


def test_every_function_that_runs_is_reachable(original):
    _, analysis, played = original
    known = {(str(analysis.root / unit.file), unit.qualified) for unit in analysis.units}
    assert played.functions
    seeding = {found for found in played.functions if found[1] == "Environment.seed"}  # is called by us, not by a reset
    assert played.functions - known - seeding == set()


def test_every_draw_is_at_a_place_of_luck(original):
    _, analysis, played = original
    assert played.sites - {(Path(site.file).name, site.line) for site in analysis.chance} == set()


def test_everything_that_changes_is_state(original):
    _, analysis, played = original
    assert played.changed
    assert played.changed - {name.rpartition(".")[2] for name, _ in analysis.state} == set()


def test_its_plan_is_complete_and_can_be_read_again(original):
    _, analysis, _ = original
    plan = make_plan(analysis)
    text = write_plan(plan)
    assert read_plan(text, analysis) == plan
    assert write_plan(read_plan(text)) == text
    assert plan.modules[-1].name == "rules"
    assert plan.suggestion == "jax"
    assert sorted(id for module in plan.modules for id in module.functions) == sorted(analysis.unit)
    for module in plan.modules:
        excerpt = source_of(module, analysis)
        assert all(f"def {id.rpartition('.')[2].rpartition(':')[2]}(" in excerpt for id in module.functions)


def test_blackjack():
    found = analyse("gymnasium:Blackjack-v1")
    assert found.drawn == ("dealer_top_card_suit", "dealer_top_card_value_str")
    assert [name for name, _ in found.state if name not in found.drawn] == ["dealer", "player"]
    assert not found.hazards
    assert not any("render" in unit.name for unit in found.units)
    assert [module.name for module in make_plan(found).modules] == ["rules"]


def test_taxi_is_made_by_one_module_and_played_by_another():
    found = analyse("gymnasium:Taxi-v4")
    assert SETS_UP in next(unit for unit in found.units if unit.name == "_build_dry_transitions").flags
    setup, rules = make_plan(found).modules
    assert (setup.name, rules.name, rules.needs) == ("setup", "rules", ("setup",))
    assert any(id.endswith("TaxiEnv._build_rainy_transitions") for id in setup.functions)
    assert found.drawn == ("lastaction", "taxi_orientation")


def test_breakout_keeps_its_last_action_through_a_reset():
    found = analyse("minatar:breakout")
    assert [h.sentence for h in found.hazards if "survives" in h.sentence] == [
        "last_action is written by Environment.act and not by a reset, so it survives an episode."
    ]
    assert "Env.brick_map" in dict(found.state)


def test_the_dynamics_of_acrobot_are_reached_though_they_are_only_handed_over():
    found = analyse("gymnasium:Acrobot-v1")
    step = next(unit for unit in found.units if unit.name == "step")
    assert any(call.endswith("AcrobotEnv._dsdt") for call in step.calls)


def test_pong_in_c(pong_library):
    found = analyse("pufferlib:pong")
    assert {unit.name for unit in found.units} == {
        "init",
        "allocate",
        "add_log",
        "compute_observations",
        "reset_round",
        "c_reset",
        "c_step",
    }
    assert [(site.line, site.what) for site in found.chance] == [(111, "rand")]
    assert {"ball_x", "ball_vy", "paddle_yl", "score_r", "tick"} <= {name for name, _ in found.state}
    assert "width" not in dict(found.state)
    plan = make_plan(found)
    assert (plan.suggestion, [module.name for module in plan.modules]) == ("jax", ["rules"])
    assert read_plan(write_plan(plan), found) == plan
    assert "struct Pong {" in source_of(plan.modules[0], found)
