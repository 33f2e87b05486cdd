"""Diagonals, axes, lists and random subsets against brute force and closed forms."""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Grid


@pytest.mark.parametrize(("n", "width"), [(5, 0), (5, 1), (7, 2), (6, 5)])
def test_on_a_square_the_diagonal_trains_on_a_stripe(n, width):
    trained = ~splits.diagonal(width=width).contains(Grid.numbered(y=n, x=n))
    assert trained.sum() == n + sum(2 * (n - offset) for offset in range(1, width + 1))


def test_on_unequal_sides_the_diagonal_runs_corner_to_corner():
    grid = Grid.numbered(y=3, x=5)
    held_out = splits.diagonal(width=1).contains(grid).reshape(grid.shape)
    expected = [[abs(y / 2 - x / 4) * 4 > 1 for x in range(5)] for y in range(3)]
    assert held_out.tolist() == expected
    assert not held_out[0, 0]
    assert not held_out[2, 4]


@given(y=st.integers(2, 8), x=st.integers(2, 11), width=st.integers(0, 6))
@example(y=3, x=8, width=1)  # in floating point (2/2 - 6/7) * 7 is more than 1
@settings(deadline=None)
def test_widths_that_are_met_exactly_are_trained(y, x, width):
    grid = Grid.numbered(y=y, x=x)
    apart = [abs(Fraction(int(i), y - 1) - Fraction(int(j), x - 1)) for i, j in grid.combinations()]
    trained = [gap * (max(y, x) - 1) <= width for gap in apart]
    assert (~splits.diagonal(width=width).contains(grid)).tolist() == trained


def test_with_three_factors_the_spread_of_levels_counts():
    grid = Grid.numbered(y=4, x=4, z=4)
    trained = [max(levels) - min(levels) <= 1 for levels in itertools.product(range(4), range(4), range(4))]
    assert (~splits.diagonal(width=1).contains(grid)).tolist() == trained


def test_a_factor_with_one_level_does_not_bend_the_diagonal():
    flat, thick = Grid.numbered(y=4, x=6), Grid.numbered(y=4, one=1, x=6)
    region = splits.diagonal(width=1)
    assert np.array_equal(region.contains(flat), region.contains(thick))
    with pytest.raises(InputError, match=re.escape("diagonal needs two factors with two levels or more")):
        region.contains(Grid.numbered(y=4, one=1))


@given(shape=st.lists(st.integers(1, 5), min_size=2, max_size=4), data=st.data())
@settings(deadline=None, max_examples=50)
def test_orthogonal_trains_on_the_axes_through_its_anchor(shape, data):
    grid = Grid.numbered(**{f"f{axis}": count for axis, count in enumerate(shape)})
    anchor = [data.draw(st.integers(0, count - 1)) for count in shape]
    trained = ~splits.orthogonal(at=dict(zip(grid.names, anchor, strict=True))).contains(grid)
    assert trained.sum() == 1 + sum(count - 1 for count in shape)
    assert np.array_equal(trained, (grid.combinations() != anchor).sum(axis=1) <= 1)


def test_orthogonal_is_anchored_at_first_levels_by_default():
    grid = Grid.numbered(y=3, x=5)
    trained = (~splits.orthogonal().contains(grid)).reshape(grid.shape)
    assert trained[0].all()
    assert trained[:, 0].all()
    assert trained.sum() == 7
    shifted = (~splits.orthogonal(at={"x": 4}).contains(grid)).reshape(grid.shape)
    assert shifted[0].all()
    assert shifted[:, 4].all()


def test_conjunctions_hold_out_every_match_of_any_entry():
    grid = Grid.numbered(y=3, x=5, z=2)
    region = splits.conjunctions(of=[{"x": 3, "y": 1}, {"z": 1, "x": 0}])
    expected = [(x == 3 and y == 1) or (z == 1 and x == 0) for y, x, z in grid.combinations()]
    assert region.contains(grid).tolist() == expected
    assert sum(expected) == 2 + 3


def test_cells_are_the_listed_combinations_in_factor_order():
    grid = Grid.numbered(y=3, x=5)
    held_out = splits.cells(rows=[[2, 1], [0, 4], [2, 1]]).contains(grid).reshape(grid.shape)
    assert np.argwhere(held_out).tolist() == [[0, 4], [2, 1]]


@given(fraction=st.floats(0.01, 0.99), seed=st.integers(0, 2**31), y=st.integers(1, 7), x=st.integers(2, 9))
@settings(deadline=None)
def test_a_random_region_holds_out_exactly_its_share(fraction, seed, y, x):
    held_out = splits.random(fraction=fraction, seed=seed).contains(Grid.numbered(y=y, x=x))
    assert held_out.sum() == round(fraction * y * x)


@given(small=st.floats(0.01, 0.99), large=st.floats(0.01, 0.99), seed=st.integers(0, 50))
@settings(deadline=None)
def test_random_regions_of_one_seed_are_nested(small, large, seed):
    small, large = sorted((small, large))
    grid = Grid.numbered(y=6, x=9)
    inner, outer = (splits.random(fraction=share, seed=seed).contains(grid) for share in (small, large))
    assert not (inner & ~outer).any()


def test_seeds_differ_and_every_combination_has_its_turn():
    grid = Grid.numbered(y=6, x=9)
    masks = np.array([splits.random(fraction=0.5, seed=seed).contains(grid) for seed in range(200)])
    assert len(np.unique(masks, axis=0)) == 200
    # Each combination is held out Binomial(200, 1/2) times: 100, with a standard deviation of 7.1.
    assert abs(masks.sum(axis=0) - 100).max() < 5 * 7.1


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: splits.diagonal(width=-1), "diagonal: width = -1"),
        (lambda: splits.diagonal(), "diagonal needs the setting 'width'"),
        (lambda: splits.random(fraction=0.0), "random: fraction = 0.0"),
        (lambda: splits.random(fraction=1.0), "random: fraction = 1.0"),
        (lambda: splits.random(fraction=0.5, seed=-1), "random: seed = -1"),
        (lambda: splits.orthogonal(at={"x": 5}).contains(Grid.numbered(y=3, x=5)), "orthogonal: x = 5 is outside"),
        (lambda: splits.orthogonal(at={"w": 0}).contains(Grid.numbered(y=3, x=5)), "unknown factor 'w'"),
        (lambda: splits.conjunctions(of=[]), "conjunctions: of = []"),
        (lambda: splits.conjunctions(of=[{}]), "conjunctions: of.0 = {}"),
        (lambda: splits.conjunctions(of=[{"x": -1}]), "conjunctions: of.0.x = -1: a level is given by its index"),
        (
            lambda: splits.conjunctions(of=[{"y": 3}]).contains(Grid.numbered(y=3, x=5)),
            "conjunctions: y = 3 is outside the grid; y has 3 levels",
        ),
        (lambda: splits.cells(rows=[]), "cells: rows = []"),
        (
            lambda: splits.cells(rows=[[1, 2, 0]]).contains(Grid.numbered(y=3, x=5)),
            "cells: the row [1, 2, 0] has 3 levels; the grid has 2 factors",
        ),
        (lambda: splits.cells(rows=[[3, 2]]).contains(Grid.numbered(y=3, x=5)), "row 0 has y = 3; y has 3 levels"),
    ],
)
def test_nonsense_is_refused_by_name(ask, says):
    with pytest.raises(InputError, match=re.escape(says)):
        ask()
