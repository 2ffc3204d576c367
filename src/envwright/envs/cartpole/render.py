"""CartPole as a picture. Draws the state, never the observation; the rules do not import it."""

import numpy as np
from numpy.typing import NDArray

from envwright.envs.cartpole.rules import Params, State

HEIGHT, WIDTH = 400, 600  # pixels; the width shows the track from one limit to the other
GROUND = 300  # the row of the track
CART_WIDTH, CART_HEIGHT = 50, 30
POLE_WIDTH = 10

BACKGROUND = (24, 24, 32)
TRACK = (90, 90, 110)
CART = (200, 205, 220)
POLE = (240, 160, 70)
HINGE = (110, 120, 220)


def draw_cart(state: State, params: Params) -> NDArray[np.uint8]:
    """The cart on its track, as (400, 600, 3) uint8."""
    scale = WIDTH / (2 * float(params.x_limit))
    middle = WIDTH / 2 + scale * float(state.x)
    frame = np.full((HEIGHT, WIDTH, 3), BACKGROUND, np.uint8)
    frame[GROUND - 1 : GROUND + 1] = TRACK
    frame[within(GROUND, CART_HEIGHT / 2, HEIGHT), within(middle, CART_WIDTH / 2, WIDTH)] = CART
    length = scale * 2 * float(params.half_length)
    draw_pole(frame, GROUND - CART_HEIGHT / 4, middle, float(state.theta), length)
    return frame


def draw_pole(frame: NDArray[np.uint8], row: float, column: float, theta: float, length: float) -> None:
    """Paint the pole and its hinge into the frame, the hinge at (row, column)."""
    rows, columns = within(row, length, HEIGHT), within(column, length, WIDTH)
    r, c = np.ogrid[rows, columns]
    up, out = row - r, c - column
    along, across = np.cos(theta) * up + np.sin(theta) * out, np.cos(theta) * out - np.sin(theta) * up
    thick = POLE_WIDTH / 2
    near = frame[rows, columns]
    near[(np.abs(across) <= thick) & (along >= -thick) & (along <= length - thick)] = POLE
    near[up**2 + out**2 <= thick**2] = HINGE


def within(centre: float, reach: float, size: int) -> slice:
    """The pixels of an axis of `size` no further than `reach` from `centre`."""
    low, high = (min(max(0, round(centre + side * reach)), size) for side in (-1, 1))
    return slice(low, high)
