"""Blocks, bands, crosses and corners against plain counting, on grids whose sides differ."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Grid

GRID = Grid.numbered(y=5, x=8)
RING = Grid.numbered(y=5, x=28, periodic=("x",))


def cells(region, grid=GRID):
    return {tuple(row) for row in grid.combinations()[region.contains(grid)].tolist()}


def widths(high):
    return st.tuples(st.integers(0, high - 1), st.integers(1, high)).filter(lambda pair: pair[0] < pair[1])


def test_a_block_is_half_open_and_knows_rows_from_columns():
    block = splits.block(x=(6, 8), y=(1, 4)).contains(GRID).reshape(GRID.shape)
    expected = np.zeros((5, 8), dtype=bool)
    expected[1:4, 6:8] = True
    assert np.array_equal(block, expected)


def test_the_hole_of_the_papers_is_seventeen_wide():
    grid = Grid.numbered(y=28, x=28)
    assert splits.block(x=(6, 23), y=(6, 23)).contains(grid).sum() == 17**2


@given(x=widths(7), y=widths(4), z=widths(3))
@settings(deadline=None)
def test_a_block_holds_out_the_product_of_its_sides(x, y, z):
    grid = Grid.numbered(y=4, x=7, z=3)
    assert splits.block(x=x, y=y, z=z).contains(grid).sum() == (x[1] - x[0]) * (y[1] - y[0]) * (z[1] - z[0])
    assert splits.block(x=x, z=z).contains(grid).sum() == (x[1] - x[0]) * 4 * (z[1] - z[0])


def test_a_range_of_a_periodic_factor_runs_through_the_seam():
    assert {x for _, x in cells(splits.block(x=(26, 3)), RING)} == {26, 27, 0, 1, 2}
    assert cells(splits.block(x=(26, 0)), RING) == cells(splits.block(x=(26, 28)), RING)
    assert cells(splits.band(factor="x", low=27, high=1), RING) == {(y, x) for y in range(5) for x in (27, 0)}


@given(low=st.integers(1, 8), data=st.data())
@settings(deadline=None)
def test_a_wrapped_range_is_the_complement_of_the_straight_one(low, data):
    grid = Grid.numbered(y=3, x=9, periodic=("x",))
    high = data.draw(st.integers(0, low - 1))
    wrapped = splits.band(factor="x", low=low, high=high).contains(grid)
    straight = splits.band(factor="x", low=high, high=low).contains(grid)
    assert np.array_equal(wrapped, ~straight)


def test_a_band_is_a_block_of_one_factor():
    assert cells(splits.band(factor="y", low=1, high=3)) == cells(splits.block(y=(1, 3)))
    assert len(cells(splits.band(factor="y", low=1, high=3))) == 2 * 8


@given(x=widths(7), y=widths(4))
@settings(deadline=None)
def test_vertical_horizontal_and_intersection_partition_a_cross(x, y):
    grid = Grid.numbered(y=4, x=7)
    cross = splits.cross(x=x, y=y)
    parts = cross.sections(grid)
    assert np.array_equal(np.sum(list(parts.values()), axis=0), cross.contains(grid).astype(int))
    wide, high = x[1] - x[0], y[1] - y[0]
    counts = {name: int(part.sum()) for name, part in parts.items()}
    assert counts == {"vertical": wide * (4 - high), "horizontal": high * (7 - wide), "intersection": wide * high}


@pytest.mark.parametrize("grid", [Grid.numbered(y=4, x=7), Grid.numbered(x=7, y=4)])
def test_vertical_is_where_only_x_is_inside_whatever_the_order_of_factors(grid):
    rows = grid.combinations()
    x, y = rows[:, grid.axis("x")], rows[:, grid.axis("y")]
    parts = splits.cross(y=(1, 2), x=(3, 6)).sections(grid)
    assert np.array_equal(parts["vertical"], (x >= 3) & (x < 6) & (y != 1))
    assert np.array_equal(parts["horizontal"], (y == 1) & ~((x >= 3) & (x < 6)))


def test_without_an_x_the_later_factor_is_the_column():
    grid = Grid.numbered(size=4, hue=7)
    parts = splits.cross(hue=(0, 2), size=(0, 1)).sections(grid)
    assert (parts["vertical"].sum(), parts["horizontal"].sum()) == (2 * 3, 1 * 5)


def test_a_cross_of_three_factors_has_no_sections():
    grid = Grid.numbered(y=3, x=4, z=5)
    cross = splits.cross(y=(0, 1), x=(0, 1), z=(0, 1))
    assert cross.sections(grid) == {}
    assert cross.contains(grid).sum() == 3 * 4 * 5 - 2 * 3 * 4


def test_a_corner_is_a_block_to_the_end():
    assert cells(splits.corner(x=6, y=2)) == cells(splits.block(x=(6, 8), y=(2, 5)))
    assert cells(splits.corner(x=6)) == cells(splits.block(x=(6, 8)))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: splits.block(x=(2, 9)).contains(GRID), "block: x = (2, 9) is outside the grid; x has 8 levels"),
        (lambda: splits.block(y=(5, 9)).contains(GRID), "block: y = (5, 9) is outside the grid; y has 5 levels"),
        (lambda: splits.block(x=(28, 2)).contains(RING), "block: x = (28, 2) is outside the grid; x has 28 levels"),
        (lambda: splits.block(x=(6, 2)).contains(GRID), "block: x = (6, 2) is reversed; x has 8 levels and is not"),
        (lambda: splits.block(w=(0, 2)).contains(GRID), "unknown factor 'w'"),
        (lambda: splits.block(x=(3, 3)), "block: x = (3, 3): the range is empty because high is not included"),
        (lambda: splits.block(x=(-2, 3)), "block: x = (-2, 3): a range is a pair (low, high)"),
        (lambda: splits.block(x=(1.5, 3)), "block: x = (1.5, 3): a range is a pair"),
        (lambda: splits.block(x=(False, True)), "block: x = (False, True): a range is a pair"),
        (lambda: splits.block(x=4), "block: x = 4: a range is a pair"),
        (lambda: splits.block(x=(1, 2, 3)), "block: x = (1, 2, 3): a range is a pair"),
        (lambda: splits.block(), "block names no factor; name at least one"),
        (lambda: splits.block(kind=(0, 2)), "block cannot name a factor 'kind'"),
        (lambda: splits.band(factor="x", low=3, high=3), "band: low = high = 3 is empty"),
        (lambda: splits.band(factor="x", low=6, high=3).contains(GRID), "band: x = (6, 3) is reversed"),
        (lambda: splits.band(factor="x", lo=6, high=8), "unknown setting of band 'lo'; did you mean 'low'"),
        (lambda: splits.cross(x=(0, 2)), "cross names only the factor 'x'; name at least two"),
        (lambda: splits.cross(x=(0, 2), y=(4, 6)).contains(GRID), "cross: y = (4, 6) is outside the grid"),
        (lambda: splits.corner(), "corner names no factor"),
        (lambda: splits.corner(x=(0, 2)), "corner: x = (0, 2): a level is given by its index"),
        (lambda: splits.corner(x=8).contains(GRID), "corner: x = 8 is outside the grid; x has 8 levels"),
    ],
)
def test_nonsense_is_refused_by_name(ask, says):
    with pytest.raises(InputError, match=re.escape(says)):
        ask()


def test_numpy_integers_are_levels_too():
    assert splits.block(x=(np.int64(1), np.int32(3))) == splits.block(x=(1, 3))
