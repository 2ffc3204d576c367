"""Planar bodies as a picture, seen from the side: capsules in front of the sky, on a floor that runs to the horizon."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Colour = tuple[float, float, float]  # red, green and blue, each from 0 to 1
Shape = tuple[Any, Any, Any, Any, Any, Colour]  # x and z of one end, of the other, radius, colour; in metres

SIZE = (240, 320)  # height and width of a picture, in pixels
VIEW = 2.0  # metres from the lower edge to the upper one
BELOW = 0.25  # the share of the picture's height below the floor at the bodies' feet
HORIZON = 0.16  # the share from there up to the horizon
TILE = 0.5  # metres a side
DISTANCE = 3.0  # metres from the camera to the plane in which bodies move

ZENITH, HAZE = (0.23, 0.38, 0.59), (0.81, 0.87, 0.91)
DARK_TILE, LIGHT_TILE = (0.23, 0.28, 0.36), (0.35, 0.41, 0.5)

LIGHT = (-0.35, -0.55, 0.76)  # where light comes from: right, away, up
AMBIENT, SHINE = 0.5, 0.25
OUTLINE = 0.4  # how much darker an edge is, which keeps limbs of one colour apart
SHADOW = 0.7  # how dark the shadow of something that touches the floor is


@functools.partial(jax.jit, static_argnames=("size", "view"))
def draw(
    capsules: Sequence[Shape], floor_z: Any, camera_x: Any, size: tuple[int, int] = SIZE, view: float = VIEW
) -> jax.Array:
    """The capsules as a picture, (height, width, 3) uint8; later ones are in front of earlier ones.

    `camera_x` is in the middle of the picture, and the floor at `floor_z` a quarter of its height above the lower edge;
    there are `view` metres from the lower edge to the upper one.
    """
    height, width = size
    scale = height / view  # pixels a metre
    right = jnp.asarray((np.arange(width) + 0.5 - width / 2) / scale, jnp.float32)[None, :]
    up = jnp.asarray((height * (1 - BELOW) - np.arange(height) - 0.5) / scale, jnp.float32)[:, None]
    x, z = jnp.asarray(camera_x, jnp.float32), jnp.asarray(floor_z, jnp.float32)
    origin = (x, z, x, z, jnp.float32(0))
    # From here on, places are in metres to the right of the camera and above the floor.
    shapes = [
        [jnp.asarray(a, jnp.float32) - b for a, b in zip(capsule[:5], origin, strict=True)] for capsule in capsules
    ]
    picture = jnp.where(up[..., None] < HORIZON * view, floor(shapes, right, up, x, scale, view), sky(up, view))
    for shape, capsule in zip(shapes, capsules, strict=True):
        picture = paint(picture, shape, as_colour(capsule[5]), right, up, scale)
    return jnp.round(255 * jnp.clip(picture, 0, 1)).astype(jnp.uint8)


def sky(up: jax.Array, view: float) -> jax.Array:
    """Bluer the higher."""
    height = (up[..., None] / view - HORIZON) / (1 - BELOW - HORIZON)
    return mix(HAZE, ZENITH, jnp.clip(height, 0, 1) ** 0.8)


def floor(
    shapes: list[list[jax.Array]], right: jax.Array, up: jax.Array, camera_x: jax.Array, scale: float, view: float
) -> jax.Array:
    """Tiles in perspective, pale in the distance, with the shadows of the capsules."""
    under = jnp.maximum(HORIZON * view - up, 0.5 / scale)  # below the horizon, at least half a pixel
    depth = HORIZON * view / under  # 1 where the bodies are, larger behind them
    x, y = right * depth, DISTANCE * (depth - 1)
    across = waves(camera_x % (2 * TILE) + x, depth * (1 + jnp.abs(right) / under) / scale)
    away = waves(y + TILE / 2, DISTANCE * depth / (under * scale))  # so that feet are in the middle of a tile
    ground = mix(DARK_TILE, LIGHT_TILE, (0.5 + 0.5 * across * away)[..., None])
    dark = functools.reduce(jnp.maximum, [shadow(shape, x, y) for shape in shapes], jnp.zeros_like(x))
    haze = 1 - jnp.exp(-0.25 * jnp.maximum(depth - 1, 0))
    return mix(ground * (1 - dark[..., None]), HAZE, haze[..., None])


def waves(place: jax.Array, width: jax.Array) -> jax.Array:
    """1 and -1 in turn, a tile each, as the mean over a pixel of some width: no flicker where tiles are small."""

    def integral(place: jax.Array) -> jax.Array:
        return TILE - jnp.abs(place % (2 * TILE) - TILE)

    return (integral(place + width / 2) - integral(place - width / 2)) / width


def shadow(shape: list[jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
    """How dark the floor is beneath a capsule: paler and wider the higher it is."""
    x1, z1, x2, z2, radius = shape
    part = jnp.clip((x - x1) * safe_inverse(x2 - x1), 0, 1)
    gap = jnp.maximum(z1 + part * (z2 - z1) - radius, 0)
    reach = radius + 0.35 * gap
    return SHADOW * jnp.sqrt(radius / reach) * jnp.exp(-((x - x1 - part * (x2 - x1)) ** 2 + y**2) / reach**2)


def paint(
    picture: jax.Array, shape: list[jax.Array], colour: jax.Array, right: jax.Array, up: jax.Array, scale: float
) -> jax.Array:
    """The picture with a capsule in front of it, lit as a solid one, its edge blended over one pixel."""
    x1, z1, x2, z2, radius = shape
    along_x, along_z = x2 - x1, z2 - z1
    part = ((right - x1) * along_x + (up - z1) * along_z) * safe_inverse(along_x**2 + along_z**2)
    part = jnp.clip(part, 0, 1)
    off_x, off_z = right - x1 - part * along_x, up - z1 - part * along_z
    distance = jnp.sqrt(off_x**2 + off_z**2)
    outer = jnp.maximum(distance, radius)  # beyond the edge, as on the edge
    normal = [off_x / outer, -jnp.sqrt(jnp.maximum(1 - (distance / radius) ** 2, 0)), off_z / outer]
    light = jnp.maximum(sum(a * n for a, n in zip(LIGHT, normal, strict=True)), 0)[..., None]
    lit = colour * (AMBIENT + (1.1 - AMBIENT) * light) + SHINE * light**24
    inside = ((radius - distance) * scale)[..., None]  # pixels from the edge
    lit = lit * (1 - OUTLINE * jnp.clip(1.5 - inside, 0, 1))
    return mix(picture, lit, jnp.clip(inside + 0.5, 0, 1))


def mix(one: Any, other: Any, share: jax.Array) -> jax.Array:
    """From one colour, or picture, to the other."""
    one, other = as_colour(one), as_colour(other)
    return one + (other - one) * share


def as_colour(colour: Any) -> jax.Array:
    """A colour as a picture of one pixel; a picture as it is."""
    colour = jnp.asarray(colour, jnp.float32)
    return colour.reshape(1, 1, 3) if colour.ndim == 1 else colour


def safe_inverse(x: jax.Array) -> jax.Array:
    """1/x, and 0 for 0: a sphere is a capsule of no length."""
    return jnp.where(x == 0, 0, 1 / jnp.where(x == 0, 1, x))
