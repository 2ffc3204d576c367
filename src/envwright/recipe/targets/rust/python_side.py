"""The Python package around a crate: Gymnasium's environments and spaces."""

from pathlib import Path

import numpy as np

from envwright.core.spaces import Discrete, Space
from envwright.verifier.interface import Interface

TEMPLATE = Path(__file__).parent / "template" / "python"


def python_files(interface: Interface) -> dict[str, str]:
    """Each file by its path."""
    folder = f"python/{interface.package}"
    wanted = {
        "pyproject.toml": "pyproject",
        "README.md": "readme",
        **{f"{folder}/{name}.py": name for name in ("__init__", "env", "spaces", "vector")},
    }
    return {path: _filled(interface, name) for path, name in wanted.items()}


def space_text(space: Space) -> str:
    """A space as Gymnasium's users write it."""
    if isinstance(space, Discrete):
        return f"spaces.Discrete({space.n})"
    kind = f"np.{'bool_' if space.dtype == np.bool_ else space.dtype.name}"
    low, high = (_bound(bound, kind) for bound in (space.low, space.high))
    return f"spaces.Box({low}, {high}, {space.shape}, {kind})"


def _bound(bound: float | tuple[float, ...], kind: str) -> str:
    if isinstance(bound, tuple):
        return f"np.array([{', '.join(_number(b) for b in bound)}], {kind})"
    return _number(bound)


def _number(bound: float) -> str:
    if np.isinf(bound):
        return "np.inf" if bound > 0 else "-np.inf"
    return repr(int(bound)) if bound == int(bound) else repr(float(bound))


def _filled(interface: Interface, name: str) -> str:
    text = (TEMPLATE / f"{name}.txt").read_text(encoding="utf-8")
    for place, value in (
        ("__OBSERVATION_SPACE__", space_text(interface.observation_space)),
        ("__ACTION_SPACE__", space_text(interface.action_space)),
        ("__PACKAGE__", interface.package),
        ("__TITLE__", interface.title),
    ):
        text = text.replace(place, value)
    return text
