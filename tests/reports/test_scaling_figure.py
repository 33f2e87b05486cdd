"""Smallest training sets against N, from the measures of every seed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.reports.scaling_figure import Growth, geometric_mean, needs_of, scaling_figure, slope_of

STRIPES = [{"need_8": 70.0, "need_16": 140.0, "slope": 1.0}, {"need_16": 160.0, "need_8": 80.0, "slope": 1.2}]
BUMPS = [{"need_8": 100.0, "need_16": 800.0, "slope": 3.0}, {"need_8": 120.0, "slope": 2.8}]
NEVER = [{}, {}]


def test_needs_are_gathered_by_size_in_rising_order():
    assert needs_of(STRIPES) == {8: [70.0, 80.0], 16: [140.0, 160.0]}
    assert list(needs_of(STRIPES[1:])) == [8, 16]
    assert needs_of(BUMPS)[16] == [800.0]  # one seed never got there
    assert needs_of([{"need_8": math.nan, "need_hole_8": 5.0, "need": 1.0, "indeed_8": 2.0}]) == {}
    assert needs_of([{"need_hole_8": 5.0}], "need_hole") == {8: [5.0]}


def test_the_slope_is_the_one_that_was_measured():
    assert slope_of(STRIPES).estimate == pytest.approx(1.1)
    assert slope_of(STRIPES, "need_hole") is None
    assert slope_of([{"slope_hole": 2.0}], "need_hole").estimate == 2.0
    assert slope_of(NEVER) is None


def test_every_kind_has_its_line_and_slope(parsed, image_bytes):
    kinds = {"stripes": STRIPES, "bumps": BUMPS, "in the hole": NEVER}
    figure = scaling_figure(kinds, "Data needed (Fig. 4c).")
    svg = image_bytes(figure).decode()
    assert all(words in svg for words in ("stripes: slope 1.1", "bumps: slope 2.9", "in the hole: never reached"))
    assert all(f">{words}<" in svg for words in ("N", "N³", "8", "16", "smallest training set, pictures"))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "stripes: 74.8 at N = 8, 150 at N = 16; bumps: 110 at N = 8, 800 at N = 16" in alt
    assert "White marks: some seeds never reached the goal" in figure
    assert "Never reached: in the hole." in figure
    assert figure == scaling_figure(kinds, "Data needed (Fig. 4c).")


def test_an_exponential_law_has_a_factor_and_no_guides(image_bytes):
    seeds = [{"need_2": 50.0, "need_3": 100.0, "base": 2.0}, {"need_2": 60.0, "need_3": 120.0, "base": 2.0}]
    figure = scaling_figure({"penalty": seeds}, "", growth=Growth("functions", "examples", exponential=True))
    svg = image_bytes(figure).decode()
    assert "penalty: factor 2" in svg
    assert ">functions<" in svg
    assert ">N³<" not in svg
    assert "Logarithmic upwards" in figure
    assert "like N" not in figure


def test_where_all_seeds_arrive_no_mark_is_white():
    assert "White marks" not in scaling_figure({"stripes": STRIPES}, "")


def test_without_a_need_there_is_no_figure():
    assert scaling_figure({"in the hole": NEVER}, "") is None
    assert scaling_figure({}, "") is None


@given(st.lists(st.floats(1.0, 1e6), min_size=1, max_size=5), st.floats(0.1, 10.0))
def test_a_geometric_mean_scales_with_its_values(values, factor):
    assert geometric_mean([factor * value for value in values]) == pytest.approx(factor * geometric_mean(values))
    assert min(values) * (1 - 1e-9) <= geometric_mean(values) <= max(values) * (1 + 1e-9)
