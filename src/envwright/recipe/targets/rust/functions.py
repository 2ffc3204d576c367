"""functions.rs, which the verifier calls functions through, and the stubs that an agent replaces."""

from collections.abc import Sequence

from envwright.recipe.targets.rust.names import identifier, identifiers, literal, one_line, rust_type
from envwright.verifier.interface import Interface, Signature

RULES = "rules"

GLUE = """\
//! The functions that are called alone, and the phases of a step. Given.
#![allow(unused_imports, unused_variables)]

use crate::state::{{Action, Phases, State, StepLuck}};
use crate::value::{{get, put, Field}};
use crate::{modules};

/// Name, arguments, result.
pub fn signatures() -> Vec<(&'static str, Vec<Field>, Field)> {{
    vec![{signatures}]
}}

/// Call a function with a row of arguments, and write its result.
pub fn call(function: &str, given: &[&[u8]], row: usize, out: &mut [u8], at: usize) {{
    match function {{{arms}
        _ => unreachable!("{{function}} is not among the signatures"),
    }}
}}

pub fn phases(state: &State, action: Action, luck: &StepLuck) -> Phases {{
    {phases}
}}
"""

RULES_HEAD = """\
//! The rules of {title}. To be written: every `todo!`.
//!
//! - Luck is drawn in `draw_start` and `draw` only (`rng.rs` has the generator); what `start` and `apply` do follows
//!   from their arguments alone. Nothing is kept outside of the state: no statics, no clock, no files.
//! - `state.rs` says what everything is made of. `State::zero()` and the like make one with everything 0.
//! - A step of a game that is over is a step like any other; games are begun anew elsewhere.{limit}
//! - An index out of range or a number that overflows is a panic, and reported with its line; where the reference's
//!   numbers wrap around, say `wrapping_add` and the like.
#![allow(unused_imports, unused_variables)]

use crate::rng::Rng;
use crate::state::{{Action, Info, Observation, Phases, StartLuck, State, StepLuck, StepResult}};
"""

MODULE_HEAD = """\
//! {module}. To be written: every `todo!`.
#![allow(unused_imports, unused_variables)]

use crate::state::{{Action, Info, Observation, Phases, StartLuck, State, StepLuck, StepResult}};
"""

STEPS = (
    "pub fn draw_start(rng: &mut Rng) -> StartLuck;  // the luck of a new game, as likely as in the reference",
    "pub fn start(luck: &StartLuck) -> (State, Observation);  // a new game with this luck; nothing is drawn here",
    "pub fn draw(rng: &mut Rng, state: &State, action: Action) -> StepLuck;"
    "  // the luck of a step; what the step will not need of it may be anything",
    "pub fn apply(state: &mut State, action: Action, luck: &StepLuck) -> StepResult;  // all else that a step does",
)
PHASES = (
    "pub fn phases(state: &State, action: Action, luck: &StepLuck) -> Phases;"
    "  // what is known after each phase of that step; of a phase that it does not reach, anything",
)


def home(signature: Signature, modules: Sequence[str]) -> str:
    """The file that a function is in: its module's, or rules.rs, for contracts blame more finely than files cut."""
    return signature.module if signature.module in modules else RULES


def functions_file(interface: Interface, modules: Sequence[str]) -> str:
    """The text of functions.rs."""
    arms, listed = [], []
    for signature in interface.functions:
        arguments = [
            f"{'&' if field.shape else ''}get::<{rust_type(field)}>(given[{i}], row)"
            for i, field in enumerate(signature.arguments)
        ]
        call = f"{identifier(home(signature, modules))}::{function_name(signature)}({', '.join(arguments)})"
        name, result = literal(signature.name), rust_type(signature.result)
        arms.append(f"\n        {name} => put::<{result}>(&{call}, out, at),")
        fields = [f"Field::of::<{rust_type(field)}>({literal(field.name)})" for field in signature.arguments]
        listed.append(f'\n        ({name}, vec![{", ".join(fields)}], Field::of::<{result}>("result")),')
    homes = sorted({identifier(home(signature, modules)) for signature in interface.functions} | {RULES})
    return GLUE.format(
        modules=homes[0] if len(homes) == 1 else f"{{{', '.join(homes)}}}",
        signatures="".join(listed) + ("\n    " if listed else ""),
        arms="".join(arms),
        phases="rules::phases(state, action, luck)" if interface.phases else "Phases {}",
    )


def signatures(interface: Interface, module: str, modules: Sequence[str]) -> list[str]:
    """The functions that a module has to have, as Rust writes them, each with what it is."""
    own = [_signature(signature) for signature in interface.functions if home(signature, modules) == module]
    identifiers((line.partition("(")[0] for line in own), f"The functions of {module}")
    return [*(STEPS if module == RULES else ()), *(PHASES if module == RULES and interface.phases else ()), *own]


def stub(interface: Interface, module: str, modules: Sequence[str]) -> str:
    """The file of a module as an agent finds it."""
    limit = (
        f"\n//! - The time limit of {interface.max_episode_steps} steps is counted elsewhere, and is not a rule."
        if interface.max_episode_steps is not None
        else ""
    )
    head = RULES_HEAD if module == RULES else MODULE_HEAD
    bodies = [_body(line) for line in signatures(interface, module, modules)]
    return "\n".join([head.format(title=interface.title, module=module, limit=limit), *bodies])


def function_name(signature: Signature) -> str:
    """The name alone: a method is a function here."""
    return identifier(signature.name.rpartition(".")[2])


def _body(signature: str) -> str:
    head, _, about = signature.partition(";  // ")
    name = head.partition("fn ")[2].partition("(")[0]
    return f"/// {about}\n{head} {{\n    todo!({literal(name)})\n}}\n"


def _signature(signature: Signature) -> str:
    names = identifiers((field.name for field in signature.arguments), f"The arguments of {signature.name}")
    arguments = ", ".join(
        f"{names[field.name]}: {'&' if field.shape else ''}{rust_type(field)}" for field in signature.arguments
    )
    told = "".join(
        f", {names[field.name]} being `{one_line(field.source)}`"
        for field in signature.arguments
        if field.source not in ("", field.name)
    )
    return (
        f"pub fn {function_name(signature)}({arguments}) -> {rust_type(signature.result)};"
        f"  // `{one_line(signature.reference)}` of the reference{told}"
    )
