"""The commands as Python functions: the same options, and results that show themselves in a notebook.

    verdict = envwright.verify("pong")                  envwright verify pong
    policy = envwright.train("pong")                    envwright train pong
    made = envwright.translate("gymnasium:Taxi-v4")     envwright translate gymnasium:Taxi-v4
    made = envwright.create("rules.md", name="crossing", agent="claude")
                                                        envwright create rules.md --name crossing --agent claude

What each of them needs is imported when it is called.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envwright.api.trained import TrainedPolicy
    from envwright.api.translated import Translated
    from envwright.api.verified import Verified
    from envwright.training.config import Config
    from envwright.training.run import Progress
    from envwright.verifier.verdict import Verdict

LEVELS = (0, 1, 2, 3)  # L4 trains, which takes minutes, so it is done when asked for


def verify(
    *names: str,
    contract: Path | str | None = None,
    levels: Sequence[int] = LEVELS,
    episodes: int | None = None,
    calls: int | None = None,
    seed: int = 0,
    patience: float = 60.0,
    policies: Sequence[str] = (),
    out: Path | str | None = None,
    progress: Callable[[str], None] = lambda what: None,
    each: "Callable[[Verdict], None]" = lambda verdict: None,
) -> "Verified":
    """Compare an environment, by name, by its contract's file, or by the names of reference and candidate.

    `each` is given the verdict of every form of the environment as it is reached.
    """
    from envwright.api.verified import run

    return run(names, contract, levels, episodes, calls, seed, patience, policies, out, progress, each)


def train(
    env: str,
    *,
    config: "Path | str | Config | None" = None,
    settings: Mapping[str, Any] | None = None,
    steps: int | None = None,
    seed: int = 0,
    seeds: int = 1,
    out: Path | str | None = None,
    fresh: bool = False,
    devices: int | None = None,
    games: int = 100,
    progress: "Callable[[Progress], None]" = lambda now: None,
) -> "TrainedPolicy":
    """Train a policy with PPO, or go on with the run in the folder `out`; then play `games` games with it."""
    from envwright.api.trained import run

    return run(env, config, settings or {}, steps, seed, seeds, out, fresh, devices, games, progress)


def translate(
    reference: str,
    *,
    target: str | None = None,
    options: Mapping[str, Any] | None = None,
    agent: str | None = None,
    model: str | None = None,
    budget: float | None = None,
    transfer: bool = False,
    out: Path | str | None = None,
    fresh: bool = False,
    say: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda what: None,
) -> "Translated":
    """Translate a slow environment into a fast one, verified: by rule, or with any coding agent and a budget."""
    from envwright.api.translated import run

    return run(reference, target, options or {}, agent, model, budget, transfer, out, fresh, say, progress)


def create(
    *documents: Path | str,
    name: str | None = None,
    agent: str | None = None,
    model: str | None = None,
    budget: float | None = None,
    target: str | None = None,
    out: Path | str | None = None,
    fresh: bool = False,
    say: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda what: None,
) -> "Translated":
    """Make an environment from rules written for people, with a coding agent; then its fast version, verified."""
    from envwright.api.translated import run_creation

    return run_creation(documents, name, agent, model, budget, target, out, fresh, say, progress)
