"""Translations to JAX, in our own interface."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envwright.candidates.apart import ApartCandidate, apart
from envwright.core.layouts import PLAIN, SHARDED
from envwright.recipe.targets.jax.scaffold import LAST as LAST
from envwright.recipe.targets.jax.scaffold import scaffold as scaffold
from envwright.recipe.targets.jax.scaffold import signatures as signatures
from envwright.recipe.targets.jax.scaffold import written as written
from envwright.sandbox.process import Limits, python
from envwright.verifier.interface import Interface

NAME = "jax"
IMPORTED_FROM = "."


def shown(interface: Interface) -> tuple[str, ...]:
    return (f"{interface.package}/state.py",)


def called(interface: Interface) -> str:
    return f"{interface.package}.env:{interface.title}"


def build(folder: Path) -> str:
    """Nothing has to be built."""
    del folder
    return ""


def workers(interface: Interface) -> dict[str, list[str]]:
    limit = interface.max_episode_steps
    options = json.dumps({} if limit is None else {"max_episode_steps": limit})
    worker = [*python("envwright.recipe.jax_timer"), called(interface), options]
    return {layout: [*worker, layout] for layout in (SHARDED, PLAIN)}


def candidate(
    interface: Interface, folder: Path, options: Mapping[str, Any], limits: Limits
) -> tuple[ApartCandidate | None, str]:
    """Nothing has to be built; whether it can be imported shows at the first check."""
    return apart(called(interface), folder, dict(options), limits), ""
