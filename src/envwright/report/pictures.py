"""Pictures in SVG, drawn from numbers, in the colours of the page."""

import math

from envwright.bench.text import number
from envwright.recipe.events import Measured
from envwright.report.html import Html, tag

COLOURS = 6  # of modules; then they begin again


def colour(index: int) -> str:
    """The class that fills with the colour of a module."""
    return f"m{index % COLOURS}"


def bar(part: float, of: float, label: str, fill: str) -> Html:
    """A bar whose length is a part of a whole; the number itself stands beside it."""
    width = 100 * part / of if of else 0
    rect = tag("rect", width=f"{width:.2f}", height=10, rx=1, class_=fill)
    return tag(
        "svg", rect, class_="bar", viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=label
    )


def shares(parts: list[tuple[str, float]], of: float, label: str) -> Html:
    """One bar divided among modules, in their colours."""
    rects, x = [], 0.0
    for i, (name, part) in enumerate(parts):
        width = 100 * part / of if of else 0
        rects.append(tag("rect", tag("title", name), x=f"{x:.2f}", width=f"{width:.2f}", height=4, class_=colour(i)))
        x += width
    ground = tag("rect", width=100, height=4, class_="ground")
    return tag(
        "svg", ground, rects, class_="shares", viewBox="0 0 100 4", preserveAspectRatio="none", role="img",
        aria_label=label,
    )  # fmt: skip


# ---- speed ----

_LEFT, _WIDTH, _ROW = 130.0, 640.0, 34.0  # of the dots' field, in units of the picture


def speeds(measured: Measured) -> Html:
    """Both sides on a logarithmic scale; dots, for the length of a bar would mean nothing there."""
    sides = [("original", measured.reference, "dot reference"), ("translation", measured.candidate, "dot candidate")]
    low = math.floor(math.log10(max(min(rate for _, rate, _ in sides), 1e-9)))
    high = max(low + 1, math.ceil(math.log10(max(rate for _, rate, _ in sides))))

    def x(rate: float) -> float:
        share = (math.log10(max(rate, 1e-9)) - low) / (high - low)
        return round(_LEFT + _WIDTH * share, 1)

    height = _ROW * len(sides)
    parts = []
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(tag("line", x1=at, x2=at, y1=0, y2=height, class_="grid"))
        parts.append(tag("text", _tick(power), x=at, y=height + 18, text_anchor="middle", class_="tick"))
    first, second = (x(rate) for _, rate, _ in sides)
    parts.append(tag("line", x1=first, x2=second, y1=_ROW * 1.5, y2=_ROW * 1.5, class_="gap"))
    for i, (name, rate, kind) in enumerate(sides):
        y = _ROW * (i + 0.5)
        end = x(rate) > _LEFT + 0.75 * _WIDTH
        parts.append(tag("text", name, x=_LEFT - 16, y=y + 5, text_anchor="end"))
        parts.append(tag("circle", cx=x(rate), cy=y, r=7, class_=kind))
        place = {"x": x(rate) - 14, "y": y - 6, "text_anchor": "end"} if end else {"x": x(rate) + 14, "y": y + 5}
        parts.append(tag("text", f"{number(rate)} steps/s", **place, class_="value"))
    label = f"original {number(measured.reference)} steps a second, translation {number(measured.candidate)}"
    size = f"0 -8 {_LEFT + _WIDTH + 40:g} {height + 34:g}"
    return tag("svg", parts, class_="speeds", viewBox=size, role="img", aria_label=label)


def _tick(power: int) -> str:
    return number(10.0**power) if power >= 0 else f"{10.0**power:g}"
