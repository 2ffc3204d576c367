"""Gymnasium's Walker2d."""

from envwright.envs.walker2d.env import Walker2d

__all__ = ["Walker2d"]
