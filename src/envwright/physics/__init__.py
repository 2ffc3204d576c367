"""Articulated bodies in the vertical plane, as MuJoCo computes them, in pure JAX.

A `Model` is read from a compiled mjModel (`extract.py`) and kept as a file. Everything else is a function of it: a
model is a constant of the trace, so each body gets arithmetic of its own, without zeros, ones and loops over links.
"""

from envwright.physics.integrate import Computed, Motion, advance, evaluate
from envwright.physics.model import Model, load_model
from envwright.physics.phases import phases
from envwright.physics.picture import picture
from envwright.physics.places import site
from envwright.physics.rewards import control_cost, forward_velocity

__all__ = [
    "Computed",
    "Model",
    "Motion",
    "advance",
    "control_cost",
    "evaluate",
    "forward_velocity",
    "load_model",
    "phases",
    "picture",
    "site",
]
