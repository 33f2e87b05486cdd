"""Combinations and indices undo each other; absent is refused where it has no meaning."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.factors import ABSENT, Factor, Grid, present

SHAPES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


def numbered(shape: list[int]) -> Grid:
    return Grid(tuple(Factor.numbered(f"f{axis}", count) for axis, count in enumerate(shape)))


def test_a_grid_describes_itself():
    grid = Grid.numbered(y=4, x=5, periodic=("x",))
    assert grid.names == ("y", "x")
    assert grid.shape == (4, 5)
    assert grid.size == 20
    assert [factor.periodic for factor in grid.factors] == [False, True]
    assert grid == Grid((Factor.numbered("y", 4), Factor.numbered("x", 5, periodic=True)))
    assert grid == Grid.numbered(y=4, x=5, periodic="x")
    assert hash(grid) != hash(Grid.numbered(y=4, x=5))


@given(shape=SHAPES)
@settings(deadline=None)
def test_combinations_are_the_product_with_the_first_factor_slowest(shape):
    rows = numbered(shape).combinations()
    assert [tuple(row) for row in rows] == list(itertools.product(*map(range, shape)))


@given(shape=SHAPES, data=st.data())
@settings(deadline=None)
def test_index_inverts_combinations(shape, data):
    grid = numbered(shape)
    order = np.array(data.draw(st.permutations(range(grid.size))))
    assert np.array_equal(grid.index(grid.combinations()[order]), order)


def test_reshaping_to_the_grid_gives_row_then_column():
    grid = Grid.numbered(y=3, x=5)
    y, x = grid.combinations().T
    assert np.array_equal(y.reshape(grid.shape)[:, 0], [0, 1, 2])
    assert np.array_equal(x.reshape(grid.shape)[0], [0, 1, 2, 3, 4])
    assert grid.index(np.array([[2, 1]])).tolist() == [11]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ([1, 5], "row 1 has x = 5; x has 5 levels, so give an index from 0 to 4"),
        ([4, 1], "row 1 has y = 4; y has 4 levels, so give an index from 0 to 3"),
        ([-2, 1], "row 1 has y = -2; y has 4 levels"),
        ([1, ABSENT], "row 1 has no x; only a combination with every factor has an index"),
        ([ABSENT, 1], "row 1 has no y;"),
    ],
)
def test_rows_off_the_grid_have_no_index(row, says):
    with pytest.raises(InputError, match=re.escape(says)):
        Grid.numbered(y=4, x=5).index(np.array([[0, 0], row]))


def test_rows_of_another_length_are_refused():
    with pytest.raises(InputError, match=re.escape("3 columns but the grid has 2 factors (y, x)")):
        Grid.numbered(y=4, x=5).index(np.zeros((2, 3), dtype=int))


def test_axis_finds_factors_and_offers_the_nearest_name():
    grid = Grid.numbered(height=4, width=5)
    assert (grid.axis("height"), grid.axis("width")) == (0, 1)
    with pytest.raises(InputError, match=r"unknown factor 'widht'; did you mean 'width'"):
        grid.axis("widht")


def test_values_are_levels_and_nan_where_absent():
    grid = Grid((Factor("y", (0.5, 1.5)), Factor("x", (10, 20, 40))))
    found = grid.values(np.array([[1, 2], [ABSENT, 1], [0, ABSENT]]))
    assert np.array_equal(found, [[1.5, 40.0], [np.nan, 20.0], [0.5, np.nan]], equal_nan=True)
    with pytest.raises(InputError, match="row 0 has x = 3; x has 3 levels"):
        grid.values(np.array([[0, 3]]))


def test_words_have_no_value():
    grid = Grid((Factor("y", (0, 1)), Factor("hue", ("red", "blue"))))
    with pytest.raises(InputError, match="factor 'hue' has words for levels"):
        grid.values(grid.combinations())


def test_isolated_shows_each_level_once_and_nothing_else():
    grid = Grid.numbered(y=2, x=3)
    everything = grid.isolated()
    assert everything.tolist() == [[0, ABSENT], [1, ABSENT], [ABSENT, 0], [ABSENT, 1], [ABSENT, 2]]
    assert np.array_equal(grid.isolated("x"), everything[2:])
    assert np.array_equal(grid.isolated("x", "y"), np.concatenate([everything[2:], everything[:2]]))
    assert np.array_equal(grid.isolated("x", "x"), grid.isolated("x"))
    with pytest.raises(InputError, match="unknown factor 'z'"):
        grid.isolated("z")


@given(shape=SHAPES)
@settings(deadline=None)
def test_isolated_rows_have_exactly_one_factor(shape):
    grid = numbered(shape)
    rows = grid.isolated()
    assert len(rows) == sum(shape)
    assert np.array_equal(present(rows).sum(axis=1), np.ones(len(rows)))
    assert np.array_equal(present(rows).sum(axis=0), shape)


def test_present_marks_what_is_not_absent():
    assert present(np.array([[0, ABSENT, 2], [ABSENT, 1, 0]])).tolist() == [[True, False, True], [False, True, True]]
    assert present(Grid.numbered(y=2, x=3).combinations()).all()


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Grid(()), "a grid has no factors"),
        (lambda: Grid.numbered(), "a grid has no factors"),
        (lambda: Grid((Factor.numbered("x", 2), Factor.numbered("x", 3))), "a grid has the factor 'x' twice"),
        (lambda: Grid.numbered(y=2, x=3, periodic=("z",)), "unknown periodic factor 'z'"),
        (lambda: Grid.numbered(y=2, x=0), "factor 'x' has no levels"),
    ],
)
def test_nonsense_grids_are_refused(build, says):
    with pytest.raises(InputError, match=says):
        build()
