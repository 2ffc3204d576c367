"""Which key means which action, environment by environment."""

from collections.abc import Mapping
from dataclasses import dataclass

from envwright.core import Discrete, EnvwrightError, Space
from envwright.core.registry import spec


@dataclass(frozen=True)
class Controls:
    """The keys of one environment."""

    actions: Mapping[str, int]  # key -> action
    idle: tuple[int, ...]  # what is done while no key is held, in turn
    help: str


def keys(*, each: Mapping[int, str]) -> dict[str, int]:
    """A table of keys from the words that name the keys of each action."""
    return {key: action for action, names in each.items() for key in names.split()}


CONTROLS = {
    "Pong-v0": Controls(keys(each={1: "up w k", 2: "down s j"}), idle=(0,), help="↑ w k up  ↓ s j down"),
    # There is no action that leaves the cart alone; pushing it to and fro comes to the same.
    "CartPole-v1": Controls(keys(each={0: "left a h", 1: "right d l"}), idle=(0, 1), help="← a h left  → d l right"),
}


def controls_for(env_id: str, space: Space) -> Controls:
    """The environment's own keys; where it has none, the digits are its actions."""
    known = spec(env_id).id
    if not isinstance(space, Discrete):
        raise EnvwrightError(f"{known} takes {space} as an action, which keys cannot give; play a discrete one.")
    digits = {str(action): action for action in range(min(space.n, 10))}
    return CONTROLS.get(known) or Controls(digits, idle=(0,), help=f"0-{max(digits)} act")
