"""Where lone stripes stand: at every level, or every so many pixels in the cells of all levels."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.splits import regions

SIDES = (5, 8)
BOTH = ("y", "x")


@pytest.mark.parametrize("kind", ["bump", "sum-of-stripes", "torus"])
def test_a_spacing_of_one_step_is_no_spacing(kind):
    task = tasks.pick(kind)(n=SIDES)
    usual = task.alone(BOTH, None, False)
    assert len(usual) == sum(SIDES)
    assert np.array_equal(task.alone(BOTH, 1.0, False), usual, equal_nan=True)


@pytest.mark.parametrize("spacing", [0.5, 0.25, 0.2])
@pytest.mark.parametrize(("names", "axes"), [(("y",), (0,)), (("x",), (1,)), (BOTH, (0, 1))])
def test_stripes_stand_as_those_beside_a_pad_do(spacing, names, axes):
    """But for how the absent factor is told: by a centre beyond the border there, by its absence here."""
    plain, padded = (tasks.bump(n=SIDES, sigma=0.5, **more) for more in ({}, {"pad": 3}))
    found, beside = plain.alone(names, spacing, False), padded.alone(names, spacing, False)
    assert len(found) == sum(SIDES[axis] for axis in axes) / spacing
    assert (np.isnan(found).sum(axis=1) == 1).all()
    outside = (beside < -0.75) | (beside > np.array(SIDES) - 0.25)
    for axis in (0, 1):
        here = found[~np.isnan(found[:, axis]), axis]
        there = beside[~outside[:, axis] & outside[:, 1 - axis], axis]
        assert np.round(np.sort(here), 6).tolist() == np.unique(np.round(there, 6)).tolist()


def test_coarse_steps_and_margins_have_centres_in_all_of_their_cells():
    task = tasks.bump(n=(4, 6), step=2.0, margin=2)
    (rows, columns) = (task.alone((name,), 0.5, False)[:, axis] for axis, name in enumerate(BOTH))
    assert rows.tolist() == np.arange(-3.0, 5.0, 0.5).tolist()
    assert columns.tolist() == np.arange(-3.0, 7.0, 0.5).tolist()


def test_the_training_set_has_them():
    hole = regions.block(y=(1, 3), x=(2, 5))
    given = Problem(tasks.bump(n=SIDES), hole, isolated=BOTH, examples=0)
    finer = Problem(tasks.bump(n=SIDES), hole, isolated=BOTH, examples=0, spacing=0.5)
    few, more = (each.training_set().positions for each in (given, finer))
    assert (len(few), len(more)) == (13, 26)
    shown = {tuple(row) for row in np.nan_to_num(more, nan=-9.0).tolist()}
    assert {tuple(row) for row in np.nan_to_num(few, nan=-9.0).tolist()} < shown


def test_a_spacing_that_does_not_divide_the_step_is_refused():
    with pytest.raises(InputError, match=r"spacing = 0.3 must divide the 1 pixels"):
        tasks.bump(n=SIDES).alone(BOTH, 0.3, False)
