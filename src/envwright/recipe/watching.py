"""What `init` asks of the reference, in its process; not in `begin`, whose imports take longer than the work."""

from typing import Any

from envwright.recipe.drafting import Draft, Source, draft_tables
from envwright.references.protocol import Reference
from envwright.references.self_check import SelfCheck, check_reference
from envwright.verify.draft import watch
from envwright.verify.record import Beat

EPISODES = 300  # begun for a contract, and played until lists get no longer: how long shows only now and then

Calls = dict[str, list[dict[str, Any]]]  # by function: arguments by name, a row a call


def check_itself(reference: Reference, beat: Beat) -> SelfCheck:
    """Whether it can be law."""
    beat()
    return check_reference(reference)


def draft_from_play(reference: Reference, source: Source, beat: Beat) -> tuple[Draft, Calls, int | None]:
    """The tables of a contract, what functions are called with, and the time limit."""
    seen = watch(reference, beat, EPISODES)
    return draft_tables(seen, source), seen.calls, seen.max_episode_steps
