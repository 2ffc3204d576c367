"""Pong as a picture. Draws the state, never the observation; the rules do not import it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envwright.envs.pong.state import Params, State

BACKGROUND = (6, 24, 24)
OPPONENT = (255, 84, 84)
AGENT = (0, 220, 220)
BALL = (245, 245, 245)
NET = (20, 60, 60)
DIGIT = (0, 187, 187)
DIGIT_SIZE = 6  # pixels of one dot of a digit

# Digits of three by five dots, a row a number, its bits from left to right.
FONT = {
    "0": (7, 5, 5, 5, 7),
    "1": (2, 6, 2, 2, 7),
    "2": (7, 1, 7, 4, 7),
    "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1),
    "5": (7, 4, 7, 1, 7),
    "6": (7, 4, 7, 5, 7),
    "7": (7, 1, 1, 2, 2),
    "8": (7, 5, 7, 5, 7),
    "9": (7, 5, 7, 1, 7),
}


def draw_court(state: State, params: Params) -> NDArray[np.uint8]:
    """The court with a margin for the paddles on either side, as (height, width, 3) uint8."""
    width, height, paddle_w = int(params.width), int(params.height), int(params.paddle_width)
    margin = 3 * paddle_w
    frame = np.full((height, width + 2 * margin, 3), BACKGROUND, np.uint8)
    frame[::16, margin + width // 2 - 2 : margin + width // 2 + 2] = NET

    def block(x: float, y: float, w: float, h: float, colour: tuple[int, int, int]) -> None:
        top = height - y - h  # rows run downwards, the court upwards
        rows = slice(max(0, round(top)), max(0, round(top + h)))
        frame[rows, max(0, round(x)) : max(0, round(x + w))] = colour

    block(margin - paddle_w, float(state.paddle_yl), paddle_w, float(params.paddle_height), OPPONENT)
    block(margin + width, float(state.paddle_yr), paddle_w, float(params.paddle_height), AGENT)
    block(margin + float(state.ball_x), float(state.ball_y), float(params.ball_width), float(params.ball_height), BALL)
    draw_number(frame, int(state.score_l), right=margin + width // 2 - 30)
    draw_number(frame, int(state.score_r), right=margin + width // 2 + 30 + 7 * DIGIT_SIZE)
    return frame


def draw_number(frame: NDArray[Any], number: int, right: int) -> None:
    """Write a number into the frame, its right edge at column `right`."""
    for place, digit in enumerate(reversed(str(number))):
        dots = np.array([[row >> bit & 1 for bit in (2, 1, 0)] for row in FONT[digit]], bool)
        patch = np.kron(dots, np.ones((DIGIT_SIZE, DIGIT_SIZE), bool))
        left = right - (place + 1) * 4 * DIGIT_SIZE + DIGIT_SIZE
        frame[12 : 12 + patch.shape[0], left : left + patch.shape[1]][patch] = DIGIT
