"""Numbers as people read them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.papers import Interval, Range
from recombine.reports.numbers import MINUS, ROUNDING, count, counted, duration, interval, required, short


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.012345, "0.0123"),
        (-0.5, f"{MINUS}0.5"),
        (12345.6, "1.23e4"),
        (1.5e-7, f"1.5e{MINUS}7"),
        (3.1e-27, "≈0"),
        (math.inf, "∞"),
        (-math.inf, f"{MINUS}∞"),
        (math.nan, "not a number"),
    ],
)
def test_a_number_has_three_digits(value, words):
    assert short(value) == words


@settings(deadline=None, max_examples=200)
@given(value=st.floats(-1e300, 1e300).filter(lambda v: abs(v) > ROUNDING))
def test_a_written_number_is_within_half_a_percent(value):
    assert float(short(value).replace(MINUS, "-")) == pytest.approx(value, rel=5.1e-3)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [([2.0] * 5, "2 (5 of 5 seeds)"), ([3.0, 2.0, 2.0], "2 (2 of 3 seeds), 3 (1)"), ([113.0], "113 (1 seed)")],
)
def test_numbers_of_things_are_told_one_by_one(numbers, words):
    assert counted(numbers) == words


def test_an_interval_names_its_ends_and_seeds():
    assert interval(Interval(0.92, 0.88, 0.96, 6)) == "0.92 [0.88, 0.96], 6 seeds"
    assert interval(Interval.over_seeds([0.5])) == "0.5 (1 seed, no interval)"


def test_an_exact_value_has_neither_interval_nor_seeds():
    assert interval(Interval.point(327.0)) == "327 (exact)"
    assert interval(Interval.over_seeds([2.0, 2.0])) == "2 [2, 2], 2 seeds"  # measured, though alike


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (Range(0.7135, 0.7735), "0.7135 to 0.7735"),
        (Range(high=1e-10), f"at most 1e{MINUS}10"),
        (Range(low=-1e-9), f"at least {MINUS}1e{MINUS}9"),
        (Range(0.5, 0.5), "exactly 0.5"),
        (Range(), "anything"),
    ],
)
def test_a_range_is_written_to_its_last_digit(expected, words):
    assert required(expected) == words


def test_counts_and_durations():
    assert [count(n, "run") for n in (0, 1, 2, 1234)] == ["0 runs", "1 run", "2 runs", "1,234 runs"]
    assert [duration(s) for s in (0.4, 119.0, 120.0, 7199.0, 7200.0, 36000.0)] == [
        "0 s", "119 s", "2 min", "120 min", "2.0 h", "10.0 h",
    ]  # fmt: skip
