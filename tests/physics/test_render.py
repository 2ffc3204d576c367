"""The picture of planar bodies: where things are in it, and that what moves is seen to move."""

import math
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envwright.physics.render import BELOW, HORIZON, SIZE, TILE, VIEW, Colour, Shape, draw
from envwright.play.film import save_film

HEIGHT, WIDTH = SIZE
SCALE = HEIGHT / VIEW  # pixels a metre
FEET = round(HEIGHT * (1 - BELOW))  # the row of the floor beneath the bodies
MIDDLE = WIDTH // 2
RED: Colour = (0.9, 0.1, 0.1)
GREEN: Colour = (0.1, 0.8, 0.1)
BAR: Shape = (-0.3, 1.0, 0.3, 1.0, 0.1, RED)  # level, a metre above the floor


def picture(*capsules: Shape, floor_z: float = 0.0, camera_x: float = 0.0) -> np.ndarray:
    """As integers that can be subtracted."""
    return np.asarray(draw(capsules, floor_z, camera_x)).astype(int)


def shifted(by: float, shape: Shape, up: float = 0.0) -> Shape:
    x1, z1, x2, z2, radius, colour = shape
    return x1 + by, z1 + up, x2 + by, z2 + up, radius, colour


def row(z: float) -> int:
    return round(FEET - z * SCALE)


@pytest.mark.parametrize("size", [SIZE, (48, 64), (101, 77)])
def test_a_picture_is_bytes_of_the_size_that_is_asked_for(size: tuple[int, int]) -> None:
    frame = draw([BAR], 0.0, 0.0, size)
    assert (frame.shape, frame.dtype) == ((*size, 3), jnp.uint8)


def test_the_same_state_is_the_same_picture_in_any_kind_of_number() -> None:
    first = picture(BAR)
    x1, z1, x2, z2, radius = (np.float64(number) for number in BAR[:5])
    assert (picture((x1, z1, x2, z2, radius, RED)) == first).all()
    assert (np.asarray(jax.jit(lambda x: draw([(x, *BAR[1:])], 0.0, 0.0))(jnp.float32(BAR[0]))) == first).all()


def test_many_states_are_drawn_at_once() -> None:
    xs = jnp.asarray([0.0, 0.2])
    frames = jax.vmap(lambda x: draw([(x, 1.0, x, 1.4, 0.1, RED)], 0.0, x))(xs)
    for x, frame in zip(xs, frames, strict=True):
        assert np.abs(np.asarray(frame).astype(int) - picture((x, 1.0, x, 1.4, 0.1, RED), camera_x=x)).max() <= 1


def test_a_capsule_covers_its_pixels_and_no_others() -> None:
    empty, frame = picture(), picture(BAR)
    changed = (frame != empty).any(axis=-1)[: row(HORIZON * VIEW)]  # above the horizon, where there is no shadow
    rows, columns = np.nonzero(changed)
    assert (rows.min(), rows.max()) == (row(1.1), row(0.9) - 1)
    assert (columns.min(), columns.max()) == (MIDDLE - 0.4 * SCALE, MIDDLE + 0.4 * SCALE - 1)
    area = (0.6 * 0.2 + math.pi * 0.1**2) * SCALE**2
    shares = np.abs(frame - empty).sum(axis=-1)[: row(HORIZON * VIEW)] > 100
    assert abs(shares.sum() / area - 1) < 0.03
    red, green, blue = frame[row(1.0), MIDDLE]
    assert red > 150 > 60 > max(green, blue)


def test_an_edge_is_blended() -> None:
    """So that a tenth of a pixel further, no pixel changes by much more than a tenth of the contrast."""
    slanted: Shape = (-0.3, 0.8, 0.3, 1.2, 0.1, RED)
    change = np.abs(picture(shifted(0.1 / SCALE, slanted)) - picture(slanted))
    assert 5 < change.max() < 30


def test_a_thin_capsule_leaves_the_rest_of_the_picture_alone() -> None:
    thin: Shape = (1.0, 0.5, 1.2, 0.5, 0.01, RED)
    same = (picture(thin) == picture()).all(axis=-1)[: row(HORIZON * VIEW)]
    assert same[:, :MIDDLE].all()
    assert not same.all()


def test_light_comes_from_above() -> None:
    frame = picture(BAR).sum(axis=-1)
    assert frame[row(1.05), MIDDLE] > 1.2 * frame[row(0.95), MIDDLE]


def test_later_capsules_are_in_front() -> None:
    across: Shape = (0.0, 0.7, 0.0, 1.3, 0.1, GREEN)
    assert picture(BAR, across)[row(1.0), MIDDLE].argmax() == 1
    assert picture(across, BAR)[row(1.0), MIDDLE].argmax() == 0


def test_a_capsule_of_no_length_is_a_sphere() -> None:
    empty, frame = picture(), picture((0.0, 1.0, 0.0, 1.0, 0.2, RED))
    changed = (np.abs(frame - empty).sum(axis=-1) > 100)[: row(HORIZON * VIEW)]
    assert abs(changed.sum() / (math.pi * 0.2**2 * SCALE**2) - 1) < 0.03


def test_the_sky_is_bluest_above_and_the_floor_begins_at_the_horizon() -> None:
    frame = picture()
    horizon = row(HORIZON * VIEW)
    assert (np.diff(frame[:horizon, 0], axis=0) >= 0).all(), "paler and paler"
    assert (frame[:horizon] == frame[:horizon, :1]).all()
    assert len(np.unique(frame[FEET], axis=0)) > 2, "tiles"


def test_a_shadow_is_beneath_what_is_near_the_floor() -> None:
    low, high = (picture((0.0, z, 0.0, z, 0.1, RED)) for z in (0.25, 1.0))
    beneath = picture()[FEET, MIDDLE + 5].sum()
    assert low[FEET, MIDDLE + 5].sum() < 0.8 * beneath
    assert low[FEET, MIDDLE + 5].sum() < high[FEET, MIDDLE + 5].sum() < beneath


def test_the_floor_moves_as_the_camera_does() -> None:
    there, pixels = picture(), 12
    moved = picture(camera_x=pixels / SCALE)
    followed = np.abs(moved[FEET, :-pixels] - there[FEET, pixels:]).mean()
    stayed = np.abs(moved[FEET] - there[FEET]).mean()
    assert followed < stayed / 3
    assert (picture(camera_x=2 * TILE) == there).all(), "two tiles on, it looks the same"
    assert np.abs(picture(camera_x=TILE) - there)[FEET:].mean() > 10, "one tile on, dark is light"


@pytest.mark.parametrize("far", [-64.0, 1024.0])
def test_a_body_that_has_gone_far_is_drawn_as_at_the_start(far: float) -> None:
    there, here = picture(shifted(far, BAR), camera_x=far), picture(BAR)
    # An end of the bar is rounded to 60 micrometres there, less than a hundredth of a pixel.
    assert np.abs(there - here).max() <= 4


def test_the_height_of_the_floor_is_a_matter_of_the_camera() -> None:
    raised = picture(shifted(0.0, BAR, up=-0.5), floor_z=-0.5)
    assert (raised == picture(BAR)).all()


def test_a_film_takes_the_pictures(tmp_path: Path) -> None:
    frames = (np.asarray(draw([shifted(x, BAR)], 0.0, x, (48, 64))) for x in np.linspace(0, 1, 5))
    assert save_film(frames, tmp_path / "bar.gif", fps=20) == 5
