"""One game of PufferLib's C as the verifier sees it, and verdicts that name the right module."""

import dataclasses
import shutil

import jax.numpy as jnp
import numpy as np
import pytest

from envwright.candidates.native import native_candidate
from envwright.core import registry
from envwright.core.errors import EnvwrightError
from envwright.core.numerics import clamp
from envwright.envs.pong import Pong, rules
from envwright.envs.pong import env as pong_env
from envwright.envs.pong.game import PongGame
from envwright.envs.pong.reference import PongReference
from envwright.references.plain import differences, from_json, to_json
from envwright.references.protocol import (
    Draw,
    Outcome,
    ReferenceFailedError,
    SnapshotError,
    TapeError,
    Watchpoint,
)
from envwright.references.self_check import check_reference
from envwright.verifier import engine, pairs
from envwright.verifier.host import Here
from envwright.verifier.session import Effort

pytestmark = pytest.mark.usefixtures("pong_library")

LAST_POINT = {"score_l": 20, "ball_x": 465.0, "ball_y": 10.0, "paddle_yr": 300.0}  # the agent is about to lose


def play(game: PongGame, steps: int, seed: int = 0) -> list[Outcome]:
    rng = np.random.default_rng(seed)
    return [game.step(game.sample_action(rng)) for _ in range(steps)]


def test_it_repeats_itself_and_its_luck_and_its_states_can_be_put_back():
    assert check_reference(PongGame(), episodes=2).ok
    assert check_reference(PongGame(frameskip=8, continuous=True), episodes=2).ok


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("frameskip", [1, 8])
def test_marks_in_the_source_change_no_bit_of_the_game(frameskip, continuous):
    """The game is compiled from a marked copy, the batch from the header as it is."""
    game = PongGame(frameskip, continuous)
    batch = PongReference(1, frameskip=frameskip, continuous=continuous)
    batch.reset(np.array([game.reset(seed=5).draws[0].value], np.int32))
    rng = np.random.default_rng(0)
    for _ in range(3000 // frameskip):
        action = game.sample_action(rng)
        outcome = game.step(action)
        batch.step(np.asarray(action).reshape(-1), np.array([d.value for d in outcome.draws] or [0], np.int32))
        assert (outcome.reward, outcome.terminated) == (batch.reward[0], batch.terminated[0])
        if outcome.terminated:  # the batch has gone on to a new game
            break
        assert outcome.obs.tobytes() == batch.obs[0].tobytes()
        assert game.snapshot()["log"] == {n[4:]: v for n, v in batch.game(0).items() if n.startswith("log.")}
        assert game.snapshot().items() >= {n: v for n, v in batch.game(0).items() if "." not in n}.items()


def test_a_finished_game_is_shown_as_it_was_before_c_resets_it():
    game = PongGame()
    game.reset(seed=0)
    game.restore(LAST_POINT)
    before = game.look()
    outcome = game.step(1)
    after = game.look()
    assert outcome.terminated
    assert after["over"]
    assert (after["score_l"], after["tick"], after["win"], after["paddle_dir"]) == (21, 1, 0, 1.0)
    assert after["ball_x"] == 475.0  # in the frame of the point, which C never shows
    assert after["shown"] == {name: before[name] for name in after["shown"]}
    assert outcome.obs[2] == np.float32(465) / np.float32(500)
    assert after["log"]["n"] == 1
    assert [draw.site for draw in outcome.draws] == ["pong.h:111 reset_round"]
    game.reset()
    assert not game.look()["over"]
    assert (game.look()["score_l"], game.look()["tick"]) == (0, 0)


def test_of_several_frames_the_last_one_shown_is_kept():
    game = PongGame(frameskip=8)
    game.reset(seed=0)
    game.restore({**LAST_POINT, "ball_x": 445.0})
    assert game.step(0).terminated
    assert game.look()["shown"]["ball_x"] == 465.0
    assert game.look()["ball_x"] == 475.0


def test_c_lets_two_fields_survive_its_reset_and_a_seed_begins_without_them():
    game = PongGame()
    first = tuple(game.reset(seed=3)), game.snapshot()
    game.restore({"win": 1})
    game.step(2)
    game.reset()
    assert (game.look()["win"], game.look()["paddle_dir"]) == (1, -1.0)
    again = tuple(game.reset(seed=3)), game.snapshot()
    assert not differences(first, again)


def test_luck_is_recorded_and_replayed_and_a_tape_that_does_not_fit_changes_nothing():
    game = PongGame()
    serves = {game.reset(tape=[Draw("pong.h:111 reset_round", "rand", v)]).draws[0].value for v in (6, 7)}
    assert serves == {6, 7}
    assert game.look()["ball_vy"] == 0
    before = game.snapshot()
    for tape in ([Draw("pong.h:111 reset_round", "rand", 1)], [Draw("game.py:1 f", "choice", 1)]):
        with pytest.raises(TapeError, match=r"asked for rand 0 times, but the tape has (rand|choice) at"):
            game.step(0, tape)
    game.restore(LAST_POINT)
    with pytest.raises(TapeError, match="asked for rand 1 times, but the tape has nothing"):
        game.step(0, [])
    assert game.snapshot() == {**before, **LAST_POINT}


def test_snapshots_go_back_whole_in_part_and_through_json():
    game = PongGame(continuous=True)
    game.reset(seed=1)
    play(game, 50)
    kept = game.snapshot()
    ahead = play(game, 20, seed=9)
    game.restore(from_json(to_json(kept)))
    assert game.snapshot() == kept
    assert game.snapshot()["elapsed_steps"] == 50
    assert not differences([o[:-1] for o in ahead], [o[:-1] for o in play(game, 20, seed=9)])
    game.restore({"ball_y": 0.1})
    assert game.look()["ball_y"] == float(np.float32(0.1))


def test_what_cannot_be_restored_or_called_is_refused_in_a_sentence():
    game = PongGame()
    game.reset(seed=0)
    with pytest.raises(SnapshotError, match="no field ball_z to restore; it has paddle_yl, "):
        game.restore({"ball_z": 1})
    with pytest.raises(ReferenceFailedError, match="score_l is a C uint32, not -1"):
        game.restore({"score_l": -1})
    with pytest.raises(EnvwrightError, match=r"compare it with a \[\[phase\]\] instead"):
        game.call("add_log", [])


def test_a_watched_step_is_seen_in_the_middle_and_is_the_same_step():
    game = PongGame()
    game.reset(seed=0)
    before = game.snapshot()
    expected, after = game.step(1), game.snapshot()
    game.restore(before)
    ball = Watchpoint("paddles", "c_step", "env->ball_x += env->ball_vx;")
    glimpses, outcome = game.watch([ball, Watchpoint("return", "c_step")], 1)
    assert not differences(tuple(expected), tuple(outcome))
    assert game.snapshot() == after
    assert [glimpse.phase for glimpse in glimpses] == ["paddles", "return"]
    middle = glimpses[0].names
    assert (middle["paddle_yr"], middle["ball_x"]) == (after["paddle_yr"], before["ball_x"])


def test_each_frame_of_a_step_is_seen():
    game = PongGame(frameskip=3)
    game.reset(seed=0)
    glimpses, _ = game.watch([Watchpoint("ball", "c_step", "env->ball_x += env->ball_vx;")], 0)
    assert [glimpse.names["ball_x"] for glimpse in glimpses] == [100, 110, 120]


def test_the_listener_of_a_game_that_is_gone_is_not_called():
    game = PongGame()
    game.reset(seed=0)
    del game
    other = PongGame()
    other.restore({"ball_x": 1.0})
    assert other.look()["ball_x"] == 1


@pytest.mark.skipif(shutil.which("gcov") is None, reason="gcov is not installed")
def test_the_lines_of_c_that_play_has_run_are_counted():
    game = PongGame()
    game.reset(seed=0)
    with game.covering() as covered:
        play(game, 30)
        game.restore(LAST_POINT)
        game.step(0)
    report = covered.report()
    assert 60 < report["lines"][0] < report["lines"][1]
    assert 10 < report["branches"][0] < report["branches"][1]
    assert "pong.h:174 env->win = 1;" in report["missing"]
    assert not any("c_render" in line or "InitWindow" in line for line in report["missing"])
    game.step(0)  # and on without counting


# ---- the verdict names the module ----


def paddles(state, params):
    """A fault: the opponent may leave the court."""
    chase = state.ball_y - (state.paddle_yl + params.paddle_height / 2)
    free = state.paddle_yl + clamp(chase, -params.paddle_speed, params.paddle_speed)
    return MOVE_PADDLES(state, params).replace(paddle_yl=free)


MOVE_PADDLES, MEET_RIGHT_EDGE, COUNT, SERVE = rules.move_paddles, rules.meet_right_edge, rules.count, rules.serve
OBSERVE, REWARD = pong_env.observe, pong_env.reward


def clips_nothing(state, params):
    after, hit, lost = MEET_RIGHT_EDGE(state, params)
    return after.replace(ball_x=state.ball_x), hit, lost


def counts_double(state, event):
    return COUNT(state, event).replace(score_l=state.score_l + 2 * event.lost.astype(jnp.uint32))


FAULTS = {
    "paddles": (rules, "move_paddles", paddles),
    "walls": (
        rules,
        "bounce_off_walls",
        lambda s, p: s.replace(ball_vy=jnp.where(s.ball_y < 0, -s.ball_vy, s.ball_vy)),
    ),
    "spin": (rules, "spin", lambda ball_vy, paddle_dir, params: ball_vy),
    "right edge": (rules, "meet_right_edge", clips_nothing),
    "scoring": (rules, "count", counts_double),
    "ending": (rules, "is_over", lambda state, event, params: event.point & (state.score_l >= 20)),
    "serve": (rules, "serve", lambda s, d, p: SERVE(s, d, p).replace(n_bounces=s.n_bounces)),
    "reward": (pong_env, "reward", lambda event: 2 * REWARD(event)),
    "observation": (pong_env, "observe", lambda state, params: OBSERVE(state, params).at[3].set(0)),
}

CONTRACT_1 = pairs.find_contract(["pong"])
SMALL = Effort(episodes=3, limit=300, states=900, corners=300, draws=100, watched=60)


def test_the_translation_passes_every_level_by_its_contract():
    verdict = engine.verify(CONTRACT_1, Here(PongGame()), native_candidate(Pong()), effort=SMALL)
    assert verdict.passed, verdict.text()
    assert {check.level for check in verdict.checks} == {"L0", "L1", "L2", "L3"}
    assert not [check for check in verdict.checks if check.status == "skip"]
    assert verdict.coverage["lines"][0] > 70


def test_the_other_forms_pass_by_the_same_contract():
    form = pairs.of_form(CONTRACT_1, registry.spec("pong").forms[3])
    game, env = PongGame(**form.reference_options), Pong(**form.candidate_options)
    verdict = engine.verify(form, Here(game), native_candidate(env), effort=SMALL)
    assert verdict.passed, verdict.text()


@pytest.mark.parametrize("module", FAULTS)
def test_a_fault_is_traced_to_its_module(module, monkeypatch):
    monkeypatch.setattr(*FAULTS[module])
    verdict = engine.verify(CONTRACT_1, Here(PongGame()), native_candidate(Pong()), effort=SMALL, levels=["L1"])
    assert not verdict.passed
    assert verdict.modules == (module,), verdict.text()


def test_phases_name_what_the_contract_names():
    env = Pong()
    _, state = env.start(jnp.int32(0), env.default_params)
    phases = env.phases(state, jnp.int32(0), jnp.int32(0), env.default_params)
    assert list(phases) == [phase.name for phase in CONTRACT_1.phases]
    assert all(set(phase.values) <= set(phases[phase.name]) for phase in CONTRACT_1.phases)
    assert dataclasses.replace(env, frameskip=8).phases(state, jnp.int32(0), jnp.int32(0), env.default_params) == {}
