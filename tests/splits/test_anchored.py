"""Anchored and dispersed training sets against their definitions written as loops, and splits with cells outside."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Grid
from recombine.splits import make_split

NINE = Grid.numbered(first=9, second=9)


@given(
    sizes=st.tuples(st.integers(2, 7), st.integers(2, 7), st.integers(1, 3)),
    anchors=st.tuples(*(st.lists(st.integers(0, 6), min_size=1, max_size=3) for _ in range(2))),
)
@settings(deadline=None, max_examples=60)
def test_anchors_train_what_has_an_anchor(sizes, anchors):
    grid = Grid.numbered(first=sizes[0], other=sizes[2], second=sizes[1])
    first = [level % sizes[0] for level in anchors[0]]
    second = [level % sizes[1] for level in anchors[1]]
    held_out = splits.anchors(first=first, second=second).contains(grid)
    rows = grid.combinations()
    assert held_out.tolist() == [row[0] not in first and row[2] not in second for row in rows.tolist()]
    # What is held out is a product: so many items of each factor are no anchors.
    assert held_out.sum() == (sizes[0] - len(set(first))) * sizes[2] * (sizes[1] - len(set(second)))


@pytest.mark.parametrize(
    ("places", "trained"),
    [((4,), 17), ((0,), 17), ((0, 8), 32), ((2, 6), 32), ((3, 4, 5), 45), ((0, 1, 7, 8), 56)],
)
def test_published_numbers_of_training_pairs(places, trained):
    held_out = splits.anchors(first=places, second=places).contains(NINE)
    assert (~held_out).sum() == trained
    assert held_out.sum() == 81 - trained


def test_one_factor_may_have_all_the_anchors_and_brackets_may_be_left_out():
    grid = Grid.numbered(first=3, second=4)
    held_out = splits.anchors(second=2).contains(grid).reshape(3, 4)
    assert held_out.tolist() == [[True, True, False, True]] * 3
    assert splits.anchors(second=2) == splits.anchors(second=(2,))


@given(partners=st.integers(1, 8), seed=st.integers(0, 60))
@settings(deadline=None, max_examples=40)
def test_dispersed_is_a_shuffled_circulant(partners, seed):
    trained = ~splits.dispersed(partners=partners, seed=seed).contains(NINE).reshape(9, 9)
    assert (trained.sum(axis=0) == partners).all()
    assert (trained.sum(axis=1) == partners).all()
    plain = np.zeros((9, 9), dtype=bool)
    for item in range(9):
        for partner in range(partners):
            plain[item, (item + partner) % 9] = True
    assert sorted(trained.tolist()) == sorted(plain.tolist())
    np.random.default_rng(seed).shuffle(plain)
    assert np.array_equal(trained, plain)


def test_the_published_dispersed_sets_have_18_pairs_and_depend_on_the_seed():
    masks = [splits.dispersed(seed=seed).contains(NINE) for seed in (1, 1, 2)]
    assert [(~mask).sum() for mask in masks] == [18, 18, 18]
    assert np.array_equal(masks[0], masks[1])
    assert not np.array_equal(masks[0], masks[2])


@pytest.mark.parametrize(
    ("region", "grid", "says"),
    [
        (splits.anchors(first=9), NINE, "anchors: first = 9 is outside the grid; first has 9 levels"),
        (splits.anchors(third=1), NINE, "unknown factor 'third'"),
        (splits.dispersed(), Grid.numbered(first=4, second=5), r"equally many levels, but the grid has sizes \(4, 5\)"),
        (splits.dispersed(), Grid.numbered(a=3, b=3, c=3), r"dispersed needs two factors .* sizes \(3, 3, 3\)"),
        (splits.dispersed(partners=9), NINE, "partners = 9 leaves nothing held out of 9 levels; use at most 8"),
    ],
)
def test_regions_that_do_not_fit_the_grid_say_so(region, grid, says):
    with pytest.raises(InputError, match=says):
        region.contains(grid)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: splits.anchors(), "anchors names no factor; name at least one"),
        (lambda: splits.anchors(first=()), "anchors: first = .*at least 1"),
        (lambda: splits.anchors(first=-1), "a level is given by its index, a whole number from 0"),
        (lambda: splits.anchors(first=(0.5,)), "a level is given by its index"),
        (lambda: splits.dispersed(partners=0), "dispersed: partners = 0"),
        (lambda: splits.dispersed(seed=-1), "dispersed: seed = -1"),
    ],
)
def test_bad_settings_are_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_combinations_outside_the_task_are_neither_trained_nor_held_out():
    grid = Grid.numbered(y=4, x=5)
    outside = np.zeros(20, dtype=bool)
    outside[[0, 7, 13]] = True
    split = make_split(splits.cells(rows=[[0, 0], [1, 1], [3, 4]]), grid, outside=outside)
    assert np.array_equal(split.train ^ split.held_out, ~split.outside)
    assert not (split.train & split.held_out).any()
    assert np.flatnonzero(split.held_out).tolist() == [6, 19]
    assert not any((mask & outside).any() for mask in split.sections.values())
    assert np.array_equal(split.sections["id"], split.train)


def test_a_level_that_only_occurs_outside_is_never_shown():
    grid = Grid.numbered(y=3, x=3)
    outside = np.zeros(9, dtype=bool)
    outside[[6, 7]] = True  # y = 2 has an answer with x = 2 alone, which is held out
    with pytest.raises(InputError, match="never shows y = 2"):
        make_split(splits.cells(rows=[[2, 2]]), grid, outside=outside)


def test_holding_out_only_what_is_outside_holds_out_nothing():
    outside = np.arange(9) == 4
    with pytest.raises(InputError, match="holds out nothing of the"):
        make_split(splits.cells(rows=[[1, 1]]), Grid.numbered(y=3, x=3), outside=outside)
