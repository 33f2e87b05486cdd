"""Locating is drawing a bump, backwards."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.splits import regions


def test_what_it_reads_is_the_picture_that_bump_draws():
    read, drawn = tasks.locate(n=7, sigma=1.4).asked(0), tasks.bump(n=7, sigma=1.4, dark=False).asked(0)
    assert np.array_equal(read.codes.reshape(-1, 7, 7), drawn.targets)
    assert np.array_equal(read.positions, drawn.positions)


def test_units_answer_with_the_code_that_bump_is_given():
    """The code of y, then that of x, both of the same width as the bump."""
    answers = tasks.locate(n=7, sigma=1.4).asked(0).targets
    codes = tasks.bump(n=7, encoding={"kind": "bump", "sigma": 1.4}).asked(0).codes
    assert answers.reshape(-1, 14) == pytest.approx(codes, abs=1e-6)


def test_y_is_above_x():
    units, numbers = (tasks.locate(n=9, answer=answer) for answer in ("units", "numbers"))
    place = np.array([[2, 7]])
    assert units.examples(place, 0).targets.argmax(axis=2).tolist() == [[2, 7]]
    assert numbers.examples(place, 0).targets.tolist() == [[[2.0], [7.0]]]
    assert (units.image, numbers.image) == ((2, 9), (2, 1))
    assert units.picture == numbers.picture == (1, 9, 9)


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="'units' or 'numbers'"):
        tasks.locate(answer="words")
    with pytest.raises(InputError, match="greater than or equal to 2"):
        tasks.locate(n=1)
    with pytest.raises(InputError, match="shows no factor alone"):
        Problem(tasks.locate(n=6), regions.block(x=(2, 4), y=(1, 3)), isolated=("x",))
