"""Distance to training against brute force over all pairs, rings included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Factor, Grid
from recombine.splits import distance_to_training


def brute_force(grid, held_out):
    rows = grid.combinations()
    gaps = np.abs(rows[:, None] - rows[None, ~held_out])
    for axis, factor in enumerate(grid.factors):
        if factor.periodic:
            gaps[..., axis] = np.minimum(gaps[..., axis], len(factor) - gaps[..., axis])
    return gaps.max(axis=2).min(axis=1)


@given(data=st.data())
@settings(deadline=None, max_examples=150)
def test_distance_matches_brute_force(data):
    shape = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    grid = Grid(tuple(Factor.numbered(f"f{axis}", n, data.draw(st.booleans())) for axis, n in enumerate(shape)))
    held_out = ~data.draw(arrays(bool, grid.size, elements=st.sampled_from([False, False, False, True])))
    held_out[data.draw(st.integers(0, grid.size - 1))] = False
    assert np.array_equal(distance_to_training(grid, held_out), brute_force(grid, held_out))


def test_distance_into_a_block_grows_by_one_a_cell():
    grid = Grid.numbered(y=7, x=11)
    held_out = splits.block(y=(1, 6), x=(2, 9)).contains(grid)
    distance = distance_to_training(grid, held_out).reshape(grid.shape)
    assert distance[3].tolist() == [0, 0, 1, 2, 3, 3, 3, 2, 1, 0, 0]
    assert distance[:, 5].tolist() == [0, 1, 2, 3, 2, 1, 0]


def test_a_ring_brings_training_nearer():
    line, ring = Grid.numbered(x=10), Grid.numbered(x=10, periodic=("x",))
    held_out = np.arange(10) > 0
    assert distance_to_training(line, held_out).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert distance_to_training(ring, held_out).tolist() == [0, 1, 2, 3, 4, 5, 4, 3, 2, 1]


def test_without_training_there_is_no_distance():
    with pytest.raises(InputError, match="nothing is trained on"):
        distance_to_training(Grid.numbered(y=2, x=3), np.ones(6, dtype=bool))
