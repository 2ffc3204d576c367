"""Who plays while the reference is recorded. More than one, because each leaves something out."""

import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from envwright.core.errors import EnvwrightError
from envwright.core.spaces import Box
from envwright.references import legality
from envwright.references.legality import Mask
from envwright.references.protocol import Reference

PLAYER = "player:"  # what the name of a trained policy begins with


class ActingPolicy(Protocol):
    """An action, of several players one each, from what is observed; without a mask, one that the reference allows."""

    def __call__(self, obs: Any, rng: np.random.Generator, legal: Mask | None = None, /) -> Any: ...


def builtin(reference: Reference) -> dict[str, ActingPolicy]:
    """Policies that need to know nothing of the game."""
    policies: dict[str, ActingPolicy] = {"random": _random(reference), "persistent": _persistent(reference)}
    if isinstance(reference.action_space, Box):
        policies["extreme"] = _extreme(reference.action_space, reference.players)
    return policies


def find(name: str, reference: Reference, base: Path | None) -> ActingPolicy:
    """A policy by name, new: some remember what they did, which must not outlive an episode."""
    if _is_player(name):
        return from_player(name, reference.players)
    return builtin(reference).get(name) or _scripted(name, base, reference.players)


def source(name: str, base: Path | None) -> str:
    """The text of the file that a policy of the user's own, or a trained one, is in."""
    return Path(name.removeprefix(PLAYER)).read_text() if _is_player(name) else _file(name, base).read_text()


def _is_player(name: str) -> bool:
    return name.startswith(PLAYER)


def from_player(name: str, players: int = 1) -> ActingPolicy:
    """A trained policy: `player:PATH`, as verifier/transfer/saved.py writes it; one network for all players."""
    from envwright.verifier.transfer.saved import load  # needs JAX's trainer, which other policies do not

    player = load(Path(name.removeprefix(PLAYER)))
    memory = [player.no_memory(players)]
    kind = np.dtype(player.policy.observations.dtype)  # it learned with numbers of this width

    def act(obs: Any, rng: np.random.Generator, legal: Mask | None = None) -> Any:
        rows = np.asarray(obs).astype(kind).reshape(players, *player.policy.observations.shape)
        masks = None if legal is None else np.atleast_2d(legal)
        actions, memory[0] = player.act(rows, memory[0], player.noise(rng, players), masks)
        return actions if players > 1 else actions[0].item() if actions.ndim == 1 else actions[0]

    return act


def _file(name: str, base: Path | None, what: str = "policy") -> Path:
    file = name.rpartition(":")[0]
    path = (base or Path()) / file
    if path.suffix != ".py" or not path.is_file():
        raise EnvwrightError(f"There is no {what} {name}: {path} is not a Python file; write path/to/file.py:function.")
    return path


def load_function(name: str, base: Path | None, what: str = "policy") -> Callable[..., Any]:
    """A function of the user's own: `policies.py:follow`."""
    path, function = _file(name, base, what), name.rpartition(":")[2]
    spec = importlib.util.spec_from_file_location(f"envwright_{what}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        raise EnvwrightError(f"{path} has no function {function} to be a {what}.")
    return found


def _scripted(name: str, base: Path | None, players: int) -> ActingPolicy:
    """A policy of the user's own, which is called once for each player with what that player observes and may do."""
    function = load_function(name, base)
    parameters = inspect.signature(function).parameters.values()
    sees_masks = any(p.kind is p.VAR_POSITIONAL for p in parameters) or len(parameters) > 2

    def of_seat(obs: Any, rng: np.random.Generator, legal: Mask | None) -> Any:
        if players > 1 and legal is not None and legal.sum() <= 1:
            return int(legal.argmax())  # nothing is left to choose
        action = function(obs, rng, legal) if sees_masks else function(obs, rng)
        if not legality.is_legal(action, legal):
            raise EnvwrightError(f"The policy {name} chose the illegal action {action}; {_HINT}")
        return action

    def act(obs: Any, rng: np.random.Generator, legal: Mask | None = None) -> Any:
        if players == 1:
            return of_seat(obs, rng, legal)
        masks = [None] * players if legal is None else legal
        return np.stack([of_seat(obs[seat], rng, masks[seat]) for seat in range(players)])

    return act


_HINT = "give it a third parameter, the mask of legal actions, and choose among those."


def _random(reference: Reference) -> ActingPolicy:
    def act(obs: Any, rng: np.random.Generator, legal: Mask | None = None) -> Any:
        return reference.sample_action(rng) if legal is None else legality.sample(rng, legal)

    return act


def _persistent(reference: Reference) -> ActingPolicy:
    """Random actions, each kept for a while: goes further than one that trembles on the spot."""
    kept: list[Any] = []
    at_random = _random(reference)

    def act(obs: Any, rng: np.random.Generator, legal: Mask | None = None) -> Any:
        allowed = reference.legal() if legal is None else legal
        if not kept or rng.random() < 0.1 or not legality.is_legal(kept[0], allowed):
            kept[:] = [at_random(obs, rng, legal)]
        return kept[0]

    return act


def _extreme(space: Box, players: int) -> ActingPolicy:
    """Corners of the box, and beyond it: references differ in what they clip."""
    low, high = (np.broadcast_to(np.asarray(bound, space.dtype), space.shape) for bound in (space.low, space.high))
    low, high = (np.nan_to_num(bound, posinf=1.0, neginf=-1.0) for bound in (low, high))
    shape = (*legality.seats(players), *space.shape)

    def act(obs: Any, rng: np.random.Generator, legal: Mask | None = None) -> Any:
        return np.where(rng.random(shape) < 0.5, low, high).astype(space.dtype)

    return act
