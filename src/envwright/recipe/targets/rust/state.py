"""state.rs: what games, luck and outcomes are made of."""

from collections.abc import Sequence

from envwright.core.errors import EnvwrightError
from envwright.recipe.targets.rust.names import action_field, identifiers, literal, one_line, rust_type
from envwright.verifier.interface import Field, Interface

ELAPSED = "elapsed_steps"  # what contracts call the steps taken

HEAD = """\
//! What games, luck and outcomes are made of. Given: the verifier reads these by name.

use crate::value::record;
"""

RESULT = """\
/// What comes of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepResult {
    pub observation: Observation,
    pub reward: f64,
    pub terminated: bool,
    pub truncated: bool,
    pub info: Info,
}
"""


def state_file(interface: Interface) -> str:
    """The text of state.rs."""
    state = [field for field in interface.state if field is not clock(interface)]
    parts = [
        HEAD,
        alias("Action", action_field(interface.action_space), "What a player does."),
        alias("Observation", interface.observation, "What a player sees."),
        record("State", "A game.", state),
        record("StartLuck", "All that is random about a new game.", interface.start_luck),
        record("StepLuck", "All that is random about a step.", interface.step_luck),
        record("Info", "What is told about a step besides.", interface.info),
        RESULT,
        record("Phases", "What is known after each phase of a step.", phase_fields(interface)),
    ]
    return "\n".join(parts)


def clock(interface: Interface) -> Field | None:
    """The column of the steps taken, where a time limit is put around the rules: it counts them, and not the rules."""
    if interface.max_episode_steps is None:
        return None
    counted = [field for field in interface.state if field.source.strip() == ELAPSED]
    if counted:
        return counted[0]
    if any(field.name == "time" for field in interface.state):
        raise EnvwrightError(
            f"The state of {interface.title} has a field 'time', which is what its time limit of "
            f"{interface.max_episode_steps} steps is counted in; rename the field in the contract."
        )
    return Field("time", (), "int64", ELAPSED)


def phase_fields(interface: Interface) -> list[Field]:
    """The values after each phase as one record: phase and name with a NUL between, which no name contains."""
    return [
        Field(f"{phase}\0{field.name}", field.shape, field.dtype, field.source)
        for phase, fields in interface.phases
        for field in fields
    ]


def alias(name: str, field: Field, about: str) -> str:
    return f"/// {about}{_source(field)}\npub type {name} = {rust_type(field)};\n"


def record(name: str, about: str, fields: Sequence[Field]) -> str:
    """A struct with a column for each field."""
    names = identifiers((field.name.removeprefix("info.") for field in fields), name)
    if not fields:
        return f"record! {{\n    /// {about} There is nothing.\n    pub struct {name} {{}}\n}}\n"
    lines = [f"record! {{\n    /// {about}\n    pub struct {name} {{"]
    for field in fields:
        phase, _, inner = field.name.rpartition("\0")
        after = f"{inner} after the phase {phase}." if phase else ""
        comment = one_line(f"{after}{_source(field)}")
        lines += [f"        /// {comment}"] if comment else []
        own = names[field.name.removeprefix("info.")]
        lines.append(f"        pub {own}: {rust_type(field)} = {literal(field.name)},")
    return "\n".join([*lines, "    }", "}\n"])


def _source(field: Field) -> str:
    return f" In the reference: `{one_line(field.source)}`" if field.source else ""
