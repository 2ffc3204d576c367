"""Games for two are judged by who wins: against named opponents, from both seats, with an interval."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from noughts import Noughts, first_free, register_noughts
from test_self_play import CONFIG

import envwright
from envwright.cli.main import main
from envwright.core import JaxBatch
from envwright.core.batch import BatchStep
from envwright.core.errors import EnvwrightError
from envwright.core.registry import spec
from envwright.core.versus import opponents_of, random_opponent
from envwright.training.evaluate import Match, evaluate, play_match
from envwright.training.player import Player
from envwright.training.policy import Policy
from envwright.training.ppo import Trainer

register_noughts()
SPACE = envwright.Discrete(10)


class Fixed(Player):
    """Always takes the first legal action."""

    def act(self, obs: Any, memory: Any, noise: Any, legal: Any = None) -> Any:
        return np.asarray(legal).argmax(axis=1).astype(np.int32), memory


def fixed() -> Fixed:
    policy = Policy(CONFIG.network, envwright.Box(0.0, 1.0, (19,)), SPACE)
    return Fixed(policy, {}, np.zeros(19), np.ones(19))


class Watched(JaxBatch):
    """Keeps every pair of actions and the rewards."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.seen: list[tuple[np.ndarray, np.ndarray, BatchStep]] = []

    def step_and_restart(self, actions: Any) -> BatchStep:
        legal = np.asarray(self.legal_actions())
        self.seen.append((np.asarray(actions), legal, super().step_and_restart(actions)))
        return self.seen[-1][2]


def test_a_trained_policy_beats_a_random_player() -> None:
    trainer = Trainer(Noughts(), CONFIG)
    state, _ = trainer.run(trainer.start(), CONFIG.updates)
    batch = JaxBatch(Noughts(), 200)
    before, after = (
        play_match(batch, player, "random", random_opponent(SPACE), 5)
        for player in (trainer.player(trainer.start()), trainer.player(state))
    )
    assert before.games == after.games == 200
    assert after.interval()[0] > before.interval()[1], "better beyond what chance explains"
    assert after.win_rate > 0.75


def test_wins_are_counted_for_the_seat_that_the_policy_has() -> None:
    """Both play the first free field: whoever begins wins, and every game is won or lost by its first mover."""
    batch = Watched(Noughts(), 40)
    match = play_match(batch, fixed(), "first", first_free, 0)
    _, first_legal, _ = batch.seen[0]
    begins = ~first_legal[:, :, 9]  # (games, seats): who does not have to wait
    mine = np.arange(40) % 2
    won = begins[np.arange(40), mine].sum()
    assert (match.wins, match.draws, match.losses) == (won, 0, 40 - won)
    assert 0 < won < 40


def test_nobody_plays_an_illegal_action() -> None:
    batch = Watched(Noughts(), 30)
    play_match(batch, fixed(), "random", random_opponent(SPACE), 3)
    for actions, legal, _ in batch.seen:
        assert np.take_along_axis(legal, actions[:, :, None], axis=2).all()


@pytest.mark.parametrize(
    ("wins", "games", "interval"), [(0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0)), (50, 100, (0.4038, 0.5962))]
)
def test_the_interval_is_wilsons(wins: int, games: int, interval: tuple[float, float]) -> None:
    assert Match("x", wins, 0, games - wins).interval() == pytest.approx(interval, abs=1e-4)


def test_the_result_is_said_with_its_interval() -> None:
    said = Match("random", 87, 5, 8).text()
    assert said == "against random: win rate 87.0% [79.0%, 92.2%] over 100 games (87 wins, 5 draws, 8 losses)"


def test_opponents_go_by_name() -> None:
    chosen = spec("Noughts-v0")
    assert list(opponents_of(chosen, SPACE, ["first", "random"])) == ["first", "random"]
    with pytest.raises(EnvwrightError, match="Noughts-v0 has no opponent 'gandalf'; there are random, first, gone"):
        opponents_of(chosen, SPACE, ["gandalf"])
    with pytest.raises(EnvwrightError, match="The opponent 'gone' of Noughts-v0 should be at noughts:gone, but"):
        opponents_of(chosen, SPACE)
    with pytest.raises(EnvwrightError, match="CartPole-v1 is not a game for two"):
        next(evaluate(spec("cartpole"), JaxBatch(envwright.make("cartpole"), 2), fixed(), 0, against=["random"]))


def test_the_commands_train_and_evaluate_a_game_for_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--steps", "512", "--games", "10", "--devices", "1", "--out", str(tmp_path / "run")]
    for setting in ("num_envs=8", "steps=16", "minibatches=1", "network.hidden=[8]"):
        small += ["--set", setting]
    assert main(["train", "noughts", *small]) == 0
    said = capsys.readouterr().out
    assert "against random: win rate " in said
    assert "against first: win rate " in said
    assert "over 10 games" in said
    assert main(["eval", str(tmp_path / "run"), "--against", "first", "--games", "7"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Noughts-v1, 512 steps, on envwright: against first: win rate ")
    assert "over 7 games" in said
    assert main(["eval", str(tmp_path / "run"), "--against", "second"]) == 2
    assert "Noughts-v1 has no opponent 'second'; there are random, first." in capsys.readouterr().err
