"""Gymnasium's HalfCheetah."""

from envwright.envs.half_cheetah.env import HalfCheetah

__all__ = ["HalfCheetah"]
