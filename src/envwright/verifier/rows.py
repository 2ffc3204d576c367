"""The reference's values as the candidate would write them: rows by contract, stacked into columns."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.candidates.protocol import Columns
from envwright.references.legality import Mask
from envwright.references.protocol import Outcome, Reference
from envwright.verifier.contract import Contract
from envwright.verifier.expression import Expression, ExpressionError, names_of, scope

Row = dict[str, NDArray[Any]]


LEGAL = "legal_actions"
STANDING = ("observation", LEGAL, "acting")  # what there is of a game before its first step, besides its state


def start_row(contract: Contract, reference: Reference, outcome: Outcome) -> Row:
    """A new game: state, observation, who may do what, and the chance of the start. It has no reward and no end."""
    held = reference.look()
    seen = scope(_names(held, outcome), outcome.draws)
    shown = {key: e for key, e in contract.outcome.items() if key.split(".")[0] in STANDING}
    row = _values(contract.state, _own(seen, held, outcome), "state.") | _values(shown, seen)
    return row | chance_row(contract, contract.chance_start, seen, outcome)


def step_row(contract: Contract, reference: Reference, outcome: Outcome, action: Any, before: dict[str, Any]) -> Row:
    """A step: its action, its chance, and everything that is compared afterwards."""
    held = reference.look()
    seen = scope(_names(held, outcome) | {"action": action, "before": SimpleNamespace(**before)}, outcome.draws)
    row = {"action": np.asarray(action), "ended": np.array([outcome.terminated, outcome.truncated])}
    row |= _values(contract.state, _own(seen, held, outcome), "state.") | _values(contract.outcome, seen)
    return row | chance_row(contract, contract.chance_step, seen, outcome)


def state_row(contract: Contract, names: dict[str, Any]) -> Row:
    """The state alone."""
    return _values(contract.state, scope(names), "state.")


def legal_after(contract: Contract, reference: Reference, outcome: Outcome) -> Mask | None:
    """Which actions the contract allows next; all of them where it does not map the reference's mask."""
    expression = contract.outcome.get(LEGAL)
    if expression is None:
        return None if outcome.legal is None else np.ones_like(outcome.legal)
    return _solid(expression, expression.read(scope(_names(reference.look(), outcome), outcome.draws)))[0].astype(bool)


def legal_where(contract: Contract, reference: Reference, held: dict[str, Any]) -> Mask | None:
    """The same in a state that was put into the reference; None where it is only told after a step."""
    expression, legal = contract.outcome.get(LEGAL), reference.legal()
    if expression is None:
        return None
    names = held if legal is None else {**held, "legal": legal}
    return _solid(expression, expression(names))[0].astype(bool) if expression.names <= names.keys() else None


def is_standing(column: str) -> bool:
    """Whether a column is one of a start, too."""
    return column.split(".")[0] in ("state", *STANDING)


def stack(rows: Sequence[Row], where: str) -> Columns:
    """Rows as columns; a value whose shape changes from row to row cannot be one."""
    columns: Columns = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        shapes = {value.shape for value in values}
        if len(shapes) > 1:
            raise ExpressionError(
                f"{where}: {name} has the shapes {sorted(shapes)[0]} and {sorted(shapes)[-1]}; give it one, with pad()."
            )
        columns[name] = np.stack(values)
    return columns


def part(columns: Columns, prefix: str) -> Columns:
    """The columns whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): column for name, column in columns.items() if name.startswith(prefix)}


def take(columns: Columns, rows: Any) -> Columns:
    return {name: column[rows] for name, column in columns.items()}


def _names(held: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    told = {name: value for name, value in outcome._asdict().items() if name != "draws"}
    for name in ("legal", "acting"):  # where there is none, an attribute of that name is meant
        if told[name] is None:
            del told[name]
    return {**held, **told}


def _own(seen: dict[str, Any], held: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """The scope for [state]: an attribute may be called `obs` or `info`, and there it is meant, not the outcome."""
    clash = held.keys() & outcome._fields
    return {**seen, **{name: held[name] for name in clash}} if clash else seen


def _values(table: dict[str, Expression], seen: dict[str, Any], prefix: str = "") -> Row:
    return {f"{prefix}{key}": _solid(e, e.read(seen))[0] for key, e in table.items()}


def chance_row(contract: Contract, table: dict[str, Expression], seen: dict[str, Any], outcome: Outcome) -> Row:
    """The chance, and under `drawn.` which of it the reference did draw."""
    row: Row = {}
    used = {name for expression in table.values() for name in expression.draws}
    for draw in outcome.draws if contract.chance_start or contract.chance_step else ():
        if not any(name in contract.chance_ignored or name in used for name in names_of(draw)):
            raise ExpressionError(
                f"The reference draws {draw.method} at {draw.site}, which the contract neither maps in [chance] nor "
                f"names in [chance.ignored]."
            )
    for key, expression in table.items():
        value, masked = _solid(expression, expression.read(seen))
        row[f"chance.{key}"], row[f"drawn.{key}"] = value, ~masked
    return row


def _solid(expression: Expression, value: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A value as an array, and where it is only padding."""
    if value is np.ma.masked:
        return np.asarray(0), np.asarray(True)
    if isinstance(value, np.ma.MaskedArray):
        return value.filled(), np.ma.getmaskarray(value)
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise ExpressionError(
            f"{expression.where}: {expression.text!r} gives {value!r}, which is not a number; None becomes one with "
            f"none(x, instead)."
        )
    return array, np.zeros(array.shape, bool)
