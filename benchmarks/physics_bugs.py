"""Hand-made bugs in planar physics: is each found within a step, and blamed on the phase that it is in?

    python benchmarks/physics_bugs.py

They are verified against MuJoCo by the environment's own contract, phase by phase (L2). Bugs that a pendulum shows are
tried on one, which compiles in seconds.
"""

from functools import partial
from pathlib import Path

import bugs

VERIFY = """
import json, sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from envwright.candidates.jax_candidate import JaxCandidate
from envwright.verifier import pairs
from envwright.verifier.engine import verify
from envwright.verifier.session import Effort
contract = pairs.with_setting(pairs.find_contract([sys.argv[1]]), "tight")
host = pairs.make_host(contract, apart=False)
JaxCandidate.in_float64 = lambda self: None  # in float32 only: none of the bugs is as small as rounding
effort = Effort(episodes=6, limit=200, pool=300, watched=int(sys.argv[2]))
candidate = pairs.make_candidate(contract)
verdict = verify(contract, host, candidate, effort=effort, levels=["L2"], traces=Path(sys.argv[3]))
blamed = [divergence.module for check in verdict.checks for divergence in check.divergences]
print(json.dumps({"caught": verdict.failed, "blamed": blamed, "level": "L2" if verdict.failed else ""}))
"""
Bug = partial(bugs.Bug, env="half_cheetah")

BUGS = [
    Bug(
        "hinges turn the other way",
        "kinematics",
        "kinematics.py",
        "mul(joint.axis[0], moved)",
        "mul(-joint.axis[0], moved)",
        env="inverted_double_pendulum",
    ),
    Bug(
        "rotation transposed",
        "kinematics",
        "kinematics.py",
        "return add(mul(frame.cos, x), mul(frame.sin, z)), sub(mul(frame.cos, z), mul(frame.sin, x))",
        "return sub(mul(frame.cos, x), mul(frame.sin, z)), add(mul(frame.cos, z), mul(frame.sin, x))",
        env="inverted_double_pendulum",
    ),
    Bug(
        "links attached to the root",
        "kinematics",
        "kinematics.py",
        "else frames[body.parent]\n",
        "else frames[0]\n",
        env="inverted_double_pendulum",
    ),
    Bug(
        "hinge in the wrong place",
        "kinematics",
        "kinematics.py",
        "arm = turned(frame, joint.pos)",
        "arm = turned(frame, (joint.pos[0], 0.0))",
        env="walker2d",
    ),
    Bug(
        "positions not relative to those at rest",
        "kinematics",
        "kinematics.py",
        "return sub(position, joint.rest)",
        "return position",
        env="walker2d",
    ),
    Bug(
        "parallel axes forgotten",
        "mass",
        "inertia.py",
        "turn = add(body.inertia, mul(x, com[0]), mul(z, com[1]))",
        "turn = add(body.inertia, mul(x, com[0]))",
        env="inverted_double_pendulum",
    ),
    Bug(
        "sign of the coupling of turning and moving",
        "mass",
        "inertia.py",
        "return Weight(turn, z, -x, body.mass",
        "return Weight(turn, z, x, body.mass",
        env="inverted_double_pendulum",
    ),
    Bug(
        "armature left out",
        "mass",
        "phases.py",
        "[joint.armature for joint in model.joints]",
        "[0.0 for joint in model.joints]",
    ),
    Bug(
        "children not added to parents",
        "mass",
        "inertia.py",
        "        if parent >= 0:\n            whole[parent] = sum_of(whole[parent], whole[i])\n    found = {}",
        "    found = {}",
        env="inverted_double_pendulum",
    ),
    Bug(
        "Coriolis sign",
        "bias",
        "forces.py",
        "force_x = mul(body.mass, add(x, mul(velocity.turn, up)))",
        "force_x = mul(body.mass, sub(x, mul(velocity.turn, up)))",
        env="inverted_double_pendulum",
    ),
    Bug(
        "Coriolis left out of z",
        "bias",
        "forces.py",
        "force_z = mul(body.mass, sub(z, mul(velocity.turn, along)))",
        "force_z = mul(body.mass, z)",
        env="inverted_double_pendulum",
    ),
    Bug(
        "axes do not move with their bodies",
        "bias",
        "forces.py",
        "acceleration = sum_of_twists(acceleration, scaled(_drift(axis, velocity), qvel[i]))",
        "acceleration = acceleration",
        env="inverted_double_pendulum",
    ),
    Bug(
        "drift after the joint's own velocity",
        "bias",
        "forces.py",
        "_drift(axis, velocity), qvel[i])",
        "_drift(axis, Twist(0.0, velocity.x, velocity.z)), qvel[i])",
        env="inverted_double_pendulum",
    ),
    Bug(
        "gravity upside down",
        "bias",
        "forces.py",
        "-model.gravity[1])",
        "model.gravity[1])",
        env="inverted_double_pendulum",
    ),
    Bug(
        "moment arm swapped",
        "bias",
        "forces.py",
        "sub(mul(com[1], force_x), mul(com[0], force_z))",
        "sub(mul(com[0], force_x), mul(com[1], force_z))",
        env="inverted_double_pendulum",
    ),
    Bug("springs push", "passive", "forces.py", "mul(-joint.stiffness,", "mul(joint.stiffness,"),
    Bug(
        "half the damping",
        "passive",
        "forces.py",
        "mul(joint.damping, v)",
        "mul(0.5 * joint.damping, v)",
        env="inverted_double_pendulum",
    ),
    Bug(
        "controls clipped too soon",
        "actuation",
        "forces.py",
        "clamp(control, motor.low, motor.high)",
        "clamp(control, motor.low, 0.5 * motor.high)",
        env="inverted_double_pendulum",
    ),
    Bug("gears swapped", "actuation", "forces.py", "mul(motor.gear,", "mul(model.motors[-1].gear,"),
    Bug("bias forces added", "smooth", "forward.py", "add(p, a, -b)", "add(p, a, b)", env="inverted_double_pendulum"),
    Bug(
        "passive forces left out",
        "smooth",
        "forward.py",
        "add(p, a, -b)",
        "add(a, -b)",
        env="inverted_double_pendulum",
    ),
    Bug(
        "radius left out of the distance",
        "contacts",
        "constraints.py",
        "-(model.floor + sphere.radius))",
        "-model.floor)",
    ),
    Bug(
        "contact at the surface of the sphere",
        "contacts",
        "constraints.py",
        "sub(sub(z, sphere.radius), mul(0.5, distance))",
        "sub(z, sphere.radius)",
    ),
    Bug(
        "the other end of each capsule",
        "contacts",
        "constraints.py",
        "x, z = place(frame, sphere.pos)",
        "x, z = place(frame, (-sphere.pos[0], sphere.pos[1]))",
    ),
    Bug(
        "stale contacts: relative height",
        "contacts",
        "constraints.py",
        "distance = add(z, where_.origin[1],",
        "distance = add(z, 0.7,",
    ),
    Bug(
        "wrong friction",
        "constraints",
        "phases.py",
        "frictions = _frictions(sphere.friction, contact.forward)\n            units",
        "frictions = _frictions(0.5 * sphere.friction, contact.forward)\n            units",
    ),
    Bug(
        "impedance from the wrong side",
        "constraints",
        "constraints.py",
        "where(x <= soft.midpoint, x * x / soft.midpoint",
        "where(x > soft.midpoint, x * x / soft.midpoint",
        env="inverted_double_pendulum",
    ),
    Bug(
        "constraint damping of the wrong sign",
        "constraints",
        "constraints.py",
        "rise = add(mul(sphere.soft.damping, speed[1])",
        "rise = add(mul(-sphere.soft.damping, speed[1])",
    ),
    Bug(
        "strength without the inverse weight",
        "constraints",
        "constraints.py",
        "((1 - impedance) * soft.resistance)",
        "(1 - impedance)",
        env="inverted_double_pendulum",
    ),
    Bug(
        "limit of the wrong sign",
        "constraints",
        "constraints.py",
        "sub(where(upper, pull, -pull)",
        "sub(where(upper, -pull, pull)",
        env="inverted_double_pendulum",
    ),
    Bug(
        "upper limits ignored",
        "constraints",
        "constraints.py",
        "active = beyond < 0\n",
        "active = (beyond < 0) & ~upper\n",
        env="inverted_double_pendulum",
    ),
    Bug(
        "one row for the normal instead of two",
        "solve",
        "solver.py",
        "where(edges.normal, 2 * strength, 0.0)",
        "where(edges.normal, strength, 0.0)",
    ),
    Bug("friction not squared", "solve", "solver.py", "return friction**2 * both", "return friction * both"),
    Bug(
        "contacts may pull",
        "solve",
        "solver.py",
        "edges.append(Edges(rise < 0, rise + slip < 0, rise - slip < 0))",
        "edges.append(Edges(rise < 1e9, rise + slip < 1e9, rise - slip < 1e9))",
    ),
    Bug("explicit damping", "integrate", "integrate.py", "if not any(extra):", "if True:"),
    Bug(
        "old velocity moves the body",
        "integrate",
        "integrate.py",
        "moved = model.timestep * qvel",
        "moved = model.timestep * motion.qvel",
    ),
    Bug(
        "Runge-Kutta weights of the stages",
        "integrate",
        "integrate.py",
        "((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))",
        "((0.0, 1 / 3), (0.5, 1 / 6), (0.5, 1 / 6), (1.0, 1 / 3))",
        env="walker2d",
    ),
]


if __name__ == "__main__":
    bugs.compare(__doc__, BUGS, Path("physics"), VERIFY, watched=30)
