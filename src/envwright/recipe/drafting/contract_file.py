"""A contract as a file: TOML that a person reads and edits."""

from collections.abc import Mapping, Sequence
from typing import Any

from envwright.recipe.drafting.tables import Draft
from envwright.recipe.toml import commented, dumps


def contract_text(
    reference: str,
    candidate: str,
    draft: Draft,
    limit: int | None = None,
    functions: Sequence[tuple[str, str, Sequence[str]]] = (),
    notes: Sequence[str] = (),
) -> str:
    """A contract; `functions` are those that exist on both sides: module, name, and the names of their arguments.
    `notes` are comments at its beginning, after what only a person can decide."""
    head = f"Drafted from {reference}: what corresponds to what. Edit it freely before a run begins."
    tables = {
        "version": 1,
        "reference": reference,
        "candidate": candidate,
        "reference_options": draft.options,
        "candidate_options": {"max_episode_steps": limit} if limit and "time" in draft.state else {},
        "state": _texts(draft.state),
        "ignored": draft.ignored,
        "made": draft.made,
        "outcome": {"observation": str(draft.observation)},
        "chance": _filled({"start": _texts(draft.start), "step": _texts(draft.step), "ignored": draft.only_shown}),
        "tolerance": [{"columns": draft.rounded, "reason": draft.why_rounded}] if draft.rounded else [],
        "function": [function_table(*function) for function in functions],
    }
    problems = [f"TODO: {problem}" for problem in draft.problems]
    return commented([head, *problems, *notes]) + "\n" + dumps(_filled(tables))


def function_table(module: str, name: str, arguments: Sequence[str]) -> dict[str, Any]:
    """A function that exists on both sides."""
    candidate = f"{module}.{name.strip('_')}"
    return {"module": module, "reference": name, "candidate": candidate, "arguments": [*arguments]}


def _texts(fields: Mapping[str, object]) -> dict[str, str]:
    return {name: str(codec) for name, codec in fields.items()}


def _filled(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Without those that are empty."""
    return {name: table for name, table in tables.items() if table}
