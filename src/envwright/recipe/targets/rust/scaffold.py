"""The files of a Rust translation that follow from its interface, so that an agent only writes the rules.

Cargo.toml pyproject.toml    given: a crate for cargo, a Python package for pip (by maturin)
src/state.rs                 given: what games, luck and outcomes are made of, by the names of the contract
src/lib.rs functions.rs      given: what Python sees, and the functions that are called alone
src/template files           given, the same for every environment: columns, threads, luck, batches
src/cards.rs                 a module of the plan, to be written
src/rules.rs                 the last module, to be written
python/fast_blackjack/       given: a Gymnasium environment, a vector environment, their spaces
"""

import json
from collections.abc import Sequence
from pathlib import Path

from envwright.candidates.apart import plain_space
from envwright.core.errors import EnvwrightError
from envwright.recipe.targets.rust import functions, python_side
from envwright.recipe.targets.rust.names import KEYWORDS, NEVER, literal
from envwright.recipe.targets.rust.state import clock, state_file
from envwright.verifier.interface import Interface

LAST = functions.RULES
TEMPLATE = Path(__file__).parent / "template"
SAME = ("batch", "buffer", "games", "rng", "timed", "value", "verify")  # whatever the environment
GIVEN = (*SAME, "functions", "state", "lib")

CARGO = """\
[package]
name = "{package}"
version = "0.1.0"
edition = "2021"
publish = false
build = false  # nothing runs at build time

[lib]
name = "{package}_native"
crate-type = ["cdylib"]

[dependencies]
pyo3 = {{ version = "=0.29.3", features = ["abi3-py311", "extension-module"] }}
rayon = "=1.12.0"

[profile.release]
lto = true
codegen-units = 1
panic = "unwind"  # a panic in the rules becomes an exception in Python
overflow-checks = true  # a number that does not fit is an error, as it is in the reference
strip = true

[workspace]  # of its own, wherever it lies
"""

LIB = """\
//! {title} in Rust, for Python. Given: only rules.rs and the modules beside it are written.

use pyo3::prelude::*;

{modules}
/// After so many steps a game is truncated.
pub const LIMIT: Option<i64> = {limit};
/// The column of the steps taken.
pub const CLOCK: &str = {clock};
/// Names and spaces, for Python.
const ABOUT: &str = {about};

#[pymodule]
fn {package}_native(module: &Bound<'_, PyModule>) -> PyResult<()> {{
    games::write_down_panics();
    module.add("ABOUT", ABOUT)?;
    module.add_class::<batch::Batch>()?;
    module.add_function(wrap_pyfunction!(verify::layout, module)?)?;
    module.add_function(wrap_pyfunction!(verify::signatures, module)?)?;
    module.add_function(wrap_pyfunction!(verify::init, module)?)?;
    module.add_function(wrap_pyfunction!(verify::start, module)?)?;
    module.add_function(wrap_pyfunction!(verify::play, module)?)?;
    module.add_function(wrap_pyfunction!(verify::draw_start, module)?)?;
    module.add_function(wrap_pyfunction!(verify::draw, module)?)?;
    module.add_function(wrap_pyfunction!(verify::phases, module)?)?;
    module.add_function(wrap_pyfunction!(verify::call, module)?)
}}
"""

FORMAT = 'max_width = 120\nuse_small_heuristics = "Max"\n'
IGNORED = "target/\nCargo.lock\n__pycache__/\n*.so\n"


def scaffold(interface: Interface, modules: Sequence[str]) -> dict[str, str]:
    """Every file of the crate by its path; those of the modules are only there to be replaced."""
    modules = tuple(dict.fromkeys([*modules, LAST]))
    for module in modules:
        _check(module)
    package = interface.package
    files = {
        "Cargo.toml": CARGO.format(package=package),
        ".gitignore": IGNORED,
        "rustfmt.toml": FORMAT,
        "src/lib.rs": _lib(interface, modules),
        "src/state.rs": state_file(interface),
        "src/functions.rs": functions.functions_file(interface, modules),
    }
    for name in SAME:
        text = (TEMPLATE / "src" / f"{name}.rs").read_text(encoding="utf-8")
        files[f"src/{name}.rs"] = text.replace("__PACKAGE__", package)
    files |= {written(interface, module): functions.stub(interface, module, modules) for module in modules}
    return files | python_side.python_files(interface)


def written(interface: Interface, module: str) -> str:
    """The file that a module is written to."""
    del interface
    return f"src/{module}.rs"


def signatures(interface: Interface, module: str) -> str:
    """The functions that a module has to have, as Rust writes them."""
    homes = {signature.module for signature in interface.functions}  # of which each has a file, or rules.rs has it
    return "\n".join(functions.signatures(interface, module, [*homes, LAST]))


def _lib(interface: Interface, modules: Sequence[str]) -> str:
    limit, counted = interface.max_episode_steps, clock(interface)
    about = {
        "package": interface.package,
        "title": interface.title,
        "action_space": plain_space(interface.action_space),
        "observation_space": plain_space(interface.observation_space),
        "max_episode_steps": limit,
    }
    return LIB.format(
        title=interface.title,
        package=interface.package,
        modules="".join(_declared(name, name in modules) for name in sorted({*GIVEN, *modules} - {"lib"})),
        limit="None" if limit is None else f"Some({limit})",
        clock=literal(counted.name if counted else "time"),
        about=literal(json.dumps(about)),
    )


def _declared(name: str, is_written: bool) -> str:
    """A module of the crate; what is written by others has no business with raw memory."""
    return f"#[forbid(unsafe_code)]\nmod {name};\n" if is_written else f"mod {name};\n"


def _check(module: str) -> None:
    if module in GIVEN:
        raise EnvwrightError(
            f"A module cannot be called {module}, for src/{module}.rs is given; rename it in the plan."
        )
    if not (module.isascii() and module.isidentifier()) or module in KEYWORDS | NEVER:
        raise EnvwrightError(f"A module cannot be called {module} in Rust; rename it in the plan.")
