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
    middle = HEIGHT / 2
    ends = [(end, side) for end, side in ((expected.low, left), (expected.high, right)) if math.isfinite(end)]
    parts = join(
        tag("rect", class_="expected", x=_n(left), y="1", width=_n(max(right - left, 1.0)), height=str(HEIGHT - 2)),
        [tag("line", class_="bound", x1=_n(side), x2=_n(side), y1="1", y2=str(HEIGHT - 1)) for _, side in ends],
        tag("line", class_="whisker", x1=_n(low), x2=_n(high), y1=_n(middle), y2=_n(middle)),
        tag("circle", class_="estimate", cx=_n(dot), cy=_n(middle), r="3.5"),
    )
    box = f"0 0 {WIDTH} {HEIGHT}"
    return tag("svg", parts, class_="strip", viewBox=box, width=WIDTH, height=HEIGHT, aria_hidden="true")


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
