"""From a gap to a cause: the player's own episodes and states, put through L3 and L1."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from envwright.training.player import Player as TrainedPlayer
from envwright.verifier.levels import fitting
from envwright.verifier.levels.l1_chance import check_chance
from envwright.verifier.record import EpisodePlan
from envwright.verifier.session import Session, play_covered
from envwright.verifier.transfer.games import Contestant
from envwright.verifier.transfer.saved import save
from envwright.verifier.verdict import Divergence

EPISODES = 6  # of the player, whose states are looked at
ASKED = (("L3 episodes", fitting.episodes), ("L1 steps", fitting.steps), ("L1 chance", check_chance))


def find_cause(session: Session, player: Contestant, seeds: Sequence[int]) -> tuple[Divergence | None, str]:
    """The first divergence on this player's way, and a sentence on where it was looked for."""
    with _policy(session, player) as policy:
        contract = replace(session.contract, policies=(policy,))
        effort = replace(session.effort, episodes=EPISODES, states=1000, corners=200)
        closer = Session(
            contract, session.host, session.candidate, effort, session.progress, session.pair, session.regressions
        )
        plans = [EpisodePlan(policy, seed) for seed in seeds[:EPISODES]]
        session.progress(f"L4 cause, {player.name}")
        vars(closer)["trace"] = session.host.run(play_covered, contract, plans, effort.limit, effort.pool, effort.steps)
        way = f"{len(plans)} episodes of the player {player.name}, and steps from its states"
        for name, question in ASKED:
            for check in question(closer):
                if check.divergences:
                    return check.divergences[0], f"{way}: found by {name}"
    return None, f"{way}: nothing differs in {', '.join(name for name, _ in ASKED)}"


@contextmanager
def _policy(session: Session, player: Contestant) -> Iterator[str]:
    """The player as a policy: in a file that stays, if there is a folder for what is found."""
    if not isinstance(player, TrainedPlayer):
        yield player.name
    elif session.regressions is not None:
        yield save(player, session.regressions / "players" / _file(player))
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield save(player, Path(folder) / _file(player))


def _file(player: Contestant) -> str:
    return "".join(c if c.isalnum() else "-" for c in player.name).replace("--", "-") + ".json"
