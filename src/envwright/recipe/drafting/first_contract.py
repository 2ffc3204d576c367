"""A first contract for `envwright contract init`: with a candidate that is there already, which field is which."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from envwright.candidates.find import find_candidate
from envwright.candidates.protocol import ColumnKind
from envwright.recipe.drafting.contract_file import contract_text, function_table
from envwright.recipe.drafting.fields import Fields
from envwright.recipe.drafting.source_facts import SourceFacts
from envwright.recipe.drafting.tables import Draft, draft_tables
from envwright.recipe.drafting.watch import watch
from envwright.recipe.toml import commented, dumps
from envwright.references.registry import maker
from envwright.verifier.codecs import Plain
from envwright.verifier.domain import mine_states
from envwright.verifier.host import Apart

UNKNOWN = "TODO.py:TODO"  # the candidate, where there is none yet
TODO = Plain(("TODO",))
TIME = ("time", "t", "step_count", "elapsed_steps", "steps")  # what candidates call the number of steps
MODULES = [
    "Modules are what a divergence is blamed on; without: reset, dynamics, observation, reward, termination.",
    "Functions that the reference calls while it plays can be compared alone where the candidate has them, too.",
]


def draft_contract(reference: str, candidate: str = UNKNOWN) -> str:
    """The text of a contract with everything that can be found out, and TODO where it cannot."""
    host = Apart(maker(reference, {}))
    try:
        seen = host.run(watch)
    finally:
        host.close()
    draft = draft_tables(seen, SourceFacts())
    if candidate != UNKNOWN:
        draft = paired(draft, _fields(candidate), seen.states[-1])
    if draft.start or draft.step:
        draft.problems.append("call the fields of [chance] as the candidate does.")
    domains = mine_states(seen.states, (), {})
    ranges = {name: ", ".join(f"{key} {value}" for key, value in d.describe().items()) for name, d in domains.items()}
    notes = [f"  {name:24} {type(seen.states[-1][name]).__name__}: {found}" for name, found in ranges.items()]
    text = contract_text(reference, candidate, draft, notes=["What changes in the reference, as it was seen:", *notes])
    offered = dumps({"module": [{"name": "TODO", "owns": ["state.NAME"]}]})
    for name, rows in seen.calls.items():
        offered += "\n" + dumps({"function": [function_table("TODO", name, [*rows[0]])]})
    return text + "\n" + commented([*MODULES, *offered.splitlines()])


def _fields(candidate: str) -> dict[str, ColumnKind]:
    kinds = find_candidate(candidate, {}, None).kinds()
    return {name.removeprefix("state."): kind for name, kind in kinds.items() if name.startswith("state.")}


def paired(draft: Draft, kinds: Mapping[str, ColumnKind], state: Mapping[str, Any]) -> Draft:
    """The draft with the candidate's own fields: found by name, or else the elements of a vector of the reference's in
    the order of the fields that are left. `state` is one of the reference's."""
    drafted = {name.lower().strip("_"): codec for name, codec in draft.state.items()}
    found: Fields = {}
    for own in kinds:
        if own in TIME:
            found[own] = Plain(("elapsed_steps",))
        elif own.lower().strip("_") in drafted:
            found[own] = drafted[own.lower().strip("_")]
    problems = list(draft.problems)
    left = [own for own, kind in kinds.items() if own not in found and kind.shape == ()]
    for codec in draft.state.values():
        vector = isinstance(codec, Plain) and codec not in found.values() and len(codec.part) == 1
        if vector and left and np.shape(state[codec.part[0]]) == (len(left),):
            problems.append(f"{', '.join(left)} are taken from {codec} by their order; check it.")
            found |= {own: Plain((*codec.part, i)) for i, own in enumerate(left)}
            left = []
    used = {codec.part[0] for codec in found.values()} | {"elapsed_steps"}
    unused = dict.fromkeys(codec.part[0] for codec in draft.state.values() if codec.part[0] not in used)
    computed = {draft.state[c.removeprefix("state.")].part[0] for c in draft.rounded if c.startswith("state.")}
    return replace(
        draft,
        state={own: found.get(own, TODO) for own in kinds},
        ignored={**draft.ignored, **{f"reference.{name}": "TODO" for name in unused}},
        rounded=[
            *(f"state.{own}" for own, codec in found.items() if codec.part[0] in computed),
            *(column for column in draft.rounded if not column.startswith("state.")),
        ],
        problems=problems,
    )
