"""L4, transfer: do policies do as well on one side as on the other, wherever they learned?

Policies are trained on both sides by the same PPO, then each plays the same games on both: same seeds, same draws, same
noise in its choices. The margin is the contract's, fixed before any of it. What differs is traced to its cause.

In a game for several, one policy plays all seats, and the returns of each seat are compared: their mean would not do,
for in a zero-sum game it never changes. There the last seat's returns follow from the others', and are left out.
"""

from collections.abc import Sequence

import jax
import numpy as np

from envwright.candidates.jax_candidate import JaxCandidate
from envwright.verifier.rows import LEGAL
from envwright.verifier.session import Session
from envwright.verifier.statistics import same_distribution
from envwright.verifier.transfer import curves
from envwright.verifier.transfer.cause import find_cause
from envwright.verifier.transfer.equivalence import Equivalence, paired, unpaired
from envwright.verifier.transfer.games import Contestant, PlayedGames, equal_games, play_reference
from envwright.verifier.transfer.players import RandomPlayer, Trained, train_compiled, train_stepped
from envwright.verifier.transfer.replayed import beginnings, joined, play_candidate, set_table
from envwright.verifier.transfer.sides import (
    Arena,
    arena_of,
    candidate_batch,
    config_of,
    env_of,
    obstacle,
    reference_batch,
)
from envwright.verifier.verdict import Check, Divergence

UNSEEN = 3_000_000_000  # games begin with seeds from here on, which no training comes near
TINY = 1e-99  # smaller p-values are not told apart
LOW_POWER = 0.8  # what is below is said to be low

_STATUS = {"equivalent": "pass", "different": "fail", "inconclusive": "open"}


def check_transfer(session: Session) -> list[Check]:
    """A check for each player, two for the learning curves, and, if anything is not as it should be, its cause."""
    config = config_of(session.contract)
    if reason := obstacle(session, config):
        return [Check("L4", "transfer", "skip", reason)]
    arena = arena_of(session, config)
    # JAX's own defaults for numbers, whatever the process has set, as a candidate is always run.
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        there, here = train_both(session, arena)
    players: list[Contestant] = [*there.players, *here.players, RandomPlayer(arena.actions)]
    theirs, ours = play_both(session, players)
    seated = by_seat(players, theirs, ours, session.candidate.players)
    margin = session.contract.transfer.margin * noise_of([pair[1] for pair in seated.values()])
    checks = [judge(session, name, *pair[1:], margin, len(seated)) for name, pair in seated.items()]
    checks += judge_curves(there, here, margin)
    return [*checks, *blame(session, checks, seated)]


Seated = dict[str, tuple[Contestant, PlayedGames, PlayedGames]]  # by name: who plays, and a seat's games on both sides


def by_seat(players: Sequence[Contestant], theirs: list[PlayedGames], ours: list[PlayedGames], seats: int) -> Seated:
    """What is compared."""
    if seats == 1:
        return {row[0].name: row for row in zip(players, theirs, ours, strict=True)}
    totals = [rewards.sum(axis=1) for games in theirs for rewards in games.rewards]
    told = range(seats - all((total == 0).all() for total in totals))
    return {
        f"{player.name}, seat {seat}": (player, there.of_seat(seat), here.of_seat(seat))
        for player, there, here in zip(players, theirs, ours, strict=True)
        for seat in told
    }


def train_both(session: Session, arena: Arena) -> tuple[Trained, Trained]:
    """The reference's and the candidate's pupils."""
    contract, candidate, config = session.contract, session.candidate, arena.config
    seeds, tell = range(contract.transfer.seeds), session.progress
    there = train_stepped(
        lambda: reference_batch(contract, config.num_envs, arena.observations, arena.actions),
        config,
        seeds,
        contract.reference,
        tell,
    )
    env = env_of(candidate)
    if env is not None and isinstance(candidate, JaxCandidate):
        tell(f"L4 training on {contract.candidate}")
        return there, train_compiled(env, candidate.rules.params, config, seeds, contract.candidate)
    return there, train_stepped(lambda: candidate_batch(session, arena), config, seeds, contract.candidate, tell)


def play_both(session: Session, players: Sequence[Contestant]) -> tuple[list[PlayedGames], list[PlayedGames]]:
    """The games of every player on either side."""
    limit, candidate, seeds = session.effort.limit, session.candidate, seeds_of(session)
    dtype = str(candidate.kinds()["observation"].dtype)
    theirs: list[PlayedGames] = []
    for player in players:
        session.progress(f"L4 games on the reference, {player.name}")
        theirs.append(session.host.run(play_reference, session.contract, player, seeds, dtype, limit))
    session.progress("L4 games on the candidate")
    masked = LEGAL in session.contract.outcome
    table = set_table(players, candidate.players, masked, seeds, theirs, session.draws_own_chance)
    begin = beginnings(candidate, table, joined([games.starts for games in theirs]), session.effort.seed)
    return theirs, play_candidate(candidate, table, begin, session.effort.seed, limit)


def seeds_of(session: Session) -> list[int]:
    many = session.contract.transfer.games
    return [UNSEEN + (session.effort.seed * many + i) % 10**9 for i in range(many)]


def noise_of(games: Sequence[PlayedGames]) -> float:
    """The standard deviation of a game's return, pooled over the players."""
    return float(np.sqrt(np.mean([played.returns.var(ddof=1) for played in games])))


def judge(
    session: Session, name: str, theirs: PlayedGames, ours: PlayedGames, margin: float, comparisons: int
) -> Check:
    """One player on both sides, in one seat."""
    apart, many = session.draws_own_chance, len(theirs.rewards)
    found = (unpaired if apart else paired)(theirs.returns, ours.returns, margin, comparisons)
    detail = describe(found, f"{many} games")
    numbers = found.numbers()
    if apart:
        lengths, actions = distributions(theirs, ours)
        numbers |= {"p_lengths": lengths, "p_actions": actions}
        detail += f" a side, p of equal lengths {lengths:.2g}"
        detail += "" if actions is None else f", of equal actions {actions:.2g}"
    else:
        numbers["equal_games"] = equal_games(theirs, ours)
        detail += f", {numbers['equal_games']} equal step for step"
    if found.judgement == "inconclusive":
        detail += f"; a margin of {found.smallest_margin:.3g} would have passed: play more games"
    return Check("L4", name, _STATUS[found.judgement], detail, many, numbers=numbers)


def distributions(theirs: PlayedGames, ours: PlayedGames) -> tuple[float, float | None]:
    """The p-values of equal episode lengths and equal actions, the latter of whole numbers only."""
    lengths = same_distribution(theirs.lengths, ours.lengths)[1]
    actions = [np.concatenate(side.actions).ravel() for side in (theirs, ours)]
    return lengths, same_distribution(*actions)[1] if actions[0].dtype.kind in "iu" else None


def judge_curves(there: Trained, here: Trained, margin: float) -> list[Check]:
    """Learning on one side against learning on the other; too few seeds to tell is a note, a difference a failure."""
    checks: list[Check] = []
    if not np.nan_to_num(there.curves).any() and not np.nan_to_num(here.curves).any():
        return [Check("L4", "learning curves", "skip", "every return is zero, as in self-play of a zero-sum game")]
    for name, found in curves.compare(there.curves, here.curves, margin).items():
        status = {"equivalent": "pass", "different": "fail", "inconclusive": "note"}[found.judgement]
        detail = describe(found, f"{there.curves.shape[1]} seeds a side")
        if status == "note":
            low = f", whose power is low ({found.power:.2f})" if found.power < LOW_POWER else ""
            detail += f"; inconclusive{low}"
        checks.append(Check("L4", f"learning curves, {name}", status, detail, numbers=found.numbers()))
    return checks


def describe(found: Equivalence, of: str) -> str:
    """A comparison on one line."""
    same = found.reference == found.candidate
    there, here = f"{found.reference:.2f}", f"{found.candidate:.2f}"
    low, high = found.interval
    p = f"p = {found.p:.2g}" if found.p > TINY or found.error == 0 else f"p < {TINY:g}"
    if found.pairs and found.equal == found.pairs:
        p = "p = 0 (every pair equal)"
    return (f"{there} on both sides" if same else f"{there} on the reference, {here} on the candidate") + (
        f", difference {found.difference:.3f} [{low:.3f}, {high:.3f}], margin {found.margin:.3g}, "
        f"{p}, power {found.power:.2f}, {of}"
    )


def blame(session: Session, checks: Sequence[Check], seated: Seated) -> list[Check]:
    """The cause of what differs most, or of what is open; nothing, if all is well."""
    wrong = [check for check in checks if check.status == "fail"] or [
        check for check in checks if check.status == "open"
    ]
    if not wrong:
        return []
    suspects = [seated[check.name] for check in wrong if check.name in seated] or [next(iter(seated.values()))]
    gaps = [abs(theirs.returns - ours.returns) for _, theirs, ours in suspects]
    worst = int(np.argmax([gap.mean() for gap in gaps]))
    seeds = np.array(seeds_of(session))[np.argsort(-gaps[worst], kind="stable")]
    found, way = find_cause(session, suspects[worst][0], seeds.tolist())
    if found is None and wrong[0].status == "open":
        return [Check("L4", "cause", "note", way)]
    if found is None:
        numbers = wrong[0].numbers
        note = f"{wrong[0].name}; where it comes from is not known"
        found = Divergence(
            "unknown", "return", numbers["reference"], numbers["candidate"], numbers["margin"], note=note
        )
    return [Check("L4", "cause", "fail", way, divergences=(found,))]
