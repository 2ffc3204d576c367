"""The result of a run as something to install: a wheel with the translation, its card, its contract and its verdict.

fast_blackjack/
  __init__.py, registration.py     what makes it known by name     given
  env.py, state.py, rules.py, ...  the translation                 byte for byte what was judged
  tests/                           those agents wrote, and ours
  card.md, contract.toml, verdict.json
"""

import json
from collections.abc import Sequence
from pathlib import Path

from envwright.recipe.events import Began, Event, Tested, to_plain
from envwright.recipe.naming import told
from envwright.recipe.package import jax_files
from envwright.recipe.package.card import card
from envwright.recipe.package.wheel import PackageError as PackageError
from envwright.recipe.package.wheel import write_wheel
from envwright.recipe.project import Project
from envwright.recipe.summary import final, last, verified
from envwright.recipe.targets.rust.wheel import library, tag
from envwright.recipe.versions import Files
from envwright.verifier.contract import Contract
from envwright.verifier.interface import Interface

VERSION = "0.1.0"
Built = tuple[str, bytes]  # the name of the wheel, and its content


def build_wheel(
    project: Project,
    interface: Interface,
    files: Files,
    events: Sequence[Event],
    contract: Contract,
    folder: Path | None = None,
) -> Built:
    """The wheel of verified files; the same for the same, byte for byte. Files that did not pass are refused.
    `folder` is where they are built, for targets that are compiled."""
    if project.target not in ("jax", "rust"):
        raise PackageError(f"There are no packages of {project.target} yet; there are of jax, rust.")
    if not verified(events, files):
        raise PackageError(
            f"The files of {project.name} are not those that passed the games nobody saw; run: envwright resume."
        )
    jax = project.target == "jax"
    if not jax and folder is None:
        raise PackageError("A wheel of Rust needs the folder that it was built in; give it.")
    package, gymnasium = interface.package, jax_files.gymnasium_id(interface)
    id = jax_files.envwright_id(interface) if jax else gymnasium
    usage = (_USAGE if jax else _RUST_USAGE).format(package=package, id=id, gymnasium=gymnasium)
    about = card(project, interface, files, events, contract, id, usage)
    kept = {path: text for path, text in files.items() if path not in failing(events)}
    content: dict[str, str | bytes] = {
        **(_jax_files(interface, kept) if folder is None or jax else _rust_files(package, kept, folder)),
        f"{package}/card.md": about,
        f"{package}/contract.toml": contract.text,
        f"{package}/verdict.json": _verdict(events, files),
    }
    metadata = _metadata(project, package, events) + about
    points = jax_files.entry_points(interface) if jax else ""
    return write_wheel(package, VERSION, content, metadata, points, *(() if jax else (tag(),)))


def _jax_files(interface: Interface, files: Files) -> dict[str, str | bytes]:
    return {
        **{_place(path, interface.package): text for path, text in files.items()},
        **jax_files.given(interface),
    }


def _rust_files(package: str, files: Files, folder: Path) -> dict[str, str | bytes]:
    """What the crate's own wheel has, with its source."""
    crate = {path: text for path, text in files.items() if not path.startswith(("python/", "tests/"))}
    return {
        **library(folder, package),
        **{f"{package}/crate/{path}": text for path, text in crate.items()},
        **{f"{package}/{path}": text for path, text in files.items() if path.startswith("tests/")},
        f"{package}/tests/__init__.py": "",
    }


_RUST_USAGE = """\
```python
import gymnasium

env = gymnasium.make("{package}:{gymnasium}")            # or import {package} first, and then "{gymnasium}"
envs = gymnasium.make_vec("{package}:{gymnasium}", 1024)  # stepped together, on all cores
```

The source of the crate is in `{package}/crate`. Tests: `pytest --pyargs {package}`."""

_USAGE = """\
```python
import envwright

env = envwright.make("{id}")
run = envwright.rollout(env, num_envs=4096, steps=128)   # whole batches, compiled
last = run(envwright.key(1), run.reset(envwright.key(0)))
```

```python
import gymnasium

env = gymnasium.make("{package}:{gymnasium}")            # or import {package} first, and then "{gymnasium}"
envs = gymnasium.make_vec("{package}:{gymnasium}", 1024)
```

Tests: `pytest --pyargs {package}`."""


def failing(events: Sequence[Event]) -> set[str]:
    """Tests that agents wrote and that do not pass."""
    return {event.path for event in events if isinstance(event, Tested) and not event.passed}


def _place(path: str, package: str) -> str:
    """Where a file of the run goes in the package; its tests go with it."""
    if path.startswith(f"{package}/"):
        return path
    if path.startswith("tests/"):
        return f"{package}/{path}"
    raise PackageError(f"{path} is neither in {package}/ nor in tests/, so it has no place in the package.")


def _verdict(events: Sequence[Event], files: Files) -> str:
    judged = [to_plain(one) for one in final(events, files).values()]
    return json.dumps({"passed": True, "judged": judged}, indent=2) + "\n"


def _metadata(project: Project, package: str, events: Sequence[Event]) -> str:
    began = last(events, Began)
    made_with = began.versions.get("envwright", "") if began else ""
    original = " ".join(told(project.reference).split())
    return "\n".join(
        [
            "Metadata-Version: 2.1",
            f"Name: {package}",
            f"Version: {VERSION}",
            f"Summary: {project.title}, translated from {original} and verified against it.",
            "Requires-Python: >=3.11",
            f"Requires-Dist: envwright{f'>={made_with}' if made_with else ''}",
            "Requires-Dist: jax",  # envwright says how new they have to be
            "Requires-Dist: numpy",
            "Provides-Extra: gymnasium",
            'Requires-Dist: gymnasium; extra == "gymnasium"',
            "Provides-Extra: tests",
            'Requires-Dist: pytest; extra == "tests"',
            "Description-Content-Type: text/markdown",
            "",
            "",
        ]
    )
