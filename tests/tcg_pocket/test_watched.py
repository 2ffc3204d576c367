"""The reference under the general machinery: its draws on tapes, its state put back, its phases watched."""

import numpy as np
from arranging import exercises

from envwright.envs.tcg_pocket.layout import FIELDS
from envwright.references.gymnasium_env import gymnasium_reference
from envwright.references.protocol import Watchpoint

GAME = "envwright.envs.tcg_pocket.reference.game:PocketGame"
PHASES = ("after_action(s)", "end_of_turn(s)", "after_checkup(s)", "next_turn(s)")


@exercises("R12.4", "R12.5")
def test_games_are_recorded_and_replayed_and_watched() -> None:
    with gymnasium_reference(GAME) as reference:
        rng = np.random.default_rng(0)
        begun = reference.reset(seed=3)
        kinds = [draw.site.split()[-1] for draw in begun.draws]
        assert kinds == ["decks", "first", "opening", "shuffles", "zones"]
        steps = []
        while len(steps) < 40 and not (steps and steps[-1][2].terminated):
            action, before = reference.sample_action(rng), reference.snapshot()
            steps.append((before, action, reference.step(action)))
        assert reference.reset(tape=begun.draws).obs.tolist() == begun.obs.tolist()
        for before, action, outcome in steps:
            reference.restore(before)
            again = reference.step(action, tape=outcome.draws)
            assert np.array_equal(again.obs, outcome.obs)
            assert np.array_equal(np.asarray(again.legal), np.asarray(outcome.legal))
        reference.reset(seed=3)
        points = [Watchpoint(line, "act", line) for line in PHASES]
        glimpses, _ = reference.watch(points, reference.sample_action(rng))
        assert [glimpse.phase for glimpse in glimpses] == list(PHASES)
        assert set(FIELDS) <= set(reference.look())
        assert any(file.endswith("reference/flow.py") for file in reference.files)
