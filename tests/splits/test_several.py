"""At least so many factors at or above a level: against plain counting, and against its two ends."""

from functools import reduce
from itertools import product
from math import comb
from operator import or_

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Grid
from recombine.splits import make_split

shapes = st.lists(st.integers(1, 5), min_size=1, max_size=4)


def grid_of(shape):
    return Grid.numbered(**{f"x{index}": count for index, count in enumerate(shape)})


@given(shape=shapes, count=st.integers(1, 4), low=st.integers(0, 5))
@settings(deadline=None, max_examples=60)
def test_it_is_a_count_of_the_upper_levels(shape, count, low):
    count, low = min(count, len(shape)), min(low, max(shape) - 1)
    plain = [sum(level >= low for level in row) >= count for row in product(*map(range, shape))]
    assert splits.several(count=count, low=low).contains(grid_of(shape)).tolist() == plain


@given(shape=st.lists(st.integers(3, 5), min_size=1, max_size=4), low=st.integers(0, 2))
@settings(deadline=None, max_examples=30)
def test_one_is_a_union_and_all_is_a_corner(shape, low):
    grid = grid_of(shape)
    one = splits.several(count=1, low=low).contains(grid)
    every = splits.several(count=len(shape), low=low).contains(grid)
    assert np.array_equal(one, reduce(or_, [splits.corner(**{name: low}) for name in grid.names]).contains(grid))
    assert np.array_equal(every, splits.corner(**dict.fromkeys(grid.names, low)).contains(grid))


@pytest.mark.parametrize(("factors", "count"), [(2, 2), (3, 2), (4, 2), (4, 3)])
def test_half_of_the_levels_makes_it_binomial(factors, count):
    share = splits.several(count=count, low=3).contains(grid_of([6] * factors)).mean()
    assert share == sum(comb(factors, k) for k in range(count, factors + 1)) / 2**factors


def test_the_more_factors_it_takes_the_fewer_combinations_it_holds_out():
    grid = grid_of([3, 4, 5])
    one, two, three = (splits.several(count=count, low=2).contains(grid) for count in (1, 2, 3))
    assert not (two & ~one).any()
    assert not (three & ~two).any()
    assert one.sum() > two.sum() > three.sum() == 1 * 2 * 3


def test_training_shows_every_level_of_every_factor_and_never_two_upper_ones():
    grid = grid_of([4, 5, 6])
    trained = grid.combinations()[make_split(splits.several(count=2, low=2), grid).train]
    assert [len(np.unique(column)) for column in trained.T] == [4, 5, 6]
    assert (trained >= 2).sum(axis=1).max() == 1


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (
            lambda: splits.several(count=3, low=1).contains(grid_of([2, 3])),
            "several: count = 3 is more than the 2 factors of the grid; lower it",
        ),
        (lambda: splits.several(count=0, low=1), "several: count = 0: .* greater than or equal to 1"),
        (lambda: splits.several(count=1, low=-1), "several: low = -1: a level is given by its index"),
        (lambda: splits.several(count=2), "several needs the setting 'low'"),
    ],
)
def test_nonsense_is_refused_by_name(ask, says):
    with pytest.raises(InputError, match=says):
        ask()


def test_a_level_that_no_factor_has_is_refused():
    with pytest.raises(InputError, match="low = 5 is above every level; the largest factor has levels 0 to 4"):
        splits.several(count=1, low=5).contains(grid_of([3, 5]))
