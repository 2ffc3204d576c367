"""Gymnasium's InvertedDoublePendulum."""

from envwright.envs.inverted_double_pendulum.env import InvertedDoublePendulum

__all__ = ["InvertedDoublePendulum"]
