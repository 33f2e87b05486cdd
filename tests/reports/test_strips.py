"""The small picture of a check agrees with the numbers beside it."""

import math
import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recombine.papers import Interval, Range
from recombine.reports.strips import HEIGHT, WIDTH, strip

values = st.floats(-1e3, 1e3)


def drawn(parsed, expected, measured):
    """Ends of the band, of the whisker, and the place of the dot."""
    (svg,) = parsed(strip(expected, measured)).all("svg")
    (band,), (dot,), (whisker,) = (
        svg.all("path", class_="expected"),
        svg.all("circle"),
        svg.all("path", class_="whisker"),
    )
    left, width = re.match(r"M([\d.]+) 1h([\d.]+)v16H\1z", band.attributes["d"]).groups()
    ends = re.match(r"M([\d.]+) 9H([\d.]+)", whisker.attributes["d"]).groups()
    place = float(left), float(left) + float(width)
    return place, (float(ends[0]), float(ends[1])), float(dot.attributes["cx"]), svg


@settings(deadline=None, max_examples=80)
@given(ends=st.tuples(values, values), low=values, high=values)
def test_a_dot_lies_in_the_band_exactly_if_the_estimate_lies_in_the_range(parsed, ends, low, high):
    a, b = sorted(ends)
    low, high = sorted((low, high))
    estimate = (a + b) / 2
    span = max(high, b) - min(low, a)
    # What is nearer to a bound than a pixel may fall to either side of it.
    assume(span > 0 and all(abs(estimate - bound) > span / WIDTH * 2 for bound in (low, high)))
    band, whisker, dot, _ = drawn(parsed, Range(low, high), Interval(estimate, a, b, 5))
    assert (band[0] <= dot <= band[1]) == (low <= estimate <= high)
    assert 0 <= whisker[0] <= dot <= whisker[1] <= WIDTH


def test_open_ends_run_to_the_border():
    expected, measured = Range(low=1.0), Interval(0.5, -math.inf, math.inf, 1)

    markup = strip(expected, measured)
    assert f'd="M0.0 9H{WIDTH:.1f}"' in markup  # one seed: the whisker is everywhere
    assert markup.count('class="bound"') == 1  # the open end has none
    assert f'viewBox="0 0 {WIDTH} {HEIGHT}"' in markup


def test_everything_at_one_place_still_draws(parsed):
    band, whisker, dot, svg = drawn(parsed, Range(0.0, 0.0), Interval(0.0, 0.0, 0.0, 3))
    assert band[0] <= dot <= band[1]
    assert whisker == (dot, dot)
    assert svg.attributes["aria-hidden"] == "true"
