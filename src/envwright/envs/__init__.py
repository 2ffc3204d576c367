"""The environments in the box, one folder each. Importing this imports none of them."""

from envwright.core.registry import register


def register_all() -> None:
    """Put the environments of this package into the registry."""
    register("Pong-v0", "envwright.envs.pong:Pong", summary="PufferLib's Pong, bit for bit (C to JAX)")
    register(
        "CartPole-v1",
        "envwright.envs.cartpole:CartPole",
        max_episode_steps=500,
        summary="Gymnasium's CartPole, the worked example (Python to JAX)",
    )
