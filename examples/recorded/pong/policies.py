"""Who plays Pong for the verifier, besides those who play at random: somebody who wins."""

from envwright.envs.pong.policies import attack_discrete as attack

__all__ = ["attack"]
