"""The environments in the box, one folder each. Importing this imports none of them."""

from envwright.core.registry import register
from envwright.core.spec import Controls, keys


def register_all() -> None:
    """Put the environments of this package into the registry."""
    register(
        "Pong-v0",
        "envwright.envs.pong:Pong",
        summary="PufferLib's Pong, bit for bit (C to JAX)",
        controls=Controls(keys(each={1: "up w k", 2: "down s j"}), idle=(0,), help="↑ w k up  ↓ s j down"),
    )
    register(
        "CartPole-v1",
        "envwright.envs.cartpole:CartPole",
        max_episode_steps=500,
        summary="Gymnasium's CartPole, the worked example (Python to JAX)",
        # There is no action that leaves the cart alone; pushing it to and fro comes to the same.
        controls=Controls(keys(each={0: "left a h", 1: "right d l"}), idle=(0, 1), help="← a h left  → d l right"),
    )
