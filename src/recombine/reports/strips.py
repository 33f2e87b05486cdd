"""A small picture of one check: the range it must lie in, and the interval that was measured."""

import math
from collections.abc import Callable

from recombine.papers import Interval, Range
from recombine.reports.markup import Markup, join, tag

WIDTH, HEIGHT = 132, 18
ROOM = 0.18  # free share on each side of what is drawn


def strip(expected: Range, measured: Interval) -> Markup:
    """A band for the expected range, a whisker for the interval, a dot for the estimate, on one linear axis.

    An open end of either runs to the border. The numbers stand beside it, so it is hidden from screen readers.
    """
    place = _scale([expected.low, expected.high, measured.estimate, measured.low, measured.high])
    left, right = place(expected.low), place(expected.high)
    low, high, dot = place(measured.low), place(measured.high), place(measured.estimate)
    top, tall, middle = 1, HEIGHT - 2, HEIGHT // 2
    ends = [side for end, side in ((expected.low, left), (expected.high, right)) if math.isfinite(end)]
    band = f"M{_n(left)} {top}h{_n(max(right - left, 1.0))}v{tall}H{_n(left)}z"
    parts = join(
        tag("path", class_="expected", d=band),
        tag("path", class_="bound", d="".join(f"M{_n(side)} {top}v{tall}" for side in ends)) if ends else None,
        tag("path", class_="whisker", d=f"M{_n(low)} {middle}H{_n(high)}"),
        tag("circle", class_="estimate", cx=_n(dot), cy=str(middle), r="3.5"),
    )
    return tag("svg", parts, class_="strip", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true")


def _scale(values: list[float]) -> Callable[[float], float]:
    """From a value to its place in pixels; infinities lie on the border."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite), max(finite)
    span = (high - low) or abs(high) or 1.0
    start, room = low - ROOM * span, (1 + 2 * ROOM) * span if high > low else 2 * ROOM * span

    def place(value: float) -> float:
        return WIDTH * min(max((value - start) / room, 0.0), 1.0)

    return place


def _n(value: float) -> str:
    return f"{value:.1f}"
