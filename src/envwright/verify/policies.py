"""Who plays while the reference is recorded. More than one, because each leaves something out."""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box
from envwright.references.protocol import Reference

Policy = Callable[[Any, np.random.Generator], Any]  # what is seen, luck -> action
PLAYER = "player:"  # what the name of a trained policy begins with


def builtin(reference: Reference) -> dict[str, Policy]:
    """Policies that need to know nothing of the game."""
    policies: dict[str, Policy] = {
        "random": lambda obs, rng: reference.sample_action(rng),
        "persistent": _persistent(reference),
    }
    if isinstance(reference.action_space, Box):
        policies["extreme"] = _extreme(reference.action_space)
    return policies


def find(name: str, reference: Reference, base: Path | None) -> Policy:
    """A policy by name, new: some remember what they did, which must not outlive an episode."""
    return builtin(reference).get(name) or (from_player(name) if _is_player(name) else from_file(name, base))


def source(name: str, base: Path | None) -> str:
    """The text of the file that a policy of the user's own, or a trained one, is in."""
    return Path(name.removeprefix(PLAYER)).read_text() if _is_player(name) else _file(name, base).read_text()


def _is_player(name: str) -> bool:
    return name.startswith(PLAYER)


def from_player(name: str) -> Policy:
    """A trained policy: `player:PATH`, as verify/transfer/saved.py writes it."""
    from envwright.verify.transfer.saved import load  # needs JAX's trainer, which other policies do not

    player = load(Path(name.removeprefix(PLAYER)))
    memory = [player.no_memory(1)]
    kind = np.dtype(player.policy.observations.dtype)  # it learned with numbers of this width

    def act(obs: Any, rng: np.random.Generator) -> Any:
        actions, memory[0] = player.act(np.asarray(obs).astype(kind)[None], memory[0], player.noise(rng, 1))
        return actions[0].item() if actions.ndim == 1 else actions[0]

    return act


def _file(name: str, base: Path | None) -> Path:
    file = name.rpartition(":")[0]
    path = (base or Path()) / file
    if path.suffix != ".py" or not path.is_file():
        raise EnvwrightError(f"There is no policy {name}: {path} is not a Python file; write path/to/file.py:function.")
    return path


def from_file(name: str, base: Path | None) -> Policy:
    """A policy of the user's own: `policies.py:follow`, a function of what is seen and of a NumPy generator."""
    path, function = _file(name, base), name.rpartition(":")[2]
    spec = importlib.util.spec_from_file_location(f"envwright_policy_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        raise EnvwrightError(f"{path} has no function {function} to be a policy.")
    return found


def _persistent(reference: Reference) -> Policy:
    """Random actions, each kept for a while: goes further than one that trembles on the spot."""
    kept: list[Any] = []

    def act(obs: Any, rng: np.random.Generator) -> Any:
        if not kept or rng.random() < 0.1:
            kept[:] = [reference.sample_action(rng)]
        return kept[0]

    return act


def _extreme(space: Box) -> Policy:
    """Corners of the box, and beyond it: references differ in what they clip."""
    low, high = (np.broadcast_to(np.asarray(bound, space.dtype), space.shape) for bound in (space.low, space.high))
    low, high = (np.nan_to_num(bound, posinf=1.0, neginf=-1.0) for bound in (low, high))

    def act(obs: Any, rng: np.random.Generator) -> Any:
        return np.where(rng.random(space.shape) < 0.5, low, high).astype(space.dtype)

    return act
