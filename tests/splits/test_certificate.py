"""The numbers of a split against counting by hand and closed forms."""

import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recombine import splits
from recombine.factors import Factor, Grid
from recombine.splits import Touching, certificate, make_split, touching_training
from recombine.splits.certificate import split_digest

GRID = Grid.numbered(y=9, x=12)


@given(data=st.data())
@settings(deadline=None, max_examples=100)
def test_touching_matches_counting_pairs(data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    grid = Grid.numbered(**{f"f{axis}": count for axis, count in enumerate(shape)})
    held_out = data.draw(arrays(bool, grid.size))
    rows = grid.combinations()
    shares = (rows[:, None] == rows[None, ~held_out]).any(axis=2)
    assert np.array_equal(touching_training(grid, held_out), shares.sum(axis=1))


def test_a_block_is_touched_by_what_is_left_of_its_row_and_column():
    found = certificate(make_split(splits.block(y=(1, 8), x=(2, 11)), GRID))
    assert (found.seen, found.held_out, found.share) == (108 - 63, 63, pytest.approx(63 / 108))
    assert found.sections == {"id": 45, "ood": 63, "rim": 48, "interior": 15}
    beside = (9 - 7) + (12 - 9)
    assert found.touching == dict.fromkeys(["ood", "rim", "interior"], Touching(beside, float(beside), beside))
    assert found.unseen == {}
    assert found.with_unseen_level == 0


def test_a_cross_is_touched_less_towards_its_middle():
    found = certificate(make_split(splits.extrapolation(of=splits.cross(x=(4, 9), y=(3, 5))), GRID))
    assert found.unseen == {"y": (3, 4), "x": (4, 5, 6, 7, 8)}
    assert found.with_unseen_level == found.held_out == 5 * 9 + 2 * 12 - 10
    assert found.touching["vertical"] == Touching(7, 7.0, 7)
    assert found.touching["horizontal"] == Touching(7, 7.0, 7) == Touching(9 - 2, 7.0, 9 - 2)
    assert found.touching["intersection"] == Touching(0, 0.0, 0)
    assert found.touching["ood"].min == 0


def test_minimum_median_and_maximum_are_over_the_held_out():
    grid = Grid.numbered(y=3, x=4)
    split = make_split(splits.cells(rows=[[0, 0], [0, 1], [0, 2], [1, 0]]), grid)
    # Touched through the row, then through the column, by what is trained: 1 + 1, 1 + 2, 1 + 2, 3 + 1.
    assert certificate(split).touching["ood"] == Touching(2, 3.0, 4)


def test_only_combinations_with_an_unseen_level_are_counted():
    region = splits.extrapolation(of=splits.band(factor="x", low=0, high=1) | splits.cells(rows=[[2, 5]]))
    found = certificate(make_split(region, GRID))
    assert (found.held_out, found.with_unseen_level) == (10, 9)


def test_a_certificate_is_plain_json():
    found = certificate(make_split(splits.extrapolation(of=splits.cross(x=(4, 9), y=(3, 5))), GRID)).to_dict()
    again = json.loads(json.dumps(found))
    assert again == found
    assert again["unseen"] == {"y": [3, 4], "x": [4, 5, 6, 7, 8]}
    assert again["touching"]["intersection"] == {"min": 0, "median": 0.0, "max": 0}


def test_the_digest_names_what_is_held_out_and_of_what():
    mask = splits.corner(x=6, y=2).contains(GRID)
    digest = split_digest(GRID, mask)
    assert len(digest) == 16
    assert int(digest, 16) >= 0
    assert digest == split_digest(Grid.numbered(y=9, x=12), splits.block(x=(6, 12), y=(2, 9)).contains(GRID))
    real = Grid((Factor("y", tuple(float(level) for level in range(9))), Factor.numbered("x", 12)))
    assert real == GRID
    assert split_digest(real, mask) == digest
    others = [
        split_digest(GRID, ~mask),
        split_digest(Grid.numbered(y=12, x=9), mask),
        split_digest(Grid.numbered(x=9, y=12), mask),
        split_digest(Grid.numbered(y=9, z=12), mask),
        split_digest(Grid.numbered(y=9, x=12, periodic=("x",)), mask),
        split_digest(Grid((Factor.numbered("y", 9), Factor("x", tuple(range(1, 13))))), mask),
    ]
    assert len({digest, *others}) == 7


def test_a_grid_of_a_hundred_by_a_hundred_is_quick():
    grid = Grid.numbered(y=100, x=100)
    started = time.process_time()
    found = certificate(make_split(splits.block(x=(10, 90), y=(20, 80)), grid))
    assert time.process_time() - started < 1.0
    assert found.touching["ood"] == Touching(60, 60.0, 60)


def test_its_words_are_its_numbers():
    hole = certificate(make_split(splits.block(y=(1, 8), x=(2, 11)), GRID)).words
    assert hole.startswith(
        "Training shows 45 combinations and 63 are held out (58% of all). Training shows every level"
    )
    assert hole.endswith("shares a level with 5 trained ones.")
    gap = certificate(make_split(splits.extrapolation(of=splits.band(factor="x", low=1, high=2)), GRID)).words
    assert "Levels that training never shows: 1 of x; 9 held-out combinations have one" in gap
