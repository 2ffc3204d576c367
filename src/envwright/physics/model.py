"""What a planar body consists of: numbers that do not change while it moves.

Vectors are (x, z): x forward, z up. Angles turn about the y axis, positive from z to x, as in MuJoCo. Joints are
numbered in the order of the bodies, and each has one degree of freedom, so joint i moves `qpos[i]` and `qvel[i]`.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HINGE, SLIDE = "hinge", "slide"
EULER, RK4 = "Euler", "RK4"
Vector = tuple[float, float]


@dataclass(frozen=True)
class Softness:
    """How a constraint gives way: MuJoCo's `solref` and `solimp`, in the form in which they are used."""

    stiffness: float  # a reference acceleration for each metre, or radian, of violation
    damping: float  # and for each metre a second of its speed
    low: float  # the impedance where there is no violation,
    high: float  # and where it is `width` or more;
    width: float
    midpoint: float  # in between it is a spline, with this inflection point
    power: float  # and this power
    resistance: float  # the inverse of `D` where the impedance is a half


@dataclass(frozen=True)
class Limit:
    """The range of a joint."""

    low: float
    high: float
    margin: float  # the constraint is active from this distance to the limit
    soft: Softness


@dataclass(frozen=True)
class Joint:
    """A degree of freedom, between a body and its parent."""

    name: str
    kind: str  # HINGE or SLIDE
    axis: Vector  # the direction of a slide; of a hinge (sign, 0): 1 turns about +y, -1 about -y
    pos: Vector  # of a hinge, in the frame of its body
    rest: float  # the position in which the body is drawn: qpos0
    spring: float  # the position in which its spring is at rest
    stiffness: float
    damping: float
    armature: float
    limit: Limit | None


@dataclass(frozen=True)
class Body:
    """A link of the tree. Parents come before children."""

    name: str
    parent: int  # -1: the world
    pos: Vector  # in the frame of the parent
    angle: float
    mass: float
    com: Vector  # centre of mass, in its own frame
    inertia: float  # about the centre of mass
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Sphere:
    """What touches the floor: the end of a capsule, or a sphere."""

    body: int
    pos: Vector  # in the frame of its body
    radius: float
    along: Vector  # the axis of the capsule, which MuJoCo aligns the first friction direction with
    friction: float  # 0: none
    margin: float  # the contact is active from this distance to the floor
    soft: Softness


@dataclass(frozen=True)
class Capsule:
    """What is seen of a body."""

    body: int  # -1: the world
    start: Vector
    end: Vector
    radius: float
    colour: tuple[float, float, float]


@dataclass(frozen=True)
class Motor:
    """A joint's motor: the force for a control of 1, and the range to which controls are clipped."""

    joint: int
    gear: float
    low: float
    high: float


@dataclass(frozen=True)
class Model:
    """A planar body on a floor."""

    name: str
    source: str  # where its numbers come from
    timestep: float
    substeps: int  # of a step of the environment: its frame skip
    integrator: str  # EULER or RK4
    gravity: Vector
    floor: float  # its height
    joints: tuple[Joint, ...]
    bodies: tuple[Body, ...]
    spheres: tuple[Sphere, ...]
    motors: tuple[Motor, ...]
    capsules: tuple[Capsule, ...]
    sites: tuple[tuple[int, Vector], ...]  # marked places on bodies

    @property
    def dofs(self) -> int:
        return len(self.joints)

    @property
    def dt(self) -> float:
        """Seconds a step of the environment."""
        return self.timestep * self.substeps

    def body_of(self, joint: int) -> int:
        return next(i for i, body in enumerate(self.bodies) if joint in body.joints)

    def ancestors(self, joint: int) -> Iterator[int]:
        """The joints between this one and the world, nearest first."""
        body = self.body_of(joint)
        yield from reversed([other for other in self.bodies[body].joints if other < joint])
        while (body := self.bodies[body].parent) >= 0:
            yield from reversed(self.bodies[body].joints)


@cache
def load_model(path: Path) -> Model:
    """A model from a file that `extract.py` wrote."""
    return _read(Model, json.loads(path.read_text()))


def save_model(model: Model, path: Path) -> None:
    path.write_text(json.dumps(dataclasses.asdict(model), indent=1) + "\n")


def _read(cls: type, values: Mapping[str, Any]) -> Any:
    parts = {"limit": Limit, "soft": Softness, "joints": Joint, "bodies": Body, "spheres": Sphere, "motors": Motor}
    parts |= {"capsules": Capsule}

    def one(name: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return _read(parts[name], value)
        if isinstance(value, list):
            return tuple(one(name, element) for element in value)
        return value

    return cls(**{name: one(name, value) for name, value in values.items()})
