"""What is asked of the reference for a contract, in its process; here, for the imports of those who ask take longer
than the work."""

from dataclasses import replace
from typing import Any

from envwright.core.errors import EnvwrightError
from envwright.recipe.drafting.arrays import shape_of
from envwright.recipe.drafting.source_facts import SourceFacts
from envwright.recipe.drafting.tables import Draft, draft_tables
from envwright.recipe.drafting.watch import watch
from envwright.references.protocol import Reference
from envwright.references.python import PythonReference
from envwright.references.self_check import ReferenceFinding, SelfCheck, check_reference
from envwright.verifier.record import Beat

OTHER = 1  # seed of an object, to see what is drawn when it is made
TRIED = 64  # calls of a function whose results are looked at
EPISODES = 300  # begun for a contract, and played until lists get no longer: how long shows only now and then
MADE = "decides {} when it is made, and not by a seed, so each object is another game; decide it in reset."
DRAWN = "drawn when the original is made: here it always is what the seed 0 gives"

Calls = dict[str, list[dict[str, Any]]]  # by function: arguments by name, a row a call


def check_itself(reference: Reference, beat: Beat) -> SelfCheck:
    """Whether it can be a reference."""
    beat()
    checked = check_reference(reference)
    if not isinstance(reference, PythonReference):
        return checked
    made = [
        ReferenceFinding("made", name, f"{reference.name} {MADE.format(name)}") for name in reference.drawn_when_made()
    ]
    drawn = [ReferenceFinding("made", name, DRAWN, note=True) for name in reference.drawn_when_made(OTHER)]
    return replace(checked, findings=(*checked.findings, *(made or drawn)))


def draft_from_play(reference: Reference, source: SourceFacts, beat: Beat) -> tuple[Draft, Calls, int | None]:
    """The tables of a contract, what functions are called with, and the time limit."""
    if isinstance(reference, PythonReference):
        reference.reset(seed=0)
        reference.expect([name for name, value in reference.look().items() if _may_change(name, value, source)])
    seen = watch(reference, beat, EPISODES)
    return draft_tables(seen, source), _numeric(reference, seen.calls), seen.max_episode_steps


def _may_change(name: str, value: Any, source: SourceFacts) -> bool:
    """Whether the source sets an attribute in a reset or a step, though few games may change it: a door is opened. A
    reset makes many a board as it always was, so of those only what a step sets."""
    plain, shape = name.rpartition(".")[2], shape_of(value)
    set_in = source.changed if shape == () else source.changed_in_steps if shape else ()
    return plain in set_in and not source.is_of_no_use(name)


def _numeric(reference: Reference, calls: Calls) -> Calls:
    """The functions that always give numbers of one shape; others cannot be compared alone."""
    kept: Calls = {}
    for name, rows in calls.items():
        try:
            shapes = {shape_of(reference.call(name, list(row.values()))) for row in rows[:TRIED]}
        except EnvwrightError:  # it needs more than its arguments
            continue
        if len(shapes) == 1 and None not in shapes:
            kept[name] = rows
    return kept
