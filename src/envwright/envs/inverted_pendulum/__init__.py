"""Gymnasium's InvertedPendulum."""

from envwright.envs.inverted_pendulum.env import InvertedPendulum

__all__ = ["InvertedPendulum"]
